"""What an offer says as facts for the rules (rules/quoting): figures said beside the card's own, never a judgement.

A fact that the offer does not bear out is not there: the rules then say nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from advisor.core.facts import Value
from advisor.core.units import Quantity, convert
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.pack.offer import Offer
from advisor.pack.offer_cards import form_of
from advisor.pack.offer_read import NOT
from advisor.pack.quote_price import Price

T = TypeVar("T")
# Readings of which two different figures in one offer cannot both hold.
_ONCE = ("gpu_count", "card_memory", "ram", "cpu_cores", "delivery_days", "deposit", "prepay_months")
_CHOICES = ("bandwidth_share", "host_kind", "billing")
_FLAGS = {
    "nvlink": "says_nvlink", "nvswitch": "says_nvswitch", "hbm": "says_hbm", "gpu_ecc": "says_gpu_ecc",
    "fp8": "says_fp8", "guaranteed": "guaranteed", "spot": "spot", "cpu_virtual": "threads",
    "native_ip": "native_ip", "refund": "refund", "tax_included": "tax_included",
}  # fmt: skip
_DENIED = ("trial", "invoice", "provenance", "spare")


def facts(offer: Offer, price: Price | None, library: Library) -> dict[str, Value]:
    """Every fact of an offer by id (`quote.NAME`)."""
    found: dict[str, Value] = {}
    for name, fact in _FLAGS.items():
        flag = offer.flag(name)
        if flag is not None:
            found[fact] = flag
    cards = [library.gpus[key] for key in offer.cards]
    if cards:
        found |= _of_cards(offer, cards)
    if offer.said.get("price_below_zero"):
        found["price_below_zero"] = True
    found |= _of_terms(offer)
    found |= _of_lines(offer)
    if price is not None:
        found |= _of_price(price)
    differs = tuple(_differing(offer))
    if differs:
        found["differs"] = differs
    return {f"quote.{name}": value for name, value in found.items()}


def _all(cards: Iterable[Gpu], test: Callable[[Gpu], T]) -> T | None:
    """What holds for every record that the name may mean, None where they differ."""
    values = {test(card) for card in cards}
    return values.pop() if len(values) == 1 else None


def _of_cards(offer: Offer, cards: list[Gpu]) -> dict[str, Value]:
    found: dict[str, Value] = {"card": cards[0].id}
    tests: dict[str, Callable[[Gpu], bool]] = {
        "card_has_nvlink": lambda card: card.nvlink_kind not in ("none", "unknown"),
        "card_has_nvswitch": lambda card: card.nvlink_kind == "nvlink",
        "card_has_hbm": lambda card: "HBM" in (card.memory_type or ""),
        "card_has_ecc": lambda card: card.ecc.value != "none",
        "card_has_fp8": lambda card: not card.fp8.absent,
        "card_modified": lambda card: card.modified,
        "card_geforce": lambda card: card.geforce_licence,
        "card_controlled": lambda card: card.export.lead in ("controlled_a", "controlled_b"),
    }
    for name, test in tests.items():
        if (value := _all(cards, test)) is not None:
            found[name] = value
    found |= _memory(offer, cards) | _links(offer, cards)
    form = offer.first("card_form")
    if form is not None:
        found["form_exists"] = any(str(form.value) in form_of(card) for card in cards)
    if offer.cards_named:
        found["several_cards"] = True
    return found


def _memory(offer: Offer, cards: list[Gpu]) -> dict[str, Value]:
    """Memory said for one card and for all, beside what the catalogue has."""
    sizes = {card.memory.value for card in cards if card.memory.value is not None}
    said = [one.value for one in offer.said.get("card_memory", ()) if isinstance(one.value, float)]
    found: dict[str, Value] = {}
    if sizes and said:
        odd = [size for size in said if not any(_close(size, known) for known in sizes)]
        found["memory_of_card"] = not odd
        if odd:
            found |= {"memory_said": Quantity(odd[0], "GB"), "memory_real": Quantity(max(sizes), "GB")}
    total, count = offer.number("card_memory_total"), offer.number("gpu_count")
    each = said[0] if said else max(sizes) if len(sizes) == 1 else None
    if total is not None and count and each:
        found["total_adds_up"] = _close(total, each * count)
        found |= {"total_said": Quantity(total, "GB"), "total_real": Quantity(each * count, "GB")}
    return found


def _close(left: float, right: float) -> bool:
    """Equal but for rounding: cards are sold in whole gigabytes, and some vendors write what nvidia-smi shows."""
    return abs(left - right) * _ROUNDING <= max(left, right)


_ROUNDING = 2**4


def _links(offer: Offer, cards: list[Gpu]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    rate, real = offer.number("nvlink_rate"), max((card.nvlink.value or 0 for card in cards), default=0)
    if rate is not None and real:
        found |= {"nvlink_said": Quantity(rate, "GB/s"), "nvlink_real": Quantity(real, "GB/s")}
    generation = offer.number("pcie_gen")
    known = [int(card.pcie.value[0]) for card in cards if card.pcie.value and card.pcie.value[0].isdigit()]
    if generation is not None and known:
        found |= {"pcie_said": Quantity(generation, "count"), "pcie_real": Quantity(float(max(known)), "count")}
    return found


def _of_terms(offer: Offer) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name in _DENIED:
        one = offer.first(name)
        if one is not None and one.mark != "open":
            found[name] = one.value is not False
    for name, unit in (("deposit", "months"), ("prepay_months", "months")):
        if (value := offer.number(name)) is not None:
            found[name] = Quantity(value, unit)
    if (days := offer.number("delivery_days")) is not None:
        found["delivery"] = Quantity(days, "days")
    if (hours := offer.number("swap_hours")) is not None:
        found["swap"] = Quantity(hours, "h")
    if offer.flag("tax_included") is False:
        found["tax_rate_said"] = offer.number("tax_rate") is not None
    return found


def _of_lines(offer: Offer) -> dict[str, Value]:
    share, kinds, lines = (offer.words(name) for name in ("bandwidth_share", "host_kind", "line"))
    found: dict[str, Value] = {}
    if share:
        found |= {"shared": "shared" in share, "dedicated": "dedicated" in share}
    if kinds:
        found |= {"whole_server": "bare_metal" in kinds, "sliced": "sliced" in kinds,
                  "virtual": bool({"virtual", "container"} & set(kinds))}  # fmt: skip
    if lines:
        found |= {"line_vague": set(lines) == {"cn2"}, "ordinary_line": set(lines) <= {"ordinary", "bgp"}}
    speed = offer.number("bandwidth")
    if speed is not None:
        found["bandwidth"] = Quantity(speed, "Mbps")
        found["bandwidth_share_said"] = bool(share)
    if (rtt := offer.number("rtt_promised")) is not None:
        found["rtt"] = Quantity(rtt, "ms")
    said = offer.words("location")
    if places := [place for place in said if not place.startswith(NOT)]:
        found["in_hong_kong"] = "hong_kong" in places
    elif f"{NOT}hong_kong" in said:
        found["in_hong_kong"] = False
    return found


def _of_price(price: Price) -> dict[str, Value]:
    rent = price.rent
    found: dict[str, Value] = {
        "currency_open": rent.currency in ("", "dollar"),
        "period_open": not rent.period,
        "prices_differ": price.hour_and_month_differ,
        "has_band": price.band is not None,
    }
    if price.position is not None and price.card_hour is not None and price.band is not None:
        low, high = _money(price.band.low), _money(price.band.high)
        found |= {
            "position": price.position,
            "card_hour": _money(price.card_hour[0]),
            "band_low": low,
            "band_high": high,
        }
        found["band_weak"] = price.band.confidence == "low"
        found["band_here"] = price.band.location == "hong_kong"
        found["position_per_card"] = price.position_per_card or price.position
    return found


def _money(value: float) -> float:
    cents = convert(1, "share", "%")
    return round(value * cents) / cents


def _differing(offer: Offer) -> Iterable[str]:
    """The readings with two values that cannot both hold."""
    for name in _ONCE:
        values = {one.value for one in offer.said.get(name, ()) if isinstance(one.value, float) and one.mark != "open"}
        if len(values) > 1:
            yield name
    for name in _CHOICES:
        if len(offer.words(name)) > 1:
            yield name
