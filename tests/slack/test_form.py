"""The form, the command, the Home tab, shortcuts and buttons."""

from __future__ import annotations

from typing import Any

import pytest

from tests.slack.bot import answers, settled
from tests.slack.fake_slack import FakeSlack
from tests.slack.test_threads import asked, said


def open_form(fake: FakeSlack, user: str = "U1") -> None:
    fake.view_stack[user].clear()
    assert fake.slash(user, "/hkgpu").ok
    fake.wait(lambda: fake.view_stack.get(user), 10, "the form")


def inputs(fake: FakeSlack, user: str = "U1") -> set[str]:
    return {block["block_id"] for block in fake.current_view(user)["blocks"] if block["type"] == "input"}


def filled(fake: FakeSlack, values: dict[str, Any], user: str = "U1") -> None:
    """Go through the form to its end; each step gets those of the values that it asks for."""
    for _ in range(8):
        view = fake.current_view(user)
        if view["callback_id"] == "hk.plan":
            return
        here = {fact: value for fact, value in values.items() if fact in inputs(fake, user)}
        delivery = fake.submit(user, here)
        assert delivery.ok, delivery.attempts
        assert (delivery.body or {}).get("response_action") == "update", delivery.body
    raise AssertionError("the form has no end")


def test_the_form_goes_step_by_step_to_a_plan_that_is_also_sent_as_a_direct_message(slack: FakeSlack) -> None:
    room = slack.dm_channel("U1")
    before = len(slack.replies(room))
    open_form(slack)
    filled(slack, {"tuning.method": "lora", "model.params": "70B", "workload.seq_len": "4k", "gpu.id": "H100 80GB",
                   "gpu.count": "4"})  # fmt: skip
    shown = slack.wait(
        lambda: (lambda text: text if "4 × H100" in text else "")(
            slack.text_of({"blocks": slack.current_view("U1")["blocks"]})
        ),
        20,
        "the plan in the form",
    )
    assert "LoRA" in shown
    slack.wait(lambda: len(slack.replies(room)) > before, 20, "the plan as a direct message")
    settled(slack)
    (sent,) = slack.replies(room)[before:]
    assert "LoRA on 4 × H100" in sent["text"]
    # The conversation goes on below it.
    assert "8 × H100" in said(slack, sent["ts"], "make it eight cards", channel=room)


def test_a_mistake_is_told_at_its_field_and_back_keeps_the_answers(slack: FakeSlack) -> None:
    open_form(slack)
    slack.submit("U1", {"tuning.method": "qlora"})
    wrong = slack.submit("U1", {"model.params": "seventy"})
    assert wrong.body["response_action"] == "errors"
    assert "seventy" in wrong.body["errors"]["model.params"]
    slack.click("U1", "hk.form.back")
    slack.wait(lambda: "tuning.method" in inputs(slack), 10, "the first step")
    (method,) = [block for block in slack.current_view("U1")["blocks"] if block.get("block_id") == "tuning.method"]
    assert method["element"]["initial_option"]["value"] == "qlora"


def test_the_models_of_the_catalogue_are_found_while_one_types(web: FakeSlack) -> None:
    open_form(web)
    web.submit("U1", {"tuning.method": "lora"})
    found = web.suggest("U1", "v", "qwen2.5-72")
    values = [option["value"] for option in found.body["options"]]
    assert "Qwen2.5 72B" in values


def test_a_question_that_cannot_matter_any_more_is_not_asked(web: FakeSlack) -> None:
    open_form(web)
    web.submit("U1", {"tuning.method": "full"})
    filled(web, {"model.params": "7B"})
    settled(web)
    open_form(web)
    first = inputs(web)
    assert {"tuning.method", "serving.qps"} <= first
    web.submit("U1", {"tuning.method": "inference"})
    web.submit("U1", {"model.params": "8B"})
    assert "data.tokens" not in inputs(web)


