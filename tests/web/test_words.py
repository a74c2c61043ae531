"""The labels: each in both languages, each used, and harmless markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.core.text import LANGS, placeholders
from bots.web import markup, pages
from bots.web.words import WORDS, word

ROOM = Path(__file__).parents[2] / "bots" / "web"


@pytest.mark.parametrize("key", WORDS)
def test_a_label_has_the_same_placeholders_in_both_languages_and_no_stray_script(key: str) -> None:
    text = WORDS[key]
    assert placeholders(text.en) == placeholders(text.zh) or set(placeholders(text.en)) == set(placeholders(text.zh))
    assert not re.search("[\u4e00-\u9fff]", text.en)
    assert re.search("[\u4e00-\u9fff]", text.zh)
    assert "＂" not in text.zh


def test_traditional_labels_are_made_from_simplified_ones() -> None:
    assert word("step_data", "zh-Hant") == "數據"
    assert word("unknown", "zh-Hant") == "不知道"


def test_no_label_is_left_over() -> None:
    source = "\n".join(path.read_text("utf-8") for path in ROOM.glob("*.py") if path.name != "words.py")
    built = {f"step_{each}" for each in ("task", "model", "data", "place", "budget", "review", "plan")}
    built |= {f"head_{each}" for each in ("task", "model", "data", "place", "budget", "review")}
    built |= {f"kind_{each}" for each in ("cards", "models", "offers")} | {
        f"ordered_{each}" for each in ("none", "plan", "file")
    }
    built |= {f"offer_{each}" for each in ("yes", "yes_if", "no", "unknown")}
    unused = [key for key in WORDS if key not in built and f'"{key}"' not in source and f"'{key}'" not in source]
    assert unused == []


def test_peoples_words_lose_pictures_html_and_foreign_links() -> None:
    said = (
        "hi ![x](http://evil.example/p.png) <img src=x onerror=alert(1)> [go](javascript:alert(1)) "
        "<script>1</script>\n\n[a]: http://evil.example"
    )
    found = markup.harmless(said)
    assert "<img" not in found
    assert "<script" not in found
    assert "![" not in found
    assert "javascript:" not in found
    assert "]: http" not in found
    assert "[ok](https://example.org)" in markup.harmless("[ok](https://example.org)")


def test_a_block_of_html_is_one_block() -> None:
    assert markup.block("<p>a</p>\n\n\n<p>b</p>") == "<div><p>a</p>\n<p>b</p></div>"
    assert markup.block("") == ""
    assert markup.text('<b a="1">&') == "&lt;b a=&quot;1&quot;&gt;&amp;"


def test_every_language_has_a_page_of_its_own() -> None:
    assert set(LANGS) == {"en", "zh", "zh-Hant"}
    assert pages.TABS == ("plan", "chat", "delivery", "offers", "claims", "catalogue")
