#!/usr/bin/env bash
# docs/theory.md has a row for every equation that a comment cites or that it numbers itself, and every row names functions that are there,
# as scripts/theory sees it; and scripts/theory sees what is wrong.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
check theory scripts/theory

mkdir -p "$dir/copy/docs"
cp -r scripts lib opt tests bench configs "$dir/copy"
complains() { # TEXT
  "$dir/copy/scripts/theory" >"$dir/out" && return 1
  grep -qF "$1" "$dir/out"
}
wrong() { # SED: the page, changed
  sed "$1" docs/theory.md >"$dir/copy/docs/theory.md"
}
wrong '/^| S3 (14) /d'
check no_row complains "docs/theory.md has no row of S3 (14)"
wrong '/^| (5.2) /d'
check no_row_of_the_page complains "(5.2) has no row in the table"
wrong 's/`quadrature_add`/`quadrature_subtract`/'
check no_function complains "lib/objective/quadrature.c has no quadrature_subtract"
wrong 's/^## 9. .*//'
check no_section complains "docs/theory.md has no section 9"
wrong '/^| \*\*S3\*\*/d'
check no_source complains "docs/theory.md has no source S3"
wrong ''
check whole "$dir/copy/scripts/theory"
echo 'See `lib/la/dense.c`: `no_such_function`.' >"$dir/copy/docs/other.md"
check other_page complains "docs/other.md:1: lib/la/dense.c has no no_such_function"
rm "$dir/copy/docs/other.md"
echo '/* S0 eq. 9a */' >"$dir/copy/lib/la/wrong.c"
check other_spelling complains "lib/la/wrong.c:1: 'S0 eq.': cite as"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
