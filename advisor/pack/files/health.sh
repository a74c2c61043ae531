#!/usr/bin/env bash
# Shows whether the server is well: cards, links, errors, disks, PyTorch. Changes nothing; run it before each long run.
# Send the output to `hkgpu judge - --order ../plan.json`.
set -uo pipefail

show() { printf '\n$ %s\n' "$*"; "$@" 2>&1 || printf '(exit %s)\n' "$?"; }

if command -v nvidia-smi >/dev/null; then
  show nvidia-smi
  show nvidia-smi --query-gpu=index,name,driver_version,memory.total,memory.used,temperature.gpu,power.draw,power.limit,pcie.link.gen.current,pcie.link.width.current,ecc.errors.uncorrected.volatile.total --format=csv
  show nvidia-smi topo -m
  show nvidia-smi nvlink --status
else
  printf 'no nvidia-smi: no card or no driver here\n'
fi
printf '\n$ dmesg | grep -iE "xid|nvrm|ecc|nvme.*error"\n'
dmesg 2>/dev/null | grep -iE 'xid|nvrm|ecc|nvme.*error' | tail -n 50 || true
show df -h
show free -g
show lscpu
python=python3
[[ -n ${VIRTUAL_ENV:-} ]] && python=$VIRTUAL_ENV/bin/python
show "$python" -c '
import torch
print("torch", torch.__version__, "CUDA", torch.version.cuda, "cards", torch.cuda.device_count())
for i in range(torch.cuda.device_count()):
    name, capability = torch.cuda.get_device_name(i), torch.cuda.get_device_capability(i)
    x = torch.randn(4096, 4096, device=i, dtype=torch.float16)
    print(i, name, capability, "matmul", bool(torch.isfinite(x @ x).all()))
'
