"""Each tool's files say the plan and nothing else, with keys that the tool's own parser knows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.knowledge.library import open_library
from advisor.knowledge.records.stacks import Keys, Tool
from tests.pack.plans import PLANS, TRAINING, made

LIBRARY = open_library()
SHELLCHECK = Path(sys.executable).with_name("shellcheck")


def data(name: str, path: str) -> dict[str, Any] | None:
    """One of the pack's files as PyYAML (YAML 1.1, as the tools read it) or JSON sees it."""
    body = made(name).files.get(path)
    if body is None:
        return None
    found: dict[str, Any] = yaml.safe_load(body) if path.endswith("yaml") else json.loads(body)
    return found


def plan(name: str) -> dict[str, Any]:
    found: dict[str, Any] = made(name).plan["recommended"]
    return found


@pytest.mark.parametrize("name", TRAINING)
def test_every_tool_has_the_plans_batch_accumulation_and_length(name: str) -> None:
    want = (plan(name)["micro_batch"], int(PLANS[name].get("grad_accum", 1)), plan(name)["seq_len"])
    seen = {}
    if said := data(name, "training/accelerate/arguments.json"):
        job = data(name, "training/accelerate/job.json") or {}
        seen["accelerate"] = (
            said["per_device_train_batch_size"], said["gradient_accumulation_steps"], job["seq_len"]
        )  # fmt: skip
    for tool, length in (("llama_factory", "cutoff_len"), ("ms_swift", "max_length")):
        if said := data(name, f"training/{tool}/train.yaml"):
            seen[tool] = (said["per_device_train_batch_size"], said["gradient_accumulation_steps"], said[length])
    if said := data(name, "training/axolotl/train.yaml"):
        seen["axolotl"] = (said["micro_batch_size"], said["gradient_accumulation_steps"], said["sequence_len"])
    if said := data(name, "training/torchtune/train.yaml"):
        seen["torchtune"] = (said["batch_size"], said["gradient_accumulation_steps"], said["tokenizer"]["max_seq_len"])
    assert all(found == want for found in seen.values()), (want, seen)
    assert seen or name == "tensor_split"


@pytest.mark.parametrize("name", TRAINING)
def test_every_tool_checkpoints_as_the_plan_does(name: str) -> None:
    want = plan(name)["grad_ckpt"]
    seen = {}
    if said := data(name, "training/accelerate/arguments.json"):
        config = data(name, "training/accelerate/accelerate.yaml") or {}
        inside = config.get("fsdp_config", {}).get("fsdp_activation_checkpointing", False)
        # Under FSDP the layers are wrapped by Accelerate, and the trainer may not do it a second time.
        assert not (said["gradient_checkpointing"] and inside)
        seen["accelerate"] = said["gradient_checkpointing"] or inside
    if said := data(name, "training/llama_factory/train.yaml"):
        seen["llama_factory"] = not said["disable_gradient_checkpointing"]
    if said := data(name, "training/ms_swift/train.yaml"):
        seen["ms_swift"] = said["gradient_checkpointing"]
    if said := data(name, "training/axolotl/train.yaml"):
        inside = said.get("fsdp_config", {}).get("activation_checkpointing", False)
        seen["axolotl"] = said["gradient_checkpointing"] or inside
    if said := data(name, "training/torchtune/train.yaml"):
        seen["torchtune"] = said["enable_activation_checkpointing"]
    assert all(found == want for found in seen.values()), (want, seen)


@pytest.mark.parametrize(
    ("name", "distributed"),
    [("lora_one_card", "NO"), ("lora_ddp", "MULTI_GPU"), ("full_zero2", "DEEPSPEED"), ("full_fsdp", "FSDP")],
)
def test_accelerate_splits_as_the_plan_does(name: str, distributed: str) -> None:
    config = data(name, "training/accelerate/accelerate.yaml")
    assert config is not None
    assert config["distributed_type"] == distributed
    assert config["num_processes"] == plan(name)["gpu_count"]


