#!/usr/bin/env bash
# The engines of pages in Node, where scripts/web has built them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
engines="${MBOPT_WEB:-$PWD/build/web}"
command -v node >/dev/null || { echo "skipped: node is missing (Debian: nodejs)"; exit 77; }
[ -e "$engines/live.wasm.gz" ] || { echo "skipped: $engines has no engines (scripts/web builds them)"; exit 77; }
OUT="$(mktemp -d)"
export OUT
trap 'rm -rf "$OUT"' EXIT
node tests/cli/test_web.js "$engines" "$MBOPT" "$PWD"
