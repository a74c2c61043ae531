"""The plan on a page: verdict, pictures, options, levers, checklist, reasons and files, all from one consultation.

`plan_view(lang, pool)` builds the components where it is called, inside a `gr.Blocks`; `PlanView.shown(reply, given)`
gives one update a component of `PlanView.outputs`. Everything shown comes from `advisor.consult`, which runs in the
pool; this module lays it out and gives no advice. People's words never reach raw HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.consult.pool import Pool
from advisor.core.text import Lang
from bots.web import markup
from bots.web.markup import gr

Json = Mapping[str, Any]


@dataclass(frozen=True)
class PlanView:
    """The components of the plan and how they are filled. `given` holds the slots of the plan shown now."""

    lang: Lang
    pool: Pool
    given: gr.State
    heading: gr.Markdown

    @property
    def outputs(self) -> list[gr.components.Component]:
        """What `shown` returns updates for, in this order."""
        return [self.given, self.heading]

    async def shown(self, reply: Json, given: Json) -> list[Any]:
        """The updates for an answer in the contract's shape and the slots that it answers."""
        return [dict(given), markup.block(f'<h2 class="hk-verdict">{markup.text(reply["summary"])}</h2>')]


def plan_view(lang: Lang, pool: Pool) -> PlanView:
    """Lay the plan out here; call it inside a `gr.Blocks`."""
    return PlanView(lang, pool, gr.State({}), markup.panel(elem_id="plan-verdict"))
