"""Run by the environment of stacks.torchtune: its argument parser takes the pack's files, and its components exist.

Usage as probe_hub.py.
"""

import inspect
import json
import re
import sys
from pathlib import Path

_KEY = re.compile(r'cfg\.get\(\s*"([a-z_]+)"|cfg\.([a-z_]+)')


def recipes() -> dict:
    import torchtune

    folder = Path(torchtune.__file__).parent.parent / "recipes"
    return {path.stem: path.read_text() for path in folder.glob("*.py")}


def keys() -> dict:
    found = set()
    for name, text in recipes().items():
        if "finetune" in name or "dpo" in name:
            found |= {one or two for one, two in _KEY.findall(text)} - {"get"}
    return {"torchtune": sorted(found | {"enable_activation_checkpointing", "enable_activation_offloading"})}


def read(folder: Path) -> dict:
    from omegaconf import OmegaConf
    from torchtune.config._parse import TuneRecipeArgumentParser
    from torchtune.config._utils import _get_component_from_path

    here = folder / "torchtune"
    words = (here / "run.sh").read_text().split()
    recipe = next(word for word in words if word.endswith(("_distributed", "_single_device")))
    assert recipe in recipes(), recipe
    parser = TuneRecipeArgumentParser()
    space, rest = parser.parse_known_args(["--config", str(here / "train.yaml")])
    assert not rest, rest
    config = OmegaConf.create(vars(space))
    lacking = []

    def walk(tree):
        for value in tree.values() if isinstance(tree, dict) else ():
            walk(value)
        if isinstance(tree, dict) and "_component_" in tree:
            component = _get_component_from_path(tree["_component_"])
            signature = inspect.signature(component)
            open_ended = any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())
            for key in tree:
                if key != "_component_" and key not in signature.parameters and not open_ended:
                    lacking.append(f"{tree['_component_']}: {key}")

    walk(OmegaConf.to_container(config))
    assert not lacking, lacking
    return {
        "micro": config.batch_size,
        "accumulation": config.gradient_accumulation_steps,
        "length": config.tokenizer.max_seq_len,
        "checkpointing": config.enable_activation_checkpointing,
        "optimizer": config.optimizer._component_,
        "recipe": recipe,
        "rank": config.model.get("lora_rank"),
        "bits": 4 if config.model.get("quantize_base") else None,
    }


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        print(json.dumps(keys()))
    else:
        folders = {name: Path(name).resolve() for name in sys.argv[1:]}
        print(json.dumps({name: read(folder) for name, folder in folders.items()}))
