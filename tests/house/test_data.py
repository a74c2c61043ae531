"""The data keep their promises: paths, languages, sources, references, and the arithmetic between figures."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from advisor.knowledge.library import KINDS, Library
from advisor.knowledge.records.common import Figure
from advisor.knowledge.records.gpus import Gpu

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library([ROOT])
GPUS = dict(LIBRARY.gpus)


def figures(gpu: Gpu) -> dict[str, Figure]:
    return {name: value for name in Gpu.model_fields if isinstance(value := getattr(gpu, name), Figure)}


def test_every_file_can_be_read_and_every_reference_resolves() -> None:
    problems = [str(problem).removeprefix(f"{ROOT}/") for problem in LIBRARY.check_all()]
    assert not problems, f"{len(problems)} problems, mend each at its line:\n" + "\n".join(problems)


@pytest.mark.parametrize("kind", KINDS)
def test_the_id_in_every_file_is_its_path(kind: str) -> None:
    facts, rules = (
        dict.fromkeys(("facts", "readings"), "rules/facts"),
        dict.fromkeys(("rules", "judging", "quoting", "items"), "rules"),
    )
    folder = {**facts, **rules}.get(kind, f"knowledge/{kind}")
    wrong = []
    for key, record in LIBRARY.shelf(kind).items():
        path = LIBRARY.shelf(kind).path(key)
        by_path = path.relative_to(ROOT / folder).as_posix().removesuffix(".yaml").replace("/", ".")
        if not record.id == by_path == key:
            wrong.append(f"{path.relative_to(ROOT)}: id {record.id}")
    assert not wrong, "write the path as id:\n" + "\n".join(wrong)


def test_general_knowledge_is_never_called_verified() -> None:
    loose = {"general_knowledge", "secondary_texts"}
    wrong = []
    for gpu in GPUS.values():
        for name in Gpu.model_fields:
            value = getattr(gpu, name)
            if getattr(value, "source", None) in loose and value.status != "unverified":
                wrong.append(f"{gpu.id}: {name} is {value.status} from {value.source}")
    assert not wrong, "give these the status unverified or a better source:\n" + "\n".join(wrong)


def test_usable_memory_is_what_nvidia_smi_reports_in_gib() -> None:
    for gpu in GPUS.values():
        assert gpu.memory_usable.known == gpu.memory_reported.known, gpu.id
        if gpu.memory_reported.known:
            reported = gpu.memory_reported.quantity.to("GiB").value
            assert gpu.memory_usable.quantity.value == pytest.approx(reported, abs=0.006), gpu.id


def test_no_card_reports_more_memory_than_it_has() -> None:
    # "24 GB" on a card's box are GiB: what nvidia-smi shows is the nominal number in GiB, or less.
    for gpu in GPUS.values():
        if gpu.memory_usable.known:
            share = gpu.memory_usable.quantity.value / gpu.memory.quantity.value
            assert 0.88 < share < 1.01, f"{gpu.id} reports {share:.2f} of its nominal memory"


@pytest.mark.parametrize(
    ("key", "bf16", "bandwidth", "usable", "power"),
    [
        # NVIDIA's published dense rates and bandwidths, and what nvidia-smi shows.
        ("a100_80gb_sxm", 312, 2039, 80.0, 400),
        ("h100_80gb_sxm", 989, 3350, 79.65, 700),
        ("h200_sxm", 989, 4800, 140.4, 700),
        ("b200_sxm", 2250, 8000, 179.06, 1000),
        ("rtx_4090", 165.2, 1008, 23.99, 450),
        ("l40s", 362, 864, 44.99, 350),
        ("h20_96gb", 148, 4000, 95.58, 400),
        ("v100_32gb_sxm2", 125, 900, 32.0, 300),
        ("t4", 65.1, 320, 15.0, 70),
    ],
)
def test_well_known_cards_have_their_published_figures(
    key: str, bf16: float, bandwidth: float, usable: float, power: float
) -> None:
    gpu = GPUS[key]
    assert gpu.bf16.value == bf16
    assert gpu.bandwidth.value == bandwidth
    assert gpu.memory_usable.value == pytest.approx(usable, abs=0.01)
    assert gpu.power.value == power


def test_rates_keep_their_order() -> None:
    for gpu in GPUS.values():
        rates = [gpu.tf32, gpu.bf16, gpu.fp8, gpu.fp4]
        known = [rate.value for rate in rates if rate.value is not None]
        assert known == sorted(known), f"{gpu.id}: tf32, bf16, fp8, fp4 do not rise"


def test_generations_have_the_features_they_have() -> None:
    for gpu in GPUS.values():
        old = gpu.architecture in ("pascal", "volta", "turing")
        assert gpu.bf16_tensor != old, gpu.id
        has_fp8 = gpu.architecture in ("ada", "hopper", "blackwell", "cdna3")
        assert gpu.fp8.absent != has_fp8, gpu.id
        assert gpu.fp4.absent != (gpu.architecture == "blackwell") or gpu.architecture == "ascend", gpu.id
        assert (gpu.nvlink_kind == "none") == (gpu.nvlink.value == 0), gpu.id


def test_geforce_cards_are_the_ones_whose_licence_keeps_them_out_of_data_centres() -> None:
    for gpu in GPUS.values():
        assert gpu.geforce_licence == (gpu.form == "consumer"), gpu.id


def test_the_export_lead_follows_from_the_figures() -> None:
    # 3A090.a: 4800, or 1600 with a density of 5.92; a card not marketed for data centres is exempt below 4800.
    # The cards that a licence or a guidance names are the exceptions.
    named = {"h20_96gb", "h20_141gb", "ascend_910b", "ascend_910c"}
    for gpu in GPUS.values():
        tpp, density = gpu.export.tpp.value, gpu.export.perf_density.value
        if gpu.id in named or tpp is None or density is None:
            continue
        controlled = tpp >= 4800 or (tpp >= 1600 and density >= 5.92 and gpu.form == "datacenter")
        assert (gpu.export.lead == "controlled_a") == controlled, gpu.id
        assert gpu.export.status == "unverified", f"{gpu.id}: our arithmetic is no classification"


def test_no_two_cards_share_a_name() -> None:
    seen: dict[str, str] = {}
    for gpu in GPUS.values():
        for name in {name.lower() for name in (gpu.name, *gpu.aliases)}:
            assert seen.setdefault(name, gpu.id) == gpu.id, f'"{name}" names {seen[name]} and {gpu.id}'


@pytest.mark.parametrize("kind", ["gpus", "models"])
def test_the_quick_index_of_names_agrees_with_the_records(kind: str) -> None:
    names = LIBRARY.shelf(kind).names()
    for key, record in LIBRARY.shelf(kind).items():
        parts = [record.name, getattr(record, "label", None), record.family, getattr(record, "hub", None)]
        assert names[key] == tuple(dict.fromkeys(part for part in (*parts, *record.aliases) if part)), key


def test_every_day_of_the_sources_lies_before_the_day_they_were_checked() -> None:
    for source in LIBRARY.sources.values():
        assert source.date <= source.checked, source.id


MEASURED = ROOT / "tests" / "data" / "measured"


@pytest.mark.parametrize(("table", "column"), [("memory.csv", "gpu"), ("throughput.csv", "gpu_model")])
def test_every_card_of_the_measured_tables_has_a_file(table: str, column: str) -> None:
    every = [name for names in LIBRARY.gpus.names().values() for name in names]
    known = {re.sub(r"[^a-z0-9]", "", name.lower()) for name in every}
    if not (MEASURED / table).exists():
        pytest.skip("this measured table is not copied in yet")
    with (MEASURED / table).open(encoding="utf-8") as file:
        cards = {row[column] for row in csv.DictReader(file) if row[column]}
    vague = re.compile(r"80GB|.*\+")  # a class of cards, or two cards together
    # Some write 80G for 80GB.
    named = {card: re.sub(r"(?<=[ -][48]0)G$", "GB", card.partition(" (")[0]) for card in cards}
    plain = {card: re.sub(r"[^a-z0-9]", "", name.lower()) for card, name in named.items()}
    lacking = sorted(card for card, name in plain.items() if name not in known and not vague.match(card))
    assert not lacking, f"no card for {lacking}: add an alias or a file to knowledge/gpus"
