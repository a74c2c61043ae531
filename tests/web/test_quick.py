"""Gradio comes without its stubs and without MCP, and leaves the interpreter as it was."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import inspect, sys
before = inspect.getfile
from bots.web.markup import gr
assert inspect.getfile is before, "patched for longer than the import"
assert "mcp" not in sys.modules, "the SDK of MCP was imported, or stayed hidden"
assert inspect.getfile(gr.Textbox).endswith("textbox.py")
import mcp
print(mcp.__name__)
"""


def test_the_quick_import_leaves_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "mcp"), done.stderr
