"""`make bench`: rows a second of a sweep, and what it holds in memory. It prints figures and judges nothing."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from advisor.consult import sweep
from advisor.consult.sweep_grid import read_grid

# A million rows: jobs of several lengths and batches on the cards of a market, priced twice.
MEMORY = """
labels: [price]
requirements:
  model: [Llama-3-8B, Llama-3-70B, Qwen2.5-7B, Qwen2.5-14B, Qwen2.5-32B, Qwen2.5-72B, Qwen3-32B, Mixtral-8x7B,
          Mistral-7B, gemma-3-27b-it]
  method: [full, lora, qlora, inference]
  sharding: [zero3, fsdp]
  seq_len: {from: 512, to: 25600, step: 1024}
  micro_batch: [1, 2, 4, 8, 16]
offers:
  gpu: [A100 80GB, H100 80GB, L40S, RTX 4090, H20, H200, A800 80GB, RTX 3090, L20, RTX 6000 Ada]
  n_gpus: [1, 2, 4, 8, 16]
  price: [1, 2]
"""
JUDGED = """
level: judged
requirements: {model: [Llama-3-8B, Qwen2.5-72B], task: [lora, qlora, full_ft], seq_len: [2048, 4096, 8192]}
offers: {gpu_model: [A100 80GB, H100 80GB, H20, L40S], gpu_count: [1, 2, 4, 8]}
"""
KIB = 2**10


def rate(text: str, name: str, times: int) -> None:
    """Work through a grid on all cores and print how it went."""
    grid = read_grid(text, "-")
    with tempfile.TemporaryDirectory(prefix="hkgpu-") as folder:
        began = time.perf_counter()
        for _ in range(times):
            sweep.sweep(text, Path(folder) / "o.csv")
        seconds = time.perf_counter() - began
    rows = grid.rows * times
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (KIB if sys.platform != "darwin" else KIB**2)
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (KIB if sys.platform != "darwin" else KIB**2)
    print(
        f"sweep, {name}: {rows:,} rows in {seconds:.1f} s on {os.cpu_count()} cores ({rows / seconds:,.0f} rows/s); "
        f"at most {max(most, here):.0f} MiB in a process"
    )


def main() -> None:
    """Print both rates."""
    rate(MEMORY, "memory (budget 60 s a million on two cores)", 1)
    rate(JUDGED, "judged plans", 2)


if __name__ == "__main__":
    main()
