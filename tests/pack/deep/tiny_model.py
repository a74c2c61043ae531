"""Run by the environment of stacks.hub: a random Llama of a few thousand weights, its tokenizer, and a little data.

Usage: tiny_model.py FOLDER   writes FOLDER/model and FOLDER/data.jsonl
"""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

folder = Path(sys.argv[1])
lines = [{"text": " ".join(f"word{(i * 7 + j) % 40}" for j in range(60))} for i in range(64)]
(folder / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.train_from_iterator(
    [line["text"] for line in lines], trainers.WordLevelTrainer(special_tokens=["<unk>", "<s>", "</s>"])
)
PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
).save_pretrained(folder / "model")
shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
LlamaForCausalLM(
    LlamaConfig(vocab_size=64, num_key_value_heads=2, max_position_embeddings=4096, **shape)
).save_pretrained(folder / "model")
