"""Run by the environment of stacks.axolotl: its configuration schema takes the pack's files. Usage as probe_hub.py."""

import json
import sys
from pathlib import Path


def keys() -> dict:
    from axolotl.utils.schemas.config import AxolotlInputConfig
    from axolotl.utils.schemas.fsdp import FSDPConfig

    nested = (f"fsdp_config.{name}" for name in FSDPConfig.model_fields)
    return {"axolotl": sorted([*known(AxolotlInputConfig), *nested])}


def known(schema) -> set:
    """Fields and the other names that they go by."""
    found = set(schema.model_fields)
    for field in schema.model_fields.values():
        alias = field.validation_alias
        found |= {alias} if isinstance(alias, str) else set(getattr(alias, "choices", ()))
    return found


def read(folder: Path) -> dict:
    import yaml
    from axolotl.utils.schemas.config import AxolotlInputConfig

    said = yaml.safe_load((folder / "axolotl" / "train.yaml").read_text())
    unknown = set(said) - known(AxolotlInputConfig)
    assert not unknown, unknown
    made = AxolotlInputConfig(**said)
    return {
        "micro": made.micro_batch_size,
        "accumulation": made.gradient_accumulation_steps,
        "length": made.sequence_len,
        "checkpointing": made.gradient_checkpointing,
        "optimizer": str(getattr(made.optimizer, "value", made.optimizer)),
        "adapter": made.adapter,
        "bits": 4 if made.load_in_4bit else 8 if made.load_in_8bit else None,
        "rank": made.lora_r,
        "zero": made.deepspeed,
        "fsdp": made.fsdp_version,
    }


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print(json.dumps(keys()))
    else:
        folders = {name: Path(name).resolve() for name in sys.argv[1:]}
        print(json.dumps({name: read(folder) for name, folder in folders.items()}))
