"""A newcomer's walk as one test: question, pack, set-up, ten training steps, judged outputs, vendor message.

Everything after the pack happens in a bare Debian root without a card, with the files of that pack alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.cli.main import main
from tests.deploy.image import Stage
from tests.deploy.test_image import settings
from tests.pack.deep.venvs import HERE
from tests.pack.test_deep import debian

__all__ = ["debian"]
ROOT = Path(__file__).resolve().parents[2]
QUESTION = "can I LoRA fine-tune Qwen2.5-1.5B on 2x A100 80GB in Hong Kong, samples of 512 tokens?"
JOB = ["model=Qwen2.5-1.5B", "task=lora", "gpu_model=A100 80GB", "gpu_count=2", "seq_len=512", "sharding=ddp"]
pytestmark = pytest.mark.deep


@pytest.fixture
def server(debian: Path, tmp_path: Path) -> Iterator[Stage]:
    """The delivered server: a bare Debian with /proc and /dev, and no card."""
    stage = Stage(tmp_path / "server")
    subprocess.run(["cp", "-a", str(debian), str(stage.root)], check=True)
    (stage.root / "etc/hosts").write_text("127.0.0.1 localhost\n", "utf-8")  # as every delivered server has
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{name}", str(stage.root / name)], check=True)
    yield stage
    for name in ("proc", "dev"):
        subprocess.run(["umount", "-l", str(stage.root / name)], check=True)


def test_from_a_question_to_a_message_to_the_vendor(server: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "yes"

    pack = server.root / "pack"
    assert main(["kit", *(word for fact in JOB for word in ("--set", fact)), "-o", str(pack)]) == 0
    capsys.readouterr()

    extra = {**settings(), "TORCH_INDEX": "", "HOME": "/root"}
    done = server.run(["bash", "/pack/environment/setup.sh", "--no-driver"], extra=extra, timeout=2400)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

    shutil.copy2(HERE / "tiny_model.py", server.root / "tiny_model.py")
    (server.root / "tiny").mkdir()
    python = "/opt/training/hub/bin/python"
    done = server.run([python, "-W", "ignore", "/tiny_model.py", "/tiny"], extra={"HOME": "/root"})
    assert done.returncode == 0, done.stderr[-4000:]
    train = ["/pack/training/accelerate/run.sh", "--cpu", "--steps", "10", "--model", "/tiny/model"]
    path = f"/opt/training/hub/bin:{server.env['PATH']}"
    offline = {"PATH": path, "HOME": "/root", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = server.run(["bash", *train, "--data", "/tiny/data.jsonl", "--output", "/out"], extra=offline, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    state = json.loads((server.root / "out/checkpoint-10/trainer_state.json").read_text("utf-8"))
    assert state["global_step"] == 10

    results = ROOT / "docs/examples/tutorial/results"
    assert main(["judge", str(results), "--order", str(pack / "plan.json")]) == 1
    told = capsys.readouterr().out
    assert "2 cards of the ordered model are there, 2 were ordered" in told
    message = told[told.index("Message to the vendor") :]
    assert "7 % lost of 300 probes" in message
