"""Sweeps: every row what the row alone would be, in the order of the grid, whatever happens on the way."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.consult import answer, sweep
from advisor.consult.sweep import Swept
from advisor.consult.sweep_grid import read_grid
from advisor.core.errors import BadInput
from advisor.estimate.rows import estimate_rows
from advisor.knowledge.library import open_library

ROOT = Path(__file__).resolve().parents[2]
GRID = """
requirements:
  - model: [Llama-3-8B, Qwen2.5-72B, no such thing]
    method: [full, qlora, inference]
    seq_len: {from: 1024, to: 2048, times: 2}
    micro_batch: [1, 4, -3, many]
    grad_ckpt: [true, selective]
  - {model: Mixtral-8x7B, method: lora, lora_rank: [8, 64], attn: eager, team: blue}
offers:
  - {gpu: [A100 80GB, RTX 4090, FOO, A100], gpu_gib: [null, 80, -1], n_gpus: [1, 8], sku: [x]}
  - {gpu: H100 80GB, n_gpus: 8}
labels: [team, sku]
"""
JUDGED = """
level: judged
requirements:
  - {model: Llama-3-8B, task: [lora, full_ft], seq_len: 2048, dataset_tokens: 10000000}
  - {model: Qwen2.5-72B, method: qlora, grad_ckpt: true, micro_batch: [1, -1]}
