"""The first page of the pack: the verdict, what is in here and in which order it is used, and what is not.

It repeats the answer's own sentences and names files; it judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from advisor.pack import quoting
from advisor.pack.words import Wording, listed, pair, text


def readme(
    reply: Mapping[str, Any], about: Mapping[str, str], missing: Iterable[tuple[str, str]], said: str, wording: Wording
) -> bytes:
    """`README.md`. `about` says for each file what it is; `missing` names what could not be made, and why."""
    recommended = reply["recommended"]
    lines = [f"# {text(wording, 'readme_title')}", "", reply["summary"], ""]
    if said:
        lines += [said, ""]
    facts = {
        "readme_order": recommended["label_text"],
        "readme_plan": quoting.code(reply["plan"]),
        "readme_as_of": reply["as_of"],
        "readme_data": quoting.code(reply["data_version"]),
    }
    lines += [f"- {text(wording, key, value=value)}" for key, value in facts.items()]
    lines += ["", f"## {text(wording, 'readme_steps')}", ""]
    place = 0
    for step in listed(wording, "steps"):
        files = [name for name in about if any(name == each or name.startswith(each) for each in step["files"])]
        if not files:
            continue
        place += 1
        lines += [f"### {place}. {text(wording, step['text'])}", ""]
        lines += [f"- {pair(wording, f'[{name}]({name})', about[name])}" for name in files]
        lines += [""]
    gaps = list(missing)
    if gaps:
        lines += [f"## {text(wording, 'readme_missing')}", ""]
        lines += [f"- {pair(wording, f'**{name}**', why)}" for name, why in gaps]
        lines += [""]
    if reply["assumptions"]:
        lines += [f"## {text(wording, 'readme_assumed')}", "", text(wording, "readme_assumed_head"), ""]
        for each in reply["assumptions"]:
            assumed = f"{each['fact']} = {quoting.code(each['value'])}"
            lines.append(f"- {pair(wording, assumed, each['why'])}")
        lines += [""]
    lines += [text(wording, "by_hkgpu")]
    return ("\n".join(lines) + "\n").encode()
