"""The tools, resources and prompts: typed in, typed out, and a text that a language model can relay as it is.

Each tool calls one desk in a worker of the pool, within a time. What was wrong comes back as a tool's error with what
was expected; nothing of an exception but our own line ever leaves. No tool takes a path or an address to fetch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from bots.mcp import work
from bots.mcp.shapes import Answer, Checklist, Claimed, Delivery, Estimated, Quoted
from bots.telemetry.metrics import Metrics

T = TypeVar("T")
# A call that thinks longer than this is given up.
PATIENCE_S = 60.0
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
Lang = Annotated[str, Field(description="en, zh or zh-Hant; empty = the language of the text")]
Facts = Annotated[
    dict[str, Any],
    Field(
        description="Facts by slot or id, e.g. params_b, task (full_ft, lora, qlora, pretrain, inference), gpu_model, "
        "gpu_count, nodes, seq_len, dataset_gb; the resource hkgpu://facts lists all"
    ),
]
ROWS = (
    "One object a job: model or params_b, method, seq_len, micro_batch, sharding, n_gpus, gpu and so on; a column left "
    "out = what the framework would take"
)
MOST_ROWS = 2**12
RELAY = (
    "hkgpu answers questions about GPU servers rented in Hong Kong. Relay the verdict first, then the limiting figure, "
    "then what to do; keep ranges as ranges and name the sources. Ask the user the question in `questions` before you "
    "ask one of your own. Never state a figure that no tool gave, and never turn yes_if into yes."
)


class Caller:
    """Runs desks in the pool, within a time, and turns what went wrong into one line."""

    def __init__(self, pool: Pool, metrics: Metrics, patience_s: float = PATIENCE_S) -> None:
        self._pool, self._metrics, self._patience = pool, metrics, patience_s
        self._renewal: asyncio.Future[None] | None = None

    async def __call__(self, function: Callable[..., T], *arguments: Any) -> T:
        with self._metrics.message():
            try:
                return await asyncio.wait_for(self._pool.run(function, *arguments), self._patience)
            except TimeoutError:
                self._renew()
                raise ToolError(f"it took longer than {self._patience:g} s and was given up; ask for less") from None
            except HkgpuError as error:
                raise ToolError(str(error)) from None

    def _renew(self) -> None:
        """New workers instead of those that are lost in thought, while other calls go on."""
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.get_running_loop().run_in_executor(None, self._pool.renew)


def told(shape: BaseModel, text: str) -> CallToolResult:
    """A result: the text for whoever relays, the shape for whoever computes."""
    structured = shape.model_dump(mode="json")
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def add_tools(server: MCPServer[Any], call: Caller, metrics: Metrics) -> None:
    """Register the tools."""

    @server.tool(title="Ask a question", annotations=READS)
    async def ask(
        text: Annotated[str, Field(description="The question in English or Chinese, with all figures the user gave")],
        lang: Lang = "",
    ) -> Annotated[CallToolResult, Answer]:
        """Will a training, fine-tuning or inference job run, what to order in Hong Kong, what can go wrong."""
        found, page = await call(work.ask, text, lang)
        metrics.answered(str(found["verdict"]))
        return told(Answer.model_validate(found), page)

    @server.tool(title="Advise on facts", annotations=READS)
    async def advise(facts: Facts, lang: Lang = "en") -> Annotated[CallToolResult, Answer]:
        """The same answer from structured facts: for what was collected already, or to try a change."""
        found, page = await call(work.advise, facts, lang)
        metrics.answered(str(found["verdict"]))
        return told(Answer.model_validate(found), page)

    @server.tool(title="Estimate memory for rows", annotations=READS)
    async def estimate(
        rows: Annotated[
            list[dict[str, str | float | int | bool | None]],
            Field(description=ROWS, max_length=MOST_ROWS),
        ],
    ) -> Annotated[CallToolResult, Estimated]:  # fmt: skip
        """Memory a card as low, likely and high, and whether it fits, for many jobs at once."""
        found = Estimated.model_validate({"rows": await call(work.estimate, rows)})
        return told(found, "\n".join(map(_line, found.rows)))

    @server.tool(title="Judge a delivery", annotations=READS)
    async def judge(
        outputs: Annotated[str, Field(description="What the acceptance commands printed, pasted; several in one text")],
        order: Annotated[
            str, Field(description="What was ordered: the JSON of ask, or YAML facts; empty = health only")
        ] = "",
        lang: Lang = "en",
    ) -> Annotated[CallToolResult, Delivery]:
        """Was the order met: pass, fail, warn or inconclusive for each item, and a message to the vendor."""
        found = await call(work.judge, outputs, order, lang)
        return told(Delivery.model_validate(found), str(found["page"]))

    @server.tool(title="Compare vendors' offers", annotations=READS)
    async def quote(
        offer: Annotated[str, Field(description="One or several offers as the vendors wrote them")],
        facts: Annotated[
            dict[str, Any] | None, Field(description="The plan's facts by slot; left out = the offer alone")
        ] = None,
        lang: Lang = "",
    ) -> Annotated[CallToolResult, Quoted]:
        """Line by line met, missing or contradicting; the price band; the real monthly cost; what to ask back."""
        found = await call(work.quote, offer, facts or {}, lang)
        return told(Quoted.model_validate(found), str(found["page"]))

    @server.tool(title="Is a vendor's sentence true", annotations=READS)
    async def explain_claim(
        sentence: Annotated[str, Field(description="What the vendor says, e.g. '70B trains on one A100 80G'")],
        lang: Lang = "",
    ) -> Annotated[CallToolResult, Claimed]:
        """Right, wrong or it depends, with the real figure and its source."""
        found, page = await call(work.claim, sentence, lang)
        return told(Claimed.model_validate({**found, "summary": found["text"]}), page)

    @server.tool(title="Acceptance checklist", annotations=READS)
    async def checklist(facts: Facts, lang: Lang = "en") -> Annotated[CallToolResult, Checklist]:
        """What to verify before the order, on delivery, at the first run and in operation, with commands."""
        page = await call(work.checklist, facts, lang)
        return told(Checklist(markdown=page), page)


def _line(row: Estimated.Row) -> str:
    figures = f" {row.likely_gib} ({row.low_gib}–{row.high_gib}) GiB" if row.likely_gib is not None else ""
    return f"{row.id}: {row.verdict}{figures}{'; ' if row.error else ''}{row.error}"


def add_resources(server: MCPServer[Any], call: Caller) -> None:
    """Register what there is to look up."""

    async def listing(kind: str, find: str = "") -> str:
        try:
            return await call(work.listing, kind, find)
        except ToolError as error:
            raise ResourceError(str(error)) from None

    @server.resource("hkgpu://facts", title="Facts", mime_type="application/json")
    async def facts() -> str:
        """Every fact with type, unit and choices."""
        return await listing("facts")

    @server.resource("hkgpu://catalogue/{kind}/{find}", title="Catalogue", mime_type="application/json")
    async def catalogue(kind: str, find: str) -> str:
        """Cards, models or offers (`kind`) whose row holds every word of `find`; `all` for all."""
        return await listing(kind, "" if find == "all" else find)

    @server.resource("hkgpu://rules", title="Folders of rules", mime_type="text/plain")
    async def folders() -> str:
        """The folders of rules."""
        return await listing("rules")

    @server.resource("hkgpu://rules/{id}", title="A rule", mime_type="text/markdown")
    async def rule(id: str) -> str:
        """A rule as readable sentences, with its sources and examples."""
        return await listing("rules", id)

    @server.resource("hkgpu://claims", title="Claims", mime_type="application/json")
    async def claims() -> str:
        """What vendors' articles say, and what the evidence says."""
        return await listing("claims")


def add_prompts(server: MCPServer[Any]) -> None:
    """Register prompts for the common questions."""

    @server.prompt(title="Will it run here?")
    def will_it_run(job: str) -> str:
        """Whether a job runs, what to order and what can go wrong."""
        return f"{RELAY}\n\nCall `ask` with this job and relay the answer: {job}"

    @server.prompt(title="Check an offer")
    def check_an_offer(offer: str, job: str = "") -> str:
        """What an offer meets, misses and contradicts."""
        plan = f"First call `ask` with the job and keep what it understood as facts: {job}\n" if job else ""
        return f"{RELAY}\n\n{plan}Call `quote` with the offer, and relay what it contradicts first: {offer}"

    @server.prompt(title="Accept a delivery")
    def accept_a_delivery(outputs: str, order: str = "") -> str:
        """Whether a delivered server is what was ordered."""
        ask = "Call `judge`, relay failed items first, then the message to the vendor."
        return f"{RELAY}\n\n{ask}\nOrder: {order}\n{outputs}"
