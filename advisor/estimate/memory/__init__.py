"""The memory estimator: what one card of a training or serving job needs, as a range with its derivation."""

from advisor.estimate.memory.arch import Shape, from_architecture, from_model, from_size
from advisor.estimate.memory.peak import MemoryEstimate, peak
from advisor.estimate.memory.workload import Workload

__all__ = ["MemoryEstimate", "Shape", "Workload", "from_architecture", "from_model", "from_size", "peak"]
