"""What people see: one answer a message, in the thread, whoever asks and however Slack delivers it."""

from __future__ import annotations

import json

import pytest

from tests.slack.bot import answers, settled
from tests.slack.fake_slack import FakeSlack, typed

ASK = "<@UBOT> can I fine-tune 70B here?"


def asked(fake: FakeSlack, text: str = ASK, user: str = "U1", channel: str = "C1") -> str:
    """Ask in a channel and wait for the answer; the thread."""
    sent = fake.say(user, channel, text)
    assert sent.ok, [delivery.as_dict() for delivery in sent.deliveries]
    fake.wait_reply(channel, sent.root)
    return sent.root


def said(fake: FakeSlack, root: str, text: str, user: str = "U1", channel: str = "C1") -> str:
    """Go on in a thread; the text of the one answer."""
    before = len(answers(fake, channel, root))
    fake.say(user, channel, text, thread_ts=root)
    found = fake.wait(lambda: answers(fake, channel, root)[before:], 20, "an answer")
    return fake.text_of(found[0])


def test_a_mention_that_comes_as_two_events_is_answered_once_in_its_thread(slack: FakeSlack) -> None:
    sent = slack.say("U1", "C1", ASK)
    assert [delivery.kind for delivery in sent.deliveries] == ["event", "event"]
    slack.wait_reply("C1", sent.root)
    settled(slack)
    (answer,) = answers(slack, "C1", sent.root)
    assert answer["text"].startswith("It depends: full fine-tuning")
    assert answer["metadata"]["event_payload"] == {"key": f"T1:C1:{sent.ts}"}
    assert max(delivery.ack_ms or 0 for delivery in sent.deliveries) < 3000


def test_follow_ups_need_no_mention_a_correction_shows_what_it_changed_and_the_checklist_is_a_file(
    slack: FakeSlack,
) -> None:
    root = asked(slack)
    assert "LoRA on 4 × A100 80GB" in said(slack, root, "LoRA")
    assert "Yes: LoRA on 8 × A100 80GB" in said(slack, root, "on 8xA100 80GB, sequences of 4096")
    corrected = said(slack, root, "no, I meant two cards")
    assert corrected.startswith("No: LoRA on 2 × A100 80GB")
    assert "verdict: Yes → No" in corrected
    assert "8 × A100 80GB → 2 × A100 80GB" in corrected
    exported = said(slack, root, "export the checklist")
    assert exported.startswith("No: LoRA")
    settled(slack)
    last = answers(slack, "C1", root)[-1]
    (file,) = last["files"]
    body = slack.files[file["id"]]["content"].decode()
    assert file["name"].startswith("checklist-")
    assert "- [ ] " in body
    assert len(answers(slack, "C1", root)) == 5


def test_direct_messages_are_threads_of_their_own_with_a_status_and_suggestions(slack: FakeSlack) -> None:
    slack.open_home("U1", tab="messages")
    room = slack.dm_channel("U1")
    slack.wait(lambda: slack.thread_meta[(room, None)].get("prompts"), 10, "suggestions")
    assert len(slack.thread_meta[(room, None)]["prompts"]) == 4
    sent = slack.dm("U1", "can I LoRA fine-tune Qwen2.5-72B on 4x H100?")
    (answer,) = slack.wait_reply(room, sent.root)
    assert "LoRA on 4 × H100" in answer["text"]
    settled(slack)
    assert slack.thread_meta[(room, sent.root)].get("status") is None


def test_two_people_in_two_threads_at_once_keep_their_own_plans(slack: FakeSlack) -> None:
    one = slack.say("U1", "C1", "<@UBOT> QLoRA for a 70B model on one A100 80GB?", wait=False)
    two = slack.say("U2", "C1", "<@UBOT> inference with an 8B model on one RTX 4090?", wait=False)
    first = slack.text_of(slack.wait_reply("C1", one.root)[0])
    second = slack.text_of(slack.wait_reply("C1", two.root)[0])
    assert "QLoRA on 1 × A100 80GB" in first
    assert "RTX 4090" in second
    assert "A100" not in second.split("\n")[0]
    settled(slack)
    assert [len(answers(slack, "C1", each.root)) for each in (one, two)] == [1, 1]


def test_what_is_not_for_us_is_left_alone(slack: FakeSlack) -> None:
    root = asked(slack)
    alone = [
        slack.say("U1", "C1", "can I fine-tune 70B here?"),
        slack.say("U1", "C1", "<@U2> what do you think?", thread_ts=root),
        slack.say("U1", "C1", "joined", subtype="channel_join"),
    ]
    other = slack.say("U2", "C1", "lunch?")
    reply = slack.say("U1", "C1", "noodles", thread_ts=other.ts)
    bots = slack.event(
        {"type": "message", "channel": "C1", "ts": slack.new_ts(), "bot_id": "B777", "text": ASK, "thread_ts": root,
         "channel_type": "channel", "user": "U2"}
    )  # fmt: skip
    assert bots.ok
    settled(slack)
    assert len(answers(slack, "C1", root)) == 1
    assert all(not answers(slack, "C1", each.ts) for each in (*alone, other, reply))


