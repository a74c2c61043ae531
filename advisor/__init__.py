"""The house of hkgpu: what we know, how we estimate, what the rules conclude. No user interface.

`from advisor import Advisor` is the way in for notebooks and scripts; nothing is loaded before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.consult.notebook import Advisor

__all__ = ["Advisor"]


def __getattr__(name: str) -> object:
    if name == "Advisor":
        from advisor.consult.notebook import Advisor

        return Advisor
    raise AttributeError(f"module 'advisor' has no attribute {name!r}")
