"""Outputs pasted into a conversation, and figures said: what is taken from them, and what is left alone."""

from __future__ import annotations

import pytest

from advisor.dialogue.outputs import read
from advisor.dialogue.understand import Understanding, understand
from advisor.knowledge.library import open_library

IOSTAT = """Linux 5.15.0-91-generic (node-1) \t12/01/26 \t_x86_64_\t(64 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          50.00    0.00   10.00    0.00    0.00   40.00

Device            r/s     rMB/s r_await     w/s     wMB/s w_await  aqu-sz  %util
sda             10.00      1.00    0.50    1.00      0.10    0.20    0.01   1.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           4.00    0.00    1.00   18.00    0.00   77.00

Device            r/s     rMB/s r_await     w/s     wMB/s w_await  aqu-sz  %util
loop0            99.00      0.10    9.00    0.00      0.00    0.00    0.90  99.90
sda            182.00     22.40   43.10    1.00      0.02    2.00    7.90  97.20
nvme0n1          0.00      0.00    0.00    2.00      0.05    0.10    0.00   0.10
"""
DMON = """# gpu     sm    mem    enc    dec
# Idx      %      %      %      %
    0     40     20      0      0
    1     20     19      0      0
    0     60     20      0      0
    1     40     19      0      0
"""
SMI = """+-----------------------------------------+------------------------+----------------------+
| NVIDIA-SMI 580.00      Driver Version: 580.00        CUDA Version: 13.0                  |
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   40C    P0            120W /  400W |   20480MiB /  81920MiB |     30%      Default |
| N/A   41C    P0            118W /  400W |   40960MiB /  81920MiB |     50%      Default |
+-----------------------------------------+------------------------+----------------------+
"""
MPSTAT = """03:10:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal   %idle
03:10:06     all   90.00    0.00    6.00    1.00    0.00    0.00    0.00    3.00
03:10:06       0   99.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00
"""
TOP = "%Cpu(s):  6.2 us,  1.1 sy,  0.0 ni, 92.5 id,  0.1 wa,  0.0 hi,  0.1 si,  0.0 st"
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  9      0 812345  10000 999999    0    0 90000    10 1000 2000  3  2 65 30  0
"""
LOADER = """Process 4121: python train.py
Python v3.11.4 (/usr/bin/python3.11)

Thread 4121 (idle): "MainThread"
    wait (threading.py:324)
    _try_get_data (torch/utils/data/dataloader.py:1133)
    _next_data (torch/utils/data/dataloader.py:1325)
    train (train.py:88)
