"""Which program this is: the installed version, or a checkout."""

from __future__ import annotations


def version() -> str:
    """The version of the installed distribution; "checkout" where none is installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("hkgpu")
    except PackageNotFoundError:
        return "checkout"
