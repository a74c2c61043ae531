"""Run by the environment of stacks.llama_factory: its argument parser takes the pack's files. Usage as probe_hub.py."""

import dataclasses
import json
import os
import sys
from pathlib import Path


def keys() -> dict:
    from llamafactory.hparams import parser

    return {"llama_factory": sorted({field.name for each in parser._TRAIN_ARGS for field in dataclasses.fields(each)})}


def read(folder: Path) -> dict:
    here = folder / "llama_factory"
    os.chdir(here)
    import yaml
    from llamafactory.data.parser import get_dataset_list
    from llamafactory.hparams import parser
    from transformers import HfArgumentParser

    said = yaml.safe_load((here / "train.yaml").read_text())
    # Without a card bf16 and fp16 are refused whatever the file says, and a path must be writable.
    device = {"bf16": False, "fp16": False, "use_cpu": True, "output_dir": "/tmp/hkgpu-probe"}
    zero = said.pop("deepspeed", None)
    if zero:
        json.loads((here / zero).read_text())
    model, data, training, tuning, _ = HfArgumentParser(parser._TRAIN_ARGS).parse_dict({**said, **device})
    found = get_dataset_list(data.dataset, data.dataset_dir)
    return {
        "micro": training.per_device_train_batch_size,
        "accumulation": training.gradient_accumulation_steps,
        "length": data.cutoff_len,
        "checkpointing": not model.disable_gradient_checkpointing,
        "optimizer": str(getattr(training.optim, "value", training.optim)),
        "stage": tuning.stage,
        "type": tuning.finetuning_type,
        "bits": model.quantization_bit,
        "rank": tuning.lora_rank,
        "dataset": [each.dataset_name for each in found],
        "zero": zero,
    }


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print(json.dumps(keys()))
    else:
        folders = {name: Path(name).resolve() for name in sys.argv[1:]}
        print(json.dumps({name: read(folder) for name, folder in folders.items()}))
