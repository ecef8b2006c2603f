#!/usr/bin/env bash
# Check the reports of a board in a workflow: check.sh BOARD [BASE]
#
# Problems become annotations and a job summary. A report counts only if it is not refused in BASE for the same reasons,
# so that what stands on the audit page already does not fail the next pull request. Where both are git checkouts, the
# rules of pull requests are held, too, and the summary says where each added report would stand. Nothing else is printed
# where the runner looks for commands: names in reports are strangers' text.
set -uo pipefail
board=$1
base=${2-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Name the commit of BASE to git in BOARD, and say whether BOARD comes from it; checkouts of one commit are enough.
parted() {
  [ -e "$base/.git" ] && [ -e "$board/.git" ] || return 1
  commit=$(git -C "$base" rev-parse --verify --quiet HEAD) || return 1
  git -C "$board" cat-file -e "$commit^{commit}" ||
    git -C "$board" fetch --quiet --no-tags --depth=1 "file://$(cd "$base" && pwd)" HEAD || return 1
  git -C "$board" cat-file commit HEAD | grep -qx "parent $commit" || git -C "$board" merge-base HEAD "$commit"
}

known=()
if [ -n "$base" ] && parted >/dev/null 2>&1; then
  known=(--base "$commit")
elif [ -n "$base" ]; then
  tallystick check --root "$base" --format json >"$work/known.json" 2>/dev/null
  if [ $? -le 1 ]; then known=(--known "$work/known.json"); fi
fi
tallystick check --root "$board" "${known[@]}" --format github --summary "$work/summary.md" \
  >"$work/annotations" 2>"$work/errors"
status=$?

cat "$work/annotations"
if [ -s "$work/errors" ]; then
  token=$(python3 -I -c 'import secrets; print(secrets.token_hex(16))')
  printf '::stop-commands::%s\n' "$token"
  cat "$work/errors"
  printf '\n::%s::\n' "$token"
fi
if [ -s "$work/summary.md" ]; then
  cat "$work/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
if [ "$status" -gt 1 ]; then echo "::error::The board could not be checked: the log says why."; fi
exit "$status"
