/* `mbopt plugin FILE.c`: compiles the file for every scalar type of mbd/plugin.h and links the objects into one library.
 *
 *   double            the description and f
 *   double complex    f, for complex steps; also the derivatives that the file provides
 *   dual numbers      by the C++ compiler: slopes (as many directions as the force has inputs), derivatives along one direction of
 *                     coefficients, each over double and over complex numbers, for second derivatives
 *
 * All files are made in a temporary folder, with the headers of this program; the library is moved to its path at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/memory.h"
#include "files/atomic_file.h"
#include "files/command.h"
#include "plugin/headers.h"
#include "plugin/plugin.h"

enum { DIRECTIONS_MAX = 16 }; /* of dual numbers; a force with more inputs is evaluated several times */

typedef enum part {
  PART_REAL,
  PART_COMPLEX,
  PART_SLOPES,
  PART_SLOPES_COMPLEX,
  PART_ALONG,
  PART_ALONG_COMPLEX,
  PARTS,
  FIRST_DUAL = PART_SLOPES
} part;

static const char *const object_names[PARTS] = {"real.o",           "complex.o", "slopes.o",
                                                "slopes_complex.o", "along.o",   "along_complex.o"};

typedef struct workshop {
  const plugin_request *plugin;
  char folder[64];
  char *include;       /* the compiler's option for the folder of its headers */
  char *object[PARTS]; /* paths */
  char *trial; /* the library while it is tested, under another name since the loader identifies a file by its name */
  char *library;
} workshop;

/* ---- the folder ---- */

static mbd_status write_text(const char *folder, const char *name, const char *text, mbd_error *err) {
  char *path = path_in(folder, name);
  MEMORY_TRY(path, err, "the headers");
  FILE *out = fopen(path, "we");
  int error = out ? 0 : errno;
  if (out && fputs(text, out) < 0) { error = errno; }
  if (out && fclose(out) != 0 && !error) { error = errno; }
  const mbd_status status =
      error ? MBD_FAILED(err, io_status(error), "cannot write %s: %s", path, strerror(error)) : MBD_OK;
  free(path);
  return status;
}

static mbd_status write_headers(const workshop *w, mbd_error *err) {
  const struct {
    const char *name, *text;
  } headers[] = {{"mbd/element.h", plugin_header_element_h},
                 {"mbd/plugin.h", plugin_header_plugin_h},
                 {"mbd/status.h", plugin_header_status_h},
                 {"mbd/user_force.h", plugin_header_user_force_h}};
  char *folder = path_in(w->folder, "mbd");
  mbd_status status = make_folder(folder, err);
  free(folder);
  for (size_t i = 0; i < sizeof headers / sizeof headers[0] && status == MBD_OK; i++) {
    status = write_text(w->folder, headers[i].name, headers[i].text, err);
  }
  return status;
}

static mbd_status open_workshop(workshop *w, mbd_error *err) {
  const char *tmp = getenv("TMPDIR");
  snprintf(w->folder, sizeof w->folder, "%s/mbopt_plugin_XXXXXX", tmp && *tmp && strlen(tmp) < 32 ? tmp : "/tmp");
  if (!mkdtemp(w->folder)) {
    const int error = errno;
    w->folder[0] = '\0';
    MBD_FAIL(err, io_status(error), "a temporary folder cannot be made: %s", strerror(error));
  }
  const long lost = mbd_memory_lost();
  w->include = mbd_sprintf_dup("-I%s", w->folder);
  w->trial = path_in(w->folder, "trial.so"), w->library = path_in(w->folder, "library.so");
  for (int i = 0; i < PARTS; i++) { w->object[i] = path_in(w->folder, object_names[i]); }
  MBD_TRY(MEMORY_SINCE(lost, err, "the plugin"));
  return write_headers(w, err);
}

static void remove_in(const workshop *w, const char *name) {
  char *path = path_in(w->folder, name);
  if (path) { remove(path); }
  free(path);
}

static void close_workshop(workshop *w) {
  static const char *const names[] = {"mbd/element.h", "mbd/plugin.h", "mbd/status.h", "mbd/user_force.h",
                                      "mbd",           "trial.so",     "library.so"};
  if (w->folder[0]) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { remove_in(w, names[i]); }
    for (int i = 0; i < PARTS; i++) { remove_in(w, object_names[i]); }
    remove(w->folder);
  }
  for (int i = 0; i < PARTS; i++) { free(w->object[i]); }
  free(w->include), free(w->trial), free(w->library);
}

/* ---- compilers ---- */

enum { ARGUMENTS_MAX = 40 };

typedef struct command_line {
  const char *argv[ARGUMENTS_MAX];
  int n;
  char *words; /* words of the compiler's own name, which may include options */
} command_line;

