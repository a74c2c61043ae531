"""Outputs of monitoring tools pasted into a conversation: what they show of a training run.

Read are iostat, mpstat, vmstat, top, nvidia-smi (table, csv, dmon) and py-spy, several in one message too. Taken are
the figures that a diagnosis rests on: use of the cards and of their memory, of the disk that is busiest, of the CPU,
and what a process was doing. A first block that holds averages since boot gives way to later ones. The lines that were
read are blanked, so that the grammar for sentences does not take their numbers for an order. Nothing is judged here,
and a line that is no such output is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

GPU, MEMORY, DISK, WAIT = "observed.gpu_util", "observed.gpu_memory_share", "observed.disk_util", "observed.disk_await"
CPU, IOWAIT, STACK = "observed.cpu_used", "observed.iowait", "observed.stack"
OOM, OOM_IN, SPLIT = "observed.oom", "observed.oom_in", "observed.oom_unused_share"
WHOLE = 100.0  # per cent
_MIB = 2.0**-10  # of a GiB

_ANSI = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]|\[[0-9;]{1,8}m")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?%?")
_TOP = re.compile(r"^%?cpu\(s\)\s*:", re.IGNORECASE)
_SMI_USE = re.compile(r"(\d+)\s*MiB\s*/\s*(\d+)\s*MiB\s*\|\s*(\d+)\s*%")
_SMI_FRAME = re.compile(r"^[|+=\s\-]*$|^\|.*\|\s*$|^\+[-=+]+\+?$")
# What stands around such outputs: the kernel's line of sysstat, the date and the frame of nvidia-smi.
_AROUND = re.compile(
    r"Linux \S+ \(.*CPU\)$|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}$|\+[-=+]+\+?$|NVIDIA-SMI +\S*$"
    r"|top - .*load average.*|(?:Tasks|Threads): .*|[KMGT]iB (?:Mem|Swap) *:.*"
)
_NO_DISK = ("loop", "zram", "ram", "sr", "dm-")
# What stands on top of a stack, the most telling first.
_STACKS = (
    ("saving", re.compile(r"torch/serialization|save_checkpoint|save_pretrained|_save_to_state|safetensors/torch")),
    ("communication", re.compile(
        r"all_?reduce|all_?gather|reduce_scatter|barrier|broadcast|distributed_c10d|nccl", re.IGNORECASE)),
    ("preparation", re.compile(
        r"collate|tokeniz|__getitem__|_utils/fetch|imread|PIL/|cv2|decode_(?:jpeg|video)|librosa", re.IGNORECASE)),
    ("loader", re.compile(r"_next_data|_try_get_data|_get_data|dataloader\.py|queues?\.py:.*\bget\b")),
    ("host_sync", re.compile(r"\bitem \(|cuda/__init__.*synchronize|_local_scalar_dense")),
)  # fmt: skip
# Where a program was when the card's memory ran out, by the frames of its traceback.
_MOMENTS = (
    ("save", re.compile(r"save_pretrained|save_checkpoint|_save\b|save_model|torch/serialization|full_state_dict")),
    ("evaluation", re.compile(r"\bevaluate\b|evaluation_loop|prediction_step|eval_loop")),
    (
        "step",
        re.compile(r"optimizer\.step|optim/adam|_foreach|_init_group|stage_?[123]\w*\.py.*step|adamw", re.IGNORECASE),
    ),
    ("load", re.compile(r"from_pretrained|load_state_dict|_load_pretrained|load_checkpoint|\.to\(device|\.cuda\(")),
    ("loss", re.compile(r"cross_entropy|compute_loss_func|loss_fct|logits\.float|lm_head")),
    ("backward", re.compile(r"autograd/__init__|\.backward\(|run_backward")),
    ("attention", re.compile(r"softmax|attention_mask|attn_weights|repeat_kv|scaled_dot_product")),
)
_OOM = re.compile(r"CUDA out of memory|OutOfMemoryError|CUDA error: out of memory")
_AMOUNT = r"(\d+(?:\.\d+)?) ([MG])iB"
_ALLOCATED = re.compile(_AMOUNT + r" (?:is |already )?allocated", re.IGNORECASE)
_UNUSED = re.compile(_AMOUNT + r" is reserved by PyTorch but unallocated")
_RESERVED = re.compile(_AMOUNT + r" reserved in total")
_STACK_LINE = re.compile(r"^\s+\S.*\(.+:\d+\)\s*$|^Thread (?:0x)?[0-9a-fA-F]+.*|^Process \d+:.*|^Python v\d.*")


@dataclass(slots=True)
class Found:
    """Figures by fact, the ones seen last being the ones that count, and the lines that they stood in."""

    figures: dict[str, list[float]] = field(default_factory=dict)
    words: dict[str, str | bool] = field(default_factory=dict)
    lines: set[int] = field(default_factory=set)

    def put(self, fact: str, values: Sequence[float]) -> None:
        """Take the values of one block in place of an earlier block's."""
        if values:
            self.figures[fact] = list(values)


def read(text: str) -> tuple[str, dict[str, float | str | bool]]:
    """The message with the outputs blanked, length unchanged, and what they show by fact: per cent, ms, or a word."""
    lines = text.split("\n")
    plain = [_ANSI.sub("", line) for line in lines]
    found = Found()
    for reader in _READERS:
        reader(plain, found)
    if not found.lines:
        return text, {}
    found.lines |= {at for at, line in enumerate(plain) if _AROUND.match(line.strip())}
    kept = "\n".join(" " * len(line) if at in found.lines else line for at, line in enumerate(lines))
    facts: dict[str, float | str | bool] = {
        # Cards work side by side and their mean counts; of disks and cores the busiest holds up the rest.
        fact: round(sum(values) / len(values) if fact in (GPU, MEMORY) else max(values), 2)
        for fact, values in found.figures.items()
    }
    facts |= found.words
    return kept, facts


def _numbers(line: str) -> list[float]:
    return [float(number.rstrip("%").replace(",", ".")) for number in _NUMBER.findall(line)]


def _table(lines: list[str], found: Found, begins: Callable[[list[str]], bool]) -> Iterator[dict[str, str]]:
    """The rows below each header that `begins` knows, by column name; headers and rows count as read."""
    names: list[str] = []
    for at, line in enumerate(lines):
        words = line.replace("Device:", "Device ").replace("avg-cpu:", "").split()
        if begins(words):
            names = words
            found.lines.add(at)
            yield {}  # a new block
        elif names and len(words) >= len(names) and any(_NUMBER.fullmatch(word) for word in words):
            found.lines.add(at)
            yield dict(zip(names, words, strict=False))
        elif names and not words:
            names = []


def _value(row: dict[str, str], *names: str) -> float | None:
    for name in names:
        numbers = _numbers(row.get(name, ""))
        if numbers:
            return numbers[0]
    return None


def _iostat(lines: list[str], found: Found) -> None:
    block: list[tuple[float, float]] = []
    for row in _table(lines, found, lambda words: bool(words) and words[0] == "Device" and "%util" in words):
        if not row:
            block = []
            continue
        use = _value(row, "%util")
        if use is None or row["Device"].startswith(_NO_DISK):
            continue
        waits = [_value(row, name) for name in ("await", "r_await", "w_await")]
        block.append((use, max((wait for wait in waits if wait is not None), default=0.0)))
        busiest = max(block)
        found.put(DISK, [busiest[0]])
        found.put(WAIT, [busiest[1]])
    _below(lines, found, "avg-cpu:", ("%user", "%idle"))


def _below(lines: list[str], found: Found, head: str, needs: tuple[str, ...]) -> None:
    """`avg-cpu:` and its one line of figures."""
    for at, line in enumerate(lines[:-1]):
        if head in line and all(name in line for name in needs):
            names = [word for word in line.split() if word.startswith("%")]
            numbers = _numbers(lines[at + 1])
            if len(numbers) == len(names):
                _of_cpu(dict(zip(names, numbers, strict=True)), found)
                found.lines |= {at, at + 1}


def _of_cpu(shares: dict[str, float], found: Found) -> None:
    idle = shares.get("%idle", shares.get("id"))
    waits = shares.get("%iowait", shares.get("wa", 0.0))
    if idle is not None:
        found.put(CPU, [max(WHOLE - idle - waits, 0.0)])
        found.put(IOWAIT, [waits])


def _mpstat(lines: list[str], found: Found) -> None:
    for row in _table(lines, found, lambda words: "%usr" in words and "%idle" in words):
        if row and row.get("CPU") == "all":
            shares = {name: value for name in ("%idle", "%iowait") if (value := _value(row, name)) is not None}
            _of_cpu(shares, found)


def _vmstat(lines: list[str], found: Found) -> None:
    for row in _table(lines, found, lambda words: {"us", "sy", "id", "wa"} <= set(words) and "swpd" in words):
        if row:
            shares = {name: value for name in ("id", "wa") if (value := _value(row, name)) is not None}
            _of_cpu(shares, found)


def _top(lines: list[str], found: Found) -> None:
    for at, line in enumerate(lines):
        if _TOP.match(line.strip()):
            pairs = re.findall(r"(\d+(?:[.,]\d+)?)\s*%?\s*(us|sy|ni|id|wa)\b", line)
            _of_cpu({name: float(number.replace(",", ".")) for number, name in pairs}, found)
            found.lines.add(at)
        elif re.match(r"\s*PID\s+USER\b.*%CPU", line):
            rows = [row for row in range(at, len(lines)) if re.match(r"\s*(?:PID|\d+)\s+\S+", lines[row])]
            found.lines |= set(rows)


def _dmon(lines: list[str], found: Found) -> None:
    names: list[str] = []
    used: list[float] = []
    for at, line in enumerate(lines):
        if line.startswith("#"):
            words = line.lstrip("# ").split()
            names = words if "gpu" in words[: 2 + 1] and "sm" in words else names
            if names:
                found.lines.add(at)
        elif names and re.match(r"\s*(?:\d{8}\s+[\d:]+\s+)?\d+\s", line):
            row = dict(zip(names, line.split(), strict=False))
            use = _value(row, "sm")
            if use is not None:
                used.append(use)
            found.lines.add(at)
    found.put(GPU, used)


def _smi(lines: list[str], found: Found) -> None:
    used: list[float] = []
    memory: list[float] = []
    framed = False
    for at, line in enumerate(lines):
        framed = framed or "NVIDIA-SMI" in line
        for held, whole, use in _SMI_USE.findall(line):
            used.append(float(use))
            memory.append(WHOLE * float(held) / max(float(whole), 1.0))
            found.lines.add(at)
        if framed and _SMI_FRAME.match(line) and line.strip():
            found.lines.add(at)
    found.put(GPU, used)
    found.put(MEMORY, memory)


def _csv(lines: list[str], found: Found) -> None:
    names: list[str] = []
    used: list[float] = []
    memory: list[float] = []
    for at, line in enumerate(lines):
        cells = [cell.strip() for cell in line.split(",")]
        if any(cell.startswith("utilization.gpu") for cell in cells):
            names = [cell.partition(" ")[0] for cell in cells]
            found.lines.add(at)
        elif names and len(cells) == len(names):
            row = dict(zip(names, cells, strict=True))
            use, held, whole = (_value(row, name) for name in ("utilization.gpu", "memory.used", "memory.total"))
            used += [] if use is None else [use]
            memory += [] if held is None or not whole else [WHOLE * held / whole]
            found.lines.add(at)
    found.put(GPU, used)
    found.put(MEMORY, memory)


def _stacks(lines: list[str], found: Found) -> None:
    """py-spy dump: what the frames show, the deepest reason first."""
    at_frames = [at for at, line in enumerate(lines) if _STACK_LINE.match(line)]
    frames = [lines[at] for at in at_frames if "(" in lines[at] and ":" in lines[at]]
    if len(frames) < 2:
        return
    found.lines |= set(at_frames)
    joined = "\n".join(frames)
    found.words[STACK] = next((name for name, shape in _STACKS if shape.search(joined)), "compute")


def _out_of_memory(lines: list[str], found: Found) -> None:
    """The message of PyTorch and the traceback above it: at which moment, and how much lay unused in its cache."""
    at = next((at for at, line in enumerate(lines) if _OOM.search(line)), None)
    if at is None:
        return
    begin = next((back for back in range(at, -1, -1) if lines[back].lstrip().startswith("Traceback")), at)
    frames = "\n".join(lines[begin:at])
    moment = next((name for name, shape in _MOMENTS if shape.search(frames)), "")
    if moment:
        found.words[OOM_IN] = moment
    if begin < at or "iB" in lines[at]:
        found.words[OOM] = True
        found.lines |= set(range(begin, at + 1))
    held, unused, kept = (shape.search(lines[at]) for shape in (_ALLOCATED, _UNUSED, _RESERVED))
    if held and (unused or kept):
        used = _gib(held)
        whole = used + _gib(unused) if unused else _gib(kept) if kept else used
        found.put(SPLIT, [WHOLE * max(whole - used, 0.0) / max(whole, 1.0)])


def _gib(found: re.Match[str]) -> float:
    return float(found[1]) * (1.0 if found[2].upper() == "G" else _MIB)


_READERS = (_out_of_memory, _iostat, _mpstat, _vmstat, _top, _dmon, _smi, _csv, _stacks)
