#!/usr/bin/env bash
# The folders of lib/ and opt/ include and call downwards only (docs/architecture.md), as scripts/house sees them; and scripts/house
# sees an arrow that points up, one that must never be, a circle, names that are retired, a room too few and one too many.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
check plan scripts/house --objects "$(dirname "$MBOPT")"
if command -v dot >/dev/null; then
  check draws scripts/house "$dir/house.svg"
  check drawn grep -q '>lib/formulation<' "$dir/house.svg"
fi

# A copy in which that is broken.
mkdir -p "$dir/copy/docs"
cp -r scripts lib opt "$dir/copy"
cp docs/architecture.md "$dir/copy/docs"
printf '#include "kinematics/sweep.h"\n#include "nowhere.h"\n' >"$dir/copy/lib/model/wrong.c"
printf '/* late */ int late_value(int wanted);\nvoid f(mbd_body *q);\n' >"$dir/copy/lib/model/words.c"
echo '#include "la/circle_b.h"' >"$dir/copy/lib/la/circle_a.h"
echo '#include "la/circle_a.h"' >"$dir/copy/lib/la/circle_b.h"
mkdir "$dir/copy/lib/annexe"
echo 'int nothing;' >"$dir/copy/lib/annexe/wrong.c"
rm -r "$dir/copy/opt/study"
check refused eval '! "$dir/copy/scripts/house" >"$dir/out"'
complains() { # NAME TEXT...: each stands in what scripts/house says of the copy
  local name="$1" text
  shift
  for text; do check "$name" grep -qF "$text" "$dir/out"; done
}
complains up "lib/model -> lib/kinematics points up" "lib/model/wrong.c:1: includes kinematics/sweep.h" "the compiled model knows no sweeps"
complains words "lib/model/words.c:1: late_value: the word is history" "lib/model/words.c:1: wanted: the word is request" "lib/model/words.c:2: *q of mbd_body"
complains nowhere "lib/model/wrong.c:2: nowhere.h is not there"
complains circle "headers in a circle: lib/la/circle_a.h -> lib/la/circle_b.h -> lib/la/circle_a.h"
complains room_too_few "lib/annexe/wrong.c:1: docs/architecture.md has no room for its folder"
complains room_too_many "docs/architecture.md: no file lies in opt/study/"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
