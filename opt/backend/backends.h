/* The optimizers, in the order in which they are listed: a new one is its file NAME.c beside this one and one row here. CMake reads the
 * rows, too:
 *   X(NAME, how its library is found, the Debian package that has it)
 * found: "module MODULE" by pkg-config; "library FILE" where it comes without; "loaded MODULE" where NAME.c loads it when it is first
 * needed; "own code" where it needs none, with no package. CMake then has the option MBOPT_NAME, and NAME.c sees MBO_HAVE_NAME, of a
 * module MBO_NAME_VERSION, of one to be loaded MBO_NAME_FILE, with the name in capitals. Without the library it gives only its
 * description. */
#ifndef MBO_BACKENDS_H
#define MBO_BACKENDS_H

#define MBO_BACKENDS(X)                           \
  X(ipopt, "loaded ipopt", "coinor-libipopt-dev") \
  X(nlopt, "module nlopt", "libnlopt-dev")        \
  X(lbfgsb, "library lbfgsb", "liblbfgsb-dev")    \
  X(levenberg_marquardt, "own code", "")          \
  X(command, "own code", "")

#endif
