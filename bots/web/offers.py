"""Compare offers: what vendors wrote, against the plan and against each other."""

from __future__ import annotations

from advisor.consult.pool import Pool
from advisor.core.text import Lang
from bots.web.markup import panel, text
from bots.web.wizard import Wizard
from bots.web.words import word


def offers(lang: Lang, pool: Pool, wizard: Wizard) -> None:
    """Lay the page out here and wire it; call it inside a `gr.Blocks`."""
    panel(f"<p>{text(word('offers_lead', lang))}</p>", elem_classes=["lead"])