@pytest.mark.parametrize(("name", "stage"), [("full_zero2", 2), ("full_zero3", 3), ("two_servers", 3)])
def test_the_zero_file_multiplies_up_to_the_batch_of_all_cards(name: str, stage: int) -> None:
    zero = data(name, "training/deepspeed/zero.json")
    assert zero is not None
    cards = plan(name)["gpu_count"] * plan(name)["nodes"]
    assert zero["zero_optimization"]["stage"] == stage
    assert zero["train_batch_size"] == (
        zero["train_micro_batch_size_per_gpu"] * zero["gradient_accumulation_steps"] * cards
    )
    assert zero["bf16"] == {"enabled": True}


def test_offload_brings_its_own_optimizer_at_the_same_rate() -> None:
    zero, said = (
        data("full_offload", "training/deepspeed/zero.json"),
        data("full_offload", "training/accelerate/arguments.json"),
    )
    assert zero is not None
    assert said is not None
    assert zero["zero_optimization"]["offload_optimizer"]["device"] == "cpu"
    assert zero["optimizer"]["params"]["lr"] == said["learning_rate"] == 1e-5


def test_a_card_without_bf16_trains_in_fp16_everywhere() -> None:
    accelerate = data("v100", "training/accelerate/accelerate.yaml")
    assert accelerate is not None
    assert accelerate["mixed_precision"] == "fp16"
    for path in ("accelerate/arguments.json", "llama_factory/train.yaml", "ms_swift/train.yaml", "axolotl/train.yaml"):
        said = data("v100", f"training/{path}")
        assert said is not None
        assert (said["fp16"], said["bf16"]) == (True, False)


def test_the_rank_and_the_bits_of_an_adapter_reach_every_tool() -> None:
    lora, job = (
        data("qlora_llama", "training/accelerate/lora.json"),
        data("qlora_llama", "training/accelerate/job.json"),
    )
    factory, swift = (data("qlora_llama", f"training/{tool}/train.yaml") for tool in ("llama_factory", "ms_swift"))
    axolotl, tune = (data("qlora_llama", f"training/{tool}/train.yaml") for tool in ("axolotl", "torchtune"))
    assert None not in (lora, job, factory, swift, axolotl, tune)
    assert [lora["r"], factory["lora_rank"], swift["lora_rank"], axolotl["lora_r"], tune["model"]["lora_rank"]] == [
        16
    ] * 5
    assert job["quantisation"]["load_in_4bit"] is True
    assert (factory["quantization_bit"], swift["quant_bits"], axolotl["load_in_4bit"]) == (4, 4, True)
    assert tune["model"]["quantize_base"] is True


def test_full_tuning_has_no_adapter_anywhere() -> None:
    assert data("full_zero3", "training/accelerate/lora.json") is None
    factory, axolotl = (data("full_zero3", f"training/{tool}/train.yaml") for tool in ("llama_factory", "axolotl"))
    assert None not in (factory, axolotl)
    assert factory["finetuning_type"] == "full"
    assert "adapter" not in axolotl


@pytest.mark.parametrize(
    ("name", "tool", "because"),
    [
        ("blackwell", "torchtune", "always shard"),
        ("grpo", "LLaMA-Factory", "not GRPO"),
        ("embedding", "Axolotl", "no embedding models"),
        ("pretrain", "ms-swift", "no switch for random"),
        ("full_fsdp", "DeepSpeed ZeRO", "splits with FSDP"),
        ("adam_mini", "Hugging Face Accelerate", 'no optimizer "adam_mini"'),
        ("serve_volta", "vLLM", "dropped this generation"),
        ("tensor_split", "Hugging Face Accelerate", "tensor or pipeline"),
        ("qlora_8bit", "torchtune", "4-bit"),
    ],
)
def test_what_cannot_be_done_is_named_with_the_reason(name: str, tool: str, because: str) -> None:
    folder = "training" if name in TRAINING else "serving"
    for page in ("README.md", f"{folder}/TOOLS.md"):
        lines = made(name).files[page].decode().splitlines()
        assert any(line.startswith(f"- **{tool}**:") and because in line for line in lines), (page, tool)
    short = {"Axolotl": "axolotl", "LLaMA-Factory": "llama_factory", "ms-swift": "ms_swift", "vLLM": "vllm"}
    assert not [path for path in made(name).files if path.startswith(f"{folder}/{short.get(tool, tool.lower())}/")]


