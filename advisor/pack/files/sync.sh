#!/usr/bin/env bash
# Copies the data to the server; start it again after a break, it goes on where it stopped.
# Usage: sync.sh push|pull|check    push: data there; pull: results back; check: compare the hashes on the server
set -uo pipefail

source=@SOURCE@
target=@TARGET@
user=@USER@
port=@PORT@
there=@THERE@
output=@OUTPUT@
back=${BACK:-./results}

[[ -n $source ]] || source=${SOURCE_DIR:?set SOURCE_DIR to the folder that holds the data}
[[ -n $target ]] || target=${TARGET:?set TARGET to the address of the server}

# An IPv6 address stands in brackets where a path follows it.
host=$target
[[ $target != *:* ]] || host="[$target]"
ssh=(ssh -p "$port" -o ServerAliveInterval=15 -o ServerAliveCountMax=8)
copy() {
  # --partial keeps half a file, and the next try sends only what is missing of it; ten tries, a minute apart.
  # No --append: it would pass over a file that changed without growing.
  local try
  for try in 1 2 3 4 5 6 7 8 9 10; do
    rsync -a -s --partial --no-whole-file --info=progress2 -e "${ssh[*]}" "$@" && return 0
    printf 'broken off (try %s); going on in a minute\n' "$try" >&2
    sleep "${PAUSE:-60}"
  done
  return 1
}

case ${1:-} in
  push)
    sums=$(cd "$source" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 -r sha256sum) || exit 1
    printf '%s\n' "$sums" >"$source/SHA256SUMS" || exit 1
    "${ssh[@]}" "$user@$target" "mkdir -p -- $(printf '%q' "$there")" || exit 1
    copy "$source/" "$user@$host:$there/" && exec "$0" check
    ;;
  pull)
    mkdir -p -- "$back" && copy "$user@$host:$output/" "$back/"
    ;;
  check)
    "${ssh[@]}" "$user@$target" "cd -- $(printf '%q' "$there") && sha256sum --check --quiet SHA256SUMS" && printf 'every file is the same\n'
    ;;
  *)
    printf 'usage: %s push|pull|check\n' "$0" >&2
    exit 2
    ;;
esac
