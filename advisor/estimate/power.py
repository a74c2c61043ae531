"""What a node draws at the wall and what a run uses: cards by their board power, the host by a heuristic.

A rented price includes power, a colocated one does not; either way the rack must carry the sum. Refuses to invent what
the building adds: the ratio of the whole building to the machines (PUE) is only applied where someone states it.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, not_negative, positive, whole


@dataclass(frozen=True, slots=True)
class PowerConstants:
    """The heuristics of this room (knowledge/heuristics/power)."""

    card_share: Figure
    host_base: Figure
    host_per_card: Figure
    supply_efficiency: Figure


def constants(library: Heuristics) -> PowerConstants:
    """This room's heuristics, read once."""
    return load(PowerConstants, "power", library)


def node(card_watts: float, cards: int, library: Heuristics) -> Estimate:
    """kW of one server under load: `card_watts` is the board power of one card.

    `high` is what the circuit must carry (every card at its limit), `likely` the draw in training.
    """
    c, count = constants(library), whole("cards", cards)
    watts = positive("card power", card_watts)

    def wall(share: float, base: float, each: float, efficiency: float) -> float:
        return convert((count * (watts * share + each) + base) / efficiency, "W", "kW")

    low = wall(c.card_share.low, c.host_base.low, c.host_per_card.low, c.supply_efficiency.high)
    likely = wall(c.card_share.value, c.host_base.value, c.host_per_card.value, c.supply_efficiency.value)
    high = wall(c.card_share.high, c.host_base.high, c.host_per_card.high, c.supply_efficiency.low)
    formula = (
        f"({count} x ({watts:g} W x {c.card_share.value:g} + {c.host_per_card.value:g} W) + {c.host_base.value:g} W)"
        f" / {c.supply_efficiency.value:g}"
    )
    used = (c.card_share.id, c.host_base.id, c.host_per_card.id, c.supply_efficiency.id)
    return Estimate(Range(low, likely, high, "kW"), (Step("power of a node", formula, likely, "kW", used),))


def energy(power: Range, hours: Range, *, nodes: int = 1, pue: float | None = None) -> Estimate:
    """kWh for `hours` on `nodes` nodes; times `pue` only where it is stated (at least 1)."""
    kilowatts, time, count = power.to("kW"), hours.to("h"), whole("nodes", nodes)
    factor = 1.0
    if pue is not None:
        not_negative("PUE less 1", pue - 1)
        factor = pue
    low, likely, high = (
        p * t * count * factor
        for p, t in ((kilowatts.low, time.low), (kilowatts.likely, time.likely), (kilowatts.high, time.high))
    )
    formula = f"{kilowatts.likely:g} kW x {count} x {time.likely:g} h" + (f" x PUE {pue:g}" if pue is not None else "")
    return Estimate(Range(low, likely, high, "kWh"), (Step("energy", formula, likely, "kWh"),))
