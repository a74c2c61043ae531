"""The judge of scripted conversations stands in the product, since `hkgpu rules mutate` asks it too."""

from advisor.consult.scripted import equal, failures

__all__ = ["equal", "failures"]
