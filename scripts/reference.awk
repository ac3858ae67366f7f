# Comments of C as Doxygen wants them: at the top of a file, above what they tell about, or behind it. One comment tells about all
# declarations that follow it without an empty line; each gets it.
FNR == 1 && /^\/\*/ { sub(/^\/\*/, "/** @file\n *") }
/^ *\/\* ?[^-]/ { sub(/\/\* /, "/** "); above = ""; inside = 1 }
/[;,{(] *\/\* / { sub(/\/\* /, "/**< ") }
inside { above = above $0 "\n"; if (/\*\//) inside = 0; fresh = 1; print; next }
/^$/ { above = "" }
/^[a-z].*\(/ && !/^typedef/ && above != "" && !fresh { printf "%s", above }
/[;{]/ { fresh = 0 }
{ print }
