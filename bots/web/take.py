"""What one takes along from a plan: the checklist, the plan as data, the order pack, and a link that reopens it.

Each file is made when it is asked for, by a form of the page that posts the answers; nothing lies on the server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from advisor.core.text import Lang
from bots.web.markup import attribute, block, text
from bots.web.words import word


def along(reply: Mapping[str, Any], given: Mapping[str, object], config: str | None, link: str, lang: Lang) -> str:
    """The part below a plan, as our own HTML."""
    posted = json.dumps({"given": given, "config": config, "lang": lang}, ensure_ascii=False, allow_nan=False)
    files = [("checklist.md", "get_checklist"), ("plan.json", "get_plan"), ("order-pack.zip", "get_pack")]
    if not reply["checklist"]:
        files = [each for each in files if each[0] == "plan.json"]
    if config is not None or reply["recommended"] is None:
        files = [each for each in files if each[0] != "order-pack.zip"]
    forms = "".join(
        f'<form method="post" action="download/{name}">'
        f'<input type="hidden" name="plan" value="{attribute(posted)}">'
        f'<button type="submit" id="get-{name.replace(".", "-")}">{text(word(label, lang))}</button></form>'
        for name, label in files
    )
    return block(
        f"<h3>{text(word('take_along', lang))}</h3>{forms}"
        f'<p><a id="plan-link" href="?{attribute(link)}"><b>{text(word("link", lang))}</b></a></p>'
        f'<p class="soft">{text(word("link_info", lang))}</p>'
    )
