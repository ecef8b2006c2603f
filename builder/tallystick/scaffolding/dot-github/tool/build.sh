#!/usr/bin/env bash
# Verify every report and build the site in a workflow: build.sh BOARD OUT [BASE_URL]
#
# Refused reports stand on the audit pages and stop nothing. While the program speaks, the runner takes no commands: it
# prints names from reports, and those are strangers' text.
set -uo pipefail
options=(--root "$1" --out "$2")
if [ -n "${3-}" ]; then options+=(--base-url "$3"); fi
token=$(python3 -I -c 'import secrets; print(secrets.token_hex(16))')
printf '::stop-commands::%s\n' "$token"
tallystick build "${options[@]}" 2>&1
status=$?
printf '\n::%s::\n' "$token"
if [ "$status" -ne 0 ]; then echo "::error::The site could not be built: the log says why."; fi
exit "$status"
