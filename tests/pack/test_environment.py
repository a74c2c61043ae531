"""Versions follow the card by the compatibility table; variables follow the plan; each has its reason beside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from advisor.consult.pack import kit
from advisor.core.errors import BadData
from advisor.knowledge.library import open_library
from advisor.knowledge.records.compatibility import Generation
from advisor.knowledge.records.stacks import Stack, System, Tool, Variable
from advisor.pack.tree import _WHOLE
from advisor.pack.versions import order, runs, versions
from tests.pack.plans import DAY, PLANS, made

LIBRARY = open_library()


def scene_names() -> set[str]:
    """Every name that a plan has, seen from outside: those that the scene of any plan holds."""
    from advisor.consult import answer
    from advisor.consult.consultation import consult
    from advisor.consult.desk import Asked
    from advisor.dialogue.answers import answers_from
    from advisor.pack.scene import scene_of
    from advisor.pack.site import Site

    sets = answers_from(PLANS["lora_ddp"], LIBRARY)
    found = consult(Asked(tuple(sets.answers), "ask_feasibility", {}), DAY, LIBRARY, answer.rules(), answer.here())
    assert found.chosen is not None
    assert found.chosen.option is not None
    return set(scene_of(found.chosen.outcome.facts, found.chosen.option, LIBRARY, Site()))


@pytest.mark.parametrize(
    ("name", "index", "floor"),
    [
        # CUDA 13 wants driver 580.65.06; V100 is held at CUDA 12, whose family runs from 525.60.13.
        ("lora_one_card", "whl/cu130", "580.65.06"),
        ("blackwell", "whl/cu130", "580.65.06"),
        ("v100", "whl/cu126", "525.60.13"),
    ],
)
def test_the_card_says_which_build_and_which_driver(name: str, index: str, floor: str) -> None:
    body = made(name).files["environment/setup.sh"].decode()
    assert f"{index} " in body
    assert f"floor={floor}" in body
    assert made(name).files["environment/Dockerfile"].decode().count(index) == 1


@pytest.mark.parametrize(
    ("card", "built", "yes"),
    [
        ("8.9", "8.6", True),
        ("8.6", "8.9", False),
        ("12.0", "10.0", False),
        ("10.3", "10.0", True),
        ("7.0", "7.5", False),
    ],
)
def test_code_runs_on_the_same_major_and_no_older_minor_capability(card: str, built: str, yes: bool) -> None:
    assert runs(card, built) is yes


def test_a_version_is_compared_by_its_numbers() -> None:
    assert order("12.10") > order("12.9") > order("9.2")


def stack(**changes: object) -> Stack:
    found = LIBRARY.compatibility["stacks.hub"]
    assert isinstance(found, Stack)
    return found.model_copy(update=changes)


def generation(name: str) -> Generation:
    found = LIBRARY.compatibility[f"generations.{name}"]
    assert isinstance(found, Generation)
    return found


def test_a_stack_that_the_table_contradicts_is_an_error_in_the_data() -> None:
    wheels = stack().wheels
    with pytest.raises(BadData, match=r"torch 2\.7\.0 has no stable build for CUDA 13\.0"):
        versions(generation("ada"), [stack(torch="2.7.0")], LIBRARY)
    with pytest.raises(BadData, match=r"does not run on generations\.volta"):
        # A build for CUDA 13 has no code for V100.
        versions(generation("volta"), [stack(wheels={"cu126": wheels["cu130"]})], LIBRARY)
    with pytest.raises(BadData, match=r"bitsandbytes wants 2\.4"):
        versions(
            generation("volta"),
            [stack(torch="2.1.0", wheels={"cu126": wheels["cu126"].model_copy(update={"cuda": "11.8"})})],
            LIBRARY,
        )


def test_the_page_of_versions_says_what_each_kernel_says_of_the_card() -> None:
    page = made("blackwell").files["environment/VERSIONS.md"].decode()
    assert "- PyTorch 2.13.0, build cu130 (CUDA 13.0)" in page
    assert "- Driver branch 580; CUDA 13 runs from 580.65.06." in page
    assert "| FlashAttention-2 2.8.3 | only built from source" in page
    assert "| bitsandbytes 0.50.2 | runs |" in page


def test_what_the_table_does_not_vouch_for_is_said_where_the_plan_needs_it() -> None:
    plan = {**PLANS["qlora_ddp"], "gpu_model": "B300", "gpu_count": "1"}
    readme = kit(plan, day=DAY).files["README.md"].decode()
    assert "- **bitsandbytes**: The plan needs bitsandbytes, and for this card the table says: not known." in readme
    assert "**bitsandbytes**" not in made("qlora_ddp").files["README.md"].decode()


def test_every_nvidia_generation_has_a_training_environment() -> None:
    stacks = [row for row in LIBRARY.compatibility.values() if isinstance(row, Stack)]
    lacking = [
        row.id
        for row in LIBRARY.compatibility.values()
        if isinstance(row, Generation) and (row.wheel.value or "").startswith("cu")
        and not any(row.wheel.value in stack.wheels for stack in stacks)
    ]  # fmt: skip
    assert not lacking


def test_a_card_without_tried_versions_says_so_and_has_no_script() -> None:
    files = made("amd").files
    assert not [path for path in files if path.startswith("environment/")]
    assert "- **environment**: For the MI300X there is no tried set" in files["README.md"].decode()


def test_nvswitch_brings_the_fabric_manager_and_a_single_card_does_not() -> None:
    assert "nvidia-fabricmanager-580" in made("full_zero3").files["environment/setup.sh"].decode()
    assert "fabricmanager" not in made("lora_one_card").files["environment/setup.sh"].decode()


def variables(tmp_path: Path, name: str | dict[str, str], *where: str, **before: str) -> dict[str, str]:
    """What env.sh sets, as a shell sees it."""
    pack = made(name) if isinstance(name, str) else kit(name, day=DAY)
    script = tmp_path / "env.sh"
    script.write_bytes(pack.files["environment/env.sh"])
    line = f". {script} {' '.join(where)}; env -0"
    environment = {"PATH": "/usr/bin:/bin", **before}
    out = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=True).stdout
    pairs = dict(entry.split("=", 1) for entry in out.split("\0") if entry)
    return {key: value for key, value in pairs.items() if key not in ("PATH", "PWD", "SHLVL", "_")}


def test_geforce_cards_together_run_without_peer_to_peer(tmp_path: Path) -> None:
    assert variables(tmp_path, "qlora_ddp")["NCCL_P2P_DISABLE"] == "1"
    assert "NCCL_P2P_DISABLE" not in variables(tmp_path, "lora_one_card")
    assert "NCCL_P2P_DISABLE" not in variables(tmp_path, "lora_ddp")


def test_the_hubs_mirror_is_for_the_office_in_the_mainland_not_for_the_server_in_hong_kong(tmp_path: Path) -> None:
    plan = {**PLANS["lora_one_card"], "user_location": "mainland"}
    assert variables(tmp_path, plan, "office") == {"HF_ENDPOINT": "https://hf-mirror.com"}
    assert "HF_ENDPOINT" not in variables(tmp_path, plan)
    assert "HF_ENDPOINT" not in variables(tmp_path, "lora_one_card")


def test_a_server_in_the_mainland_uses_the_mirror_itself(tmp_path: Path) -> None:
    plan = {**PLANS["lora_one_card"], "server_location": "mainland"}
    assert variables(tmp_path, plan)["HF_ENDPOINT"] == "https://hf-mirror.com"


def test_what_somebody_set_before_stays(tmp_path: Path) -> None:
    assert variables(tmp_path, "lora_one_card", HF_HOME="/elsewhere")["HF_HOME"] == "/elsewhere"


def test_several_servers_ask_for_the_interface_and_give_a_port(tmp_path: Path) -> None:
    assert variables(tmp_path, "two_servers")["MASTER_PORT"] == "29500"
    assert "# export NCCL_SOCKET_IFNAME=" in made("two_servers").files["environment/env.sh"].decode()


def test_the_setup_script_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    script = tmp_path / "setup.sh"
    script.write_bytes(made("lora_one_card").files["environment/setup.sh"])
    for option in (["--nodriver"], ["--stack", "nothere"]):
        found = subprocess.run(["bash", script, *option], capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert "known:" in found.stderr or "root" in found.stderr


def test_every_requirement_is_pinned() -> None:
    for path, body in made("lora_one_card").files.items():
        if path.startswith("environment/requirements"):
            lines = [line for line in body.decode().splitlines() if not line.startswith("#")]
            assert lines
            assert all("==" in line for line in lines)


def test_every_name_in_the_tools_and_variables_is_one_that_a_plan_has() -> None:
    known = scene_names()
    wrong = []
    for key, row in LIBRARY.compatibility.items():
        if isinstance(row, Variable):
            wrong += [(key, name) for name in {*row.when, *_WHOLE.findall(row.value)} - known]
        if isinstance(row, Tool):
            own = {f"{name}_word" for name in row.words} | {"whole_epochs", *row.derived}
            own |= {name for names in (row.models or {}).values() for name in names}
            for part in (*row.refuses, *row.files, *(part for file in row.files for part in file.parts)):
                wrong += [(key, name) for name in set(part.when) - known - own]
            texts = [str(part.set) for file in row.files for part in file.parts]
            texts += [word for file in row.files for word in (*file.argv, *file.before, *file.after)]
            wrong += [(key, name) for text in texts for name in set(_WHOLE.findall(text)) - known - own]
    assert not wrong


def test_every_value_that_a_condition_names_is_a_choice_of_its_fact() -> None:
    facts = {"method": "plan.method", "stage": "plan.stage", "sharding": "plan.sharding", "optimizer": "plan.optimizer"}
    facts |= {"architecture": "card.architecture", "quant": "quant.bits", "user_in": "users.location"}
    wrong = []
    for key, row in LIBRARY.compatibility.items():
        if isinstance(row, Tool):
            whens = [part.when for part in (*row.refuses, *row.files, *(p for file in row.files for p in file.parts))]
            whens += [{name: tuple(words) for name, words in row.words.items()}]
            for when in whens:
                for name, values in when.items():
                    choices = LIBRARY.facts[facts[name]].choices if name in facts else None
                    wrong += [(key, name, value) for value in values if choices and value not in choices]
    assert not wrong


def test_every_tool_and_system_points_to_what_is_there() -> None:
    for row in LIBRARY.compatibility.values():
        if isinstance(row, Tool):
            assert isinstance(LIBRARY.compatibility[row.stack], Stack)
            assert all(file.keys in LIBRARY.compatibility for file in row.files if file.keys)
    systems = [row for row in LIBRARY.compatibility.values() if isinstance(row, System)]
    assert {(row.os_id, row.os_version) for row in systems} == {
        ("debian", "12"),
        ("ubuntu", "22.04"),
        ("ubuntu", "24.04"),
    }
