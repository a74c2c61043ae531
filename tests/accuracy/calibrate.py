"""The calibration of the memory estimator: few constants, with priors, on the measured table.

Minimises the absolute logarithmic error of the quality A training rows, each weighted by the inverse root of how many
rows its source has, plus the squared distance of every constant from its prior in units of what people disagree about.
`python -m tests.accuracy.calibrate` prints the fitted values; they are recorded by hand in
`knowledge/heuristics/memory`, where the prior stays beside them. Nothing here is used by the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.estimate.memory.constants import Constants, constants
from advisor.estimate.memory.peak import peak_with
from tests.accuracy.measured import Case, cases

Floats = NDArray[np.float64]
# Constant -> how far (as a logarithm, one standard deviation) the data may pull it from its prior.
CALIBRATED: Mapping[str, float] = {
    "adapter_input_saved": 0.4,
    "attention_saved": 0.1,
    "backward_transient": 0.25,
    "batch_slack": 0.2,
    "context": 0.2,
    "context_multi": 0.3,
    "fsdp_adapter_recompute": 0.1,
    "fused_loss_hidden": 0.3,
    "logit_bytes_chunked": 0.15,
    "logit_bytes_parallel": 0.12,
    "logit_bytes_parallel_fused": 0.2,
    "logit_bytes_plain": 0.08,
    "logit_bytes_unstated": 0.2,
    "megatron_fp16_step_bytes": 0.3,
    "moe_routing_saved": 0.2,
    "norm_saved": 0.1,
    "norm_saved_fused": 0.15,
    "quantised_base_saved": 0.4,
    "reserved_activations": 0.4,
    "reserved_fixed": 0.3,
    "reserved_left_out": 0.3,
    "reserved_logits": 0.4,
    "reserved_states": 0.3,
    "reserved_variable": 0.15,
    "selective_kept_torch": 0.15,
    "workspace": 0.4,
    "zero3_extra_bytes": 0.4,
}
NAMES = tuple(CALIBRATED)
_ROUNDS, _INNER, _STEP, _KNEE, _TRUST = 8, 12, 0.04, 0.03, 3.0


def priors(library: Any) -> Constants:
    """The constants with every calibrated one at its prior: the value under the key `prior`, else the accepted one."""
    changed = {}
    for name in NAMES:
        record = library.heuristic_record(f"memory.{name}")
        value = next((each.value for each in record.values if each.key == "prior"), record.accepted.value)
        # Memory is held in bytes.
        changed[name] = value * (2**30 if record.unit == "GiB" else 1)
    return replace(constants(library), **changed)


def logs(found: Iterable[Case], library: Any, c: Constants) -> Floats:
    """Logarithms of the likely figures."""
    return np.array([np.log(peak_with(case.workload, library, c).range.likely) for case in found if case.workload])


def moved(c: Constants, theta: Floats) -> Constants:
    """The constants with the calibrated ones times exp(theta)."""
    return replace(c, **{n: getattr(c, n) * float(np.exp(t)) for n, t in zip(NAMES, theta, strict=True)})


class Calibration:
    """A fit over rows; `without(source)` refits with one source left out, from the linearised model."""

    def __init__(self, found: list[Case], library: Any) -> None:
        self.cases = [case for case in found if case.workload is not None and case.scored and case.trains]
        self.library = library
        self.start = priors(library)
        self.sources = np.array([case.source for case in self.cases])
        counts = Counter(self.sources)
        weights = np.array([counts[s] ** -0.5 for s in self.sources])
        # Rows of a source repeat each other: together they count as a third of as many independent ones.
        self.weights = weights / weights.mean() * _TRUST
        self.target = np.array([np.log(case.measured or 1.0) for case in self.cases])
        self.scale = np.array([CALIBRATED[name] for name in NAMES])
        self.theta = np.zeros(len(NAMES))
        for _ in range(_ROUNDS):
            self._linearise()
            step = self._solve(np.ones(len(self.cases), dtype=bool), self.theta)
            self.theta = self.theta + np.clip(step - self.theta, -0.3, 0.3)
        self._linearise()

    def _linearise(self) -> None:
        self.base = self.theta.copy()
        self.figures = logs(self.cases, self.library, moved(self.start, self.base))
        columns = []
        for i in range(len(NAMES)):
            shifted = self.base.copy()
            shifted[i] += _STEP
            columns.append((logs(self.cases, self.library, moved(self.start, shifted)) - self.figures) / _STEP)
        self.slopes = np.stack(columns, axis=1)

    def _solve(self, mask: NDArray[np.bool_], start: Floats) -> Floats:
        slopes, weights = self.slopes[mask], self.weights[mask]
        fixed = self.target[mask] - self.figures[mask] + slopes @ self.base
        theta = start.copy()
        for _ in range(_INNER):
            far = weights / np.maximum(np.abs(fixed - slopes @ theta), _KNEE)
            matrix = (slopes * far[:, None]).T @ slopes + np.diag(self.scale**-2)
            theta = np.linalg.solve(matrix, slopes.T @ (far * fixed))
        return theta

    def fitted(self) -> Constants:
        """The constants fitted to every source."""
        return moved(self.start, self.theta)

    def without(self, source: str) -> Constants:
        """The constants fitted to all sources but one."""
        return moved(self.start, self._solve(self.sources != source, self.theta))


def main() -> None:
    """Print prior and fitted value of every calibrated constant."""
    from advisor.knowledge.library import open_library

    library = open_library()
    fit = Calibration(cases(library, constants(library)), library)
    fitted = fit.fitted()
    for name in NAMES:
        before, after = getattr(fit.start, name), getattr(fitted, name)
        print(f"{name:28} {before:14.4g} -> {after:14.4g}   ({after / before:5.2f})")


if __name__ == "__main__":
    main()
