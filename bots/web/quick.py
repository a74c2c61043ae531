"""Gradio imported without what the pages never use, in less than half of the time.

At import Gradio parses the source of each of its components to write a stub for editors beside it, into the installed
package, which may be read-only; and it imports the SDK of MCP, which the pages don't serve. It changes nothing of
Gradio's behaviour, and leaves the interpreter as it was.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PACKAGE = "gradio"
_UNUSED = "mcp"


@contextmanager
def quick_import() -> Iterator[None]:
    """Around the first `import gradio`: no stubs, no MCP. What was imported before stays."""
    real = inspect.getfile

    def getfile(found: object) -> str:
        # What has no file gets no stub.
        if inspect.isclass(found) and found.__module__.split(".")[0] == _PACKAGE:
            raise OSError
        return real(found)  # type: ignore[arg-type]

    hidden = _UNUSED not in sys.modules
    inspect.getfile = getfile  # type: ignore[assignment]
    if hidden:
        sys.modules[_UNUSED] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getfile = real
        if hidden:
            del sys.modules[_UNUSED]