def test_a_form_in_the_persons_language(web: FakeSlack) -> None:
    web.add_user("U8", "mei", locale="zh-HK")
    web.channels["C1"]["members"].append("U8")
    open_form(web, "U8")
    view = web.current_view("U8")
    assert view["title"]["text"] == "規劃 GPU 服務器" or "規" in view["title"]["text"]
    assert any("推理" in str(block.get("label")) for block in view["blocks"])


def test_the_command_says_what_here_means_in_a_channel_and_takes_it_back(slack: FakeSlack) -> None:
    channel = slack.add_channel("C5", "own-metal", ["U1", "U2", "UBOT"])
    assert "8 × A100 80GB" in str(slack.slash("U1", "/hkgpu", "here 8xA100 80GB", channel=channel).body)
    answer = said_root(slack, "<@UBOT> can I fine-tune 70B here?", channel)
    assert '"Here" is taken as 8 × A100 80GB' in answer
    assert "8 × A100 80GB" in str(slack.slash("U2", "/hkgpu", "here", channel=channel).body)
    other = said_root(slack, "<@UBOT> can I fine-tune 70B here?", "C1")
    assert "Hong Kong rental market" in other
    assert slack.slash("U1", "/hkgpu", "here none", channel=channel).ok
    assert "Hong Kong rental market" in said_root(slack, "<@UBOT> can I fine-tune 70B here?", channel)
    assert "find no server" in str(slack.slash("U1", "/hkgpu", "here <!channel> nonsense", channel=channel).body)


def said_root(fake: FakeSlack, text: str, channel: str) -> str:
    root = asked(fake, text, channel=channel)
    return fake.text_of(answers(fake, channel, root)[0])


def test_help_is_told_to_the_person_alone_and_a_question_is_answered_in_direct_messages(slack: FakeSlack) -> None:
    helped = slack.slash("U2", "/hkgpu", "help")
    assert helped.body["response_type"] == "ephemeral"
    assert "/hkgpu here" in helped.body["text"]
    room = slack.dm_channel("U2")
    before = len(slack.replies(room))
    slack.slash("U2", "/hkgpu", "how many L40S to serve an 8B model?")
    slack.wait(lambda: len(slack.replies(room)) > before, 20, "an answer")
    settled(slack)
    assert len(slack.replies(room)) == before + 1


def test_forgetting_removes_the_persons_turns_and_the_plan_is_made_anew_from_what_is_left(slack: FakeSlack) -> None:
    root = asked(slack, "<@UBOT> LoRA for a 70B model on 4x H100?", user="U2")
    said(slack, root, "no, eight cards", user="U1")
    told = slack.slash("U1", "/hkgpu", "forget")
    assert "Removed: turns" in str(told.body)
    assert "4 × H100" in said(slack, root, "show", user="U2")
    told = slack.slash("U2", "/hkgpu", "forget")
    assert "conversations closed" in str(told.body)
    assert "Say what the job is" in said(slack, root, "<@UBOT> help", user="U2")


def test_a_message_is_sized_for_whoever_asks_even_where_the_bot_is_no_member(slack: FakeSlack) -> None:
    theirs = slack.say("U1", "C9", "we want to QLoRA a 70B model on one A100 80GB")
    room = slack.dm_channel("U1")
    before = len(slack.replies(room))
    assert slack.message_shortcut("U1", "hk.size_this", "C9", theirs.ts).ok
    slack.wait(lambda: len(slack.replies(room)) > before, 20, "an answer")
    settled(slack)
    (answer,) = slack.replies(room)[before:]
    assert "QLoRA on 1 × A100 80GB" in answer["text"]


def test_the_global_shortcut_opens_the_form(web: FakeSlack) -> None:
    web.view_stack["U1"].clear()
    assert web.shortcut("U1", "hk.plan_here").ok
    web.wait(lambda: web.view_stack.get("U1"), 10, "the form")


