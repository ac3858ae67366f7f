/* Users' forces in files: libraries that `mbopt plugin` makes from a C file and that a run file names (mbd/plugin.h, mbd/user_force.h).
 * The code of a library runs as a part of this program, so only libraries that the run file names are loaded. */
#ifndef MBO_PLUGIN_H
#define MBO_PLUGIN_H

#include "mbd/user_force.h"
#include "config/config.h"

/* Returns the force of a library, which stays valid until the program ends, since models keep pointers to it. MBD_IO_ERROR: the library
 * cannot be loaded; MBD_BAD_INPUT: it has no force, or an incomplete one (mbd_user_force_check). */
mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err);

/* The forces of a run file, in its order, in new memory; an empty list if it names none. A library is loaded when a model refers to it
 * for the first time; failures then name its section of the run file. The list keeps a pointer to the run file. */
mbd_status plugin_list(const mbo_run_config *c, mbo_plugin **out, mbd_error *err);

/* ---- building ---- */

typedef enum plugin_way { PLUGIN_AUTO, PLUGIN_OWN, PLUGIN_DUAL, PLUGIN_STEP } plugin_way;

typedef struct plugin_request {
  const char *source, *output; /* FILE.c; the library, which replaces an earlier one once it is complete */
  plugin_way
      way; /* AUTO: derivatives that the file provides, else dual numbers if the compiler supports them, else complex step */
} plugin_request;

typedef struct plugin_result {
  char *warnings; /* warnings of the compiler; "": none. New memory */
  char *
      why; /* AUTO: why there are no dual numbers, as a sentence; NULL: there are, or they were not requested. New memory */
} plugin_result;

/* Compiles, links and loads the library. The C compiler is $CC or cc, the C++ compiler $CXX or c++; headers are those of this program.
 * MBD_UNSUPPORTED: a compiler is missing, with its package; MBD_BAD_INPUT: the compiler rejects the source, with its message. */
mbd_status plugin_build(const plugin_request *q, plugin_result *result, mbd_error *err);
void plugin_result_free(plugin_result *result);

/* ---- testing ---- */

/* Tests a force at one state: its values, and every derivative against the complex step of the function. */
typedef enum plugin_fault {
  PLUGIN_RIGHT,
  PLUGIN_NOT_FINITE, /* a result is not finite */
  PLUGIN_WRITES,     /* it writes outside of its results */
  PLUGIN_DIFFERS, /* the build for complex numbers returns another value, since a branch depends on more than real parts */
  PLUGIN_SLOPE, /* a derivative in x, xd, coefficients or time is wrong */
  PLUGIN_JUMP   /* the result is discontinuous between two neighbouring states */
} plugin_fault;

typedef struct plugin_finding {
  plugin_fault fault;
  int result; /* the faulty result: 3 a + i of argument a, then the outputs */
  double got, expected;
  char input[96]; /* of a derivative: the input in which it is taken */
} plugin_finding;

/* The first fault at a state (mbd/user_force.h) with these coefficients. */
plugin_finding plugin_try(const mbd_user_force *u, const double *state, const double *coef);
/* Tests whether f is continuous on the line from one state to another. */
plugin_finding plugin_try_between(const mbd_user_force *u, const double *from, const double *to, const double *coef);

/* Writes a finding as a sentence: "output 'load' is nan, expected a number". */
enum { PLUGIN_TEXT = 400 };
const char *plugin_finding_text(const mbd_user_force *u, const plugin_finding *f, char text[PLUGIN_TEXT]);

#endif
