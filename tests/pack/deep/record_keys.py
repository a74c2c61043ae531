"""Writes the keys that each tool's own parser knows into knowledge/compatibility/keys, from the probes' `keys`.

Usage: record_keys.py TOOL VERSION HOW < KEYS.json   (KEYS.json is what a probe prints: tool -> list of keys)
"""

import json
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parents[3] / "knowledge" / "compatibility" / "keys"


def main() -> None:
    version, how = sys.argv[1:3]
    for tool, keys in json.loads(sys.stdin.read().splitlines()[-1]).items():
        lines = [f"kind: keys\nid: keys.{tool}\ntool: {tool}\nversion: {json.dumps(version)}\nread: {date.today()}"]
        lines += [f"how: {json.dumps(how)}\nfrom: pack_runs_2026_12\nstatus: verified\nkeys:"]
        lines += [f"  - {key}" for key in sorted(set(keys))]
        (HERE / f"{tool}.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
