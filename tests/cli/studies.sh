# shellcheck shell=bash
# What tests of studies share; sourced after common.sh.
# shellcheck disable=SC2154

# A run file $dir/NAME.ini on the five-bar linkage, with more sections from standard input.
study_file() { # NAME DURATION
  sed "s|^file = .*|file = $PWD/problems/five_bar/five_bar.ini|; s/^duration = .*/duration = $2/" configs/five_bar.ini >"$dir/$1.ini"
  cat >>"$dir/$1.ini"
}

# The same of a sweep: gradients on a grid of its two lengths, A by B; further lines of [sweep] and sections from standard input.
grid_file() { # NAME DURATION A B
  study_file "$1" "$2" < <(printf '[sweep]\ntask = gradient\nvary.Ls1 = 1 to 3 in %d\nvary.Ls2 = 1 to 3 in %d\n' "$3" "$4"; cat)
}

# The lines of runs in the segments of a study; the last one of a run; how many runs have none or failed; and segments as if a run had not been done.
lines_of_runs() { cat "$1"/runs/*.jsonl 2>/dev/null | grep '^{"run":'; } # FOLDER
record() { lines_of_runs "$1" | grep "^{\"run\":$2," | tail -n 1; }   # FOLDER RUN
failures() { lines_of_runs "$1" | grep -c '"state":"failed"'; }        # FOLDER
forget() { sed -i "/^{\"run\":$2,/d" "$1"/runs/*.jsonl; }              # FOLDER RUN

json_of() { "$MBOPT" status "$1" --json | tr -d ' \n'; }

# The table of a study but for its last columns, seconds and error.
without_times() { sed 's/,[^,]*,[^,]*$//' "$1/table.csv"; }
same_tables() { [ -s "$1/table.csv" ] && cmp -s <(without_times "$1") <(without_times "$2"); }
