"""The fixed sentences of each language: headings, labels and the frames around what the rules said.

They hold no advice and no figure. What a rule says stands in the rule's own file.
"""

from __future__ import annotations

from advisor.core.text import Text

VERDICT = {
    "yes": Text("Yes", "可以"),
    "yes_if": Text("It depends", "要看情况"),
    "no": Text("No", "不行"),
    "unknown": Text("I cannot tell yet", "还不能判断"),
}
METHOD = {
    "full": Text("full fine-tuning", "全参微调"),
    "lora": Text("LoRA", "LoRA"),
    "qlora": Text("QLoRA", "QLoRA"),
    "inference": Text("inference", "推理"),
    "pretrain": Text("pretraining", "预训练"),
}
MOMENT = {
    "before_order": Text("Before the order", "下单前"),
    "on_delivery": Text("On delivery", "交付时"),
    "first_run": Text("First run", "首次试跑"),
    "in_operation": Text("In operation", "运行期间"),
}
SEVERITY = {
    "must": Text("must", "必须"),
    "should": Text("should", "建议"),
    "nice": Text("nice to have", "可选"),
}
DEGREE = {"high": Text("high", "高"), "medium": Text("medium", "中"), "low": Text("low", "低")}
LABEL = {
    "cheapest": Text("cheapest", "最便宜"),
    "cheapest_in_cny": Text("cheapest priced in CNY", "人民币报价里最便宜"),
    "cheapest_in_hkd": Text("cheapest priced in HKD", "港币报价里最便宜"),
    "cheapest_in_usd": Text("cheapest priced in USD", "美元报价里最便宜"),
    "fastest": Text("fastest", "最快"),
    "safest": Text("safest", "最稳"),
    "smallest": Text("fewest cards", "用卡最少"),
    "as_stated": Text("as you described", "按你说的配置"),
}
LEVER = {
    "precision": Text("train in {after} instead of {before}", "用 {after} 训练，不用 {before}"),
    "grad_ckpt": Text("switch gradient checkpointing on", "打开梯度检查点"),
    "sharding": Text("shard with {after} instead of {before}", "切分方式由 {before} 改为 {after}"),
    "micro_batch": Text("micro-batch {after} instead of {before}", "单卡 batch 由 {before} 降到 {after}"),
    "seq_len": Text("length {after} instead of {before} tokens", "长度由 {before} 降到 {after} token"),
    "optimizer": Text("optimizer {after} instead of {before}", "优化器由 {before} 换成 {after}"),
    "offload": Text("offload optimizer and weights to host RAM", "把优化器和权重卸载到主机内存"),
    "method": Text("{after} instead of {before}", "训练方式改为：{after}（原：{before}）"),
    "cards": Text("go from {before} to {after}", "由 {before} 张卡改为 {after}"),
    "card": Text("{after} instead of {before}", "由 {before} 换成 {after}"),
    "quant": Text("quantise the weights to {after} bits", "权重量化到 {after} bit"),
}
UNIT = {
    "days": Text("days", "天"),
    "h": Text("h", "小时"),
    "min": Text("min", "分钟"),
    "s": Text("s", "秒"),
    "months": Text("months", "个月"),
    "rows": Text("rows", "条"),
    "tokens": Text("tokens", "token"),
    "tokens/s": Text("tokens/s", "token/s"),
    "requests/s": Text("requests/s", "请求/秒"),
}
DISK = {
    "raw data": Text("raw data", "原始数据"),
    "cleaned data": Text("cleaned data", "清洗后数据"),
    "token cache": Text("token cache", "token 缓存"),
    "logs": Text("logs", "日志"),
    "checkpoints": Text("checkpoints", "checkpoint"),
    "temporary files": Text("temporary files", "临时文件"),
    "system and images": Text("system and images", "系统和镜像"),
    "model files": Text("model files", "模型文件"),
    "kept free": Text("kept free", "预留"),
}
# How a rule's sentence may begin where it gives a verdict: the summary says the verdict itself.
OPENINGS = {
    "yes": ("Yes", "可以", "放得下"),
    "yes_if": ("It depends", "Yes, if", "有条件可以", "要看情况", "有條件可以", "要看情況", "可以"),
    "no": ("No", "不行", "不可以"),
    "unknown": ("I cannot tell yet", "I can't tell yet", "还不能判断", "暂时无法判断", "无法判断", "還不能判斷"),
}
PERIOD = {
    "hour": Text("hour", "小时"),
    "day": Text("day", "天"),
    "month": Text("month", "月"),
    "year": Text("year", "年"),
    "once": Text("once", "一次性"),
}
HEADING = {
    "by_method": Text("By method", "按方法看"),
    "recommended": Text("Recommended configuration", "推荐配置"),
    "options": Text("Other options", "其他方案"),
    "levers": Text("What would make it a yes", "怎样改才行"),
    "risks": Text("Risks", "风险"),
    "advice": Text("Advice", "建议"),
    "checklist": Text("Acceptance checklist", "验收清单"),
    "question": Text("Next question", "下一个问题"),
    "understood": Text("Understood", "我的理解"),
    "assumed": Text("Assumed", "暂按以下假设"),
    "rejected": Text("Not taken as a requirement", "未当作需求"),
    "why": Text("Why", "依据"),
    "sources": Text("Sources", "来源"),
    "changes": Text("What changed", "变化"),
    "claims": Text("The vendor's sentence", "供应商的说法"),
}
# Why something that a message names was not taken as what the person wants.
REJECTED = {
    "negated": Text("you rule it out", "你说了不要"),
    "measured": Text("a measurement, not a wish", "这是测量值，不是要求"),
    "hearsay": Text("what others say", "听别人说的"),
    "asked": Text("only asked about", "只是在问"),
    "checkpoint": Text("the size of a checkpoint", "这是存档大小"),
    "variant": Text("another way, asked about in passing", "顺带问的另一种做法"),
    "comparison": Text("named for comparison", "只用来对比"),
    "threshold": Text("a limit, not a measurement", "这是门槛，不是实测"),
    "replaced": Text("replaced by what you said later", "已被后面的话替换"),
    "instruction": Text("an instruction to the assistant, which it does not take", "这是对助手下的指令，不采纳"),
    "quoted price": Text("a price that was quoted", "这是别人的报价"),
    "impossible": Text("no such number can be", "不可能有这样的数"),
    "unread": Text("I could not tell what this number is for, so nothing rests on it", "看不出这个数指什么，没有采用"),
    "average": Text("an average; the peak is what is sized for", "这是平均值，按峰值来配"),
    "people": Text(
        "heads, not requests at once; say how many ask at the same time", "这是人数，不是并发；请说明同时有多少人在用"
    ),
    "by day": Text(
        "spread over the whole day; the peak is higher, so say it", "按全天平均折算，高峰会更高，请给出高峰值"
    ),
    "closed": Text("its weights are not published, so no card can run it", "权重没有公开，租卡也不能自己跑"),
}
WORD = {
    "peak": Text("peak memory a card", "每卡显存峰值"),
    "usable": Text("usable", "可用"),
    "sharding": Text("sharding", "切分方式"),
    "copies": Text("{count} copies", "{count} 个副本"),
    "micro_batch": Text("micro-batch", "单卡 batch"),
    "grad_ckpt": Text("gradient checkpointing", "梯度检查点"),
    "optimizer": Text("optimizer", "优化器"),
    "offload": Text("offload to host RAM", "卸载到主机内存"),
    "cpu": Text("CPU cores", "CPU 核数"),
    "ram": Text("host RAM", "主机内存"),
    "storage": Text("disk", "磁盘"),
    "network": Text("network", "网络"),
    "software": Text("software", "软件"),
    "power": Text("power and cooling", "供电与散热"),
    "kw_per_node": Text("power of each server", "单台功率"),
    "time": Text("time", "时长"),
    "cost": Text("cost", "费用"),
    "ask": Text("Ask for", "向对方要"),
    "command": Text("Command", "命令"),
    "pass_if": Text("Passes if", "通过标准"),
    "result": Text("Result", "结果"),
    "checked_by": Text("Checked by", "核对人"),
    "why": Text("Why", "原因"),
    "source": Text("Source", "来源"),
    "mitigation": Text("What to do", "对策"),
    "verdict": Text("Verdict", "结论"),
    "method": Text("Method", "方法"),
    "hardware": Text("Hardware", "硬件"),
    "reason": Text("Reason", "理由"),
    "change": Text("Change", "改动"),
    "effect": Text("Effect", "效果"),
    "on": Text("on", "开"),
    "off": Text("off", "关"),
    "yes": Text("yes", "是"),
    "no": Text("no", "否"),
    "no_figure": Text("no figure", "无数据"),
    "as_of": Text("as of", "截至"),
    "nodes": Text("servers", "台服务器"),
    "joint": Text(" and ", "，同时"),
    "run": Text("for the run", "整次任务"),
}
# What stands behind a price that is no list price of the place.
PRICE = {
    "premium": Text(
        "an estimate: no list here has this card; price of {place} times {premium}",
        "估算：本地报价表没有这款卡，按 {place} 的价格乘以 {premium}",
    ),
    "elsewhere": Text(
        "an estimate: no list here has this card; price of {place} as it stands",
        "估算：本地报价表没有这款卡，直接取 {place} 的价格",
    ),
    "low": Text(
        "low confidence: one seller's figure, confirmed by no list", "可信度低：只是一家卖方的数字，没有价目表可核对"
    ),
}
SUMMARY = {
    "row": Text("{verdict}: {method} on {hardware}. {why}", "{verdict}：{method}，{hardware}。{why}"),
    "row_unmeasured": Text("{verdict}: {method}. {why}", "{verdict}：{method}。{why}"),
    "several": Text("{verdict}: {rows}", "{verdict}：{rows}"),
    "topic": Text("{verdict}. {why}", "{verdict}。{why}"),
    "fits_on": Text("{method} works on {hardware}", "{method}：{hardware} 可行"),
    "works_if_on": Text("{method} works on {hardware} under conditions", "{method}：{hardware} 有条件可行"),
    "not_on": Text("{method} does not work on {hardware}", "{method}：{hardware} 不行"),
    "no_rule": Text("No rule answered this question.", "没有规则回答这个问题。"),
    "no_option": Text("no card offered here holds it", "这里能租到的卡都放不下"),
    "speed_after": Text(
        "Speed: about {factor} times as many tokens a second.", "速度：每秒 token 数约为原来的 {factor} 倍。"
    ),
    "declined": Text(
        "I only answer questions about GPU servers: whether a job runs, what to order, how to check the delivery.",
        "我只回答 GPU 服务器的问题：任务能不能跑、该订什么、交付怎么验收。",
    ),
    "time": Text(" It takes about {figure}.", "大约需要 {figure}。"),
    "cost": Text(" It costs about {figure}.", "费用约 {figure}。"),
    "greeting": Text(
        "Hello. Tell me the model, the method and the cards, and I say whether it runs, what to order and how to check"
        ' the delivery. For example: "can I fine-tune 70B here?"',
        "你好。告诉我模型、训练方式和显卡，我来判断能不能跑、该订什么、交付怎么验收。例如：“能不能在这里微调70B？”",
    ),
    "checklist_title": Text("Acceptance checklist for {plan}", "{plan} 验收清单"),
    "checklist_frozen": Text(
        "Plan {plan}, data version {version}, facts as of {as_of}.",
        "方案 {plan}，数据版本 {version}，数据截至 {as_of}。",
    ),
    "here_own": Text('"Here" is taken as {place}.', "“这里”按 {place} 理解。"),
    "here_market": Text(
        '"Here" is taken as the Hong Kong rental market in our price lists.',
        "“这里”按香港租赁市场（我们的报价表）理解。",
    ),
}


def say(table: dict[str, Text], key: str, lang: str) -> str:
    """The wording of a fixed sentence; the key itself where the table has none."""
    text = table.get(key)
    if text is None:
        return key
    return text.en if lang == "en" else text.zh
