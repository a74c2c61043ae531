"""Text and blocks by themselves: nothing gets out unescaped, nothing exceeds a limit, whatever goes in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.slack import blocks as b
from bots.slack import names, render, safe
from bots.slack.people import of_locale
from tests.slack.fake_slack import Checker, lint_text

NASTY = (
    "<!channel> <!subteam^S1> <@U1> <#C1|x> <http://evil.example|x> [a](http://evil.example) https://evil.example "
    "mailto:a@b.c @everyone **b** # h |---|---| xoxb-123456789 Traceback (most recent call last) /root/x &amp; \u202e"
)
WORDS = dict.fromkeys(
    ("change", "choose", "unknown", "unknown_say", "why_asked", "why_say", "export", "export_say", "kit", "show",
     "show_say", "why", "explain_say", "good", "bad", "take_one"),
    NASTY,
)  # fmt: skip


def parts(text: str, many: int) -> dict[str, Any]:
    """An answer in which every text is this text and every list so long."""
    row = {"name": text, "verdict": "yes", "verdict_word": text, "gpu": text, "hardware": text, "split": text,
           "peak": text, "usable": text, "why": text}  # fmt: skip
    return {
        "lang": "en", "session": "", "plan": "abcdefabcdef", "act": "said", "verdict": "no", "declined": False,
        "head": text, "notes": [text] * many, "changes": [text] * many, "figures": [text] * many, "here": text,
        "understood": {"label": text, "items": [{"slot": f"s{n}", "name": text, "value": text} for n in range(many)]},
        "assumed": {"label": text, "text": text}, "methods": [row] * many,
        "recommended": {"label": text, "lines": [[text, text]] * many},
        "memory": {"label": text, "peak": text, "items": [{"name": text, "gib": "1", "share": 0.5}] * many},
        "options": {"label": text, "head": [text] * 5, "rows": [[text] * 5] * many,
                    "takes": [{"text": text, "set": {"gpu_model": text[:20], "n": n}} for n in range(many)]},
        "levers": [{"change": text, "after": text, "verdict": "yes", "effect": text, "button": text,
                    "set": {"task": "lora"}}] * many,
        "risks": {"label": text, "more": text,
                  "items": [{"degree": text, "severity": "high", "text": text, "mitigation": text}] * many},
        "advice": [text] * many,
        "question": {"label": text, "slot": "task", "text": text, "why": text, "left": text,
                     "choices": [{"text": text, "value": f"v{n}"} for n in range(many)]},
        "choices": [text] * many, "checklist": 3, "foot": text, "text": (text * many)[:200_000], "title": text,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["short", NASTY, "字" * 4000, "x" * 40_000, "&<>" * 2000, "a\n" * 500, ""])
@pytest.mark.parametrize("many", [1, 6, 60])
def test_a_message_of_any_size_lies_within_every_limit_and_is_safe(text: str, many: int) -> None:
    made = render.answer(parts(text, many), WORDS, label=text)
    assert 0 < len(made.text) <= 4000
    assert not lint_text("text", made.text)
    for form in made.forms:
        checker = Checker("message")
        assert checker.blocks(form) is None, checker.problems[:3]
        assert form[0]["type"] in ("section", "context")
        for dialect, said in checker.texts:
            assert not lint_text(dialect, said), said[:200]
            assert "<!" not in said
            assert "://evil" not in said.replace("[://]", "")
    checker = Checker("modal")
    checker.blocks(render.plan_blocks(parts(text, many), WORDS))
    assert not checker.problems, checker.problems[:3]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_no_text_leaves_with_an_angle_bracket_or_half_an_entity(text: str) -> None:
    said = safe.cut(safe.mrkdwn(text), 40)
    assert "<" not in said
    assert ">" not in said
    assert len(said) <= 40
    assert not [part for part in said.split("&")[1:] if not part.startswith(("amp;", "lt;", "gt;"))]
    assert "<!" not in safe.plain(text)


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("<@UBOT> can I fine-tune 70B here?", "can I fine-tune 70B here?"),
        ("<@UBOT|hkgpu>  8x <http://a.b|H100> &amp; RTX &lt;4090&gt;", "8x H100 & RTX <4090>"),
        ("<!here> <@U2> <#C1|ml-infra> 70B", "ml-infra  70B"),
        ("<https://a.b/c>", "https://a.b/c"),
    ],
)
def test_what_a_person_typed_is_heard_without_slacks_markup(typed: str, heard: str) -> None:
    assert safe.incoming(typed, "UBOT") == heard


def test_who_is_spoken_to_first_is_seen() -> None:
    assert safe.addressed_to_another("<@U2> what do you think?", "UBOT")
    assert not safe.addressed_to_another("<@UBOT> what do you think?", "UBOT")
    assert not safe.addressed_to_another("what does <@U2> think?", "UBOT")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\smi.txt", "smi.txt"),
        ("<!channel>.log", "‹!channel>.log"),
        (None, "file"),
    ],
)
def test_a_file_name_is_shown_as_a_name(name: str | None, shown: str) -> None:
    assert safe.file_name(name) == shown


def test_a_button_pressed_twice_within_moments_is_one_press_and_later_another() -> None:
    one, other, late = (
        names.click("T1", "C1", "1.1", {"action_id": "a", "value": "v", "action_ts": at}, "U1")
        for at in ("1600000000.1", "1600000001.9", "1600000020.0")
    )
    assert one == other != late


@pytest.mark.parametrize(
    ("locale", "lang"), [("zh-CN", "zh"), ("zh_TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("en-US", "en"), ("", "en")]
)
def test_a_locale_tells_the_language(locale: str, lang: str) -> None:
    assert of_locale(locale) == lang


def test_parts_are_left_out_from_the_least_important_one_and_the_first_stays() -> None:
    big = b.section("x" * 2900)
    kept = b.fitted([b.Part(0, (b.section("head"),)), b.Part(9, (big,)), *[b.Part(3, (big,))] * 4])
    assert kept[0]["text"]["text"] == "head"
    assert len(kept) == 5
