"""A sweep over a Ray cluster: the same pieces of work, done by Ray's workers instead of this machine's processes.

`RAY_ADDRESS` names a running cluster, whose machines need the same hkgpu; without it a cluster of this machine is
started for the sweep and ended after it. Pieces come back as bytes, so that no file system has to be shared.
"""

# mypy: disable-error-code="import-untyped,import-not-found"
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from advisor.core.errors import BadInput

T = TypeVar("T")


def over_ray(function: Callable[..., T], work: Any, parts: Sequence[int], workers: int) -> Iterator[T]:
    """`function(work, part)` for each part, in whatever order they are finished.

    Raises `BadInput` where Ray is not installed or its cluster cannot be reached.
    """
    try:
        import ray
    except ImportError:
        raise BadInput("ray is not installed", where="--engine", do='pip install "hkgpu[ray]"') from None
    ours = not ray.is_initialized()
    if ours:
        _begin(ray, workers)
    try:
        remote = ray.remote(function).options(max_retries=2)
        held = ray.put(work)
        rest = iter(parts)
        running = [remote.remote(held, part) for part in islice(rest, 2 * workers)]
        while running:
            ready, running = ray.wait(running, num_returns=1)
            yield ray.get(ready[0])
            running += [remote.remote(held, part) for part in islice(rest, 1)]
    finally:
        if ours:
            ray.shutdown()


def _begin(ray: Any, workers: int) -> None:
    address = os.environ.get("RAY_ADDRESS")
    try:
        if address:
            ray.init(address=address, log_to_driver=False)
        else:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise BadInput(f"Ray cannot be reached ({type(error).__name__})", where="RAY_ADDRESS") from None