def test_the_home_tab_shows_recent_plans_starts_the_form_and_forgets(web: FakeSlack) -> None:
    web.add_user("U9", "kim")
    web.channels["C1"]["members"].append("U9")
    asked(web, "<@UBOT> QLoRA for a 70B model on one A100 80GB?", user="U9")
    settled(web)
    assert web.open_home("U9").ok
    view = web.wait(lambda: web.homes.get("U9"), 10, "the tab")
    text = web.text_of({"blocks": view["blocks"]})
    assert "Your recent plans" in text
    assert "A100 80GB" in text
    assert "Privacy" in text
    web.click("U9", "hk.start", view_id=view["id"])
    web.wait(lambda: web.view_stack.get("U9"), 10, "the form")
    web.click("U9", "hk.forget", view_id=view["id"])
    web.wait(lambda: "None yet" in web.text_of({"blocks": web.homes["U9"]["blocks"]}), 10, "an empty list")


def test_levers_choices_options_and_change_are_buttons_that_speak_in_the_thread(slack: FakeSlack) -> None:
    root = asked(slack, "<@UBOT> full fine-tuning of 70B on 8x A100 80GB?")
    first = answers(slack, "C1", root)[0]
    assert first["text"].startswith("No: full fine-tuning on 8 × A100 80GB")
    levers = [
        element
        for block in first["blocks"] if block["type"] == "actions"
        for element in block["elements"] if element["action_id"].startswith("hk.set.lever")
    ]  # fmt: skip
    use = next(each for each in levers if each["text"]["text"] == "use QLoRA")
    slack.click("U1", use["action_id"], channel="C1", ts=first["ts"])
    slack.wait(lambda: len(answers(slack, "C1", root)) == 2, 20, "an answer")
    second = answers(slack, "C1", root)[1]
    assert second["text"].startswith("Yes: QLoRA on 8 × A100 80GB")
    slack.click("U2", "hk.change", "gpu_count", channel="C1", ts=second["ts"])
    slack.wait(lambda: len(answers(slack, "C1", root)) == 3, 20, "a question")
    assert "What is it instead?" in answers(slack, "C1", root)[2]["text"]
    assert "2 × A100 80GB" in said(slack, root, "2")
    slack.click("U1", "hk.say.explain", channel="C1", ts=second["ts"])
    slack.click("U1", "hk.say.explain", channel="C1", ts=second["ts"])
    slack.wait(lambda: len(answers(slack, "C1", root)) == 5, 20, "the reasons")
    settled(slack)
    assert len(answers(slack, "C1", root)) == 5, "a button pressed twice in a moment is pressed once"


@pytest.mark.parametrize(
    ("action", "name"), [("hk.say.export", "checklist-"), ("hk.say.show", "plan-"), ("hk.kit", "")]
)
def test_checklist_full_plan_and_order_pack_come_as_one_file_each(slack: FakeSlack, action: str, name: str) -> None:
    root = asked(slack, "<@UBOT> LoRA for Qwen2.5-72B on 4x H100 80GB?")
    slack.click("U1", action, channel="C1", ts=answers(slack, "C1", root)[0]["ts"])
    slack.wait(lambda: len(answers(slack, "C1", root)) == 2, 60, "a file")
    settled(slack)
    (file,) = answers(slack, "C1", root)[1]["files"]
    body = slack.files[file["id"]]["content"]
    assert file["name"].startswith(name)
    assert (body[:2] == b"PK") == (action == "hk.kit")


def test_a_vote_is_thanked_to_the_person_alone(web: FakeSlack) -> None:
    root = asked(web)
    web.click("U1", "hk.vote", "positive", channel="C1", ts=answers(web, "C1", root)[0]["ts"])
    web.wait(lambda: [m for m in web.replies("C1", root) if m.get("ephemeral_to") == "U1"], 10, "thanks")
    assert len(answers(web, "C1", root)) == 1
