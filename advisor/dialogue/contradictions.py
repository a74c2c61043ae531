"""Statements that cannot both hold: a memory or a format that a card does not have, sums that differ.

Each is named in both languages; which of the two is right is for the user to say. Names that we do not know, that stand
for several things or for what nobody can rent are named in the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.core.facts import Facts
from advisor.core.text import Text
from advisor.core.units import number
from advisor.dialogue import closed
from advisor.dialogue.cards import cards_of, resolve_card
from advisor.dialogue.names import resolve_model


def contradictions(slots: Mapping[str, Any], facts: Facts, library: Any) -> Iterator[Text]:
    """What does not fit together in one set of answers, in both languages."""
    yield from _card(slots, library)
    yield from _memory(slots, library)
    yield from _format(slots, facts, library)
    yield from _totals(slots)
    yield from _model(slots, library)


def _card(slots: Mapping[str, Any], library: Any) -> Iterator[Text]:
    """A card that nobody listed here, one without figures, or a name that several cards bear."""
    name = slots.get("gpu_model")
    if not isinstance(name, str):
        return
    meant, index = resolve_card(name, None, library), cards_of(library)
    if several := index.meanings(name):
        listed = ", ".join(several)
        yield Text(
            f"{name} is the name of several cards ({listed}). Say which, or the memory of one.",
            f"{name} 这个名字对应好几款卡（{listed.replace(', ', '、')}），请说明是哪一款或显存多大。",
        )
    elif not meant:
        yield Text(
            f"{name} is not known to us: no memory, speed or price of it is on record here, and nothing below stands "
            "for it. Name a card of the catalogue; for another one its data sheet would be needed (memory a card, "
            "bandwidth, BF16 speed, software).",
            f"我们没有 {name} 的资料：显存、速度和价格都没有记录，下面也没有替它估算。请换成目录里有的卡；"
            "要算这款卡，需要它的规格书（每卡显存、带宽、BF16 算力、软件支持）。",
        )
    elif all(library.gpus[id_].memory_usable.value is None for id_ in meant):
        yield Text(
            f"Of {name} the catalogue has no figure of the memory that a job can use, so nothing is sized for it. "
            "What would be needed: the memory that its own tool reports, and a run of the job on one card.",
            f"目录里没有 {name} 实际可用显存的数据，所以不替它估算。要判断需要：自带工具报告的显存，"
            "以及在一张卡上实跑一次。",
        )


def _memory(slots: Mapping[str, Any], library: Any) -> Iterator[Text]:
    name, memory = slots.get("gpu_model"), slots.get("gpu_mem_gb")
    if not isinstance(name, str) or not isinstance(memory, int | float) or resolve_card(name, memory, library):
        return
    sizes = cards_of(library).sizes(resolve_card(name, None, library))
    if not sizes:
        return
    listed = ", ".join(map(number, sizes))
    yield Text(
        f"You said {name} with {number(memory)} GB, but it is made with {listed} GB. Which of the two is meant?",
        f"你说的是 {number(memory)} GB 的 {name}，但它只有 {listed} GB 的版本，请确认是型号写错还是显存写错。",
    )


def _format(slots: Mapping[str, Any], facts: Facts, library: Any) -> Iterator[Text]:
    wanted = slots.get("precision")
    value = facts.value("gpu.id")
    ids = [id_ for id_ in (value if isinstance(value, tuple) else (value,)) if isinstance(id_, str)]
    if wanted not in ("fp8", "fp4", "bf16") or not ids:
        return
    cards = [library.gpus[id_] for id_ in ids]
    lacking = all((not card.bf16_tensor) if wanted == "bf16" else getattr(card, str(wanted)).absent for card in cards)
    if lacking:
        name, shown = slots.get("gpu_model") or cards[0].name, str(wanted).upper()
        yield Text(f"{name} cannot compute in {shown}.", f"{name} 不支持 {shown} 计算。")


def _totals(slots: Mapping[str, Any]) -> Iterator[Text]:
    names = ("gpu_count", "gpu_mem_gb", "gpu_mem_total_gb", "nodes")
    said = {"nodes": 1, **{name: slots[name] for name in names if slots.get(name) is not None}}
    if not all(isinstance(said.get(name), int | float) for name in names):
        return
    cards, each, total = said["gpu_count"] * said["nodes"], said["gpu_mem_gb"], said["gpu_mem_total_gb"]
    if cards * each != total:
        yield Text(
            f"{number(cards)} cards of {number(each)} GB make {number(cards * each)} GB, not {number(total)} GB.",
            f"{number(cards)} 张 {number(each)} GB 的卡共 {number(cards * each)} GB，不是 {number(total)} GB。",
        )


def _model(slots: Mapping[str, Any], library: Any) -> Iterator[Text]:
    name, size = slots.get("model"), slots.get("params_b")
    if not isinstance(name, str):
        return
    if (entry := closed.entry_of(name, library)) is not None:
        yield closed.why(name, entry, library)
        return
    if isinstance(size, int | float):
        alone = resolve_model(name, None, library)
        if alone is not None and resolve_model(name, float(size), library) is None:
            true = number(library.models[alone].params)
            yield Text(
                f"{name} has {true}B parameters, not {number(size)}B.",
                f"{name} 的参数量是 {true}B，不是 {number(size)}B。",
            )
        elif alone is None and resolve_model(name, float(size), library) is None:
            yield Text(
                f"{name} is not in the catalogue: the figures are those of a usual model of {number(size)}B. Give its "
                "config.json for its own.",
                f"目录里没有 {name}：以下按一般的 {number(size)}B 模型估算。要准确，请给出它的 config.json。",
            )
    elif resolve_model(name, None, library) is None:
        yield Text(
            f"The catalogue has no model {name}: say how many billion parameters it has.",
            f"知识库里没有 {name} 这个模型，请说明它有多少 B 参数。",
        )
