"""The parts of the plan page as our own HTML, from what `advisor.consult.whatif` found.

Every word goes through `text`; the pictures are SVG of ours, whose words were escaped where they were drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.core.text import Lang
from advisor.core.units import number
from bots.web.markup import block, text
from bots.web.plan_words import filled, word
from bots.web.table import badge, table

Json = Mapping[str, Any]
MOMENTS = ("before_order", "on_delivery", "first_run", "in_operation")
VERDICT = {"yes": "good", "yes_if": "fair", "no": "poor", "unknown": "open"}
SEVERITY = {"high": "poor", "medium": "fair", "low": "open"}


def paragraphs(lines: Iterable[str], style: str = "") -> str:
    """Lines as paragraphs."""
    kind = f' class="{style}"' if style else ""
    return "".join(f"<p{kind}>{text(line)}</p>" for line in lines)


def listed(lines: Sequence[str]) -> str:
    """Lines as a list; nothing for none."""
    return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in lines)}</ul>" if lines else ""


def heading(found: Json, lang: Lang) -> str:
    """The verdict, what limits the plan and by how much, and what stands in the way of saying more."""
    reply = found["reply"]
    verdict = badge(found["verdict"], VERDICT[reply["verdict"]])
    parts = [f'<h2 id="plan-summary">{verdict} <span>{text(_without(reply["summary"], found["verdict"]))}</span></h2>']
    if found["limit"] and number(found["limit"]["likely"]) not in reply["summary"]:
        parts.append(f'<p class="plan-limit">{text(_limit(found["limit"], lang))}</p>')
    parts.append(paragraphs([*reply["problems"], *filter(None, [reply["here"]])], "soft"))
    questions = [each["text"] for each in reply["questions"]]
    if questions and reply["recommended"] is None:
        parts.append(f"<p>{text(word('next', lang))}</p>{listed(questions[:1])}")
    return block(f'<div class="hk plan-head">{"".join(parts)}</div>')


def _without(summary: str, verdict: str) -> str:
    """The summary without the verdict at its beginning, which the badge says."""
    rest = summary.removeprefix(verdict)
    if rest == summary:
        return summary
    rest = rest.lstrip(":：。.，, ")
    return rest[:1].upper() + rest[1:]


def _limit(limit: Json, lang: Lang) -> str:
    words = {key: limit[key] for key in ("method", "hardware")}
    figures = {key: number(limit[key]) for key in ("likely", "usable")}
    if limit["free"] < 0:
        said = filled("limit_over", lang, **words, **figures, short=number(-limit["free"]))
    else:
        said = filled("limit", lang, **words, **figures, free=number(limit["free"]))
    return said[:1].upper() + said[1:]


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Names with values, two columns on every screen. The values are HTML that has been made safe."""
    lines = "".join(f'<tr><th scope="row">{text(name)}</th><td>{value}</td></tr>' for name, value in rows)
    return f'<table class="plan-pairs"><tbody>{lines}</tbody></table>'


def figures(found: Json, *names: str) -> str:
    """The pictures of these names."""
    return block("".join(found["figures"].get(name, "") for name in names))


def options(found: Json, lang: Lang) -> str:
    """The options in three short columns, which become cards on a phone."""
    if not found["options"]:
        return ""
    head = [word(key, lang) for key in ("option", "machine", "money")]
    rows = []
    for one in found["options"]:
        shown = f'<br><span class="soft">{text(word("shown", lang))}</span>' if one["shown"] else ""
        name = f"<b>{text(one['label'])}</b> {badge(one['word'], VERDICT[one['verdict']])}{shown}"
        machine = f"{text(one['hardware'])}<br>{text(one['memory'])}<br>"
        machine += f'<span class="soft">{text(one["method"])}, {text(one["way"])}</span>'
        money = f"{text(one['time'])}<br>{text(one['cost'])}" if one["time"] != "–" else text(one["cost"])
        rows.append([name, machine, money])
    return block(f'<div class="hk"><h3>{text(word("options", lang))}</h3>{table(head, rows)}</div>')


def levers(found: Json, lang: Lang) -> str:
    """The heading above the levers, and what each brings."""
    if not found["levers"]:
        return ""
    colon = ": " if lang == "en" else "："
    effects = listed([f"{each['change']}{colon}{each['effect']}" for each in found["levers"]])
    lead = f'<p class="soft">{text(word("levers_lead", lang))}</p>'
    return block(f'<div class="hk"><h3>{text(word("levers", lang))}</h3>{effects}{lead}</div>')


def order(found: Json, lang: Lang) -> str:
    """The configuration, the disk and the transfer."""
    parts = []
    if found["configuration"]:
        rows = pairs((name, text(value)) for name, value in found["configuration"])
        title = word("order_instead" if found["reply"]["verdict"] == "no" else "order", lang)
        parts.append(f"<h3>{text(title)}</h3>{rows}")
    parts += [_disk(found["disk"], lang), _transfer(found["transfer"], lang)]
    return block(f'<div class="hk">{"".join(parts)}</div>') if any(parts) else ""


def _disk(disk: Json, lang: Lang) -> str:
    if not disk["rows"] and not disk["advice"]:
        return ""
    body = ""
    if disk["rows"]:
        most = max(size for _, size in disk["rows"]) or 1
        rows = pairs((use, f"{size:,} GB {_share(size / most)}") for use, size in disk["rows"] if size)
        key = "storage_total" if disk["kind"] else "storage_total_plain"
        total = filled(key, lang, total=f"{disk['total']:,}", kind=disk["kind"])
        body = f"<p>{text(total)}</p>{rows}"
    return f"<h3>{text(word('storage', lang))}</h3>{body}{listed(disk['advice'])}"


