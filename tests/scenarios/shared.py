"""The handed examples of answers, where they are present: `python -m tests.scenarios.shared [FILE] [ID ...]`.

Prints every expectation that is not met, by example. It is a report for the people who mend it and fails no build.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from advisor.consult.sessions import Sessions
from tests.scenarios.judge import failures

HANDED = Path(__file__).resolve().parents[3] / "shared/data/scenarios/examples.jsonl"


def main(argv: list[str]) -> int:
    """Run the examples and print what they lack; 0 whatever they lack."""
    path = Path(argv[0]) if argv and Path(argv[0]).exists() else HANDED
    only = set(argv) - {str(path)}
    if not path.exists():
        print(f"{path.name} is not here")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        sessions = Sessions.open(f"sqlite:///{folder}/talks.sqlite3")
        met, lines = 0, path.read_text("utf-8").splitlines()
        for example in map(json.loads, lines):
            if only and example["id"] not in only:
                continue
            session = sessions.begin()
            for text in (example["text"], *example.get("turns", [])):
                reply = sessions.say(session, text)
            missing = failures(reply.json, example["expect"])
            met += not missing
            print(f"{'ok  ' if not missing else 'FAIL'} {example['id']} {example['topic']}: {example['text'][:70]}")
            for line in missing:
                print(f"       {line}")
        print(f"{met} of {len(only) or len(lines)} met")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
