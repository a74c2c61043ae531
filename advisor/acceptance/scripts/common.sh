# Shared by every script: where results go, how a command is run, what is written down about it.
# Nothing outside the result folder is changed; every command has a time limit; nothing needs root, and what root would
# add is asked of `sudo -n` and skipped where it is not given.
set -u
umask 077
export LC_ALL=C
PLACE=@PLACE@
STAMP=$(date -u +%Y%m%dT%H%M%SZ)
OUT=${1:-"hkgpu-$PLACE-$STAMP"}
if [ -e "$OUT" ]; then
  echo "$OUT is already there; name another folder" >&2
  exit 2
fi
mkdir -p "$OUT" || exit 2
OUT=$(cd "$OUT" && pwd) || exit 2
MANIFEST=$OUT/manifest.tsv

note() { printf '%s\t%s\n' "$1" "$2" >>"$MANIFEST"; }
have() { command -v "$1" >/dev/null 2>&1; }
skip() { note "skipped $1" "$2"; printf 'skipped  %s: %s\n' "$1" "$2" >&2; }

# run NAME SECONDS COMMAND...: output and errors to NAME.txt, exit code and length to the manifest.
run() {
  name=$1 limit=$2
  shift 2
  if ! have "$1"; then
    skip "$name" "$1 is not installed"
    return 0
  fi
  printf 'running  %s\n' "$name" >&2
  begun=$(date +%s)
  if have timeout; then
    timeout --kill-after=10 "$limit" "$@" >"$OUT/$name.txt" 2>&1 </dev/null
  else
    "$@" >"$OUT/$name.txt" 2>&1 </dev/null
  fi
  code=$?
  note "$name" "exit $code after $(($(date +%s) - begun)) s: $*"
  return 0
}

# as_root NAME SECONDS COMMAND...: the same with root, where it is given without a password.
as_root() {
  name=$1 limit=$2
  shift 2
  if [ "$(id -u)" = 0 ]; then
    run "$name" "$limit" "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    run "$name" "$limit" sudo -n "$@"
  else
    skip "$name" "needs root: $*"
  fi
}

window() {
  hour=$(TZ=UTC-8 date +%H)
  case $hour in
  20 | 21 | 22) echo peak ;;
  *) echo off-peak ;;
  esac
}

begin() {
  note host "$(uname -n)"
  note system "$(uname -srm)"
  note place "$PLACE"
  note begun "$(date +%Y-%m-%dT%H:%M:%S%z)"
  note window "$(window) (peak is 20:00 to 23:00 UTC+8)"
  for tool in nvidia-smi dcgmi fio iperf3 mtr ping curl docker git; do
    if have "$tool"; then note "tool $tool" "$(command -v "$tool")"; fi
  done
}

finish() {
  note ended "$(date +%Y-%m-%dT%H:%M:%S%z)"
  if have tar && tar -czf "$OUT.tar.gz" -C "$(dirname "$OUT")" "$(basename "$OUT")"; then
    printf 'packed   %s\n' "$OUT.tar.gz" >&2
  fi
  printf 'judge it with: hkgpu judge %s\n' "$OUT" >&2
}