offers: {gpu_model: [A100 80GB, NO SUCH CARD], gpu_count: [1, 8]}
"""


def run(text: str, output: Path, **how: object) -> tuple[Swept, list[dict[str, str]]]:
    found = sweep.sweep(text, output, **how)  # type: ignore[arg-type]
    with output.open(encoding="utf-8", newline="") as file:
        return found, list(csv.DictReader(file))


def test_every_row_of_a_grid_is_what_the_batch_desk_says_of_that_row(tmp_path: Path) -> None:
    told, rows = run(GRID, tmp_path / "o.csv", workers=1)
    assert told.rows == len(rows) == (3 * 3 * 2 * 4 * 2 + 2) * (4 * 3 * 2 + 1)
    alone = list(estimate_rows(({**row, "id": row["row"]} for row in rows), open_library()))
    for row, one in zip(rows, alone, strict=True):
        assert row["verdict"] == one["verdict"]
        assert row["error"] == one["error"]
        for name in ("low_gib", "likely_gib", "high_gib"):
            assert (row[name] and f"{float(row[name]):.2f}") == one[name], row
    assert told.errors == sum(bool(row["error"]) for row in rows)


def test_rows_come_requirements_outside_offers_inside_and_the_last_column_fastest(tmp_path: Path) -> None:
    text = "requirements: {model: [a, b], params_b: 7}\noffers: [{gpu: [x, y]}, {n_gpus: 2}]\n"
    _, rows = run(text, tmp_path / "o.csv", workers=1)
    seen = [(row["row"], row["model"], row["gpu"], row["n_gpus"]) for row in rows]
    assert seen == [
        ("1", "a", "x", ""), ("2", "a", "y", ""), ("3", "a", "", "2"),
        ("4", "b", "x", ""), ("5", "b", "y", ""), ("6", "b", "", "2"),
    ]  # fmt: skip


def test_two_workers_write_the_bytes_of_one(tmp_path: Path) -> None:
    run(GRID, tmp_path / "one.csv", workers=1)
    run(GRID, tmp_path / "two.csv", workers=2, piece=1000)
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


def test_a_parquet_file_holds_the_rows_of_the_csv_with_figures_as_numbers(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    _, rows = run(GRID, tmp_path / "o.csv", workers=1)
    sweep.sweep(GRID, tmp_path / "o.parquet", workers=1)
    table = parquet.read_table(tmp_path / "o.parquet").to_pylist()
    shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in table]
    assert shown == rows
    assert isinstance(table[0]["likely_gib"], float)


def test_a_judged_row_has_the_verdict_of_the_same_facts_asked_alone(tmp_path: Path) -> None:
    told, rows = run(JUDGED, tmp_path / "o.csv", workers=1)
    assert told.rows == len(rows) == 16
    for row in rows:
        if row["error"]:
            continue
        facts = {"model": row["model"], "gpu_model": row["gpu_model"], "gpu_count": row["gpu_count"]}
        facts |= {"task": row["task"]} if row["task"] else {"tuning.method": row["method"]}
        facts |= {name: row[name] for name in ("seq_len", "dataset_tokens", "micro_batch", "grad_ckpt") if row[name]}
        alone = answer.advise(facts).json["by_method"][0]
        assert row["verdict"] == alone["verdict"]
        assert float(row["likely_gib"]) == pytest.approx(alone["peak_gib"]["likely"], rel=0.01)
    wrong = [row for row in rows if row["error"]]
    assert {(row["gpu_model"], row["micro_batch"]) for row in wrong} >= {("A100 80GB", "-1")}
    assert all(row["verdict"] == "unknown" for row in wrong)


def killed(text: str, output: Path, after: int) -> None:
    """A sweep in a process of its own that is killed when so many rows are done."""
    program = (
        "import os, signal, sys; from pathlib import Path; from advisor.consult import sweep\n"
        "def done(rows, of):\n"
        f"    if rows >= {after}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sweep.sweep(sys.stdin.read(), Path(sys.argv[1]), workers=1, done=done, piece=100)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(output)], input=text, text=True, cwd=ROOT, timeout=120)
    assert ended.returncode == -9


def test_a_run_that_was_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    run(GRID, tmp_path / "whole.csv", workers=1)
    killed(GRID, tmp_path / "o.csv", 2000)
    assert not (tmp_path / "o.csv").exists()
    # What a kill in the middle of a line leaves behind.
    with (tmp_path / "o.csv.parts" / "manifest.jsonl").open("a") as log:
        log.write('{"part": 20, "cou')
    found, _ = run(GRID, tmp_path / "o.csv", workers=1, piece=100)
    assert found.resumed == 2000
    assert (tmp_path / "o.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not (tmp_path / "o.csv.parts").exists()


def test_what_another_grid_left_behind_is_not_taken_over(tmp_path: Path) -> None:
    killed(GRID, tmp_path / "o.csv", 500)
    found, rows = run(GRID.replace("Qwen2.5-72B", "Qwen2.5-7B"), tmp_path / "o.csv", workers=1, piece=100)
    assert found.resumed == 0
    assert "Qwen2.5-72B" not in {row["model"] for row in rows}


def test_two_sweeps_do_not_write_one_result(tmp_path: Path) -> None:
    from advisor.consult.sweep_files import Parts

    with Parts(tmp_path / "o.csv", {}), pytest.raises(BadInput, match="being written by another sweep"):
        run(GRID, tmp_path / "o.csv", workers=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("requirements: {modle: x}", 'no column "modle".*did you mean "model"'),
        ("requirements: {model: x, gpu: A100}\noffers: {gpu_model: H100}", '"gpu_model" is said twice'),
        ("requirements: {seq_len: {from: 1, to: 9}}", "seq_len is no progression.*from, to, step"),
        ("requirements: {seq_len: {from: 1, to: 9, times: 1}}", "never reaches its end"),
        ("requirements: {seq_len: {from: 1, to: 9000000, step: 1}}", "at most 1,000,000"),
        ("requirements: {model: [[x]]}", "model has no usable values"),
        ("requirements: {model: []}", "model has no usable values"),
        ("requirements: []", "the grid has 0 rows"),
        ("requirements: {model: x}\nlevel: best", 'no level "best"'),
        ("requirement: {model: x}", "is no grid"),
        ("requirements: {model: x}\nofers: {gpu: y}", '"ofers" means nothing.*did you mean "offers"'),
        ("requirements: {model: x, error: 1}\nlabels: [error]", "cannot be called"),
        ("requirements: {model: x\n", "is not YAML"),
        ("level: judged\nrequirements: {model: x, fused_ce: yes}", 'no column "fused_ce"'),
    ],
)
def test_a_grid_that_cannot_be_says_what_was_expected(text: str, said: str) -> None:
    from advisor.core.errors import HkgpuError

    with pytest.raises(HkgpuError, match=f"(?s){said}"):
        read_grid(text, "grid.yaml")


@pytest.mark.parametrize("step", [0.1, 0.25, 1, 3])
def test_a_progression_ends_with_its_last_value_and_not_beyond(step: float) -> None:
    grid = read_grid(f"requirements: {{params_b: {{from: {step}, to: {step * 30}, step: {step}}}}}", "-")
    values = grid.requirements[0].axes[0].values
    assert len(values) == 30
    assert values[-1] == pytest.approx(step * 30)


def test_an_output_of_another_kind_is_refused_before_anything_is_worked_out(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"ending in \.csv or \.parquet"):
        sweep.sweep(GRID, tmp_path / "o.xlsx")
    with pytest.raises(BadInput, match="ray"):
        sweep.sweep(GRID, tmp_path / "o.csv", engine="raye")


def test_without_pyarrow_a_parquet_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"hkgpu\[sweep\]"):
        sweep.sweep(GRID, tmp_path / "o.parquet")
    assert list(tmp_path.iterdir()) == []


def test_two_workers_of_a_ray_cluster_write_the_bytes_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    sweep.sweep(GRID, tmp_path / "ray.csv", engine="ray", workers=2, piece=1000)
    sweep.sweep(GRID, tmp_path / "here.csv", workers=1)
    assert (tmp_path / "ray.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert not ray.is_initialized()


def test_ray_is_loaded_by_a_sweep_over_ray_and_by_nothing_else(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from advisor.consult import sweep\n"
        "sweep.sweep(sys.stdin.read(), Path(sys.argv[1]), workers=1)\n"
        "import json; print(json.dumps([name for name in ('ray', 'pyarrow', 'gradio') if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "o.csv")],
        input="requirements: {model: Llama-3-8B}", text=True, capture_output=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == []
