"""Rows of a table of training speeds, read by meaning: the contract's `hkgpu speed`.

Columns: model, params_b, method, gpu_model, n_gpus, interconnect, seq_len, global_batch, precision, parallelism,
remarks. The results, the source and the quotation are never read; `id` is only carried through. A blank is "not stated"
and is taken as frameworks have it. A row never raises: what cannot be read is named in `error`, and a figure is given
where one is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from advisor.core.errors import BadInput, HkgpuError
from advisor.core.units import convert
from advisor.estimate import speed
from advisor.estimate.derivation import positive
from advisor.estimate.gpu_names import find_gpu
from advisor.estimate.memory.arch import Shape
from advisor.estimate.memory.constants import constants as memory_constants
from advisor.estimate.memory.lookup import shape_of
from advisor.estimate.memory.names import plain_key
from advisor.estimate.rows import BLANK
from advisor.estimate.speed import Compute, Job, Method, Recompute, SpeedConstants, Split, Stack, Widths
from advisor.estimate.speed_machine import Machine, machine
from advisor.knowledge.records.gpus import Gpu

COLUMNS = ("id", "tokens_per_s_per_gpu", "low", "high", "mfu", "error")
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_METHODS: tuple[tuple[str, Method], ...] = (
    (r"q-?lora", "qlora"),
    (r"lora|adapter|peft", "lora"),
    (r"pre-?train|from scratch", "pretrain"),
    (r"full|sft|fine-?tun|finetun|train|dpo|rlhf|ppo|grpo|reward", "full"),
)
_PRECISIONS: tuple[tuple[str, Compute], ...] = (
    (r"nvfp4|mxfp4|\bfp4\b", "fp4"),
    (r"mxfp8|fp8|float8|e4m3", "fp8"),
    (r"int8", "int8"),
    (r"bf16|bfloat16|nf4|int4|gptq|awq", "bf16"),
    (r"fp16|float16|half|amp|mixed", "fp16"),
    (r"fp32|float32|tf32", "fp32"),
)
_QUANTISED = r"nf4|int4|4-?bit|gptq|awq|bnb"
_RECOMPUTE: tuple[tuple[str, Recompute], ...] = (
    (r"activation recompute counted", "full"),
    (r"(no|without) (activation|gradient|grad|act)\.? ?(ckpt|checkpointing|recompute)", "none"),
    (r"(ckpt|checkpointing|recompute|recomputation)\W{0,3}(no|none|off|false)\b", "none"),
    (r"recompute [a-z_]+(?!.*full)|selective", "selective"),
    (r"(ckpt|checkpointing|recompute|recomputation)", "full"),
)
_FUSED = r"fused|liger|foak|fast-?kernels|compile|cutlass|apex|triton|te\b"
_DIMENSION = re.compile(r"(?<![a-z])(tp|pp|vpp|vp|cp|ep)[ =_]?(\d+)")


def _text(row: Mapping[str, str | None], column: str) -> str:
    return (row.get(column) or "").strip()


def _meaning(text: str, patterns: Iterable[tuple[str, Any]]) -> Any:
    return next((meaning for pattern, meaning in patterns if re.search(pattern, text)), None)


def _amount(text: str) -> float | None:
    """The first number of a cell, None where there is none or it is 0; `8k` is 8,192, `4M` four million."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*([km]?)(?![a-z])", text.replace(",", "").casefold())
    if not found:
        return _first(text)
    return float(found[1]) * {"": 1, "k": 2**10, "m": 10**6}[found[2]] or None


def _first(text: str) -> float | None:
    found = _NUMBERS.search(text.replace(",", ""))
    return (float(found[0]) or None) if found else None


def _widths(row: Mapping[str, str | None], library: Any) -> Widths:
    """The model's widths; those that the remarks print (layers, hidden) win, at the stated size."""
    size = _first(_text(row, "params_b"))
    notes = _text(row, "remarks")
    params = None if size is None else convert(size, "Gparams", "params")
    shape = _shape(_text(row, "model"), params, library)
    if shape is None:
        found = _printed(notes, library) or _of_record(_text(row, "model"), library)
        if found is None:
            raise BadInput(f'the model "{_text(row, "model")}" is not known', expected="a known model or its size")
        return found
    widths = speed.widths_of(shape, library)
    layers, hidden = _layers_hidden(notes)
    if layers and hidden:
        widths = replace(widths, layers=layers, hidden=hidden, attention=hidden, attention_layers=layers)
    vocabulary = re.search(r"\bv(?:ocab)?\s*=\s*(\d+)(k?)\b", notes.casefold())
    if vocabulary:
        widths = replace(widths, vocab=float(vocabulary[1]) * (_KILO if vocabulary[2] else 1))
    return widths


_KILO = 1000


def _shape(name: str, params: float | None, library: Any) -> Shape | None:
    """The catalogue's shape, first without what stands in brackets, which may be a remark or the size."""
    for each in dict.fromkeys((re.sub(r"\(.*?\)", " ", name).strip(), name)):
        try:
            return shape_of(each, params, library, memory_constants(library))
        except HkgpuError:
            continue
    return None


def _layers_hidden(notes: str) -> tuple[float | None, float | None]:
    low = notes.casefold()
    layers = re.search(r"n_?layers\s*=\s*(\d+)|\bl(\d+) h\d+|(\d+) layers", low)
    hidden = re.search(r"n_?hidden\s*=\s*(\d+)|\bl\d+ h(\d+)|hidden(?: size)?[ =](\d+)", low)
    first = [
        next((float(each) for each in found.groups() if each), None) if found else None for found in (layers, hidden)
    ]
    return first[0], first[1]


def _printed(notes: str, library: Any) -> Widths | None:
    """A shape that the remarks spell out: layers, hidden, vocabulary, experts; None where they do not."""
    layers, hidden = _layers_hidden(notes)
    if not layers or not hidden:
        return None
    c = speed.constants(library)
    vocabulary = re.search(r"vocab(?:ulary)?[ =]?(\d+)", notes.casefold())
    vocab = float(vocabulary[1]) if vocabulary else c.vocabulary.value
    ffn = hidden * c.ffn_ratio.value
    attention, mlp = 2 * 2 * hidden * hidden, 2 * hidden * ffn
    experts = re.search(r"experts[ =](\d+)", notes.casefold())
    count = float(experts[1]) if experts else 0.0
    chosen = min(2.0, count) if count else 1.0
    outer = 2 * vocab * hidden
    active = layers * (attention + chosen * mlp) + outer
    total = layers * (attention + max(count, 1.0) * mlp) + outer
    return Widths(
        active, total, layers, hidden, hidden, chosen * ffn, vocab, layers, chosen if count else 0.0, count > 0
    )


def _of_record(name: str, library: Any) -> Widths | None:
    """A generic shape at the size of the catalogue's record of that name, where its own shape cannot be counted."""
    key = plain_key(name)
    for id, names in library.models.names().items():
        if key in map(plain_key, (id, *names)):
            record = library.models[id]
            active = record.params_active
            counts = [None if each is None else convert(each, "Gparams", "params") for each in (record.params, active)]
            return speed.widths_of_size(positive("parameters", counts[0]), library, counts[1])
    return None


def _split(row: Mapping[str, str | None], cards: int) -> Split:
    said = (_text(row, "parallelism") + " " + _text(row, "remarks")).casefold()
    sizes = {name: int(size) for name, size in reversed(_DIMENSION.findall(said))}
    layout = _text(row, "parallelism").casefold()
    shards = bool(re.search(r"fsdp(?!0)|zero-?3|full_?shard", layout)) and "grad_op" not in layout and cards > 1
    return Split(
        tensor=max(1, min(sizes.get("tp", 1), cards)),
        pipeline=max(1, sizes.get("pp", 1)),
        interleave=max(1, sizes.get("vp", sizes.get("vpp", 1))),
        context=max(1, sizes.get("cp", 1)),
        expert=max(1, sizes.get("ep", 1)),
        shards=shards,
        offload=bool(re.search(r"(adam|optimi[sz]er|cpu|zero)[ -]?offload|offload_optim", said)),
    )


def _stack(row: Mapping[str, str | None], precision: str, gpu_bf16: bool) -> Stack:
    """Tuned: tensor, pipeline or expert parallel; older: with ZeRO beside it, or fp16 without flash attention."""
    layout = _text(row, "parallelism").casefold()
    laid_out = bool(_DIMENSION.search(layout)) or "3d" in layout.split() or bool(re.search(r"\bcp\b|megatron", layout))
    flash = "flash" in _text(row, "remarks").casefold()
    plain = not re.search(_QUANTISED, _text(row, "precision").casefold())
    early = precision == "fp16" and "pretrain" in _text(row, "method").casefold().replace("-", "")
    if (laid_out and "zero" in layout) or not gpu_bf16 or (early and not flash and plain):
        return "older"
    return "tuned" if laid_out else "usual"


def _batch(
    row: Mapping[str, str | None], split: Split, cards: int, capped: bool, seq_len: float | None, library: Any
) -> tuple[float | None, float | None]:
    """Sequences of a micro-batch and micro-batches a step, each None where it does not follow."""
    said = (_text(row, "parallelism") + " " + _text(row, "remarks")).casefold()
    stated = re.search(r"(?:micro-?_?batch(?: size)?|\bmbs|\bbs|batch size)\s*=?\s*(\d+)", said)
    steps = re.search(r"(?:grad(?:ient)?[ _-]?accum(?:ulation)?(?: steps)?|\bga)\s*=?\s*(\d+)", said)
    batch = _text(row, "global_batch").casefold()
    total, each = _amount(batch), bool(re.search(r"per[ _-](gpu|device|card)", batch))
    if total is not None and "token" in batch:
        total = total / seq_len if seq_len else None
    replicas = max(1.0, cards / (split.tensor * split.pipeline * split.context))
    micro = float(stated[1]) if stated else None
    if total is None:
        return micro, float(steps[1]) if steps else None
    share = total if each else total / replicas
    if micro is None and steps:
        micro = max(share / float(steps[1]), share / total)
    if micro is None:
        micro = _unstated_micro(share, split, capped, speed.constants(library))
    return micro, max(1.0, share / micro)


def _unstated_micro(share: float, split: Split, capped: bool, c: SpeedConstants) -> float:
    """What a card gets is one micro-batch where it is small, else accumulates; a pipeline takes one row at a time."""
    if split.pipeline > 1:
        return 1.0
    if share <= c.largest_micro_batch.value:
        return share
    return c.accumulated_capped.value if capped else c.accumulated_micro_batch.value


def _hardware(row: Mapping[str, str | None], library: Any, errors: list[str]) -> tuple[Gpu, int]:
    """The card and how many of it; one server where nobody says."""
    named = _text(row, "gpu_model")
    gpu = find_gpu(named, library)
    if gpu is None:
        raise BadInput(f'the card "{named}" is not known' if named else "no card is stated", expected="a known card")
    said = _text(row, "n_gpus").casefold().replace(",", "")
    product = re.search(r"(\d+)\s*(?:nodes?|servers?)?\s*[x*×]\s*(\d+)", said)
    counts = [int(each) for each in re.findall(r"\d+", said)]
    cards = int(product[1]) * int(product[2]) if product else max(counts, default=0)
    if cards < 1:
        errors.append("n_gpus is not stated: one server is taken")
        cards = int(library.heuristic("links.cards_per_server").value)
    return gpu, cards


def _words(row: Mapping[str, str | None], errors: list[str]) -> tuple[Method, Compute]:
    """Method and precision; what is not understood is named and taken as full and bf16."""
    cell = _text(row, "precision").casefold()
    precision: Compute | None = _meaning(cell, _PRECISIONS)
    method: Method | None = _meaning(_text(row, "method").casefold(), _METHODS)
    if method is None:
        errors.append(f'method "{_text(row, "method")}" is not understood: full is taken')
    if precision is None and cell:
        errors.append(f'precision "{cell}" is not understood: bf16 is taken')
    if method == "lora" and re.search(_QUANTISED, cell):
        method = "qlora"
    return method or "full", precision or "bf16"


def job_of(row: Mapping[str, str | None], library: Any) -> tuple[Job, Machine, list[str]]:
    """The job and machine of a row, and what could not be read; raises `HkgpuError` where nothing follows."""
    errors: list[str] = []
    gpu, cards = _hardware(row, library, errors)
    method, precision = _words(row, errors)
    notes = (_text(row, "remarks") + " " + _text(row, "parallelism")).casefold()
    kernels = notes + " " + _text(row, "precision").casefold()
    split = _split(row, cards)
    length = _text(row, "seq_len").casefold()
    capped = "cap" in length or "max" in length
    seq_len = _amount(length)
    micro, accumulation = _batch(row, split, cards, capped, seq_len, library)
    stack = _stack(row, precision, gpu.bf16_tensor)
    job = Job(
        widths=_widths(row, library),
        method=method,
        precision=precision,
        seq_len=seq_len,
        micro_batch=micro,
        accumulation=accumulation,
        recompute=_meaning(notes, _RECOMPUTE),
        stack=stack,
        fused=bool(re.search(_FUSED, kernels)) and not re.search(r"eager(?! attention)", kernels),
        flash=stack != "older" and "eager attention" not in notes,
        causal="bert" not in _text(row, "model").casefold(),
        capped=capped,
        grouped_experts=bool(re.search(r"scattermoe|grouped|megablocks", notes)) or bool(_DIMENSION.search(notes)),
        split=split,
    )
    limited = "power" in _text(row, "gpu_model").casefold()
    on = machine(gpu, cards, library, interconnect=_text(row, "interconnect"), power_limited=limited)
    return job, on, errors


_AMOUNTS = ("params_b", "n_gpus", "seq_len", "global_batch")
_NOTHING = re.compile(r"\s*[-\u2212]\s*\d|\s*0+(\.0*)?\s*(?![\d.])")


def _possible(row: Mapping[str, str | None]) -> tuple[Mapping[str, str | None], list[str]]:
    """The row without amounts that cannot be, which count as not stated, and their names."""
    wrong = [column for column in _AMOUNTS if _NOTHING.match(_text(row, column))]
    errors = [f'{column} "{_text(row, column)}" is not above 0 (expected a number above 0)' for column in wrong]
    words = [column for column in _AMOUNTS if (text := _text(row, column)) and not re.search(r"\d", text)]
    errors += [
        f'{column} "{_text(row, column)}" is no number (expected a number above 0)'
        for column in words
        if _text(row, column).casefold() not in BLANK
    ]
    return {**row, **dict.fromkeys(wrong, "")}, errors


def speed_rows(rows: Iterable[Mapping[str, str | None]], library: Any) -> Iterator[dict[str, str]]:
    """The contract's output columns for each row, in order; `mfu` in per cent, as such tables print it."""
    for row in rows:
        answer = dict.fromkeys(COLUMNS, "")
        answer["id"] = row.get("id") or ""
        stated, errors = _possible(row)
        try:
            job, on, unread = job_of(stated, library)
            errors += unread
            found = speed.training(job, on, library)
            answer["tokens_per_s_per_gpu"] = f"{found.range.likely:.1f}"
            answer["low"], answer["high"] = f"{found.range.low:.1f}", f"{found.range.high:.1f}"
            answer["mfu"] = f"{found.mfu.likely:.2f}"
        except (HkgpuError, OverflowError, ZeroDivisionError) as error:
            errors.append(error.line() if isinstance(error, HkgpuError) else "a figure is out of any plausible range")
        answer["error"] = "; ".join(errors)
        yield answer
