"""The pack of a conversation is for the plan that its answers spoke of: its own servers, its own model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.consult import pack
from advisor.consult.sessions import Beside, Sessions

# The shape of a 7B model: 32 layers of 4,096 with a feed-forward of 11,008 and a vocabulary of 32,000.
CONFIG = json.dumps({
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "vocab_size": 32000,
    "tie_word_embeddings": False,
})  # fmt: skip


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sessions]:
    monkeypatch.setenv("HKGPU_DATABASE_URL", f"sqlite:///{tmp_path / 'talk.db'}")
    opened = Sessions.open()
    yield opened
    opened.close()


def test_the_pack_is_for_the_servers_that_here_means_in_the_conversation(sessions: Sessions) -> None:
    session = sessions.begin()
    here = (("a100_80gb_sxm", 2, 1),)
    said = sessions.say(session, "Can I QLoRA Llama-3.1-70B here? 2048 tokens", beside=Beside(here=here)).json
    plan = pack.kit(None, session=session).plan
    assert said["recommended"]["gpu"] == plan["recommended"]["gpu"] == "A100 80GB"
    assert plan["recommended"] == said["recommended"]


def test_the_pack_is_for_the_model_whose_config_json_was_given(sessions: Sessions) -> None:
    session = sessions.begin()
    beside = Beside(config=CONFIG)
    said = sessions.say(session, "LoRA on one RTX 4090, 2048 tokens, batch 1", beside=beside).json
    made = pack.kit(None, session=session)
    assert made.plan["recommended"]["peak_gib"] == said["recommended"]["peak_gib"]
