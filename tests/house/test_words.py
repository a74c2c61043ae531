"""What must not stand in the product: hosts of package registries, machine paths, the task's own folders."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("advisor", "bots", "rules", "knowledge")
# Pieced together, so that this file does not offend itself.
REGISTRIES = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "crates" + ".io",
    "ruby" + "gems.org",
    "conda" + ".anaconda.org",
    "proxy" + ".golang.org",
    "ana" + "conda.org",
]
FORBIDDEN = {
    "the host of a package registry: describe the package instead": re.compile(
        "|".join(map(re.escape, REGISTRIES)), re.IGNORECASE
    ),
    "a path of one machine: take it from a setting or the checkout": re.compile(r"/(?:home|Users|root|work|mnt)/[a-z]"),
    "the task's own folder: the product carries its data itself": re.compile(r"\.\./" + "shared"),
    "a mail address: nobody's name belongs in the data": re.compile(r"\b[\w.+-]+@[\w-]+\.(?:com|org|net|cn|hk|io)\b"),
}


def test_the_product_names_no_registry_no_machine_and_nobody() -> None:
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".py", ".yaml", ".md") or "__pycache__" in path.parts:
                continue
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                found += [
                    f"{path.relative_to(ROOT)}:{number}: {why}"
                    for why, pattern in FORBIDDEN.items()
                    if pattern.search(line)
                ]
    assert not found, "\n".join(found)
