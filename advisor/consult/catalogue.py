"""The desk of the catalogue: the cards, models and price lists that answers rest on, each with its source and date.

It lists and searches; it ranks nothing, converts no currency and recommends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.core.errors import BadInput, did_you_mean
from advisor.core.text import Lang, Text
from advisor.core.units import number
from advisor.knowledge.library import Library, open_library
from advisor.report import sentences
from advisor.report.wording import Wording

KINDS = ("cards", "models", "offers")
# A page shows so many; a search narrows the rest down.
SHOWN = 2**6
COLUMNS: Mapping[str, Mapping[str, Text]] = {
    "cards": {
        "name": Text("Card", "显卡"),
        "memory": Text("Memory", "显存"),
        "bandwidth": Text("Bandwidth", "显存带宽"),
        "bf16": Text("BF16, dense", "BF16 稠密算力"),
        "power": Text("Power", "功耗"),
        "links": Text("Link", "互联"),
        "source": Text("Source", "来源"),
        "date": Text("Date", "日期"),
    },
    "models": {
        "name": Text("Model", "模型"),
        "params": Text("Parameters", "参数量"),
        "layers": Text("Layers", "层数"),
        "window": Text("Longest context", "最长上下文"),
        "licence": Text("Licence", "许可证"),
        "source": Text("Source", "来源"),
        "date": Text("Date", "日期"),
    },
    "offers": {
        "provider": Text("Provider", "供应商"),
        "what": Text("What", "内容"),
        "price": Text("Price", "价格"),
        "term": Text("Terms", "条款"),
        "place": Text("Place", "地点"),
        "source": Text("Source", "来源"),
        "date": Text("Date", "日期"),
    },
}
TERM = {
    "on_demand": Text("on demand", "按需"),
    "spot": Text("interruptible", "可中断"),
    "marketplace_on_demand": Text("marketplace", "算力市场"),
    "community": Text("community", "社区"),
    "starting_at": Text("from", "起价"),
    "lowest_listed": Text("lowest listed", "最低标价"),
    "list": Text("list price", "标价"),
    "subscription": Text("subscription", "包月订阅"),
    "subscription_1y": Text("subscription, a year", "包年订阅"),
    "reserved_1y": Text("reserved for a year", "预留一年"),
    "reserved_3y": Text("reserved for three years", "预留三年"),
    "dws_defined_duration": Text("fixed duration", "固定时长"),
    "capacity_block": Text("capacity block", "容量块"),
    "pay_as_you_go": Text("pay as you go", "按量"),
    "tariff": Text("tariff", "资费"),
    "budget": Text("budget figure", "预算价"),
    "purchase": Text("purchase", "购买"),
}


def listed(kind: str, find: str = "", lang: Lang = "en") -> dict[str, Any]:
    """`{"columns", "rows", "count"}`: rows of text that hold every word of `find`, at most `SHOWN` of them.

    Raises `BadInput` for an unknown kind.
    """
    if kind not in KINDS:
        raise BadInput(f'there is no kind "{kind}"', expected=", ".join(KINDS), do=did_you_mean(kind, KINDS))
    library = open_library()
    wording = Wording(library, lang)
    words = find[: 2**8].casefold().split()
    make = {"cards": _cards, "models": _models, "offers": _offers}[kind]
    fitting = [row for also, row in make(library, wording) if _has(also, row, words)]
    names = [wording.text(text) for text in COLUMNS[kind].values()]
    keys = list(COLUMNS[kind])
    return {
        "columns": names,
        "rows": [[str(row[key]) for key in keys] for row in fitting[:SHOWN]],
        "count": len(fitting),
        "data_version": library.version,
    }


def _has(also: str, row: Mapping[str, str], words: list[str]) -> bool:
    text = " ".join((also, *row.values())).casefold()
    return all(word in text for word in words)


def _figure(figure: Any, wording: Wording) -> str:
    """A record's figure with its unit; a dash where it is absent or unknown."""
    if figure.value is None:
        return "–"
    return f"{number(figure.value)} {wording.unit(figure.unit)}"


def _source(key: str | None, library: Library) -> dict[str, str]:
    if key is None:
        return {"source": "–", "date": "–"}
    record = library.source(key)
    return {"source": record.title, "date": record.date}


def _cards(library: Library, wording: Wording) -> Iterator[tuple[str, dict[str, str]]]:
    for card in library.gpus.values():
        yield (
            " ".join((card.family, *card.aliases)),
            {
                "name": card.name,
                "memory": _figure(card.memory, wording),
                "bandwidth": _figure(card.bandwidth, wording),
                "bf16": _figure(card.bf16, wording),
                "power": _figure(card.power, wording),
                "links": _link(card, wording),
                **_source(card.memory.source, library),
            },
        )


def _link(card: Any, wording: Wording) -> str:
    names = {"nvlink": "NVLink", "nvlink_bridge": "NVLink", "infinity_fabric": "Infinity Fabric", "hccs": "HCCS"}
    name = names.get(card.nvlink_kind)
    return (
        f"{name} {_figure(card.nvlink, wording)}".replace(" –", "") if name else f"PCIe {card.pcie.value or ''}".strip()
    )


def _models(library: Library, wording: Wording) -> Iterator[tuple[str, dict[str, str]]]:
    for model in library.models.values():
        active = f" ({number(model.params_active)}B/token)" if model.params_active else ""
        yield (
            " ".join((model.family, *model.aliases)),
            {
                "name": model.name,
                "params": f"{number(model.params)}B{active}",
                "layers": number(model.layers) if model.layers else "–",
                "window": number(model.max_context) if model.max_context else "–",
                "licence": model.licence or "–",
                **_source(model.source, library),
            },
        )


def _offers(library: Library, wording: Wording) -> Iterator[tuple[str, dict[str, str]]]:
    for offer in library.offers.values():
        for row in offer.rows:
            low, high = (number(end) for end in row.low_high)
            what = row.label or row.gpu_as_written or row.instance or row.line or row.note or row.unit
            count = f"{row.gpu_count} × " if row.gpu_count else ""
            period = wording.fixed(sentences.PERIOD, row.period)
            yield (
                offer.kind,
                {
                    "provider": offer.provider,
                    "what": f"{count}{what}",
                    "price": f"{low if low == high else f'{low}–{high}'} {offer.currency}/{period}",
                    "term": wording.text(TERM[offer.term]),
                    "place": offer.place,
                    "source": library.source(offer.source).title,
                    "date": offer.date or "–",
                },
            )
