#!/usr/bin/env bash
# The script that a careful administrator would write instead of an agent. openssl makes the digests of the file and of its
# parts in parallel. curl makes the calls of §4.1, §4.2 and §4.3, and sends four parts at a time. The key is in the
# environment, because other users can read the arguments of a process.
# usage: KEY=… upload-script.sh FILE BASE_URL PART_SIZE_IN_MIB SCRATCH_FOLDER
set -euo pipefail
export FILE=$1 MIB=$3 SCRATCH=$4
base=$2
BYTES=$(stat -c %s "$FILE")
parts=$(((BYTES + MIB * 1048576 - 1) / (MIB * 1048576)))
export BYTES

cut_part() { dd if="$FILE" bs=1M skip=$((($1 - 1) * MIB)) count="$MIB" iflag=fullblock status=none; }
hash_part() { cut_part "$1" | openssl dgst -sha256 -binary | base64 >"$SCRATCH/$1.sha256"; }
send_part() {
  local rest=$((BYTES - ($1 - 1) * MIB * 1048576)) size=$((MIB * 1048576))
  [ "$rest" -lt "$size" ] && size=$rest
  cut_part "$1" | curl -sS --fail -o /dev/null -D "$SCRATCH/$1.headers" -T - -H 'Expect:' -H 'Transfer-Encoding:' -H "Content-Length: $size" \
    -H "x-amz-checksum-sha256: $(cat "$SCRATCH/$1.sha256")" "$(sed -n "${1}p" "$SCRATCH/urls")"
}
export -f cut_part hash_part send_part
call() {
  curl -sS --fail -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H "Idempotency-Key: bench-$RANDOM$RANDOM$RANDOM" "$@"
}

openssl dgst -sha256 -r "$FILE" >"$SCRATCH/whole" &
seq 1 "$parts" | xargs -I{} bash -c 'hash_part {}'
wait
sha256=$(cut -c1-64 "$SCRATCH/whole")
call -d "{\"site\":\"bench\",\"filename\":\"$(basename "$FILE")\",\"bytes\":$BYTES,\"sha256\":\"$sha256\",\"part_size\":$((MIB * 1048576))}" \
  "$base/v1/sessions" >"$SCRATCH/session"
session=$(grep -o '"id": *"[^"]*"' "$SCRATCH/session" | head -1 | sed 's/.*"\([^"]*\)"$/\1/')
grep -o '"url": *"[^"]*"' "$SCRATCH/session" | sed 's/^"url": *"\(.*\)"$/\1/' >"$SCRATCH/urls"
seq 1 "$parts" | xargs -P4 -I{} bash -c 'send_part {}'
list=$(for number in $(seq 1 "$parts"); do
  etag=$(grep -i '^etag:' "$SCRATCH/$number.headers" | tr -d '\r' | sed 's/^[^:]*: *//; s/"/\\"/g')
  echo "{\"number\":$number,\"etag\":\"$etag\"}"
done | paste -sd,)
call -o /dev/null -d "{\"parts\":[$list]}" "$base/v1/sessions/$session/complete"
echo "$session"
# `times` writes to a file, because in a pipe it would run in a subshell and count only the children of that subshell.
times >"$SCRATCH/times"
tail -1 "$SCRATCH/times"