def _share(share: float) -> str:
    """A bar as long as the share, which only repeats the figure beside it."""
    return f'<span class="plan-share" aria-hidden="true" style="width:{100 * share:.0f}px"></span>'


def _transfer(transfer: Json, lang: Lang) -> str:
    title = f"<h3>{text(word('transfer', lang))}</h3>"
    if not transfer["rows"] and not transfer["advice"]:
        return f"{title}<p>{text(word('nothing_known', lang))}</p>"
    rows = [(name, text(value)) for name, value in transfer["rows"]]
    return title + (pairs(rows) if rows else "") + listed(transfer["advice"])


def risks(found: Json, lang: Lang) -> str:
    """The risks, the gravest first, then the advice that stands nowhere else; plain notes are folded away."""
    reply, parts = found["reply"], []
    if reply["risks"]:
        cards = "".join(_risk(each, lang) for each in reply["risks"])
        parts.append(f'<h3>{text(word("risks", lang))}</h3><div class="cards">{cards}</div>')
    elsewhere = {*found["disk"]["advice"], *found["transfer"]["advice"]}
    rest = [each for each in reply["advice"] if each["text"] not in elsewhere]
    urgent = [each["text"] for each in rest if each["level"] != "note"]
    notes = [each["text"] for each in rest if each["level"] == "note"]
    if urgent or notes:
        folded = ""
        if notes:
            label = text(filled("notes", lang, count=len(notes)))
            folded = f"<details><summary>{label}</summary>{listed(notes)}</details>"
        parts.append(f"<h3>{text(word('advice', lang))}</h3>{listed(urgent)}{folded}")
    return block(f'<div class="hk">{"".join(parts)}</div>') if parts else ""


def _risk(risk: Json, lang: Lang) -> str:
    severity = badge(word(f"risk_{risk['severity']}", lang), SEVERITY[risk["severity"]])
    likely = text(filled("likely", lang, degree=word(f"risk_{risk['likelihood']}", lang)))
    return (
        f'<div class="card"><p>{severity} <span class="soft">{likely}</span></p><p>{text(risk["text"])}</p>'
        f"<p><b>{text(word('do', lang))}</b> {text(risk['mitigation'])}</p></div>"
    )


def items(reply: Json, moment: str) -> list[Json]:
    """The checklist's items of a moment."""
    return [each for each in reply["checklist"] if each["moment"] == moment]


def choices(found: Sequence[Json], lang: Lang) -> list[tuple[str, str]]:
    """The items as things to tick: what is read, what is kept."""
    return [(f"{' '.join(each['title'].split())} ({word(each['severity'], lang)})", each["id"]) for each in found]


def how(found: Sequence[Json], lang: Lang) -> str:
    """How each item of a moment is checked."""
    if not found:
        return ""
    blocks = "".join(_item(each, lang) for each in found)
    return block(f'<details class="hk plan-how"><summary>{text(word("how", lang))}</summary>{blocks}</details>')


def _item(item: Json, lang: Lang) -> str:
    lines = [f"<h4>{text(item['title'])}</h4>", f"<p>{text(item['why'])}</p>"]
    if item["ask"]:
        lines.append(f"<p><b>{text(word('ask', lang))}</b> {text(item['ask'])}</p>")
    if item["command"]:
        rows = "<br>".join(text(line) for line in item["command"].strip().splitlines())
        lines.append(f"<p><b>{text(word('command', lang))}</b></p><p><code>{rows}</code></p>")
    lines.append(f"<p><b>{text(word('pass_if', lang))}</b> {text(item['pass_if'])}</p>")
    return "".join(lines)


def basis(found: Json, lang: Lang) -> str:
    """What was understood and what was assumed."""
    parts = []
    if found["understood"]:
        rows = pairs((name, text(value)) for _, name, value in found["understood"])
        parts.append(f"<h3>{text(word('understood', lang))}</h3>{rows}")
    if found["assumed"]:
        lines = pairs((name, _because(value, why)) for _, name, value, why in found["assumed"])
        parts.append(f"<h3>{text(word('assumed', lang))}</h3>{lines}")
    return block(f'<div class="hk">{"".join(parts)}</div>') if parts else ""


def _because(value: str, why: str) -> str:
    return f'<b>{text(value)}</b><br><span class="soft">{text(why)}</span>'


def reasons(found: Json, lang: Lang) -> str:
    """Each rule that fired: what it said, the facts it saw, what it concluded, its sources; the deciding ones first."""
    return block(f'<div class="hk cards">{"".join(_reason(each, lang) for each in found["reasons"])}</div>')


def _reason(reason: Json, lang: Lang) -> str:
    colon = ": " if lang == "en" else "："
    joint = "; " if lang == "en" else "；"
    told = f"{badge(word('decided', lang), 'open')} " if reason["decides"] else ""
    lines = [f"<p>{told}<code>{text(reason['rule'])}</code></p>", paragraphs(reason["says"])]
    for key in ("facts", "concluded"):
        if reason[key]:
            said = joint.join(f"{name}{colon}{value}" for name, value in reason[key])
            lines.append(f'<p class="soft"><b>{text(word(key, lang))}</b> {text(said)}</p>')
    lines.append(f'<p class="soft"><b>{text(word("sources", lang))}</b> {text(joint.join(reason["sources"]))}</p>')
    return f'<div class="card">{"".join(lines)}</div>'
