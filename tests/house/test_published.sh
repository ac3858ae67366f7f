#!/usr/bin/env bash
# docs/published.md is what scripts/published makes of the sources' numbers and of this program: counts of models and digits of S0 Table 7.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
command -v python3 >/dev/null || { echo "skipped: Python is missing"; exit 77; }
check page scripts/published --check
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
