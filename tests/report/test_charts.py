"""The pictures: geometry worked out by hand, words inside the drawing, nothing hostile, nothing by colour alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.text import LANGS, Lang, Text
from advisor.knowledge.hant import mainland_terms, to_hant
from advisor.knowledge.library import open_library
from advisor.report.charts import frontier, lengths, memory, svg, words
from advisor.report.charts.figures import figure, html_table
from advisor.report.charts.frontier import Frontier, Point
from advisor.report.charts.layout import SIZES, Layout, Size, layout
from advisor.report.charts.lengths import Field, Lengths
from advisor.report.charts.memory import Bar
from advisor.report.charts.place import Box, along, labels
from advisor.report.charts.scale import Scale, powers, span, ticks
from advisor.report.wording import Wording

NS = "{http://www.w3.org/2000/svg}"
LIBRARY = open_library()
EN = Wording(LIBRARY, "en")
HOSTILE = "</text><script>alert(1)</script>\"'&\x00\ud800 ](javascript:1)"

BAR = Bar("full · 2 × A100 80GB", (("weights", 40.0), ("optimizer", 20.0), ("reserve", 10.0)), 60.0, 70.0, 75.0, 80.0)
GRID = Lengths(
    (512, 1024), (1, 2, 4),
    (
        (Field(20, "fits"), Field(30, "fits"), Field(79, "tight")),
        (Field(30, "fits"), Field(90, "over"), Field(None, "unknown")),
    ),
    (1, 0), "2 × A100 80GB", 80.0, False,
)  # fmt: skip
FRONT = Frontier(
    (
        Point("cheapest", "1 × RTX 4090", 40, 100, True),
        Point("this plan", "2 × RTX 4090", 20, 150, True, True),
        Point("safest", "4 × A100 80GB", 30, 400, False),
    ),
    "USD",
    "run",
)


def drawn(name: str, lang: Lang, size: Size) -> ElementTree.Element:
    wording, lay = Wording(LIBRARY, lang), layout(size)
    made = {
        "memory": lambda: memory.memory([BAR], wording, lay),
        "lengths": lambda: lengths.lengths(GRID, wording, lay),
        "frontier": lambda: frontier.frontier(FRONT, wording, lay),
    }[name]()
    return ElementTree.fromstring(made)


EVERY = list(itertools.product(("memory", "lengths", "frontier"), LANGS, SIZES))


def parts(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [each for each in root.iter() if each.get("class") == kind]


def box_of(text: ElementTree.Element, lay: Layout) -> tuple[float, float]:
    """Left and right end of a line of words."""
    width = lay.text_width(text.text or "", float(text.get("font-size", "0")))
    x = float(text.get("x", "0"))
    left = {"middle": x - width / 2, "end": x - width}.get(text.get("text-anchor", ""), x)
    return left, left + width


@pytest.mark.parametrize(("name", "lang", "size"), EVERY)
def test_a_picture_is_one_image_with_words_for_it_and_all_words_lie_inside(name: str, lang: Lang, size: Size) -> None:
    root, lay = drawn(name, lang, size), layout(size)
    assert root.get("role") == "img"
    assert root.get("lang") == lang
    assert len(root.get("aria-label", "")) > len("Memory")
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert width == lay.width
    for text in root.iter(f"{NS}text"):
        left, right = box_of(text, lay)
        # The width of a letter is an estimate on the safe side: a fifth of a letter is its slack.
        assert left >= -3, f"{text.text} begins at {left}"
        assert right <= width + 3, f"{text.text} ends at {right} of {width}"
        assert 0 <= float(text.get("y", "-1")) <= height


@pytest.mark.parametrize(("name", "lang", "size"), EVERY)
def test_a_picture_loads_nothing_and_runs_nothing(name: str, lang: Lang, size: Size) -> None:
    text = ElementTree.tostring(drawn(name, lang, size), "unicode")
    assert not re.search(r"<(ns0:)?(script|image|foreignObject|style|a|use)\b", text)
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"\son\w+=", text)


@pytest.mark.parametrize("size", SIZES)
def test_forty_of_eighty_gib_are_half_of_the_bar_and_the_line_stands_at_its_end(size: Size) -> None:
    root, lay = ElementTree.fromstring(memory.memory([BAR], EN, layout(size))), layout(size)
    full = lay.width - 2 * lay.pad
    found = {each.get("data-part"): each for each in parts(root, "hk-part")}
    assert float(found["weights"].get("width", "0")) == pytest.approx(full / 2, abs=0.02)
    assert float(found["optimizer"].get("x", "0")) == pytest.approx(lay.pad + full / 2, abs=0.02)
    assert float(found["optimizer"].get("width", "0")) == pytest.approx(full / 4, abs=0.02)
    assert float(found["reserve"].get("width", "0")) == pytest.approx(full / 8, abs=0.02)
    (usable,) = parts(root, "hk-usable")
    assert float(usable.get("x1", "0")) == pytest.approx(lay.pad + full, abs=0.02)


def test_the_bracket_runs_from_the_lower_to_the_upper_estimate() -> None:
    lay = layout("wide")
    (bracket,) = parts(ElementTree.fromstring(memory.memory([BAR], EN, lay)), "hk-range")
    middle = bracket[0]
    full = lay.width - 2 * lay.pad
    assert float(middle.get("x1", "0")) == pytest.approx(lay.pad + full * 60 / 80, abs=0.02)
    assert float(middle.get("x2", "0")) == pytest.approx(lay.pad + full * 75 / 80, abs=0.02)
    dot = bracket.find(f"{NS}circle")
    assert dot is not None
    assert float(dot.get("cx", "0")) == pytest.approx(lay.pad + full * 70 / 80, abs=0.02)


def test_a_bar_beyond_the_card_shrinks_the_scale_and_leaves_the_line_inside() -> None:
    lay = layout("wide")
    over = Bar("x", (("weights", 160.0),), 150, 160, 200, 80.0)
    root = ElementTree.fromstring(memory.memory([over], EN, lay))
    full = lay.width - 2 * lay.pad
    assert float(parts(root, "hk-usable")[0].get("x1", "0")) == pytest.approx(lay.pad + full * 80 / 200, abs=0.02)
    assert float(parts(root, "hk-part")[0].get("width", "0")) == pytest.approx(full * 160 / 200, abs=0.02)


def test_without_a_usable_figure_there_is_no_line_and_no_claim_of_one() -> None:
    bare = Bar("x", (("weights", 40.0),), 30, 40, 50, None)
    root = ElementTree.fromstring(memory.memory([bare], EN, layout("wide")))
    assert not parts(root, "hk-usable")
    assert "usable" not in "".join(root.itertext()) + root.get("aria-label", "")


def test_the_border_runs_where_what_fits_meets_what_does_not() -> None:
    # fits: (512; 1, 2) and (1024; 1). Down: right of (512, 2) and of (1024, 1). Across: below (512, 2).
    lay = layout("wide")
    root = ElementTree.fromstring(lengths.lengths(GRID, EN, lay))
    found = parts(root, "hk-border")
    upright = [each for each in found if each.get("x1") == each.get("x2")]
    level = [each for each in found if each.get("y1") == each.get("y2")]
    width = (lay.width - lay.row_head - 2 * lay.pad) / 3
    left = lay.pad + lay.row_head
    assert sorted(float(each.get("x1", "0")) for each in upright) == pytest.approx(
        [left + width, left + 2 * width], abs=0.02
    )
    assert [float(each.get("x1", "0")) for each in level] == pytest.approx([left + width], abs=0.02)


def test_fields_speak_by_sign_and_figure_and_not_by_colour_alone() -> None:
    texts = [text.text for text in ElementTree.fromstring(lengths.lengths(GRID, EN, layout("wide"))).iter(f"{NS}text")]
    assert {"20", "~79", "×90", "–"} <= set(texts)


def test_a_field_too_narrow_for_its_figure_keeps_the_sign() -> None:
    narrow = Lengths(
        (512,), tuple(2**n for n in range(12)), ((*(Field(123456, "over") for _ in range(12)),),), None, "x", 80, False
    )
    texts = [
        text.text for text in ElementTree.fromstring(lengths.lengths(narrow, EN, layout("narrow"))).iter(f"{NS}text")
    ]
    assert texts.count("×") == 12 + 1  # one in the legend


def test_the_frame_stands_on_the_plan_shown() -> None:
    lay = layout("wide")
    (frame,) = parts(ElementTree.fromstring(lengths.lengths(GRID, EN, lay)), "hk-now")
    top = lay.small * 2 * lay.line + lay.corner
    assert float(frame[0].get("x", "0")) == pytest.approx(lay.pad + lay.row_head)
    assert float(frame[0].get("y", "0")) == pytest.approx(top + lay.cell_height, abs=0.02)


def test_the_words_for_the_grid_say_the_longest_that_fits() -> None:
    assert lengths.alternative(GRID, EN).endswith(
        "3 of 6 combinations of length and batch fit, 1 are tight. Longest that fits at batch 1: 1,024."
    )


def test_points_stand_where_their_figures_say() -> None:
    # Cost 100..400 on an axis 0..500, time 20..40 on an axis 0..45: hand-worked, with half a
    # round step (100 and 5) of room beyond the largest.
    lay = layout("wide")
    root = ElementTree.fromstring(frontier.frontier(FRONT, EN, lay))
    found = [(float(e.get("cx", "0")), float(e.get("cy", "0"))) for e in parts(root, "hk-point")]
    left, width = lay.row_head * 2 / 3, lay.width - lay.row_head * 2 / 3 - 2 * lay.pad
    assert [x for x, _ in found] == pytest.approx([left + width * cost / 500 for cost in (100, 150, 400)], abs=0.02)
    top = lay.small * 2 + lay.corner
    high = lay.plot_height - top
    assert [y for _, y in found] == pytest.approx([top + high * (1 - t / 45) for t in (40, 20, 30)], abs=0.02)
    line = root.find(f"{NS}polyline")
    assert line is not None
    assert len(line.get("points", "").split()) == 2, "only the two on the front are joined"


def test_fewer_than_two_plans_make_no_picture_and_no_bars_none_either() -> None:
    assert frontier.frontier(Frontier(FRONT.points[:1], "USD", "run"), EN, layout("wide")) == ""
    assert memory.memory([], EN, layout("wide")) == ""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 600), st.floats(0, 300)), min_size=1, max_size=8))
def test_no_label_lies_on_another_or_on_a_point(points: list[tuple[float, float]]) -> None:
    room = Box(-20, -20, 740, 360)
    found = labels(points, [(70, 16)] * len(points), room, layout("wide").reach, 8)
    boxes = [box for box in found if box is not None]
    assert len(boxes) >= min(len(points), 4), "a few labels always find room"
    for one, other in itertools.combinations(boxes, 2):
        assert not one.meets(other)
    for box in boxes:
        assert box.inside(room)
        assert not any(box.meets(Box(x - 8, y - 8, 16, 16)) for x, y in points)


def test_labels_leave_the_line_free_where_they_can() -> None:
    path = [(100.0, 100.0), (300.0, 100.0)]
    (box,) = labels(path[:1], [(60, 16)], Box(0, 0, 400, 300), layout("wide").reach, 8, along(path, 3))
    assert box is not None
    assert not box.meets(Box(100, 99, 200, 2))


def test_scales_and_round_figures() -> None:
    assert Scale(0, 80, 10, 410).at(40) == 210
    assert Scale(0, 80, 10, 410).at(99) == 410, "a value beyond the end stands at the end"
    assert Scale(1, 100, 0, 200, logs=True).at(10) == pytest.approx(100)
    assert ticks(0, 80, 5) == [0, 20, 40, 60, 80]
    assert ticks(0, 31.84, 5) == [0, 10, 20, 30]
    assert powers(1, 100, 9) == [1, 2, 5, 10, 20, 50, 100]
    assert span([100, 400], 30, 5) == (0.0, 500.0, False), "from zero, since the values are far apart"
    assert span([56.1, 59.2], 30, 5) == (55.0, 60.0, False), "zero would leave the drawing empty"
    assert span([3, 400], 30, 5) == (2.0, 500.0, True), "a hundredfold goes by factors"
    low, high, _ = span([7.0], 30, 5)
    assert low < 7 < high


@given(st.lists(st.floats(0.001, 1e7), min_size=1, max_size=9))
def test_an_axis_holds_all_its_values(values: list[float]) -> None:
    low, high, logs = span(values, 30, 5)
    assert low <= min(values)
    assert high >= max(values)
    assert low > 0 or not logs


@pytest.mark.parametrize("size", SIZES)
def test_hostile_words_stay_words(size: Size) -> None:
    bar = Bar(HOSTILE, (("weights", 1.0), (HOSTILE, 2.0)), 1, 3, 4, 5)
    points = (Point(HOSTILE, HOSTILE, 1, 2, True, True), Point(HOSTILE, HOSTILE, 2, 1, True))
    lay = layout(size)
    grid = Lengths(GRID.lengths, GRID.batches, GRID.fields, GRID.now, HOSTILE, 80, True)
    for text in (
        memory.memory([bar], EN, lay),
        frontier.frontier(Frontier(points, HOSTILE, "serving"), EN, lay),
        lengths.lengths(grid, EN, lay),
    ):
        root = ElementTree.fromstring(text)
        assert not list(root.iter(f"{NS}script"))
        assert "<script" not in text
    html = figure(HOSTILE, HOSTILE, lambda one: memory.memory([bar], EN, one), ([HOSTILE], [[HOSTILE]])).html(EN)
    assert "<script" not in html
    ElementTree.fromstring(html)


def test_a_figure_holds_both_widths_and_says_the_same_in_a_table() -> None:
    one = figure("Title", "Note", lambda lay: memory.memory([BAR], EN, lay), memory.table([BAR], EN))
    root = ElementTree.fromstring(one.html(EN))
    assert [each.get("class") for each in root.iter(f"{NS}svg")] == ["hk-wide", "hk-narrow"]
    cells = [each.text for each in root.iter("td")]
    assert "40" in cells
    assert "70 (60–75)" in cells
    assert [each.get("scope") for each in root.iter("th")] == ["col"] * 3
    assert figure("T", "N", lambda lay: "", ([], [])).html(EN) == ""


def test_an_empty_cell_is_a_dash_and_every_cell_names_its_column() -> None:
    root = ElementTree.fromstring(html_table(["a", "b"], [["1", ""]], "c"))
    assert [(each.get("data-label"), each.text) for each in root.iter("td")] == [("a", "1"), ("b", "–")]


def test_a_coordinate_has_two_decimals_at_most_and_no_exponent() -> None:
    assert [svg.number(value) for value in (0.0, -0.001, 1e-9, 1 / 3, -0.5, 12345678.0)] == [
        "0", "0", "0", "0.33", "-0.5", "12345678",
    ]  # fmt: skip


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", sorted(layout("wide").colours))
def test_words_on_a_colour_can_be_read(name: str) -> None:
    colour = layout("wide").colours[name]
    light, dark = sorted((luminance(colour.fill), luminance(colour.ink)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def tables() -> Iterator[tuple[str, Text]]:
    for table in (words.PART, words.PICTURE):
        yield from table.items()


@pytest.mark.parametrize(("key", "text"), list(tables()))
def test_the_words_of_pictures_are_chinese_and_free_of_mainland_terms_in_traditional(key: str, text: Text) -> None:
    hant = to_hant(text.zh, LIBRARY)
    assert not [term for term in mainland_terms(LIBRARY) if term in hant]
    assert text.zh == text.en or not text.zh.isascii()
