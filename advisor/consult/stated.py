"""Which hardware a question means: the cards and counts that the user named, or what a search may try.

Nothing is guessed: a name that several cards bear stands for all of them, one a label, and an unknown name for none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.consult.desk import Desk
from advisor.core.answer import Assumption, Hardware
from advisor.core.facts import Fact, Facts
from advisor.core.text import Text
from advisor.knowledge.records.gpus import Gpu
from advisor.plan import figures
from advisor.plan.price import index_per_token, price_of
from advisor.plan.search import Candidate, candidates, misses_deadline
from advisor.plan.serve import too_little
from advisor.plan.task import Task, amount


def with_named_card(desk: Desk, facts: Facts) -> Facts:
    """The facts, with what we know of the card that was named; one form stands for all forms of one name."""
    cards = forms(cards_meant(desk, facts), int(amount(facts, "gpu.count") or 1))
    plain = Facts({key: fact for key, fact in facts.items() if key != "gpu.id"})
    if len(cards) != 1:
        return plain
    card = cards[0]
    named = Fact("gpu.id", card.id, facts["gpu.id"].provenance if "gpu.id" in facts else "assumed")
    return plain.plus(named, *figures.card_facts(card, desk.library), *figures.said_differs(card, facts))


def forms(cards: Sequence[Gpu], per_node: int) -> list[Gpu]:
    """One card for each name: boards with a switched link where several stand in a server, else the plug-in form."""
    chosen: dict[str, Gpu] = {}
    for card in cards:
        switched = card.nvlink_kind == "nvlink"
        if card.label not in chosen or switched == (per_node > 2):
            chosen[card.label] = card
    return list(chosen.values())


def _unlike(cards: Sequence[Gpu]) -> list[Gpu]:
    """One card for each name and kind of link, the plug-in form first."""
    kinds: dict[tuple[str, str], Gpu] = {}
    for card in sorted(cards, key=lambda card: card.nvlink_kind == "nvlink"):
        kinds.setdefault((card.label, card.nvlink_kind), card)
    return list(kinds.values())


def stated_hardware(desk: Desk, facts: Facts) -> list[Hardware]:
    """The hardware that the user named: card and count."""
    cards = cards_meant(desk, facts)
    count = amount(facts, "gpu.count")
    total = amount(facts, "gpu.count_total")
    nodes = int(amount(facts, "gpu.nodes") or 1)
    if count is None and total is not None:
        count = total / nodes
    if not cards or not count:
        return []
    per_node, nodes = _in_servers(desk, facts, int(count), nodes)
    _tell_form(desk, cards, forms(cards, per_node), per_node)
    return [Hardware(card.id, card.label, per_node, nodes) for card in forms(cards, per_node)]


def _tell_form(desk: Desk, cards: Sequence[Gpu], taken: Sequence[Gpu], per_node: int) -> None:
    """Say which form of a card was counted, where its name stands for several."""
    other = [card for card in cards if card not in taken and any(card.label == one.label for one in taken)]
    if not other:
        return
    names, rest = ", ".join(card.name for card in taken), ", ".join(card.name for card in other)
    many = per_node > 2
    why = Text(
        f"The name stands for {rest} too; with {per_node} cards in a server the "
        f"{'form with a switched link' if many else 'plug-in form'} is counted. Say so if it is the other.",
        f"这个名字也可能指 {rest}；每台 {per_node} 张时按{'带交换互联的' if many else '插卡'}版本计算，"
        "不是的话请说明。",
    )
    desk.assumed.setdefault("gpu.id", Assumption("gpu.id", "gpu_model", names, why))


def _in_servers(desk: Desk, facts: Facts, count: int, nodes: int) -> tuple[int, int]:
    """Cards a server and servers: more cards than one server holds stand in several, where nobody said how."""
    most = int(desk.library.heuristic("links.cards_per_server").value)
    said = facts.get("gpu.nodes")
    if (said is None or said.provenance != "said") and count > most and count % most == 0:
        return most, count // most
    return count, nodes


def cards_meant(desk: Desk, facts: Facts) -> list[Gpu]:
    """The cards that the user's words may mean: one id, or several forms of one name."""
    value = facts.value("gpu.id")
    ids = value if isinstance(value, tuple) else (value,)
    named = [desk.library.gpus[id_] for id_ in ids if isinstance(id_, str) and id_ in desk.library.gpus]
    size = amount(facts, "gpu.memory", "GB")
    if named or size is None:
        return named
    return [] if "gpu_model" in desk.asked.understood else _of_size(desk, size)


def _of_size(desk: Desk, size: float) -> list[Gpu]:
    """The cards with so much memory: the place's own, else the cheapest of the catalogue, standing for all."""
    here = [card for card in desk.market.cards if card.memory.value == size]
    if here:
        return here
    every = [card for card in desk.library.gpus.values() if card.memory.value == size and not card.modified]
    return sorted(every, key=lambda card: (desk.market.index.get(card.label, float("inf")), card.id))[:1]


def searched(desk: Desk, facts: Facts, task: Task) -> Iterator[Candidate]:
    """What the search finds, where card or count is open."""
    count, nodes = amount(facts, "gpu.count"), facts.get("gpu.nodes")
    stated_nodes = int(amount(facts, "gpu.nodes") or 1) if nodes and nodes.provenance == "said" else None
    meant = cards_meant(desk, facts)
    # Where the number of cards is open, so is the form: a switched board may do with fewer of them.
    cards = tuple(forms(meant, int(count)) if count else _unlike(meant)) or desk.market.cards
    found = candidates(
        task, desk.market, desk.library, cards=cards, per_node=int(count) if count else None, nodes=stated_nodes
    )
    return iter(sorted(found, key=lambda candidate: (_beyond(desk, facts, candidate), _effort(desk, candidate))))


def _beyond(desk: Desk, facts: Facts, candidate: Candidate) -> tuple[int, float]:
    """0 within the budget that was stated or where none was, 1 where it straddles or nobody lists a price, 2 beyond.

    Beyond it the cheapest comes first: that is how much is missing.
    """
    if amount(facts, "budget.amount") is None:
        return 0, 0.0
    price = price_of(candidate.task, candidate.option, desk.market, desk.library)
    share = figures.budget_share(price, facts, desk.library)
    if share is None:
        return 1, 0.0
    least, most = (desk.library.heuristic(f"cost.budget_{end}").value for end in ("comfortable", "hopeless"))
    return (2, share.value) if share.value >= most else (int(share.value > least), 0.0)


def _effort(desk: Desk, candidate: Candidate) -> tuple[bool, int, bool, float, int]:
    """In time and under its load first, fewer servers, whole before split, the cheapest a token, the fewest cards."""
    option = candidate.option
    split = option.sharding not in ("none", "ddp")
    late = misses_deadline(candidate, desk.library) or too_little(candidate.task, option, candidate.card, desk.library)
    return late, option.hardware.nodes, split, index_per_token(option, desk.market), option.hardware.cards
