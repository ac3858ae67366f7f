/* mbopt plugin: compiles, tests and describes a user's force. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "base/random.h"
#include "plugin/plugin.h"

enum { STATES = 20 };

static plugin_way way_of(const char *word) {
  static const struct {
    const char *word;
    plugin_way way;
  } ways[] = {{"own", PLUGIN_OWN}, {"dual", PLUGIN_DUAL}, {"complex_step", PLUGIN_STEP}};
  for (size_t i = 0; word && i < sizeof ways / sizeof ways[0]; i++) {
    if (strcmp(ways[i].word, word) == 0) { return ways[i].way; }
  }
  return PLUGIN_AUTO;
}

/* ---- description ---- */

static void print_keys(const mbd_user_force *u) {
  static const char *const kind[][2] = {[MBD_REF_POINT] = {"point", "points"},
                                        [MBD_REF_VECTOR] = {"vector", "vectors"},
                                        [MBD_REF_BODY] = {"body", "bodies"},
                                        [MBD_REF_COORDINATE] = {"coordinate", "coordinates"},
                                        [MBD_REF_VALUE] = {"expression", "expressions"}};
  for (const mbd_ref_info *reference = u->refs; reference->key; reference++) {
    printf("  %-20s %d %s: %s\n", reference->key, reference->count, kind[reference->kind][reference->count > 1],
           reference->doc);
  }
  for (const mbd_coef_info *c = u->coefs; c->key; c++) {
    printf("  %-20s [%s] %s", c->key, c->unit, c->doc);
    if (c->size > 0 && !isnan(c->dflt)) { printf("; else %g", c->dflt); }
    putchar('\n');
  }
}

/* ---- tests at random states of size 1; `mbopt check` tests at the author's own states, along a motion ---- */

static void any_coefficients(const mbd_user_force *u, double *coef) {
  int n = 0;
  for (const mbd_coef_info *c = u->coefs; c->key; c++) {
    const double v = isnan(c->dflt) ? fmin(fmax(1, c->min), c->max) : c->dflt;
    for (int i = 0; i < c->size; i++) { coef[n++] = v; }
  }
}

/* Returns the number of states at which the force is right; a fault, *f, ends the test. A result that is not finite may be correct, such
 * as the pressure of a gas without volume; but a force with no finite result at any state is not tested. */
static int try_states(const mbd_user_force *u, plugin_finding *f) {
  double state[MBD_USER_STATE], coef[MBD_USER_COEFS];
  uint64_t seed = 1;
  int right = 0;
  any_coefficients(u, coef);
  for (int k = 0; k < STATES; k++) {
    for (int i = 0; i <= 6 * u->narg; i++) { state[i] = 2 * random_unit(&seed) - 1; }
    for (int i = 0; i < 6 * u->narg; i++) { /* entries that hold no number are zero */
      if (!mbd_user_force_is_number(u, i)) { state[i] = 0; }
    }
    *f = plugin_try(u, state, coef);
    if (f->fault == PLUGIN_WRITES || f->fault == PLUGIN_DIFFERS || f->fault == PLUGIN_SLOPE) { return right; }
    right += f->fault == PLUGIN_RIGHT;
  }
  if (right > 0) { f->fault = PLUGIN_RIGHT; }
  return right;
}

/* Prints the description of a force and the results of its tests at random states; returns the exit code. */
static int tell(const mbd_user_force *u, const char *library, const plugin_result *r) {
  plugin_finding f;
  char text[PLUGIN_TEXT];
  /* Remarks of the build: warnings of the compiler, why there are no dual numbers, why no copy is kept. */
  if (r->warnings && *r->warnings) { fputs(r->warnings, stderr); }
  if (r->why) { fprintf(stderr, "mbopt: no dual numbers, so derivatives are by complex step: %s\n", r->why); }
  if (r->not_recorded) {
    fprintf(stderr,
            "mbopt: warning: %s; run files that name the library need --allow-plugins, since it is not recorded as "
            "built by this user\n",
            r->not_recorded);
  }
  /* The description: name, kind of derivatives, keys and outputs. */
  printf("%s: force '%s', derivatives: %s%s\n%s\n", library, u->name, mbd_user_force_derivatives(u),
         mbd_user_force_second(u) ? "" : ", no second derivatives", u->doc);
  print_keys(u);
  printf("outputs:");
  for (int i = 0; u->output[i].name; i++) { printf(" %s [%s],", u->output[i].name, u->output[i].unit); }
  printf(" power [W]\n");
  /* A fault at a random state, or no finite result at any of them, fails the test. */
  const int right = try_states(u, &f);
  if (f.fault != PLUGIN_RIGHT) {
    fprintf(stderr, "mbopt: error: %s: %s%s\n", library, plugin_finding_text(u, &f, text),
            f.fault == PLUGIN_NOT_FINITE
                ? "; no random state of size 1 gives one, with 1 for coefficients that have no default"
                : "");
    return EXIT_CHECK;
  }
  /* The count of states, and how run files and model files refer to the library. */
  printf("tried at %d random states: right at %d", STATES, right);
  if (right < STATES) { printf(", no finite number at %d", STATES - right); }
  printf("\nrun files: [plugin NAME] file = %s; model files: type = user, plugin = NAME\n", library);
  return EXIT_CONVERGED;
}

int command_plugin(const cli_arguments *a) {
  mbd_error err = {0};
  const mbd_user_force *u;
  /* FILE.so for FILE.c. */
  const size_t n = strlen(a->file);
  const int is_c = n > 2 && strcmp(a->file + n - 2, ".c") == 0;
  char *library = a->output ? NULL : mbd_sprintf_dup("%.*s.so", (int)(is_c ? n - 2 : n), a->file);
  const plugin_request q = {
      .source = a->file, .output = a->output ? a->output : library, .way = way_of(a->derivatives)};
  plugin_result r = {0};
  if (!q.output) { return cli_no_memory(); }
  mbd_status status = plugin_build(&q, &r, &err);
  if (status == MBD_OK) { status = plugin_load(q.output, &u, &err); }
  const int code = status == MBD_OK            ? tell(u, q.output, &r)
                   : status == MBD_UNSUPPORTED ? cli_error(&err, EXIT_BACKEND)
                                               : cli_error(&err, EXIT_CONFIGURATION);
  plugin_result_free(&r);
  free(library);
  return code;
}
