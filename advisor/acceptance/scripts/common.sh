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

# Milliseconds; where date knows no parts of a second (macOS), whole ones.
now_ms() {
  ns=$(date +%s%N)
  case $ns in
  *N) echo $((${ns%N} * 1000)) ;;
  *) echo $((ns / 1000000)) ;;
  esac
}

# limited SECONDS COMMAND...: with a time limit where the machine has one.
limited() {
  limit=$1
  shift
  if have timeout; then timeout "$limit" "$@"; else "$@"; fi
}

# tries NAME COUNT COMMAND...: the same command so many times; how many failed and how long each took.
tries() {
  name=$1 count=$2
  shift 2
  printf 'running  %s (%s times)\n' "$name" "$count" >&2
  {
    printf 'tries of %s: %s planned\n' "$name" "$count"
    good=0 bad=0 at=0
    while [ "$at" -lt "$count" ]; do
      at=$((at + 1))
      begun=$(now_ms)
      if "$@" >/dev/null 2>&1 </dev/null; then how=ok good=$((good + 1)); else how=failed bad=$((bad + 1)); fi
      took=$(($(now_ms) - begun))
      printf 'try %s %s %s.%03d s\n' "$at" "$how" $((took / 1000)) $((took % 1000))
    done
    printf 'tries done: %s ok, %s failed\n' "$good" "$bad"
  } >"$OUT/$name.txt"
  note "$name" "$(tail -n 1 "$OUT/$name.txt")"
}

window() {
  hour=$(TZ=UTC-8 date +%H)
  case $hour in
  20 | 21 | 22) echo peak ;;
  *) echo off-peak ;;
  esac
}

# The first line that a tool says of its version; some know only -V or -v.
version() {
  for flag in --version -V -v version; do
    if have timeout; then said=$(timeout 5 "$1" "$flag" 2>&1 </dev/null | head -n 1); else said=$("$1" "$flag" 2>&1 </dev/null | head -n 1); fi
    case $said in
    *[0-9].[0-9]* | *[0-9][0-9][0-9]*) printf '%s' "$said" && return 0 ;;
    esac
  done
  command -v "$1"
}

# The carrier becomes part of file names.
check_carrier() {
  case $CARRIER in
  "" | *[!A-Za-z0-9_-]*)
    echo "HKGPU_CARRIER must be letters, digits, _ or -" >&2
    exit 2
    ;;
  esac
}

begin() {
  note host "$(uname -n)"
  note system "$(uname -srm)"
  note place "$PLACE"
  note begun "$(date +%Y-%m-%dT%H:%M:%S%z)"
  note window "$(window) (peak is 20:00 to 23:00 UTC+8)"
  note zone "$(date +%Z) $(cat /etc/timezone 2>/dev/null || true)"
  for tool in bash nvidia-smi rocm-smi npu-smi dcgmi fio iperf3 mtr traceroute ping curl docker nvidia-ctk git smartctl nvme mdadm iostat; do
    if have "$tool"; then note "tool $tool" "$(version "$tool")"; fi
  done
}

finish() {
  note ended "$(date +%Y-%m-%dT%H:%M:%S%z)"
  if have tar && tar -czf "$OUT.tar.gz" -C "$(dirname "$OUT")" "$(basename "$OUT")"; then
    printf 'packed   %s\n' "$OUT.tar.gz" >&2
  fi
  printf 'judge it with: hkgpu judge %s\n' "$OUT" >&2
}
