#!/usr/bin/env bash
# Sets up a server for the plan: driver, container toolkit, one Python environment.
# Usage: setup.sh [--no-driver] [--stack NAME] [--root DIR]
#   --no-driver   no driver and no toolkit, and PyTorch for processors: for a machine without a card
#   --stack NAME  @STACKS@; default @STACK@
#   --root DIR    where environments go; default /opt/training
# TORCH_INDEX takes the place of PyTorch's package index (empty: the default index of pip, as for an in-house mirror).
# It may be run again: what is there already is kept.
set -euo pipefail

driver=yes
floor=@FLOOR@
stack=@STACK@
root=/opt/training
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

die() { printf '%s\n' "$*" >&2; exit 2; }

while (($#)); do
  case $1 in
    --no-driver) driver=no ;;
    --stack) shift; stack=${1:?--stack needs a name} ;;
    --root) shift; root=${1:?--root needs a folder} ;;
    *) die "unknown option $1; known: --no-driver, --stack NAME, --root DIR" ;;
  esac
  shift
done
((EUID == 0)) || die "run this as root: it installs packages"

case $stack in
@CASES@
  *) die "there is no stack $stack; known: @STACKS@" ;;
esac
[[ $driver == yes ]] || index=$index_cpu
index=${TORCH_INDEX-$index}

[[ -r /etc/os-release ]] || die "this system has no /etc/os-release; known: @SYSTEMS@"
# shellcheck source=/dev/null
. /etc/os-release
case "${ID:-}-${VERSION_ID:-}" in
@SYSTEM_CASES@
  *) die "this is ${PRETTY_NAME:-an unknown system}; known: @SYSTEMS@" ;;
esac

export DEBIAN_FRONTEND=noninteractive

step() { printf '\n== %s\n' "$*"; }

install_packages() {
  step "packages"
  apt-get update
  apt-get install -y --no-install-recommends ca-certificates curl gnupg build-essential git procps rsync tmux "${packages[@]}"
}

install_driver() {
  if command -v nvidia-smi >/dev/null && have=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1) &&
    [[ $(printf '%s\n' "$floor" "$have" | sort -V | head -n 1) == "$floor" ]]; then
    step "driver $have is there and new enough (at least $floor)"
  else
    step "driver of branch @BRANCH@, at least $floor"
    if [[ -n $repository ]]; then
      curl -fsSL --retry 5 -o /tmp/cuda-keyring.deb "$repository/cuda-keyring_1.1-1_all.deb"
      dpkg -i /tmp/cuda-keyring.deb
      apt-get update
    fi
    apt-get install -y --no-install-recommends "linux-headers-$(uname -r)" "${drivers[@]}"
    printf 'Restart the server before you go on: the new driver is loaded then.\n'
  fi
@FABRIC@
}

install_toolkit() {
  command -v docker >/dev/null || { step "no Docker here: the container toolkit is left out"; return; }
  step "container toolkit"
  local list=/etc/apt/sources.list.d/nvidia-container-toolkit.list key=/usr/share/keyrings/nvidia-container-toolkit.gpg
  curl -fsSL --retry 5 https://nvidia.github.io/libnvidia-container/gpgkey | gpg --batch --yes --dearmor -o "$key"
  printf 'deb [signed-by=%s] https://nvidia.github.io/libnvidia-container/stable/deb/amd64 /\n' "$key" >"$list"
  apt-get update
  apt-get install -y --no-install-recommends nvidia-container-toolkit
  nvidia-ctk runtime configure --runtime=docker
  systemctl restart docker
}

install_python() {
  step "environment $root/$stack"
  mkdir -p "$root"
  [[ -x $root/$stack/bin/python ]] || "$python" -m venv "$root/$stack"
  local pip=("$root/$stack/bin/python" -m pip install --no-cache-dir)
  "${pip[@]}" --upgrade pip setuptools wheel ninja
  "${pip[@]}" ${index:+--index-url "$index"} "torch==$torch"
  # The rest may not bring another torch than the one that goes with the card.
  "$root/$stack/bin/python" -m pip freeze | grep -E '^torch==' >"$root/$stack/torch.txt"
  "${pip[@]}" --constraint "$root/$stack/torch.txt" --requirement "$here/requirements-$stack.txt"
  if ((${#isolated[@]})); then
    DS_BUILD_OPS=0 "${pip[@]}" --no-build-isolation --constraint "$root/$stack/torch.txt" "${isolated[@]}"
  fi
  "$root/$stack/bin/python" -m pip freeze >"$root/$stack/installed.txt"
}

install_packages
if [[ $driver == yes ]]; then
  install_driver
  install_toolkit
fi
install_python
step "done"
"$root/$stack/bin/python" -c 'import torch; print("torch", torch.__version__, "CUDA", torch.version.cuda, "cards", torch.cuda.device_count())'
printf 'Next: . %s/env.sh && . %s/%s/bin/activate && %s/health.sh\n' "$here" "$root" "$stack" "$here"