static void add(command_line *c, const char *argument) {
  if (c->n < ARGUMENTS_MAX - 1) { c->argv[c->n++] = argument; }
}

static mbd_status begin(command_line *c, const char *variable, const char *dflt, mbd_error *err) {
  const char *own = getenv(variable);
  char *rest;
  *c = (command_line){.words = mbd_strdup(own && *own ? own : dflt)};
  MEMORY_TRY(c->words, err, "a command");
  for (char *word = strtok_r(c->words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) { add(c, word); }
  if (c->n == 0) { add(c, dflt); }
  return MBD_OK;
}

static mbd_status run(command_line *c, const char *package, command_result *r, mbd_error *err) {
  const mbd_status status = command_run(c->argv, NULL, package, r, err);
  free(c->words);
  return status;
}

/* Fails with the line of the compiler's first error. */
static mbd_status refused(const workshop *w, const char *what, const command_result *r, mbd_error *err) {
  const char *error = strstr(r->text, "error:");
  const char *line = error ? error : r->text;
  while (line > r->text && line[-1] != '\n') { line--; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s is not accepted %s: %.*s", w->plugin->source, what, (int)strcspn(line, "\n"), line);
}

/* Fails with the first line of the linker that is not a heading, which has the reason; the last line is that of the
 * compiler that called the linker. */
static mbd_status not_linked(const workshop *w, const command_result *r, mbd_error *err) {
  const char *line = r->text;
  size_t length = strcspn(line, "\n");
  while (length > 0 && line[length - 1] == ':' && line[length]) {
    line += length + 1;
    length = strcspn(line, "\n");
  }
  MBD_FAIL(
      err, MBD_BAD_INPUT,
      "%s is not accepted by the linker: %.*s; the file is compiled several times, so its functions and tables are "
      "expected to be static",
      w->plugin->source, (int)length, line);
}

/* Adds the definitions that distinguish the parts; directions: of dual numbers. */
static void add_part(command_line *c, part of, const workshop *w, const char *directions) {
  const int dual = of >= FIRST_DUAL, along = of == PART_ALONG || of == PART_ALONG_COMPLEX;
  if (of == PART_COMPLEX || of == PART_SLOPES_COMPLEX || of == PART_ALONG_COMPLEX) { add(c, "-DMBD_PLUGIN_COMPLEX"); }
  if (dual) { add(c, along ? "-DMBD_PLUGIN_DUAL=1" : directions); }
  if (along) { add(c, "-DMBD_PLUGIN_ALONG"); }
  if (w->plugin->way == PLUGIN_DUAL || w->plugin->way == PLUGIN_STEP) { add(c, "-DMBD_PLUGIN_NOT_OWN"); }
}

/* Compiles one part. On failure the error has the compiler's message; on success *warnings has those of the first part. */
static mbd_status compile(const workshop *w, part of, int ndirection, char **warnings, mbd_error *err) {
  static const char *const what[PARTS] = {"as C", "as C with complex numbers", "as C++", "as C++", "as C++", "as C++"};
  const int dual = of >= FIRST_DUAL;
  command_line c;
  command_result r;
  char directions[32];
  snprintf(directions, sizeof directions, "-DMBD_PLUGIN_DUAL=%d", ndirection);
  MBD_TRY(dual ? begin(&c, "CXX", "c++", err) : begin(&c, "CC", "cc", err));
  if (dual) { add(&c, "-x"), add(&c, "c++"); }
  add(&c, dual ? "-std=gnu++11" : "-std=gnu11");
  /* Dual numbers over complex ones take the longest to compile and are rarely called: second derivatives and checks use them. */
  add(&c, of == PART_SLOPES_COMPLEX || of == PART_ALONG_COMPLEX ? "-O1" : "-O2");
  add(&c, "-fPIC"), add(&c, "-fvisibility=hidden"), add(&c, "-fno-math-errno");
  add(&c, "-fno-trapping-math");
  if (dual) { add(&c, "-fno-exceptions"), add(&c, "-fno-rtti"); }
  if (of == PART_REAL) {
    add(&c, "-Wall"), add(&c, "-Wextra");
  } else {
    add(&c, "-w");
  }
  add_part(&c, of, w, directions);
  add(&c, w->include), add(&c, "-c"), add(&c, w->plugin->source), add(&c, "-o"), add(&c, w->object[of]);
  MBD_TRY(run(&c, dual ? "g++" : "gcc", &r, err));
  mbd_status status = r.code == 0 ? MBD_OK : refused(w, what[of], &r, err);
  if (status == MBD_OK && of == PART_REAL) {
    *warnings = mbd_strdup(r.text);
    if (!*warnings) { status = MEMORY_NONE(err, "what the compiler says"); }
  }
  command_result_destroy(&r);
  return status;
}

static mbd_status link_parts(const workshop *w, int last, const char *out, mbd_error *err) {
  command_line c;
  command_result r;
  MBD_TRY(begin(&c, "CC", "cc", err));
  add(&c, "-shared"), add(&c, "-o"), add(&c, out);
  for (int i = 0; i <= last; i++) { add(&c, w->object[i]); }
  add(&c, "-lm");
  MBD_TRY(run(&c, "gcc", &r, err));
  const mbd_status status = r.code == 0 ? MBD_OK : not_linked(w, &r, err);
  command_result_destroy(&r);
  return status;
}

/* ---- the library ---- */

/* Compiles the parts of dual numbers, with so many directions per evaluation that all evaluations have about the same number. */
static mbd_status compile_dual(const workshop *w, const mbd_user_force *u, mbd_error *err) {
  int ninput = 0; /* arguments and rates of the force, in which its derivatives are taken */
  for (int i = 0; i < 6 * u->narg; i++) { ninput += mbd_user_force_is_number(u, i); }
  const int turns = (ninput + DIRECTIONS_MAX - 1) / DIRECTIONS_MAX; /* a force has an argument, which has a number */
  /* cppcheck-suppress zerodiv */
  for (part of = FIRST_DUAL; of < PARTS; of++) { MBD_TRY(compile(w, of, (ninput + turns - 1) / turns, NULL, err)); }
  return MBD_OK;
}

/* Compiles the parts of the library; *last is the last one of them. */
static mbd_status make_parts(const workshop *w, plugin_result *result, int *last, mbd_error *err) {
  const mbd_user_force *u;
  mbd_error why = {0};
  /* The real and the complex part, which every library has, and a trial library for the tables of the force. */
  MBD_TRY(compile(w, PART_REAL, 0, &result->warnings, err));
  MBD_TRY(compile(w, PART_COMPLEX, 0, NULL, err));
  MBD_TRY(link_parts(w, PART_COMPLEX, w->trial, err));
  MBD_TRY(mbd_locate(err, plugin_load(w->trial, &u, err), "%s: ", w->plugin->source));
  *last = PART_COMPLEX;
  /* With derivatives that the file provides, and with complex steps, no further part is needed. */
  if (w->plugin->way == PLUGIN_OWN && !u->own) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s has no derivatives of its own; expected MBD_USER_FORCE_OWN at its end",
             w->plugin->source);
  }
  if (w->plugin->way == PLUGIN_STEP || u->own) { return MBD_OK; }
  /* With PLUGIN_AUTO complex steps replace dual numbers that cannot be compiled; the reason is kept. */
  const mbd_status status = compile_dual(w, u, &why);
  if (status == MBD_OK) { *last = PARTS - 1; }
  if (status == MBD_OK || (w->plugin->way == PLUGIN_AUTO && (status == MBD_UNSUPPORTED || status == MBD_BAD_INPUT))) {
    result->why = status == MBD_OK ? NULL : mbd_strdup(why.text);
    return status == MBD_OK || result->why ? MBD_OK : MEMORY_NONE(err, "the plugin");
  }
  if (err) { *err = why; }
  return status;
}

