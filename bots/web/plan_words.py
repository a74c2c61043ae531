"""The labels of the plan page. Everything about the plan itself is worded by the desks."""

from __future__ import annotations

from functools import cache

from advisor.consult.form import said
from advisor.core.text import Lang, Text, fill

WORDS = {
    "limit": Text(
        "{method} on {hardware}: likely peak {likely} GiB of {usable} GiB usable on each card, {free} GiB left.",
        "{method}，{hardware}：单卡预计峰值 {likely} GiB，可用 {usable} GiB，余 {free} GiB。",
    ),
    "limit_over": Text(
        "{method} on {hardware}: likely peak {likely} GiB, but {usable} GiB usable on each card: {short} GiB short.",
        "{method}，{hardware}：单卡预计峰值 {likely} GiB，可用只有 {usable} GiB，差 {short} GiB。",
    ),
    "levers": Text("What would make it work", "怎样改才行"),
    "levers_lead": Text(
        "Each button changes the answers and works everything out again.", "点一下就按改后的条件重新计算。"
    ),
    "lever": Text("{change} → {verdict}", "{change} → {verdict}"),
    "play": Text("Try other values", "调一调"),
    "play_lead": Text(
        "Cards, method and settings stay as shown; only what you move changes.",
        "显卡、方法和设置保持不变，只改你拖动的这一项。",
    ),
    "reset": Text("Back to my answers", "恢复我的回答"),
    "keep": Text("Keep these as my answers", "存为我的回答"),
    "tried": Text(
        "You are trying something out: this is not what you answered.", "这是试算结果，不是你原来填写的条件。"
    ),
    "options": Text("Options side by side", "可选方案对比"),
    "option": Text("Option", "方案"),
    "machine": Text("Hardware and memory a card", "硬件与单卡显存"),
    "money": Text("Time and cost", "时间与费用"),
    "take": Text("Show: {label}, {hardware}", "查看：{label}，{hardware}"),
    "shown": Text("shown above", "即上面的方案"),
    "order": Text("What to order", "要订的配置"),
    "order_instead": Text("What to order instead", "可改订的配置"),
    "storage": Text("Disk", "磁盘"),
    "storage_total": Text("{total} GB in all, {kind}", "合计 {total} GB，{kind}"),
    "storage_total_plain": Text("{total} GB in all", "合计 {total} GB"),
    "transfer": Text("Getting the data there", "数据传输"),
    "nothing_known": Text(
        "No figure yet: say how much data there is and which line you have.", "还没有数据：填写数据量和线路带宽后给出。"
    ),
    "risks": Text("Risks, the gravest first", "风险（从重到轻）"),
    "risk_high": Text("high", "高"),
    "risk_medium": Text("medium", "中"),
    "risk_low": Text("low", "低"),
    "likely": Text("likelihood: {degree}", "可能性：{degree}"),
    "do": Text("What to do", "怎么办"),
    "advice": Text("Advice", "建议"),
    "notes": Text("{count} further notes", "另有 {count} 条提示"),
    "checklist": Text("Acceptance checklist", "验收清单"),
    "before_order": Text("Before the order", "下单前"),
    "on_delivery": Text("On delivery", "交付时"),
    "first_run": Text("First run", "首次试跑"),
    "in_operation": Text("In operation", "运行期间"),
    "how": Text("How to check each item", "每项怎么查"),
    "must": Text("must", "必须"),
    "should": Text("should", "建议"),
    "nice": Text("nice to have", "可选"),
    "ask": Text("Ask for", "向对方要"),
    "command": Text("Command", "命令"),
    "pass_if": Text("Passes if", "通过标准"),
    "basis": Text("What this rests on", "计算依据"),
    "understood": Text("Understood", "我的理解"),
    "assumed": Text("Assumed, because nobody said it", "未说明、按假设计算"),
    "change": Text("Change an answer", "修改某一项"),
    "bad_value": Text("This value was not taken: {why}", "这个值没有采用：{why}"),
    "which": Text("Which one?", "改哪一项？"),
    "to": Text("New value", "新的值"),
    "apply": Text("Apply", "应用"),
    "reasons": Text("Why: rules, facts and sources", "为什么：规则、事实与来源"),
    "decided": Text("This decided the verdict", "结论由它决定"),
    "facts": Text("Saw", "依据的事实"),
    "concluded": Text("Concluded", "得出"),
    "sources": Text("Sources", "来源"),
    "next": Text("To say more, I need to know:", "要说得更准，还需要知道："),
}


@cache
def word(key: str, lang: Lang) -> str:
    """A label. Raises `KeyError` for one that nobody wrote."""
    return said(WORDS[key], lang)


def filled(key: str, lang: Lang, **values: object) -> str:
    """A label with its values put in."""
    return fill(word(key, lang), {name: str(value) for name, value in values.items()})
