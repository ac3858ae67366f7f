# Writes OUT, a header that gives every name that the OBJECTS define the prefix complex_: where libraries cannot hide their names (WebAssembly), the
# referee is compiled with it, so that both builds of lib/ live in one program.
execute_process(COMMAND ${NM} --defined-only --extern-only --format=just-symbols ${OBJECTS} OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z][A-Za-z0-9_]*\n" names "${names}")
list(REMOVE_DUPLICATES names)
list(SORT names)
list(TRANSFORM names STRIP)
set(text "")
foreach(name ${names})
  string(APPEND text "#define ${name} complex_${name}\n")
endforeach()
file(WRITE ${OUT} "${text}")
