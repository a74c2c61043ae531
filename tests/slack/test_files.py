"""What people attach: judged, compared or sized; fetched from Slack's hosts alone and treated as hostile text."""

from __future__ import annotations

import json

import pytest

from tests.slack.bot import answers, settled
from tests.slack.fake_slack import FakeSlack
from tests.slack.test_threads import asked

SMI = (
    "index, name, memory.total [MiB], driver_version, ecc.mode.current\n"
    + "".join(f"{place}, NVIDIA A100-SXM4-80GB, 81920 MiB, 570.86.15, Enabled\n" for place in range(4))
).encode()
CONFIG = json.dumps(
    {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
     "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 128256,
     "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": False,
     "_name_or_path": "/secret/zanzibar"}
).encode()  # fmt: skip
OFFER = (
    b"Quotation: GPU server 8x NVIDIA A100 80GB SXM, 2x Xeon 8358, 1TB RAM, 8TB NVMe, 1Gbps BGP line, "
    b"HKD 98,000 per month, 12 months\n"
)


def shared(fake: FakeSlack, files: dict[str, bytes], text: str = "", root: str | None = None, **more: str) -> dict:
    """Share files with the bot; its one answer."""
    before = len(answers(fake, "C1", root)) if root else 0
    sent = fake.share("U1", "C1", files, f"<@UBOT> {text}", thread_ts=root, **more)
    found = fake.wait(lambda: answers(fake, "C1", sent.root)[before:], 40, "an answer")
    settled(fake)
    assert len(answers(fake, "C1", sent.root)) == before + 1
    return found[0]


def test_an_output_is_judged_against_the_plan_of_the_thread(slack: FakeSlack) -> None:
    root = asked(slack, "<@UBOT> LoRA for Qwen2.5-72B on 8x A100 80GB?")
    answer = shared(slack, {"nvidia-smi.csv": SMI}, "here is what they delivered", root)
    assert answer["text"].startswith("FAIL"), answer["text"]
    assert "nvidia-smi.csv" in answer["text"]
    assert len(answer["files"]) == 1


def test_a_config_json_becomes_the_model_of_the_thread_and_its_paths_stay_outside(slack: FakeSlack) -> None:
    answer = shared(slack, {"config.json": CONFIG}, "QLoRA on one A100 80GB?")
    text = slack.text_of(answer)
    assert "about 70.6B parameters" in text
    assert "QLoRA on 1 × A100 80GB" in text
    assert "zanzibar" not in json.dumps(slack.messages["C1"], default=str)


def test_an_offer_is_held_against_the_plan(web: FakeSlack) -> None:
    root = asked(web, "<@UBOT> LoRA for Qwen2.5-72B on 8x A100 80GB?")
    answer = shared(web, {"offer.txt": OFFER}, "is this offer any good?", root)
    assert answer["files"][0]["name"] == "offers.md"
    assert "98,000 HKD" in web.files[answer["files"][0]["id"]]["content"].decode()


def test_what_nobody_knows_is_named_and_not_guessed(web: FakeSlack) -> None:
    answer = shared(web, {"holiday.txt": b"dear diary"})
    assert "holiday.txt: I do not recognise it" in answer["text"]


@pytest.mark.parametrize("more", [{"url": "https://evil.example/x"}, {"redirect": "http://127.0.0.1:9/x"}])
def test_a_file_from_elsewhere_is_not_fetched_and_no_redirect_gets_the_token(web: FakeSlack, more: dict) -> None:
    before = len(web.downloads)
    answer = shared(web, {"out.txt": SMI}, **more)
    assert "could not be fetched" in answer["text"]
    assert len(web.downloads) - before == (0 if "url" in more else 1)


def test_large_files_are_refused_and_more_than_twenty_are_not_read(web: FakeSlack) -> None:
    answer = shared(web, {"huge.log": b"x" * (10 * 2**20 + 1)})
    assert "larger than 10 MB" in answer["text"]
    many = shared(web, {f"{place}.txt": b"nothing" for place in range(25)})
    assert "20 files at a time" in many["text"]


def test_a_download_that_fails_is_told(web: FakeSlack) -> None:
    web.add_fault("download", "http", status=500, times=-1)
    assert "could not be fetched" in shared(web, {"out.txt": SMI})["text"]


@pytest.mark.parametrize(
    "body", [b"\x00\xff" * 1000, b"{" * 100_000, b"\xfe\xff\x00{", json.dumps({"hidden_size": 10**30}).encode()]
)
def test_hostile_content_ends_in_one_plain_answer(web: FakeSlack, body: bytes) -> None:
    answer = shared(web, {"config.json": body, "nvidia-smi.txt": body})
    assert "Traceback" not in answer["text"]
    assert answer["text"]
