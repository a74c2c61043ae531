#!/usr/bin/env bash
# Copies what the run saves to another place, and restores it for a test. Only whole saves are copied.
# Usage: backup.sh copy|restore FOLDER
set -euo pipefail

output=@OUTPUT@
remote=@BUCKET@
[[ -n $remote ]] || remote=${BACKUP_REMOTE:?set BACKUP_REMOTE to an rclone remote with a path, name:bucket/folder}

case ${1:-} in
  copy)
    # A save is whole when nothing in it was written for five minutes.
    rclone copy --checksum --min-age 5m --transfers 8 --retries 10 --retries-sleep 60s "$output" "$remote"
    rclone check --one-way --min-age 5m "$output" "$remote"
    ;;
  restore)
    folder=${2:?name an empty folder to restore into}
    mkdir -p -- "$folder"
    [[ -z $(ls -A -- "$folder") ]] || { printf '%s is not empty\n' "$folder" >&2; exit 2; }
    rclone copy --checksum --transfers 8 --retries 10 --retries-sleep 60s "$remote" "$folder"
    rclone check --one-way "$remote" "$folder" && printf 'restored and the same\n'
    ;;
  *)
    printf 'usage: %s copy|restore FOLDER\n' "$0" >&2
    exit 2
    ;;
esac