def test_a_model_that_torchtune_does_not_have_is_refused() -> None:
    from advisor.consult.pack import kit

    found = kit({"model": "Yi-1.5-9B", "task": "lora", "gpu_model": "A100 80GB", "gpu_count": "1", "seq_len": "2048"})
    assert "- **torchtune**: torchtune does not have this model." in found.files["README.md"].decode()


def paths(tree: dict[str, Any], known: set[str], before: str = "") -> Iterator[str]:
    """The keys of a tree; nested ones where the list names nested keys of that part."""
    for key, value in tree.items():
        yield before + key
        nested = any(each.startswith(f"{before}{key}.") for each in known)
        if isinstance(value, dict) and nested:
            yield from paths(value, known, f"{before}{key}.")


FILES = [
    (tool.id.rpartition(".")[2], file.name, file.keys)
    for key, tool in LIBRARY.compatibility.items()
    if key.startswith("tools.") and isinstance(tool, Tool)
    for file in tool.files
    if file.keys and file.format != "command"
]


@pytest.mark.parametrize(("tool", "file", "keys"), FILES, ids=[f"{tool}_{file}" for tool, file, _ in FILES])
def test_every_key_of_a_file_is_one_that_the_tools_parser_knows(tool: str, file: str, keys: str) -> None:
    record = LIBRARY.compatibility[keys]
    assert isinstance(record, Keys)
    known, written, unknown = set(record.keys), 0, set()
    for name in TRAINING:
        tree = data(name, f"training/{tool}/{file}")
        if tree is not None:
            written += 1
            unknown |= set(paths(tree, known)) - known
    assert written
    assert not unknown


@pytest.mark.parametrize("tool", ["vllm", "sglang"])
def test_every_option_of_a_server_is_one_that_its_release_has(tool: str) -> None:
    record = LIBRARY.compatibility[f"keys.{tool}"]
    assert isinstance(record, Keys)
    words = [
        word
        for name in PLANS
        for word in made(name).files.get(f"serving/{tool}/run.sh", b"").decode().split()
        if word.startswith("--")
    ]
    assert len(words) > 10
    assert not {word[2:] for word in words} - set(record.keys)


def test_a_server_is_split_over_the_cards_and_holds_prompt_and_answer() -> None:
    body = made("serve_tp").files["serving/vllm/run.sh"].decode()
    assert "--tensor-parallel-size 4" in body
    assert "--max-model-len 4608" in body  # 4,096 of the prompt and 512 of the answer
    assert "--max-num-seqs 8" in body
    assert "--host 127.0.0.1" in body


def test_commands_for_several_servers_leave_the_servers_own_values_to_the_shell() -> None:
    files = made("two_servers").files
    assert '--machine_rank "$NODE_RANK"' in " ".join(files["training/accelerate/run.sh"].decode().split())
    assert 'NODE_RANK="$NODE_RANK"' in files["training/llama_factory/run.sh"].decode()
    assert "--nnodes=2" in files["training/axolotl/run.sh"].decode()


def test_every_script_of_every_plan_passes_shellcheck(tmp_path: Path) -> None:
    seen: dict[bytes, str] = {}
    for name in PLANS:
        for path, body in made(name).files.items():
            if path.endswith(".sh") and not path.startswith("acceptance/"):
                seen.setdefault(body, f"{name}_{path.replace('/', '_')}")
    for body, name in seen.items():
        (tmp_path / name).write_bytes(body)
    assert len(seen) > 20
    files = sorted(map(str, tmp_path.iterdir()))
    found = subprocess.run([SHELLCHECK, *files], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_every_dockerfile_passes_hadolint(tmp_path: Path) -> None:
    bodies = {body for name in PLANS if (body := made(name).files.get("environment/Dockerfile"))}
    assert len(bodies) >= 2
    for place, body in enumerate(bodies):
        (tmp_path / f"Dockerfile.{place}").write_bytes(body)
    hadolint = Path(sys.executable).with_name("hadolint")
    files = sorted(map(str, tmp_path.iterdir()))
    found = subprocess.run([hadolint, *files], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_training_script_is_python() -> None:
    compile(made("lora_one_card").files["training/accelerate/train.py"], "train.py", "exec")
