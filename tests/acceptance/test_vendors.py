"""A checklist asks for tools that the ordered machine has: none of NVIDIA's for other makers' cards."""

from __future__ import annotations

import re

import pytest

from advisor.knowledge.library import open_library
from advisor.knowledge.records.items import Item

NVIDIA = re.compile(r"nvidia|dcgm|nccl-tests|nvbandwidth|gpu.?burn|\bnvlink\b|\bMIG\b|Xid", re.IGNORECASE)
ITEMS = dict(open_library().items)


def told(item: Item) -> str:
    texts = [item.title, item.why, item.pass_if, *([item.ask] if item.ask else [])]
    return "\n".join([*(text.en for text in texts), item.command or ""])


@pytest.mark.parametrize("vendor", ["AMD", "Huawei"])
@pytest.mark.parametrize("key", ITEMS)
def test_an_item_for_another_maker_names_no_tool_of_nvidia(key: str, vendor: str) -> None:
    if key in ("acceptance.geforce_licence", "acceptance.contract_provenance"):
        return
    item = ITEMS[key].suited(vendor, "training")
    found = NVIDIA.findall(told(item)) if item else []
    assert not found, f"{key} for {vendor}: add a variant; it says {found}"


@pytest.mark.parametrize("key", ["requirements_written", "pilot_run", "contract_spot"])
def test_a_serving_order_is_not_asked_about_checkpoints(key: str) -> None:
    item = ITEMS[f"acceptance.{key}"].suited("NVIDIA", "serving")
    assert item is not None
    assert "checkpoint" not in told(item).lower()


def test_an_item_that_is_left_out_says_why() -> None:
    for item in ITEMS.values():
        for variant in item.variants:
            assert variant.leave_out is None or len(variant.leave_out) > 20


def test_the_checklist_of_an_mi300x_asks_for_rocm_smi() -> None:
    from advisor.consult import answer

    reply = answer.advise({"params_b": 70, "task": "lora", "gpu_model": "MI300X", "gpu_count": 8})
    commands = "\n".join(item["command"] or "" for item in reply.json["checklist"])
    assert "rocm-smi" in commands
    assert "nvidia-smi" not in commands
