"""Run by the environment of stacks.hub: Accelerate, DeepSpeed, the trainer and PEFT take the pack's files.

Usage: probe_hub.py FOLDER...   prints one JSON: what was read, by folder. `probe_hub.py keys` lists what they know.
"""

import dataclasses
import json
import os
import sys
from pathlib import Path


def keys() -> dict:
    from accelerate.commands.config.config_args import ClusterConfig
    from accelerate.commands.launch import launch_command_parser
    from deepspeed.runtime.config import DeepSpeedConfig  # noqa: F401  # proves that it imports
    from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
    from peft import LoraConfig
    from transformers import TrainingArguments

    def names(of) -> list:
        return sorted(field.name for field in dataclasses.fields(of))

    # Accelerate writes options of a plug-in as they are called on its command line.
    flags = {action.dest for action in launch_command_parser()._actions}
    fsdp = sorted(f"fsdp_config.{flag}" for flag in flags if flag.startswith("fsdp_"))
    zero = sorted(f"deepspeed_config.{flag}" for flag in flags if flag.startswith(("deepspeed_", "zero", "offload_")))
    import deepspeed.runtime.constants as constants
    from deepspeed.runtime.zero.config import ZERO_OPTIMIZATION

    top = {value for name, value in vars(constants).items() if name.isupper() and isinstance(value, str)}
    wanted = {"train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "train_batch_size", "gradient_clipping"}
    wanted |= {"optimizer", "bf16", "fp16"}
    assert wanted <= top, wanted - top
    ds = sorted(wanted | {ZERO_OPTIMIZATION}) + sorted(
        f"zero_optimization.{field.alias or name}" for name, field in DeepSpeedZeroConfig.model_fields.items()
    )
    return {
        "accelerate": [
            *names(ClusterConfig),
            "compute_environment",
            "distributed_type",
            "mixed_precision",
            "use_cpu",
            "debug",
            *fsdp,
            *zero,
        ],
        "deepspeed": ds,
        "hf_trainer": names(TrainingArguments),
        "peft_lora": names(LoraConfig),
    }


def read(folder: Path) -> dict:
    found = {}
    accelerate = folder / "accelerate"
    os.chdir(accelerate)
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser

    config = load_config_from_file("accelerate.yaml")
    found["accelerate"] = {"type": str(config.distributed_type.value), "processes": config.num_processes}
    args = launch_command_parser().parse_args(["--config_file", "accelerate.yaml", "train.py"])
    try:
        args = _validate_launch_command(args)[0]
        found["accelerate"]["launch"] = {
            "fsdp": args.use_fsdp,
            "deepspeed": args.use_deepspeed,
            "multi": args.multi_gpu,
        }
    except ValueError as error:
        # It counts the cards of this machine, which has none.
        if "num_processes" not in str(error) and "GPU" not in str(error):
            raise
    zero = folder / "deepspeed" / "zero.json"
    if zero.exists():
        import deepspeed.runtime.config as module
        from deepspeed.runtime.config import DeepSpeedConfig

        # It multiplies by the number of processes, which has not started here.
        module.dist.get_world_size = lambda *_: config.num_processes
        module.dist.get_rank = lambda *_: 0
        parsed = DeepSpeedConfig(str(zero))
        found["deepspeed"] = {
            "stage": parsed.zero_optimization_stage,
            "micro": parsed.train_micro_batch_size_per_gpu,
            "accumulation": parsed.gradient_accumulation_steps,
            "batch": parsed.train_batch_size,
        }
    if (accelerate / "arguments.json").exists():
        from transformers import TrainingArguments

        said = json.loads((accelerate / "arguments.json").read_text())
        made = TrainingArguments(**{**said, "use_cpu": True, "output_dir": "/tmp/hkgpu-probe"})
        found["trainer"] = {
            "micro": made.per_device_train_batch_size,
            "accumulation": made.gradient_accumulation_steps,
            "checkpointing": made.gradient_checkpointing,
            "optimizer": str(made.optim.value),
        }
    if (accelerate / "lora.json").exists():
        from peft import LoraConfig

        found["lora"] = LoraConfig(**json.loads((accelerate / "lora.json").read_text())).r
    if (accelerate / "job.json").exists():
        job = json.loads((accelerate / "job.json").read_text())
        if "quantisation" in job:
            from transformers import BitsAndBytesConfig

            made = BitsAndBytesConfig(**job["quantisation"])
            found["bits"] = 4 if made.load_in_4bit else 8
    return found


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print(json.dumps(keys()))
    else:
        folders = {name: Path(name).resolve() for name in sys.argv[1:]}
        print(json.dumps({name: read(folder) for name, folder in folders.items()}))
