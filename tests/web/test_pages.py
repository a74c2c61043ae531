"""Chat, delivery, claims and catalogue in a real browser, and how accessible every page is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import until
from tests.web.test_wizard import walk

# Written for this test: a line of the kernel's log, and what ping says of a lossy line.
KERNEL = "[12345.678] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n"
PING = (
    "--- 203.0.113.5 ping statistics ---\n100 packets transmitted, 60 received, 40% packet loss, time 99100ms\n"
    "rtt min/avg/max/mdev = 5.1/9.2/40.3/5.5 ms\n"
)


# While an answer is on its way a bubble says so; it is no answer.
ANSWERS = "[...document.querySelectorAll('#talk .bot')].filter(each => !each.innerText.includes('Loading')).length"


def say(page: Any, words: str) -> None:
    before = page.evaluate(ANSWERS)
    page.fill("#say textarea", words)
    page.click("#send")
    until(page, f"{ANSWERS} > {before}")


def test_the_chat_answers_asks_and_remembers_over_a_reload(visit: Callable[..., Any], artefacts: Path) -> None:
    visitor = visit()
    page = visitor.open("?tab=chat")
    say(page, "can I fine-tune 70B here?")
    first = page.locator("#talk .bot").first.inner_text()
    assert "70B" in first
    assert "QLoRA" in first
    page.locator("#quick-0").wait_for(state="visible")
    page.get_by_role("button", name="QLoRA", exact=True).click()
    until(page, f"{ANSWERS} === 2")
    visitor.reload()
    until(page, f"{ANSWERS} === 2")
    say(page, "on one A100 80GB")
    page.screenshot(path=artefacts / "chat.png", full_page=True)
    assert "QLoRA" in page.locator("#talk .bot").last.inner_text()
    page.click("#chat-plan")
    page.wait_for_selector("#get-checklist-md")
    assert "A100" in page.locator("#step-plan").inner_text()
    assert visitor.wrong == []
    assert visitor.foreign == []


def test_who_forgets_leaves_nothing_in_the_browser(visit: Callable[..., Any]) -> None:
    visitor = visit("zh")
    page = visitor.open("?tab=chat")
    say(page, "能不能在这里微调70B？")
    page.click("#chat-forget")
    page.wait_for_selector("#chat-told .note")
    assert page.locator("#talk .bot").count() == 0
    visitor.reload()
    assert page.locator("#talk .bot").count() == 0


def test_words_of_a_person_come_back_as_text(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("?tab=chat")
    say(page, "70B LoRA <img src=http://foreign.example/a.png onerror=alert(1)> ![x](http://foreign.example/b.png)")
    assert page.locator("#talk .user img, #talk .bot img").count() == 0
    assert "foreign.example" in page.locator("#talk .user").inner_text()
    assert visitor.foreign == []
    assert visitor.wrong == []


def test_a_plan_is_talked_about_in_the_chat(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("?params_b=70&task=qlora&gpu_model=A100 80GB&gpu_count=1")
    page.wait_for_selector("#get-checklist-md")
    page.click("#to-chat")
    page.wait_for_selector("#talk .bot", state="visible")
    assert "A100 80GB" in page.locator("#talk .bot").first.inner_text()


def test_a_delivery_is_judged_item_by_item(visit: Callable[..., Any], artefacts: Path, tmp_path: Path) -> None:
    for name, text in (("dmesg.txt", KERNEL), ("ping.txt", PING)):
        (tmp_path / name).write_text(text, "utf-8")
    visitor = visit("zh", 390)
    page = visitor.open("?tab=delivery")
    page.click("#judge")
    page.wait_for_selector("#judged .wrong")
    page.set_input_files("#outputs input[type=file]", [tmp_path / "dmesg.txt", tmp_path / "ping.txt"])
    page.wait_for_selector("#outputs .file-preview, #outputs table")
    page.click("#judge")
    page.wait_for_selector("#judged table")
    told = page.locator("#judged").inner_text()
    page.screenshot(path=artefacts / "delivery.png", full_page=True)
    assert "40 %" in told
    assert "不合格" in told
    assert "发给供应商" in told
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visitor.wrong == []


def test_an_output_that_nobody_knows_is_inconclusive_and_shown_as_text(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("?tab=delivery")
    page.fill("#paste textarea", "<script>alert(1)</script>\nhello")
    page.click("#judge")
    page.wait_for_selector("#judged table")
    assert "INCONCLUSIVE" in page.locator("#judged").inner_text()
    assert page.locator("#judged script").count() == 0
    assert visitor.wrong == []


def test_offers_are_held_against_the_plan_and_side_by_side(visit: Callable[..., Any], artefacts: Path) -> None:
    visitor = visit()
    page = visitor.open("?tab=offers")
    page.click("#compare")
    page.wait_for_selector("#compared .wrong")
    page.fill("#offer-1 textarea", "Vendor Alpha\n2 x RTX 4090 24GB, 256GB RAM, 2 x 3.84TB NVMe, HKD 18,000 / month")
    page.fill("#offer-2 textarea", "厂商乙\n2张4090 24G，BGP 30M，月付16000元 <img src=http://foreign.example/x.png>")
    page.click("#compare")
    page.wait_for_selector("#compared table")
    page.screenshot(path=artefacts / "offers.png", full_page=True)
    told = page.locator("#compared").inner_text()
    assert "18,000" in told
    assert page.locator("#compared .card").count() == 2
    assert page.locator("#compared img").count() == 0
    assert visitor.wrong == []
    assert visitor.foreign == []


def test_a_claim_is_judged_with_its_sources(visit: Callable[..., Any]) -> None:
    visitor = visit("zh-Hant")
    page = visitor.open("?tab=claims")
    page.fill("#claim textarea", "供應商說一張A100 80G就能全參微調70B")
    page.click("#check-claim")
    page.wait_for_selector("#claim-result .card")
    assert "不屬實" in page.locator("#claim-result").inner_text()
    assert page.locator("#claim-result li").count() >= 1


def test_the_catalogue_can_be_searched_and_names_source_and_date(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("?tab=catalogue")
    page.wait_for_selector("#catalogue table")
    page.fill("#find input, #find textarea", "4090 48gb")
    until(page, "document.querySelectorAll('#catalogue tbody tr').length === 1")
    cells = page.locator("#catalogue tbody tr td").all_inner_texts()
    assert cells[0].startswith("RTX 4090 48GB")
    assert cells[1] == "48 GB"
    assert all(cells[-2:])


AXE = """async (only) => {
  const found = await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'best-practice'], resultTypes: ['violations']});
  return found.violations.filter(each => ['serious', 'critical'].includes(each.impact)).flatMap(each =>
    each.nodes.map(node =>
      `${each.id}: ${node.target.join(' ')}: ${node.any.map(x => x.message).join('; ').slice(0, 160)}`));
}"""


def serious(page: Any) -> list[str]:
    """What axe-core finds of serious or critical weight. It is handed in by the debugger, beside the page's policy."""
    package = pytest.importorskip("axe_playwright_python")
    page.evaluate((Path(package.__file__).parent / "axe.min.js").read_text("utf-8"))
    return [str(each) for each in page.evaluate(AXE)]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_wizard_and_the_plan_have_no_serious_finding_of_axe(visit: Callable[..., Any], width: int) -> None:
    visitor = visit("en", width)
    page = visitor.open()
    assert serious(page) == []
    visitor.next("task", "model")
    visitor.next("model", "data")
    page.locator("#q-data-tokens input[type=text]").fill("many")
    page.click("#next-data")
    page.wait_for_selector("#q-data-tokens.bad")
    assert serious(page) == []
    plan = visit("zh", width)
    shown = plan.open("?model=Qwen2.5-7B&task=lora&gpu_model=RTX 4090&gpu_count=2&dataset_tokens=50000000")
    shown.wait_for_selector("#get-checklist-md")
    assert serious(shown) == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("tab", ["chat", "delivery", "offers", "claims", "catalogue"])
def test_no_other_page_has_a_serious_finding_of_axe(visit: Callable[..., Any], tab: str, width: int) -> None:
    visitor = visit("en", width)
    page = visitor.open(f"?tab={tab}")
    page.wait_for_selector(f"#tab-{tab}", state="visible")
    if tab == "chat":
        say(page, "can I fine-tune 70B here?")
    if tab == "catalogue":
        page.wait_for_selector("#catalogue table")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert visitor.wrong == []


def test_the_whole_walk_weighs_less_than_a_megabyte_and_a_half(visit: Callable[..., Any]) -> None:
    visitor = visit()
    client = visitor.context.new_cdp_session(visitor.page)
    client.send("Network.enable")
    weight = 0

    def add(event: Any) -> None:
        nonlocal weight
        weight += int(event["encodedDataLength"])

    client.on("Network.loadingFinished", add)
    walk(visitor)
    assert 0 < weight < 1_500_000
