"""The wizard in a real browser: a whole walk in each language on a desktop and on a phone, and what must survive."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.consult import answer
from tests.web.conftest import until

BEGIN = "import sys; from bots.cli.main import main; sys.exit(main(sys.argv[1:]))"
TITLES = {"en": "GPU servers in Hong Kong", "zh": "香港 GPU 服务器", "zh-Hant": "香港 GPU 伺服器"}
VERDICTS = {"en": "It depends", "zh": "要看情况", "zh-Hant": "要看情況"}
HTML = {"en": "en", "zh": "zh-CN", "zh-Hant": "zh-TW"}


def walk(visitor: Any, artefacts: Path | None = None, name: str = "") -> Any:
    """Task, model, data, place, budget, review, plan."""
    page = visitor.open()
    shots = iter(range(100))

    def shot() -> None:
        if artefacts is not None:
            page.screenshot(path=artefacts / f"{name}-{next(shots)}.png", full_page=True)

    page.locator("#q-tuning-method input[value=lora]").check()
    shot()
    visitor.next("task", "model")
    page.locator("#q-model-id input").fill("Qwen2.5-7B")
    page.locator("#q-model-id [role=option]").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_selector("#q-model-params", state="hidden")
    shot()
    visitor.next("model", "data")
    page.locator("#q-workload-seq_len input[type=text]").fill("4k")
    page.locator("#q-data-tokens input[type=text]").fill("50M")
    page.locator("#q-data-size-unknown input").check()
    shot()
    visitor.next("data", "place")
    page.locator("#q-gpu-id input").fill("RTX 4090")
    page.locator("#q-gpu-id [role=option]").first.wait_for()
    page.locator("#q-gpu-id [role=option]", has_text=re.compile("^\\W*RTX 4090$")).click()
    page.locator("#q-gpu-count input[type=text]").fill("2")
    page.locator("#q-users-location input[type=checkbox]").nth(1).check()
    shot()
    visitor.next("place", "budget")
    page.locator("#q-budget-amount input[type=text]").fill("30,000")
    page.locator("#q-company-parent input[value=hong_kong]").check()
    shot()
    visitor.next("budget", "review")
    page.wait_for_selector("#review table")
    shot()
    visitor.next("review", "plan")
    page.wait_for_selector("#get-checklist-md")
    shot()
    return page


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("lang", ["en", "zh", "zh-Hant"])
def test_the_whole_wizard_leads_to_a_plan(visit: Callable[..., Any], artefacts: Path, lang: str, width: int) -> None:
    visitor = visit(lang, width)
    page = walk(visitor, artefacts, f"{lang}-{width}")
    assert TITLES[lang] in page.locator("h1").inner_text()
    assert page.evaluate("document.documentElement.lang") == HTML[lang]
    assert (
        VERDICTS[lang] in page.locator("#step-plan").inner_text()
        or "RTX 4090" in page.locator("#step-plan").inner_text()
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert visitor.wrong == []
    assert visitor.foreign == []


def test_answers_survive_reload_back_and_a_restart_of_the_browser_page(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=qlora]").check()
    visitor.next("task", "model")
    page.locator("#q-model-params input[type=text]").fill("70")
    visitor.next("model", "data")
    page.click("#back-data")
    page.wait_for_selector("#head-model", state="visible")
    assert page.locator("#q-model-params input[type=text]").input_value() == "70"
    visitor.reload()
    page.wait_for_selector("#head-model", state="visible")
    until(page, "document.querySelector('#q-model-params input')?.value === '70'")
    page.click("#back-model")
    page.wait_for_selector("#head-task", state="visible")
    assert page.locator("#q-tuning-method input[value=qlora]").is_checked()


def test_a_step_that_was_done_can_be_opened_again_from_the_bar(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=lora]").check()
    visitor.next("task", "model")
    page.click("#step-task-button")
    page.wait_for_selector("#head-task", state="visible")
    assert page.locator("#step-data-button").is_disabled()
    assert page.locator("#q-tuning-method input[value=lora]").is_checked()


def test_the_focus_follows_next_and_goes_to_a_wrong_answer(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=lora]").focus()
    page.keyboard.press("Space")
    page.locator("#next-task").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#head-model", state="visible")
    until(page, "document.activeElement?.closest('#head-model') !== null")
    page.locator("#q-model-params input[type=text]").fill("minus seventy")
    page.locator("#next-model").focus()
    page.keyboard.press("Enter")
    until(page, "document.activeElement?.closest('#q-model-params') !== null")
    field = page.locator("#q-model-params input[type=text]")
    assert field.get_attribute("aria-invalid") == "true"
    described = page.locator("#" + str(field.get_attribute("aria-describedby")))
    assert "minus seventy" in described.inner_text()
    assert page.locator("#wrong-model [role=alert]").is_visible()


@pytest.mark.parametrize(
    ("fact", "typed", "told"),
    [
        ("data-tokens", "lots", "no number"),
        ("data-tokens", "-5", "outside"),
        ("workload-seq_len", "99999999999", "outside"),
        ("workload-seq_len", "4 GB", "no amount"),
        ("data-size", "<img src=x onerror=alert(1)>", "no number"),
    ],
)
def test_a_bad_answer_is_told_at_its_question_and_keeps_the_step(
    visit: Callable[..., Any], fact: str, typed: str, told: str
) -> None:
    visitor = visit()
    page = visitor.open()
    visitor.next("task", "model")
    visitor.next("model", "data")
    page.locator(f"#q-{fact} input[type=text]").fill(typed)
    page.click("#next-data")
    page.wait_for_selector(f"#q-{fact}.bad")
    assert told in page.locator(f"#q-{fact} .info-text").inner_text()
    assert page.locator("#head-data").is_visible()
    assert page.locator("#wrong-data img").count() == 0
    assert visitor.wrong == []
    assert visitor.foreign == []


def test_a_question_that_cannot_change_the_answer_is_not_shown(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=inference]").check()
    page.wait_for_selector("#q-serving-qps", state="visible")
    page.locator("#q-tuning-method input[value=lora]").check()
    page.wait_for_selector("#q-serving-qps", state="hidden")
    visitor.next("task", "model")
    page.locator("#more-model button").first.click()
    page.wait_for_selector("#q-tuning-lora_rank", state="visible")
    assert page.locator("#q-tuning-offload").count() == 0 or not page.locator("#q-tuning-offload").is_visible()


def test_what_nobody_knows_is_listed_as_an_assumption(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=lora]").check()
    visitor.next("task", "model")
    page.locator("#q-model-params input[type=text]").fill("7")
    visitor.next("model", "data")
    page.locator("#q-workload-seq_len-unknown input").check()
    page.locator("#q-data-tokens-unknown input").check()
    visitor.next("data", "place")
    visitor.next("place", "budget")
    visitor.next("budget", "review")
    page.wait_for_selector("#review table")
    rows = page.locator("#review tr").all_inner_texts()
    assumed = next(row for row in rows if "Longest sequence" in row)
    assert "2,048" in assumed
    assert any("Dataset tokens" in row and "stays open" in row for row in rows)


def test_a_link_reopens_the_plan_as_a_copy_that_changes_nothing_of_the_readers(visit: Callable[..., Any]) -> None:
    sender = visit()
    page = walk(sender)
    href = page.locator("#plan-link").get_attribute("href")
    assert "model=Qwen2.5-7B" in href
    assert "session" not in href
    reader = visit("zh")
    mine = reader.open()
    mine.locator("#q-tuning-method input[value=full]").check()
    reader.next("task", "model")
    mine.goto(reader.url + "/" + re.sub(r"&?lang=en", "", href))
    mine.wait_for_selector("#get-checklist-md")
    assert "副本" in mine.locator("#copy-note").inner_text()
    mine.goto(reader.url + "/")
    mine.wait_for_selector("#head-model", state="visible")
    mine.click("#back-model")
    mine.wait_for_selector("#head-task", state="visible")
    assert mine.locator("#q-tuning-method input[value=full]").is_checked()


def test_a_link_that_makes_no_sense_is_told_and_the_page_works(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("?gpu_count=abc&size=13&model=%3Cscript%3Ealert(1)%3C/script%3E&task=lora")
    page.wait_for_selector("#copy-note .wrong")
    told = page.locator("#copy-note").inner_text()
    assert "abc" in told
    assert "size" in told
    assert page.locator("#copy-note script").count() == 0
    assert visitor.wrong == []


def test_the_checklist_of_the_page_has_the_bytes_of_the_command_line(visit: Callable[..., Any], tmp_path: Path) -> None:
    visitor = visit("zh")
    page = visitor.open("?model=Qwen2.5-7B&task=lora&gpu_model=RTX 4090&gpu_count=1")
    page.wait_for_selector("#get-checklist-md")
    with page.expect_download() as caught:
        page.click("#get-checklist-md")
    path = tmp_path / "page.md"
    caught.value.save_as(path)
    assert caught.value.suggested_filename == "checklist.md"
    told = tmp_path / "cli.md"
    sets = ("model=Qwen2.5-7B", "task=lora", "gpu_model=RTX 4090", "gpu_count=1")
    options = [part for each in sets for part in ("--set", each)]
    subprocess.run([sys.executable, "-c", BEGIN, "checklist", *options, "--lang", "zh", "-o", str(told)], check=True)
    assert path.read_bytes() == told.read_bytes()


def test_plan_json_and_the_order_pack_come_down(visit: Callable[..., Any], tmp_path: Path) -> None:
    import json
    import zipfile

    visitor = visit()
    page = visitor.open("?model=Qwen2.5-7B&task=lora&gpu_model=RTX 4090&gpu_count=1")
    for button, name in (("#get-plan-json", "plan.json"), ("#get-order-pack-zip", "order-pack.zip")):
        page.wait_for_selector(button)
        with page.expect_download() as caught:
            page.click(button)
        caught.value.save_as(tmp_path / name)
    plan = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    reply = answer.advise({"model": "Qwen2.5-7B", "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 1}, lang="en")
    assert plan["plan"] == reply.json["plan"]
    assert any(name.endswith("checklist.md") for name in zipfile.ZipFile(tmp_path / "order-pack.zip").namelist())


CONFIG = (
    '{"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, '
    '"num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "_name_or_path": "/data/secret", '
    '"max_position_embeddings": 131072, "tie_word_embeddings": false, "torch_dtype": "bfloat16"}'
)


def test_a_config_json_takes_the_place_of_the_model(visit: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(CONFIG)
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=lora]").check()
    visitor.next("task", "model")
    page.set_input_files("#config input[type=file]", tmp_path / "config.json")
    page.wait_for_selector("#config-told .note")
    assert "7.6" in page.locator("#config-told").inner_text()
    page.wait_for_selector("#q-model-id", state="hidden")
    visitor.next("model", "data")
    visitor.next("data", "place")
    visitor.next("place", "budget")
    visitor.next("budget", "review")
    visitor.next("review", "plan")
    page.wait_for_selector("#plan-link")
    href = page.locator("#plan-link").get_attribute("href")
    assert "secret" not in href
    assert "config=" in href
    reader = visit()
    copy = reader.open(href)
    copy.wait_for_selector("#get-checklist-md")
    assert "RTX" in copy.locator("#step-plan").inner_text() or "GiB" in copy.locator("#step-plan").inner_text()


def test_a_file_that_is_no_config_is_told_in_one_line(visit: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{not json")
    visitor = visit()
    page = visitor.open()
    visitor.next("task", "model")
    page.set_input_files("#config input[type=file]", tmp_path / "config.json")
    page.wait_for_selector("#config-told .wrong")
    assert "JSON" in page.locator("#config-told").inner_text()


def test_the_language_can_be_switched_and_answers_stay(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open()
    page.locator("#q-tuning-method input[value=qlora]").check()
    visitor.next("task", "model")
    page.click("#top nav a[hreflang=zh-CN]")
    page.wait_for_selector("#head-model", state="visible")
    assert "用哪个模型" in page.locator("#head-model").inner_text()
    page.goto(visitor.url + "/")
    page.wait_for_selector("#head-model", state="visible")
    assert "用哪个模型" in page.locator("#head-model").inner_text()
    page.click("#back-model")
    page.wait_for_selector("#head-task", state="visible")
    assert page.locator("#q-tuning-method input[value=qlora]").is_checked()