def test_an_edit_or_a_deletion_gives_no_second_answer(slack: FakeSlack) -> None:
    sent = slack.say("U1", "C1", ASK)
    slack.wait_reply("C1", sent.root)
    assert slack.edit("U1", "C1", sent.ts, "<@UBOT> can I fine-tune 7B here?").ok
    assert slack.delete("C1", sent.ts).ok
    settled(slack)
    assert len(answers(slack, "C1", sent.root)) == 1


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("<@UBOT> 用8张A100 80GB全参微调Qwen2.5-72B，长度4096，行吗？", "不行：全参微调，8 × A100 80GB"),
        ("<@UBOT> 喺香港租8張A100 80GB，全參微調Qwen2.5-72B得唔得？", "不行：全參微調，8 × A100 80GB"),
    ],
)
def test_the_answer_is_in_the_language_of_the_question(web: FakeSlack, text: str, start: str) -> None:
    root = asked(web, text)
    (answer,) = answers(web, "C1", root)
    assert answer["text"].startswith(start)
    buttons = [
        element["text"]["text"]
        for block in answer["blocks"] if block["type"] == "actions" for element in block["elements"]
    ]  # fmt: skip
    assert {"导出清单", "匯出清單", "導出清單"} & set(buttons), buttons


def test_where_the_words_show_no_language_the_persons_own_is_taken(web: FakeSlack) -> None:
    web.add_user("U7", "li", locale="zh-CN")
    web.channels["C1"]["members"].append("U7")
    root = asked(web, "<@UBOT> 70B QLoRA 2x H100 80GB", user="U7")
    assert answers(web, "C1", root)[0]["text"].startswith(("可以", "要看情况", "不行"))


def test_a_mention_without_words_says_what_one_can_say(web: FakeSlack) -> None:
    root = asked(web, "<@UBOT>")
    assert "Say what the job is" in web.text_of(answers(web, "C1", root)[0])


def test_a_text_of_forty_thousand_characters_is_answered_once_and_says_its_length(slack: FakeSlack) -> None:
    root = asked(slack, "<@UBOT> " + "can I fine-tune 70B here? " * 1600)
    (answer,) = answers(slack, "C1", root)
    assert "characters; I read up to 16,384" in answer["text"]


def test_every_answer_lies_within_the_limits_of_slack(web: FakeSlack) -> None:
    root = asked(web, "<@UBOT> full fine-tuning, LoRA or QLoRA of Qwen2.5-72B on 8xA100 80GB or 8xH100, 32k sequences?")
    said(web, root, "compare 4 and 8 cards")
    for message in answers(web, "C1", root):
        assert len(message["blocks"]) <= 50
        assert len(json.dumps(message["blocks"], ensure_ascii=False)) < 60_000
        assert len(message["text"]) <= 4000


INJECTED = (
    "<!channel> <!here> <!everyone> <!subteam^S123> @channel @here <http://evil.example/x|click me> "
    "[free](http://evil.example/y) http://evil.example/z mailto:a@evil.example **bold** `code` # head"
)


def test_nothing_that_a_person_typed_comes_back_as_a_mention_or_a_link(slack: FakeSlack) -> None:
    literal = typed(INJECTED)
    for text in (INJECTED, literal):
        root = asked(slack, f"<@UBOT> can I LoRA fine-tune {text} on an A100 {text} in Xanadu?")
        said(slack, root, f"the vendor says {text} one A100 80GB is enough to fully fine-tune 70B. True?")
        said(slack, root, f"change gpu_count to {text}")
        said(slack, root, f"my budget is {text} not 3 dollars")
    slack.slash("U1", "/hkgpu", f"here {INJECTED}")
    slack.share("U1", "C1", {f"{INJECTED}.log": b"nothing that anybody knows"}, f"<@UBOT> {literal}")
    settled(slack)
    every = [message for messages in slack.messages.values() for message in messages if message.get("bot_id")]
    whole = json.dumps(every, ensure_ascii=False)
    for bad in ("<!channel", "<!here", "<!everyone", "<!subteam", "<http", "http://evil", "https://evil", "mailto:a"):
        assert bad not in whole, whole[whole.index(bad) - 200 : whole.index(bad) + 200]


def test_no_message_is_posted_with_unfurling_or_names_that_slack_resolves(web: FakeSlack) -> None:
    asked(web)
    for call in web.calls_to("chat.postMessage"):
        assert call.args.get("unfurl_links") in (False, "false", "0", 0), call.args
        assert call.args.get("unfurl_media") in (False, "false", "0", 0)
        assert not call.args.get("link_names")
        assert call.args.get("parse") == "none"
