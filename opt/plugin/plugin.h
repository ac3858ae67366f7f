/* Users' forces in files: libraries that `mbopt plugin` makes from a C file and that a run file names (mbd/plugin.h, mbd/user_force.h).
 * The code of a library runs as a part of this program with all rights of the user, and run files come from others. So a library is read
 * first: its last bytes describe its tables (description.c), from which the model is made. It is loaded where forces are computed, and
 * only if `mbopt plugin` of this user has built that very file (built.c) or the caller allows all (plugin_allow). */
#ifndef MBO_PLUGIN_H
#define MBO_PLUGIN_H

#include <jansson.h>
#include <stdatomic.h>

#include "mbd/user_force.h"
#include "config/config.h"
#include "files/text_file.h"

enum { PLUGIN_MIB = 64 }; /* [MiB] largest library */

/* ---- loading ---- */

/* Loads a library, whoever has made it, and returns its force, which stays valid until the program ends. MBD_IO_ERROR: the library
 * cannot be loaded; MBD_BAD_INPUT: it has no force, or an incomplete one (mbd_user_force_check). */
mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err);

/* The forces of a run file, in its order, in new memory; an empty list if it names none. The description of a library is read when a model
 * refers to it for the first time; failures then name its section of the run file. The list keeps a pointer to the run file, and models
 * keep pointers to the list. */
mbd_status plugin_list(const mbo_run_config *c, mbo_plugin **out, mbd_error *err);
void plugin_list_free(mbo_plugin *list, int n);

/* A copy of the list that keeps its forces once it is freed itself, for models that stay; NULL: no memory. */
mbo_plugin *plugin_list_keep(const mbo_plugin *list, int n);

/* Loads the libraries to which models refer, as far as they are not: to be called before forces are computed. MBD_UNSUPPORTED: one may not be
 * loaded; errors of plugin_load; MBD_BAD_INPUT: its tables are not those of its description. */
mbd_status plugin_list_open(mbo_plugin *list, int n, mbd_error *err);

/* Of the whole process: 1 allows all libraries that run files name; and a function that is called before a library is loaded, every time
 * that a list opens it. path: as the run file has it. */
typedef void plugin_teller(const char *name, const mbd_user_force *u, const char *path);
void plugin_allow(int allow);
void plugin_tell(plugin_teller *tell);

/* ---- descriptions ---- */

typedef struct plugin_description {
  mbd_user_force force; /* its functions are those of the library once this is open; before, there are none */
  int open;
  atomic_int lists; /* that have it */
  json_t *json;     /* has the texts of the tables */
  char *text;
} plugin_description;

/* Appends the description of its force to a library. */
mbd_status description_append(const char *library, const mbd_user_force *u, mbd_error *err);
/* Reads the description at the end of a library. MBD_BAD_INPUT: there is none, or the force is incomplete (mbd_user_force_check). */
mbd_status description_read(const text_file *library, plugin_description **out, mbd_error *err);
/* Takes the functions of the force that was loaded. MBD_BAD_INPUT: its tables are others than those of the description. */
mbd_status description_take(plugin_description *d, const mbd_user_force *u, mbd_error *err);
void description_free(plugin_description *d); /* for one list; NULL: nothing */

/* ---- what this user has built ---- */

/* Keeps a copy of a library as one that this user has built. MBD_UNSUPPORTED: there is no folder of settings, or others can write to it. */
mbd_status built_record(const char *path, mbd_error *err);
/* Finds the copy that has all bytes of the library, its path in new memory. MBD_UNSUPPORTED: there is none, with the reason. */
mbd_status built_find(const text_file *library, char **copy, mbd_error *err);

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
  char *
      not_recorded; /* why no copy of it is kept, so that it is loaded only where all are allowed; NULL: one is. New memory */
} plugin_result;

/* Compiles, links and loads the library, appends its description, and keeps a copy as one that this user has built. The C compiler is $CC or cc, the C++ compiler $CXX or c++; headers are those of this program.
 * MBD_UNSUPPORTED: a compiler is missing, with its package; MBD_BAD_INPUT: the compiler rejects the source, with its message. */
mbd_status plugin_build(const plugin_request *plugin, plugin_result *result, mbd_error *err);
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
