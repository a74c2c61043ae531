"""The labels of the pages, in English and Simplified Chinese; Traditional is made from the latter by the same rules
as every other text. Questions, reasons, choices and everything about the plan come from the desks, not from here.
"""

from __future__ import annotations

from functools import cache

from advisor.consult.form import said
from advisor.core.text import LANGS, Lang, Text, fill

# How a language is written in HTML (in the codes that Gradio's own widgets know), and how it calls itself.
HTML: dict[Lang, str] = {"en": "en", "zh": "zh-CN", "zh-Hant": "zh-TW"}
SELF: dict[Lang, str] = {"en": "English", "zh": "简体中文", "zh-Hant": "繁體中文"}

WORDS = {
    # The frame
    "title": Text("GPU servers in Hong Kong: plan, order, accept", "香港 GPU 服务器：选型、下单、验收"),
    "lead": Text(
        "Will it do the job? What exactly should you order? How do you prove, on delivery, that you got it?",
        "能不能跑？具体该订什么？到货时怎么证明没缩水？",
    ),
    "language": Text("Language", "语言"),
    "menu": Text("More", "更多"),
    "tab_plan": Text("Plan a server", "选型方案"),
    "tab_chat": Text("Chat", "对话"),
    "tab_delivery": Text("Check a delivery", "到货验收"),
    "tab_offers": Text("Compare offers", "比较报价"),
    "tab_claims": Text("Check a claim", "核实说法"),
    "tab_catalogue": Text("Catalogue", "目录"),
    "footer": Text(
        "No legal advice. A price in a list is not a quote. Data version {version}.",
        "不构成法律意见；价目表上的价格不是报价。数据版本 {version}。",
    ),
    "oops": Text(
        "Something went wrong on our side ({id}). Nothing was lost; please try again.",
        "我们这边出了点问题（{id}）。内容没有丢，请再试一次。",
    ),
    # The wizard
    "step_task": Text("Task", "任务"),
    "step_model": Text("Model", "模型"),
    "step_data": Text("Data", "数据"),
    "step_place": Text("Server and place", "机器与地点"),
    "step_budget": Text("Budget and rules", "预算与合规"),
    "step_review": Text("Review", "核对"),
    "step_plan": Text("Plan", "方案"),
    "head_task": Text("What is the job?", "要做什么任务？"),
    "head_model": Text("Which model?", "用哪个模型？"),
    "head_data": Text("What data, and how long are the samples?", "什么数据，样本有多长？"),
    "head_place": Text("Which server, where, over which line?", "什么机器，放在哪里，走什么线路？"),
    "head_budget": Text("What budget, by when, under which rules?", "预算多少，何时完成，有哪些合规要求？"),
    "head_review": Text("Is this right?", "这样对吗？"),
    "step_of": Text("Step {n} of {count}: {name}", "第 {n} 步，共 {count} 步：{name}"),
    "skippable": Text(
        "Answer what you know. What you leave open is assumed and listed as an assumption.",
        "知道多少填多少；没填的会按常见情况假设，并列在“假设”里。",
    ),
    "why": Text("Why do you ask?", "为什么问这个？"),
    "unknown": Text("I don't know", "不知道"),
    "assumes": Text("left open: {value}", "不填则按 {value}"),
    "more": Text("More questions that refine the answer", "更多可细化结论的问题"),
    "next": Text("Next", "下一步"),
    "back": Text("Back", "上一步"),
    "make": Text("Show the plan", "生成方案"),
    "again": Text("Start over", "重新填写"),
    "change": Text("Change", "修改"),
    "search": Text("Type to search the catalogue.", "可输入名称搜索目录。"),
    "config": Text(
        "Not in the catalogue? Drop its Hugging Face config.json", "目录里没有？上传它的 Hugging Face config.json"
    ),
    "config_read": Text("Read: {what}", "已读取：{what}"),
    "fix": Text("Please look at these answers:", "请检查以下几项："),
    "answered": Text("Your answers", "你的回答"),
    "none_yet": Text("Nothing answered yet.", "还没有填写任何内容。"),
    "assumed": Text("Assumed, because it is open", "未填写、按假设计算"),
    "assumed_none": Text("Nothing has to be assumed.", "没有需要假设的内容。"),
    "stays_open": Text("stays open", "暂未确定"),
    "stays_open_why": Text(
        "Nothing is assumed; the answer says where it matters.", "不作假设；影响结论的地方会在结果里说明。"
    ),
    "question": Text("Question", "问题"),
    "answer": Text("Answer", "回答"),
    "reason": Text("Why", "理由"),
    "so_far": Text("With these answers", "按这些回答"),
    "copy": Text(
        "This is a copy to read. What you change here stays with you; the sender's plan does not change.",
        "这是只供阅读的副本。你在这里的修改不会影响发送者的方案。",
    ),
    "take_over": Text("Continue with these answers as mine", "以此为起点继续填写"),
    # Downloads and the link
    "take_along": Text("Take it along", "带走"),
    "get_checklist": Text("Acceptance checklist (checklist.md)", "验收清单（checklist.md）"),
    "get_plan": Text("Plan as data (plan.json)", "方案数据（plan.json）"),
    "get_pack": Text("Order pack (zip)", "订购资料包（zip）"),
    "link": Text("Link to this plan", "方案链接"),
    "link_older": Text(
        "Since this link was made the data has been renewed; the plan follows today's data.",
        "这个链接生成之后数据已更新，方案按现在的数据计算。",
    ),
    "link_unread": Text(
        "The link also says something that is no question here: {names}.", "链接里有这里没有的内容：{names}。"
    ),
    "link_info": Text(
        "It holds your answers and nothing about you; whoever opens it sees a copy.",
        "链接里只有这些回答，没有个人信息；打开的人看到的是副本。",
    ),
    "to_chat": Text("Talk about this plan", "就这个方案继续对话"),
    # Chat
    "chat_lead": Text(
        "Ask in your own words, in English or Chinese. It remembers what you said; say “why”, “skip” or “change X”.",
        "用自己的话提问，中文英文都可以。它会记住你说过的内容；可以说“为什么”“跳过”“改某项”。",
    ),
    "chat": Text("Conversation", "对话"),
    "chat_say": Text("Your message", "你的消息"),
    "chat_hint": Text("for example: can I fine-tune 70B here?", "例如：能不能在这里微调70B？"),
    "chat_send": Text("Send", "发送"),
    "chat_forget": Text("Forget this conversation", "忘掉这段对话"),
    "chat_plan": Text("See it as a plan", "查看完整方案"),
    "chat_empty": Text("Type a message first.", "请先输入消息。"),
    "chat_lost": Text(
        "This conversation is no longer kept; a new one has begun.", "这段对话已不再保存，已开始新的对话。"
    ),
    "chat_nothing": Text("Nothing is established in this conversation yet.", "这段对话里还没有确定任何内容。"),
    # Delivery
    "delivery_lead": Text(
        "Drop what the acceptance commands printed: files, a zip, or a paste. Each item gets a verdict with the "
        "figure, the limit and its source.",
        "上传验收命令的输出（文件、zip 或直接粘贴），逐项给出结论、实测值、限值和来源。",
    ),
    "delivery_files": Text("Outputs of the acceptance commands", "验收命令的输出文件"),
    "delivery_paste": Text("or paste an output", "或粘贴一段输出"),
    "delivery_ordered": Text("What was ordered", "订单内容"),
    "ordered_none": Text("nothing stated: judge health only", "未提供：只判断是否健康"),
    "ordered_plan": Text("my plan from “Plan a server”", "我在“选型方案”里的方案"),
    "ordered_file": Text("an order file (plan.json or YAML)", "订单文件（plan.json 或 YAML）"),
    "delivery_order": Text("Order file", "订单文件"),
    "delivery_judge": Text("Judge the delivery", "开始判定"),
    "delivery_nothing": Text("Drop a file or paste an output first.", "请先上传文件或粘贴输出。"),
    "delivery_message": Text("Message to the vendor", "发给供应商的说明"),
    "item": Text("Item", "项目"),
    "verdict": Text("Verdict", "结论"),
    "figure": Text("Measured", "实测"),
    "limit": Text("Limit", "限值"),
    "source": Text("Source", "来源"),
    "outputs": Text("Outputs read", "已读取的输出"),
    # Offers
    "offers_lead": Text(
        "Paste vendors' offers as they came, or drop files. They are held against your plan: what is stated, what is "
        "missing, what to ask back.",
        "粘贴供应商报价原文，或上传文件。会与你的方案对照：写明了什么、缺什么、该回问什么。",
    ),
    "offers_text": Text("Offer {n}", "报价 {n}"),
    "offers_hint": Text(
        "the vendor's text as it came: cards, disks, line, price, term", "供应商原文：显卡、硬盘、线路、价格、租期"
    ),
    "offers_file": Text("Offers as files", "报价文件"),
    "offers_compare": Text("Compare", "比较"),
    "offers_no_plan": Text(
        "There is no plan in “Plan a server” yet, so the offers are read by themselves.",
        "“选型方案”里还没有方案，这里只看报价本身。",
    ),
    "offer_yes": Text("in order", "符合"),
    "offer_yes_if": Text("points open", "有待确认"),
    "offer_no": Text("contradicts", "不符"),
    "offer_unknown": Text("not judged", "无法判断"),
    "offers_side": Text("Side by side", "并排对照"),
    "offers_wanted": Text("Wanted", "要求"),
    "offers_said": Text("The offer says", "报价写法"),
    "offers_lines": Text("Line by line", "逐条对照"),
    "offers_ask": Text("What to ask back", "回问供应商"),
    "offers_nothing": Text("Paste an offer first.", "请先粘贴一份报价。"),
    # Claims
    "claims_lead": Text(
        "What a vendor or an article says, in one sentence or several. You get: true, not true, or under which "
        "condition.",
        "供应商或文章里的说法，一句或几句都行。结果是：属实、不属实，或在什么条件下成立。",
    ),
    "claims_text": Text("The sentence", "原话"),
    "claims_hint": Text(
        "for example: 70B trains on one A100 80G with full fine-tuning", "例如：一张 A100 80G 就能全参微调 70B"
    ),
    "claims_check": Text("Is it true?", "核实"),
    "claims_nothing": Text("Paste a sentence first.", "请先粘贴一句话。"),
    # Catalogue
    "catalogue_lead": Text(
        "Everything that answers are computed from, with its source and date.", "计算所依据的数据，均附来源和日期。"
    ),
    "catalogue_find": Text("Search", "搜索"),
    "catalogue_hint": Text("a card, a model, a provider", "显卡、模型或供应商"),
    "catalogue_kind": Text("What to list", "列出"),
    "kind_cards": Text("Cards", "显卡"),
    "kind_models": Text("Models", "模型"),
    "kind_offers": Text("Price lists", "价目表"),
    "found": Text("{count} found", "共 {count} 条"),
    "found_first": Text(
        "{count} found, the first {shown} shown; search to narrow it down",
        "共 {count} 条，显示前 {shown} 条；可搜索缩小范围",
    ),
    "found_none": Text("Nothing found.", "没有找到。"),
}


@cache
def word(key: str, lang: Lang) -> str:
    """A label. Raises `KeyError` for one that nobody wrote."""
    return said(WORDS[key], lang)


def filled(key: str, lang: Lang, **values: object) -> str:
    """A label with its values put in."""
    return fill(word(key, lang), {name: str(value) for name, value in values.items()})


def language_of(accept: str) -> Lang:
    """The language that a browser's Accept-Language asks for first, of those we speak; English where none."""
    wanted = []
    for place, part in enumerate(accept.split(",")[: len(WORDS)]):
        tag, _, quality = part.strip().partition(";q=")
        try:
            wanted.append((-float(quality or 1), place, tag.strip().lower()))
        except ValueError:
            continue
    for _, _, tag in sorted(wanted):
        if tag.startswith("zh"):
            return "zh-Hant" if any(part in tag for part in ("hant", "-tw", "-hk", "-mo")) else "zh"
        if tag.startswith("en"):
            return "en"
    return "en"


def language(said_: str | None) -> Lang | None:
    """The language that a parameter or a cookie names, or None."""
    return next((lang for lang in LANGS if said_ is not None and said_.lower() == lang.lower()), None)
