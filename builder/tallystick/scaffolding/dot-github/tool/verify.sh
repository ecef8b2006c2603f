#!/usr/bin/env bash
# Repeat every frozen table of a board from the reports that it names: verify.sh BOARD
set -uo pipefail
shopt -s nullglob
tables=("$1"/results/*/frozen/*.json)
token=$(python3 -I -c 'import secrets; print(secrets.token_hex(16))')
failed=0
printf '::stop-commands::%s\n' "$token"
for table in "${tables[@]}"; do
  tallystick verify --root "$1" "$table" 2>&1 || failed=$((failed + 1))
done
printf '\n::%s::\n' "$token"
echo "${#tables[@]} frozen tables, $failed that could not be repeated" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
if [ "$failed" -gt 0 ]; then
  echo "::error::$failed frozen tables could not be repeated: the log says which."
  exit 1
fi
