"""Run by the environment of stacks.ms_swift: its argument classes take the pack's files. Usage as probe_hub.py."""

import dataclasses
import json
import os
import shlex
import sys
from pathlib import Path


def keys() -> dict:
    import swift.arguments as arguments

    kinds = ("SftArguments", "RLHFArguments", "PretrainArguments")
    return {"ms_swift": sorted({f.name for kind in kinds for f in dataclasses.fields(getattr(arguments, kind))})}


def read(folder: Path) -> dict:
    here = folder / "ms_swift"
    os.chdir(here)
    import swift.arguments as arguments
    from swift.cli.main import parse_yaml_args
    from transformers import HfArgumentParser

    words = shlex.split((here / "run.sh").read_text().rpartition("exec ")[2])
    command = words[words.index("swift") + 1]
    kind = {"sft": arguments.SftArguments, "pt": arguments.PretrainArguments, "rlhf": arguments.RLHFArguments}[command]
    argv = ["train.yaml"]
    parse_yaml_args(argv)
    # The classes look the model up on the hub as soon as they are made: read what they would be made from.
    parser = HfArgumentParser([kind])
    space, rest = parser.parse_known_args(argv)
    assert not rest, rest
    return {
        "micro": space.per_device_train_batch_size,
        "accumulation": space.gradient_accumulation_steps,
        "length": space.max_length,
        "checkpointing": space.gradient_checkpointing,
        "optimizer": str(getattr(space.optim, "value", space.optim)),
        "command": command,
        "type": space.tuner_type,
        "bits": space.quant_bits,
        "rank": space.lora_rank,
        "zero": space.deepspeed,
    }


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print(json.dumps(keys()))
    else:
        folders = {name: Path(name).resolve() for name in sys.argv[1:]}
        print(json.dumps({name: read(folder) for name, folder in folders.items()}))
