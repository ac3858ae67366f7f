/* Forces of one's own in files: libraries that `mbopt plugin` makes of a C file and that a run file names (mbd/plugin.h,
 * mbd/user_force.h). A library is code that runs as a part of this program, so none is loaded that the run file does not name. */
#ifndef MBO_PLUGIN_H
#define MBO_PLUGIN_H

#include "mbd/user_force.h"
#include "config/config.h"

/* The force in a library, as long as the program runs: models keep pointers into it. MBD_IO_ERROR: it cannot be loaded; MBD_BAD_INPUT:
 * it has no force, or one that is not whole (mbd_user_force_check). */
mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err);

/* Those of a run file, in its order, in new memory; [] where it names none. A library is loaded when a model refers to it first; then
 * failures name its section of the run file. The list keeps a pointer to the run file. */
mbd_status plugin_list(const mbo_run_config *c, mbo_plugin **out, mbd_error *err);

/* ---- making one ---- */

typedef enum plugin_way { PLUGIN_AUTO, PLUGIN_OWN, PLUGIN_DUAL, PLUGIN_STEP } plugin_way;

typedef struct plugin_request {
  const char *source, *output; /* FILE.c; the library, which takes the place of an earlier one when it is whole */
  plugin_way way; /* AUTO: derivatives of its own, else dual numbers where they can be had, else complex step */
} plugin_request;

typedef struct plugin_result {
  char *warnings; /* what the compiler said of the source; "" nothing. New memory */
  char *
      why; /* AUTO: why there are no dual numbers, as a sentence; NULL: there are, or none were asked for. New memory */
} plugin_result;

/* Compiles, links and loads the library. The C compiler is $CC or cc, the C++ compiler $CXX or c++; headers are those of this program.
 * MBD_UNSUPPORTED: a compiler is missing, with its package; MBD_BAD_INPUT: the source is not accepted, with what the compiler said. */
mbd_status plugin_build(const plugin_request *q, plugin_result *r, mbd_error *err);
void plugin_result_free(plugin_result *r);

/* ---- trying one ---- */

/* What a force does at one state: f, and every derivative against the complex step of the function. */
typedef enum plugin_fault {
  PLUGIN_RIGHT,
  PLUGIN_NOT_FINITE, /* a result is no number */
  PLUGIN_WRITES,     /* it writes beyond its results */
  PLUGIN_DIFFERS,    /* compiled for complex numbers, it has another value: it branches on other than real parts */
  PLUGIN_SLOPE,      /* a derivative in x, xd, coefficients or time is wrong */
  PLUGIN_JUMP        /* the result jumps between two neighbouring states */
} plugin_fault;

typedef struct plugin_finding {
  plugin_fault fault;
  int result; /* of which it is told: 3 a + i of argument a, then the outputs */
  double got, expected;
  char input[96]; /* of a derivative: what it is taken by */
} plugin_finding;

/* The first fault at a state (mbd/user_force.h) with these coefficients. */
plugin_finding plugin_try(const mbd_user_force *u, const double *state, const double *coef);
/* Whether f jumps on the line from one state to another. */
plugin_finding plugin_try_between(const mbd_user_force *u, const double *from, const double *to, const double *coef);

/* As a sentence: "output 'load' is nan, expected a number". */
enum { PLUGIN_TEXT = 400 };
const char *plugin_finding_text(const mbd_user_force *u, const plugin_finding *f, char text[PLUGIN_TEXT]);

#endif
