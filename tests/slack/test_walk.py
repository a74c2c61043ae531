"""The newcomer's thread in docs/slack.md is what the bot says."""

from __future__ import annotations

from tests.slack.fake_slack import FakeSlack
from tests.slack.walk import on_page, skeleton, threads_of


def test_the_thread_in_the_documentation_is_what_the_bot_says(web: FakeSlack) -> None:
    now = threads_of(web)
    assert skeleton(now) == skeleton(on_page()), "renew it with `python -m tests.slack.walk`"
    english, chinese = now.split("### 中文")
    assert "verdict: Yes → No" in english
    assert "结论：可以 → 不行" in chinese or "结论: 可以 → 不行" in chinese
    for text in (english, chinese):
        assert text.count("📎 `checklist-") == 1
