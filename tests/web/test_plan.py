"""The plan in a real browser: levers, sliders, options, ticks and changes work, and everybody can read and use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.consult import answer
from advisor.knowledge.hant import mainland_terms
from advisor.knowledge.library import open_library
from bots.web import plan_parts, plan_words

REFUSED = "?model=Llama-3.1-70B&task=full_ft&gpu_model=A100 80GB&gpu_count=8"
TUNED = (
    "?model=Qwen2.5-14B&task=full_ft&gpu_model=A100 80GB&gpu_count=8&seq_len=4096&dataset_tokens=500000000"
    "&dataset_gb=500&bandwidth_mbps=100"
)
OPEN = "?model=Qwen2.5-7B&task=lora&dataset_tokens=50000000"


def opened(visitor: Any, query: str) -> Any:
    page = visitor.open(query)
    page.wait_for_selector("#plan-summary")
    return page


def verdict(page: Any) -> str:
    return str(page.locator("#plan-summary .badge").inner_text())


def until(page: Any, word: str) -> None:
    page.wait_for_function(
        "word => document.querySelector('#plan-summary')?.textContent.includes(word)", arg=word
    )  # fmt: skip


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("lang", ["en", "zh", "zh-Hant"])
def test_the_plan_is_drawn_in_each_language_at_both_widths(
    visit: Callable[..., Any], artefacts: Path, lang: str, width: int
) -> None:
    visitor = visit(lang, width)
    page = opened(visitor, TUNED)
    page.wait_for_selector("#plan-frontier svg", state="attached")
    page.screenshot(path=artefacts / f"plan-{lang}-{width}.png", full_page=True)
    seen = page.locator("figure svg").evaluate_all("all => all.filter(one => one.getClientRects().length > 0).length")
    assert seen == 3, "of each picture the drawing for this width is shown"
    for label in page.locator("figure svg").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))"):
        assert len(label) > len("Memory")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.locator("figure svg text").evaluate_all(
        "all => all.filter(one => one.getClientRects().length > 0).map(one => one.getBoundingClientRect().height)"
    )
    assert min(small) >= 11, "words of a picture are no smaller than those of a footnote"
    assert visitor.wrong == []
    assert visitor.foreign == []


def test_a_lever_recomputes_at_once_and_can_be_taken_back(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, REFUSED)
    assert verdict(page) == "No"
    promised = page.locator("#lever-1").inner_text()
    assert promised.endswith("→ Yes")
    page.click("#lever-1")
    until(page, "LoRA")
    assert verdict(page) == "Yes"
    assert "trying something out" in page.locator("#plan-tried").inner_text()
    page.wait_for_function("() => document.querySelector('#plan-link')?.href.includes('task=lora')")
    page.click("#plan-reset")
    until(page, "Full fine-tuning")
    assert verdict(page) == "No"
    assert not page.locator("#plan-reset").is_visible()
    assert visitor.wrong == []


def test_a_slider_works_by_pointer_by_keyboard_and_by_typing(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, TUNED)
    before = page.locator("#plan-pictures svg.hk-wide").first.get_attribute("aria-label")
    slider = page.locator("#slider-0 input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => document.querySelector('#plan-pictures svg')?.getAttribute('aria-label') !== before", arg=before
    )
    assert slider.input_value() == "4352"
    field = page.locator("#slider-0 input[type=number]")
    field.fill("16384")
    field.press("Enter")
    given = {
        "model": "Qwen2.5-14B", "task": "full_ft", "gpu_model": "A100 80GB", "gpu_count": 8, "seq_len": 16384,
        "dataset_tokens": 5e8, "dataset_gb": 500, "bandwidth_mbps": 100,
    }  # fmt: skip
    reply = answer.advise(given, lang="en").json
    peak = reply["by_method"][0]["peak_gib"]
    page.wait_for_function(
        "said => document.querySelector('#plan-pictures svg')?.getAttribute('aria-label').includes(said)",
        arg=f"about {peak['likely']:g} GiB",
    )
    box = page.locator("#slider-2 input[type=range]").bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + box["height"] / 2)
    until(page, "1 × A100")
    assert visitor.wrong == []


def test_another_option_becomes_the_plan_shown(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, OPEN)
    button = page.locator("[id^=option-]:visible").first
    wanted = button.inner_text().split(", ")[-1]
    button.click()
    until(page, wanted)
    assert wanted in page.locator("#plan-order").inner_text()
    assert visitor.wrong == []


def test_one_answer_is_changed_in_place_and_a_wrong_one_is_told(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, TUNED)
    page.click("#plan-based button")
    page.click("#change-which input")
    page.get_by_role("option", name="Longest sequence").click()
    page.locator("#change-to input").fill("<b>far</b> too long")
    page.keyboard.press("Enter")
    page.click("#change-apply")
    page.wait_for_selector("#change-wrong .wrong")
    assert page.locator("#change-wrong b").count() == 0
    page.locator("#change-to input").fill("1k")
    page.keyboard.press("Enter")
    page.click("#change-apply")
    page.wait_for_function("() => document.querySelector('#slider-0 input[type=number]')?.value === '1024'")
    assert visitor.wrong == []


def test_what_was_tried_can_become_the_answers(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, REFUSED)
    page.click("#lever-1")
    until(page, "LoRA")
    page.click("#plan-keep")
    page.wait_for_selector("#plan-keep", state="hidden")
    visitor.page.goto(visitor.url + "/")
    visitor.opened()
    page.wait_for_selector("#plan-summary")
    assert "LoRA" in page.locator("#plan-summary").inner_text()


def test_ticks_are_kept_for_the_same_answers(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, TUNED)
    kept = page.evaluate("JSON.stringify(localStorage)")
    page.locator("#ticks-on_delivery input").nth(1).check()
    page.wait_for_function("kept => JSON.stringify(localStorage) !== kept", arg=kept)
    visitor.reload()
    page.wait_for_function("() => document.querySelectorAll('#ticks-on_delivery input')[1]?.checked === true")
    assert [box.is_checked() for box in page.locator("#ticks-on_delivery input").all()[:3]] == [False, True, False]
    assert visitor.wrong == []


def test_hostile_words_in_the_answers_stay_words(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = opened(visitor, OPEN + "&seq_len=%3Cimg src=x onerror=alert(1)%3E")
    assert page.locator("#plan-verdict img, figure img, figure script").count() == 0
    assert visitor.wrong == []
    assert visitor.foreign == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("query", [TUNED, REFUSED], ids=["works", "refused"])
def test_the_plan_has_no_serious_fault_for_people_who_see_or_move_otherwise(
    visit: Callable[..., Any], query: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(visit("en", width), query)
    page.click("#plan-based button")
    page.click("#plan-why button")
    page.locator("#plan-pictures summary").first.click()
    page.wait_for_timeout(500)
    found = axe.run(page).response["violations"]
    grave = [each for each in found if each["impact"] in ("serious", "critical")]
    told = [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in grave]
    assert not grave, json.dumps(told, indent=1)


def test_every_label_of_the_plan_is_written_and_used() -> None:
    used = "".join(Path(str(module.__file__)).read_text("utf-8") for module in (plan_parts,))
    used += Path(str(plan_words.__file__)).with_name("plan.py").read_text("utf-8")
    found = set(re.findall(r"[\"']([a-z_]+)[\"']", used))
    computed = {"risk_high", "risk_medium", "risk_low", *plan_parts.MOMENTS, "must", "should", "nice"}
    assert not set(plan_words.WORDS) - found - computed


def test_no_mainland_term_is_left_in_a_traditional_label() -> None:
    library = open_library()
    entries = library.words["hant_terms"].entries
    # Longer words of the table in which such a term is right.
    right = sorted(map(str, dict(entries).values()), key=len, reverse=True)
    wrong = []
    for key in plan_words.WORDS:
        label = plan_words.word(key, "zh-Hant")
        for known in right:
            label = label.replace(known, "·")
        wrong += [f"{key}: {term}" for term in mainland_terms(library) if term in label]
    assert not wrong, "\n".join(wrong)
