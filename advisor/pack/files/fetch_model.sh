#!/usr/bin/env bash
# Downloads the model on the server itself, from the model hub; start it again after a break, it goes on.
set -euo pipefail

model=@MODEL@
folder=@FOLDER@

if [[ $model == /* ]]; then
  [[ -d $model ]] || { printf 'there is no model in %s\n' "$model" >&2; exit 1; }
  printf 'the model is a folder here: %s\n' "$model"
  exit 0
fi
mkdir -p -- "$folder"
for try in 1 2 3 4 5 6 7 8 9 10; do
  if hf download "$model" --local-dir "$folder"; then
    sums=$(cd -- "$folder" && find . -type f ! -path './.cache/*' ! -name SHA256SUMS -print0 | sort -z | xargs -0 -r sha256sum)
    printf '%s\n' "$sums" >"$folder/SHA256SUMS"
    printf 'the model is in %s\n' "$folder"
    exit 0
  fi
  printf 'broken off (try %s); going on in a minute\n' "$try" >&2
  sleep "${PAUSE:-60}"
done
exit 1
