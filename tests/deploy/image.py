"""Runs a Dockerfile's steps in a bare Debian root, without Docker's daemon: FROM, ENV, WORKDIR, COPY, RUN, USER.

It knows what our own files use and refuses the rest, so that no step is silently left out. A stage is a folder; RUN is
`/bin/sh -c` under chroot. The machine's own settings for packages go into the root while it runs, since the image of a
customer has its own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

BASE = re.compile(r"^debian:bookworm(-slim)?$")
CHROOT = shutil.which("chroot") or "chroot"
LEFT_OUT = ("HEALTHCHECK", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD")


@dataclass
class Stage:
    """One FROM: its root, and what holds for its next step."""

    root: Path
    env: dict[str, str] = field(
        default_factory=lambda: {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    )
    cwd: str = "/"
    user: str = ""
    told: dict[str, str] = field(default_factory=dict)

    def run(
        self, command: list[str], *, extra: dict[str, str] | None = None, timeout: float = 1200
    ) -> subprocess.CompletedProcess[str]:
        """A command inside the root, as this stage's user."""
        script = f"cd {shlex.quote(self.cwd)} && exec {shlex.join(command)}"
        chroot = [
            CHROOT,
            *([f"--userspec={self.user}"] if self.user else []),
            str(self.root),
            "/bin/sh",
            "-c",
            script,
        ]
        return subprocess.run(
            chroot, env={**self.env, **(extra or {})}, capture_output=True, text=True, timeout=timeout
        )


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, continued lines joined and comments dropped."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [
        (word.upper(), rest.strip())
        for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line.strip())
    ]


def build(dockerfile: Path, context: Path, base: Path, work: Path, settings: dict[str, str]) -> Stage:
    """Run every step; returns the last stage. Raises `AssertionError` with the output of a step that failed."""
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    for word, rest in instructions(dockerfile.read_text("utf-8")):
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            assert BASE.match(image), f"only bare Debian roots are at hand, not {image}"
            stage = Stage(work / f"stage{len(stages)}")
            subprocess.run(["cp", "-a", str(base), str(stage.root)], check=True)
            stages[name or str(len(stages))] = stage
            continue
        assert stage is not None, "a Dockerfile begins with FROM"
        _step(stage, word, rest, context, stages, settings)
    assert stage is not None
    return stage


def _step(
    stage: Stage, word: str, rest: str, context: Path, stages: dict[str, Stage], settings: dict[str, str]
) -> None:
    if word == "RUN":
        done = stage.run(["/bin/sh", "-c", rest], extra=settings)
        assert done.returncode == 0, f"RUN {rest}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    elif word == "ENV":
        stage.env.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "WORKDIR":
        stage.cwd = rest
        (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
    elif word == "USER":
        stage.user = rest
    elif word == "COPY":
        _copy(stage, shlex.split(rest), context, stages)
    elif word in LEFT_OUT:
        stage.told[word] = rest
    else:
        raise AssertionError(f"{word} is not known here")


def _copy(stage: Stage, words: list[str], context: Path, stages: dict[str, Stage]) -> None:
    source = context
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")].root
    *names, target = words
    folder = stage.root / os.path.join(stage.cwd, target).lstrip("/")
    for name in names:
        path = source / name.lstrip("/")
        if path.is_dir():
            shutil.copytree(
                path, folder, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            into = folder / path.name if target.endswith("/") else folder
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, into)
