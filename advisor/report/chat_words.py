"""What a chat program's own parts are called: buttons, steps, short answers about the chat itself.

Fixed words only, by hand in English and Simplified Chinese; nothing here advises.
"""

from __future__ import annotations

from advisor.core.text import Text

PART = {
    "weights": Text("weights", "权重"),
    "gradients": Text("gradients", "梯度"),
    "optimizer": Text("optimizer states", "优化器状态"),
    "adapters": Text("adapters", "适配器"),
    "activations": Text("activations", "激活值"),
    "logits": Text("logits and loss", "logits 与损失"),
    "kv_cache": Text("KV cache", "KV 缓存"),
    "buffers": Text("buffers", "缓冲区"),
    "overhead": Text("framework", "框架占用"),
    "reserve": Text("fragments and CUDA context", "碎片与 CUDA 上下文"),
}
# A lever's name on a button, short enough for one.
LEVER_SHORT = {
    "precision": Text("train in {after}", "用 {after} 训练"),
    "grad_ckpt": Text("gradient checkpointing", "开梯度检查点"),
    "sharding": Text("{after}", "{after}"),
    "micro_batch": Text("micro-batch {after}", "单卡 batch {after}"),
    "seq_len": Text("length {after}", "长度 {after}"),
    "optimizer": Text("{after}", "{after}"),
    "offload": Text("offload to RAM", "卸载到内存"),
    "method": Text("use {after}", "改用 {after}"),
    "cards": Text("{after}", "{after}"),
    "card": Text("{after}", "换成 {after}"),
    "quant": Text("{after}-bit weights", "{after} bit 权重"),
}
CHAT = {
    "foot": Text("Plan {plan} · facts as of {as_of}", "方案 {plan} · 数据截至 {as_of}"),
    "memory": Text("Memory a card: {method} on {hardware}", "每卡显存：{method}，{hardware}"),
    "option_plan": Text("Option", "方案"),
    "option_hardware": Text("Hardware", "硬件"),
    "option_way": Text("Split", "切分"),
    "option_peak": Text("Peak a card", "每卡峰值"),
    "option_cost": Text("Cost", "费用"),
    "estimate": Text("estimate", "估算"),
    "take": Text("{plan}", "{plan}"),
    "take_one": Text("Take one of these…", "选其中一个…"),
    "more_risks": Text("{count} more in the full plan", "完整方案里还有 {count} 条"),
    "change": Text("Change…", "修改…"),
    "choose": Text("Choose an answer", "请选择"),
    "unknown": Text("I don't know", "不知道"),
    "skip": Text("Skip", "跳过"),
    "why_asked": Text("Why do you ask?", "为什么问这个？"),
    "why": Text("Why?", "依据？"),
    "export": Text("Export checklist", "导出清单"),
    "export_say": Text("export the checklist", "导出清单"),
    "show": Text("Full plan", "完整方案"),
    "show_say": Text("show", "全文"),
    "explain_say": Text("explain", "解释"),
    "why_say": Text("why", "为什么"),
    "skip_say": Text("skip", "跳过"),
    "unknown_say": Text("I don't know", "不知道"),
    "kit": Text("Order pack", "订单资料包"),
    "kit_done": Text(
        "The order pack of plan {plan}: {count} files, from the order sheet to the scripts that check the delivery.",
        "方案 {plan} 的订单资料包，共 {count} 个文件，从下单配置单到验收脚本都在里面。",
    ),
    "good": Text("Helpful", "有用"),
    "bad": Text("Not helpful", "没用"),
    "thanks": Text(
        "Thank you. I keep the vote and the plan's number, no text and no name.",
        "谢谢。只记录这一票和方案编号，不记文字，也不记是谁。",
    ),
    "exported": Text(
        "The acceptance checklist of plan {plan} is attached: {count} items, frozen as of today.",
        "方案 {plan} 的验收清单见附件，共 {count} 项，已按今天的数据冻结。",
    ),
    "shown": Text("The full plan is attached.", "完整方案见附件。"),
    "no_upload": Text(
        "Slack did not take the file just now; say “export” again in a moment.",
        "Slack 暂时收不了文件，请稍后再说一次“导出”。",
    ),
    "too_long": Text(
        "That is {count} characters; I read up to {most}. Say the job in a few sentences, or attach the file.",
        "这条有 {count} 个字，我最多读 {most} 个。请用几句话说明任务，或把文件传上来。",
    ),
    "failed": Text(
        "Something went wrong on my side; nothing was lost. Please say it again. If it stays, name this number: {id}",
        "我这边出了点问题，之前说的都还在。请再说一遍；如果还不行，请报这个编号：{id}",
    ),
    "busy": Text("One moment…", "稍等……"),
    "thinking": Text("is working it out…", "正在计算……"),
    # The command.
    "help": Text(
        "*What I do*: say whether a training, fine-tuning or inference job runs on a GPU server here, what to order,"
        " and how to check the delivery.\n"
        "• Mention me in a channel, or write to me directly: _can I fine-tune 70B here?_\n"
        "• In the thread, just go on: answer the question, correct yourself, say _why_, _back_, _start over_,"
        " _compare 4 and 8 cards_, _export_.\n"
        "• Attach outputs of acceptance commands, a vendor's offer or a `config.json`, and I read them.\n"
        "• `/hkgpu` opens the form · `/hkgpu here 8xA100 80GB` says what “here” means in this channel ·"
        " `/hkgpu here none` takes it back · `/hkgpu forget` removes what you said.",
        "*我能做什么*：判断训练、微调或推理任务在这里的 GPU 服务器上能不能跑、该订什么、交付怎么验收。\n"
        "• 在频道里 @我，或者直接私信：_能不能在这里微调 70B？_\n"
        "• 在会话里接着说就行：回答问题、更正、_为什么_、_返回_、_重新开始_、_比较 4 张和 8 张_、_导出_。\n"
        "• 把验收命令的输出、供应商报价或 `config.json` 传上来，我来读。\n"
        "• `/hkgpu` 打开表单 · `/hkgpu here 8xA100 80GB` 指定本频道的“这里”是什么 ·"
        " `/hkgpu here none` 取消 · `/hkgpu forget` 删除你说过的内容。",
    ),
    "here_is": Text("In this channel, “here” means {place}.", "在这个频道里，“这里”指 {place}。"),
    "here_set": Text("From now on, “here” means {place} in this channel.", "好，从现在起，本频道的“这里”指 {place}。"),
    "here_none": Text(
        "In this channel, “here” means the place the operator set, else the Hong Kong rental market."
        " To change that: `/hkgpu here 8xA100 80GB`",
        "在这个频道里，“这里”按管理员的设置，没有设置就按香港租赁市场。要改：`/hkgpu here 8xA100 80GB`",
    ),
    "here_unread": Text(
        "I find no server in that. For example: `/hkgpu here 8xA100 80GB`, `/hkgpu here 2 nodes of 8x H100`",
        "没看出是什么服务器。例如：`/hkgpu here 8xA100 80GB`、`/hkgpu here 2台8卡H100`",
    ),
    "in_dm": Text("I answer in our direct messages.", "我在私信里回答你。"),
    "no_form": Text("The form did not open. Please try once more.", "表单没有打开，请再试一次。"),
    # The form.
    "form_title": Text("Plan a GPU server", "规划 GPU 服务器"),
    "form_next": Text("Next", "下一步"),
    "form_plan": Text("Make the plan", "生成方案"),
    "form_back": Text("Back", "上一步"),
    "form_close": Text("Close", "关闭"),
    "form_step": Text("Step {step} of {steps}: {name}", "第 {step} 步，共 {steps} 步：{name}"),
    "form_note": Text(
        "Leave out what you do not know: I take a safe value and say so.", "不知道的可以不填：我会取稳妥的值并说明。"
    ),
    "form_pick": Text("Choose", "请选择"),
    "form_type": Text("Type to search", "输入搜索"),
    "form_sent": Text(
        "I also sent this to you as a direct message; there we can go on.", "方案也发到了你的私信，可以在那里接着聊。"
    ),
    "form_working": Text("Working it out…", "正在计算……"),
    "form_long": Text("Too much text in this form; shorten the answers.", "表单内容太长，请把答案写短一点。"),
    "step_task": Text("the job", "任务"),
    "step_model": Text("the model", "模型"),
    "step_data": Text("the data", "数据"),
    "step_place": Text("the place", "机器与线路"),
    "step_budget": Text("money and time", "预算与时间"),
    # The home tab.
    "home_head": Text("GPU servers in Hong Kong, worked out", "香港 GPU 服务器，算清楚再订"),
    "home_start": Text("Start a plan", "开始规划"),
    "home_recent": Text("Your recent plans", "最近的方案"),
    "home_none": Text("None yet.", "还没有。"),
    "home_open": Text("open the thread", "打开会话"),
    "home_privacy": Text(
        "*Privacy*: a message's text is kept until it is answered, at most an hour; what I understood (model, cards,"
        " figures) stays with the conversation for {days} days. Votes carry no name.",
        "*隐私*：消息原文只保留到回答为止，最多一小时；从中得到的信息（模型、显卡、数字）随会话保留 {days} 天。"
        "投票不带姓名。",
    ),
    "home_forget": Text("Forget me", "删除我的内容"),
    "forget_title": Text("Forget what you said?", "删除你说过的内容？"),
    "forget_text": Text(
        "Your turns leave every conversation; plans that rest on them go too.",
        "你的回合会从所有会话里删除，基于它们的方案也一并删除。",
    ),
    "forget_yes": Text("Forget", "删除"),
    "forget_no": Text("Keep", "保留"),
    # Suggested prompts.
    "prompts": Text("What is the job?", "要做什么任务？"),
    "prompt_fit": Text("Will it run?", "能不能跑？"),
    "prompt_fit_say": Text("Can I fine-tune 70B here?", "能不能在这里微调 70B？"),
    "prompt_order": Text("What should I order?", "该订什么？"),
    "prompt_order_say": Text(
        "What should I order for LoRA on Qwen2.5-72B, 8k sequences?", "LoRA 微调 Qwen2.5-72B，长度 8k，该订什么服务器？"
    ),
    "prompt_serve": Text("How many cards to serve it?", "推理要几张卡？"),
    "prompt_serve_say": Text(
        "How many H100 to serve a 32B model to 50 users at once?", "32B 模型 50 路并发推理，要几张 H100？"
    ),
    "prompt_claim": Text("Is the vendor right?", "供应商说的对吗？"),
    "prompt_claim_say": Text(
        "The vendor says one A100 80GB is enough to fully fine-tune 70B. True?",
        "供应商说一张 A100 80GB 就能全参微调 70B，对吗？",
    ),
    # Files.
    "file_large": Text("{name}: larger than {most} MB, not read.", "{name}：超过 {most} MB，没有读取。"),
    "file_many": Text("I read {most} files at a time; the rest I left.", "一次最多读 {most} 个文件，其余没有读。"),
    "file_failed": Text("{name}: could not be fetched from Slack.", "{name}：没能从 Slack 取到。"),
    "file_unknown": Text(
        "{name}: I do not recognise it. I read outputs of acceptance commands, vendors' offers and config.json.",
        "{name}：认不出来。我能读验收命令的输出、供应商报价和 config.json。",
    ),
    "file_config": Text(
        "{name}: about {params}B parameters. Which method, and on what? Say e.g. “QLoRA on 4x H100”.",
        "{name}：约 {params}B 参数。用什么方式、什么卡？比如“QLoRA，4 张 H100”。",
    ),
    "judged_attached": Text("The full judgement is attached.", "完整的判定见附件。"),
    "quote_attached": Text("The comparison with the plan is attached.", "与方案的逐项对照见附件。"),
}
