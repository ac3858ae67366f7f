#!/usr/bin/env bash
# docs/theory.md has a row for every equation that a comment cites or that it numbers itself, and every row names functions that are there,
# as scripts/theory sees it; and scripts/theory sees what is wrong. Places of tests/survivors.txt are there, as scripts/mutate sees them.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
check theory scripts/theory
check survivors eval 'scripts/mutate --list >"$dir/out"' # places in sources, too

mkdir -p "$dir/copy/docs"
cp -r scripts lib opt tests bench configs "$dir/copy"
cp docs/theory.md "$dir/copy/docs"
check whole "$dir/copy/scripts/theory"
sed '/^| S3 (14) /d; /^| (5.2) /d; s/`quadrature_add`/`quadrature_subtract`/; s/^## 9. .*//; /^| \*\*S3\*\*/d' docs/theory.md >"$dir/copy/docs/theory.md"
echo 'See `lib/la/dense.c`: `no_such_function`.' >"$dir/copy/docs/other.md"
echo '/* S0 eq. 9a */' >"$dir/copy/lib/la/wrong.c"
check refused eval '! "$dir/copy/scripts/theory" >"$dir/out"'
for text in "docs/theory.md has no row of S3 (14)" "(5.2) has no row in the table" "lib/objective/quadrature.c has no quadrature_subtract" \
  "docs/theory.md has no section 9" "docs/theory.md has no source S3" "docs/other.md:1: lib/la/dense.c has no no_such_function" \
  "lib/la/wrong.c:1: 'S0 eq.': cite as"; do
  check "$text" grep -qF "$text" "$dir/out"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