static mbd_status build(workshop *w, plugin_result *result, mbd_error *err) {
  const mbd_user_force *u;
  int last;
  MBD_TRY(open_workshop(w, err));
  MBD_TRY(make_parts(w, result, &last, err));
  MBD_TRY(link_parts(w, last, w->library, err));
  MBD_TRY(mbd_locate(err, plugin_load(w->library, &u, err), "%s: ", w->plugin->source));
  MBD_TRY(description_append(w->library, u, err));
  mbd_error why = {0};
  const mbd_status status = built_record(w->library, &why);
  if (status != MBD_OK) { result->not_recorded = mbd_strdup(why.text); }
  if (status == MBD_NO_MEMORY || (status != MBD_OK && !result->not_recorded)) { return MEMORY_NONE(err, "the plugin"); }
  return copy_file(w->library, w->plugin->output, err);
}

mbd_status plugin_build(const plugin_request *plugin, plugin_result *result, mbd_error *err) {
  workshop w = {.plugin = plugin};
  *result = (plugin_result){0};
  if (access(plugin->source, R_OK) != 0) {
    MBD_FAIL(err, io_status(errno), "cannot read %s: %s", plugin->source, strerror(errno));
  }
  const mbd_status status = build(&w, result, err);
  close_workshop(&w);
  if (status != MBD_OK) { plugin_result_free(result); }
  return status;
}

void plugin_result_free(plugin_result *result) {
  free(result->warnings), free(result->why), free(result->not_recorded);
  *result = (plugin_result){0};
}