"""
OOM = """Traceback (most recent call last):
  File "train.py", line 120, in <module>
    trainer.train()
  File "torch/optim/adamw.py", line 220, in step
    adamw(
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB. \
Of the allocated memory 15.00 GiB is allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated."""


def figures(text: str) -> dict[str, float | str | bool]:
    return read(text)[1]


def seen(text: str) -> Understanding:
    return understand(text, open_library())


def test_of_iostat_the_last_block_and_the_busiest_real_disk_count() -> None:
    found = figures(IOSTAT)
    assert (found["observed.disk_util"], found["observed.disk_await"]) == (97.2, 43.1)
    # 100 - 77 idle - 18 in waits.
    assert (found["observed.cpu_used"], found["observed.iowait"]) == (5, 18)


def test_cards_are_averaged_over_cards_and_samples() -> None:
    assert figures(DMON)["observed.gpu_util"] == (40 + 20 + 60 + 40) / 4
    found = figures(SMI)
    assert found["observed.gpu_util"] == (30 + 50) / 2
    assert found["observed.gpu_memory_share"] == (25 + 50) / 2


def test_a_table_of_queries_is_read_by_its_header() -> None:
    found = figures("index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n0, 35 %, 20000 MiB, 80000 MiB")
    assert (found["observed.gpu_util"], found["observed.gpu_memory_share"]) == (35, 25)


@pytest.mark.parametrize(("text", "used", "waits"), [(MPSTAT, 96, 1), (TOP, 7.4, 0.1), (VMSTAT, 5, 30)])
def test_the_cpu_is_read_off_mpstat_top_and_vmstat(text: str, used: float, waits: float) -> None:
    found = figures(text)
    assert (found["observed.cpu_used"], found["observed.iowait"]) == (used, waits)


@pytest.mark.parametrize(
    ("line", "stack"),
    [
        ("    _next_data (torch/utils/data/dataloader.py:1325)", "loader"),
        ("    all_reduce (torch/distributed/distributed_c10d.py:2050)", "communication"),
        ("    _batch_encode_plus (transformers/tokenization_utils_fast.py:100)", "preparation"),
        ("    save (torch/serialization.py:600)", "saving"),
        ("    forward (model.py:10)", "compute"),
    ],
)
def test_a_stack_says_what_the_process_waits_for(line: str, stack: str) -> None:
    assert figures(f"Thread 1 (active)\n{line}\n    train (train.py:88)")["observed.stack"] == stack


def test_a_traceback_says_where_memory_ran_out_and_how_much_lay_unused() -> None:
    found = figures(OOM)
    assert (found["observed.oom"], found["observed.oom_in"]) == (True, "step")
    # 5 GiB of the 15 + 5 that PyTorch held.
    assert found["observed.oom_unused_share"] == 25


@pytest.mark.parametrize(
    ("frame", "moment"),
    [
        ('  File "transformers/modeling_utils.py", line 1, in from_pretrained', "load"),
        ('  File "modeling_llama.py", line 1, in forward\n    attn_weights = softmax(', "attention"),
        ('  File "torch/nn/functional.py", line 1, in cross_entropy', "loss"),
        ('  File "torch/autograd/__init__.py", line 1, in backward', "backward"),
        ('  File "trainer.py", line 1, in prediction_step', "evaluation"),
        ('  File "torch/serialization.py", line 1, in save', "save"),
    ],
)
def test_the_moment_is_the_one_of_the_frames(frame: str, moment: str) -> None:
    text = f"Traceback (most recent call last):\n{frame}\ntorch.OutOfMemoryError: CUDA out of memory. Tried 2 GiB"
    assert figures(text)["observed.oom_in"] == moment


def test_what_was_read_is_blanked_and_the_rest_keeps_its_place() -> None:
    kept, _ = read(f"my 8xA100 80GB box\n{SMI}")
    assert kept.startswith("my 8xA100 80GB box\n")
    assert len(kept) == len(f"my 8xA100 80GB box\n{SMI}")
    assert seen(f"my 8xA100 80GB box\n{SMI}").slots["gpu_mem_gb"] == 80


@pytest.mark.parametrize("text", ["", "70B QLoRA on 2x A100?", "Device", "# gpu", "avg-cpu:", "PID USER", "100%"])
def test_a_message_without_outputs_is_left_alone(text: str) -> None:
    assert read(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("disk util 98%", {"observed.disk_util": 98}),
        ("GPU util 30%, iowait 35%, await 45 ms", {"observed.iowait": 35, "observed.disk_await": 45}),
        ("利用率只有 35%，CPU 才 10%", {"observed.cpu_used": 10}),
        ("显存只用了 30%", {"observed.gpu_memory_share": 30}),
        ("DataLoader takes 60 % of each step", {"observed.data_share": 60}),
        ("NCCL 占了 55%", {"observed.comm_share": 55}),
    ],
)
def test_a_figure_belongs_to_what_is_named_before_it(text: str, facts: dict[str, float]) -> None:
    assert dict(seen(text).facts) == facts
    assert seen(text).intent == "troubleshoot"


def test_the_use_of_the_cards_stays_a_slot() -> None:
    assert seen("GPU util only 30%, disk util 98%").slots == {"observed_gpu_util_pct": 30}


def test_only_what_has_happened_is_an_error() -> None:
    assert seen("训练OOM了").facts["observed.oom"] is True
    assert "observed.oom" not in seen("7B QLoRA 会OOM吗，单卡4090").facts
