/* The summary of a comparison of several backends: of a study of many runs, and of one problem from one start. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "files/json.h"
#include "files/plural.h"
#include "results/results.h"
#include "study/compare.h"
#include "study/profiles.h"

/* ---- a problem from one start: a column per backend, a row per variable and per count ---- */

/* One variable, or the root mean square of the control points of a long curve. */
static void variable_row(const comparison *c, const mechanism *m, int first, int n, int width) {
  char name[CLI_NAME];
  double spread = 0;
  printf("%-20s", cli_row_name(m, first, n, name));
  for (int i = 0; i < c->n; i++) {
    const double *x = c->by[i].x ? c->by[i].x + first : NULL;
    cli_print_number(stdout, width, "%.9g", !x ? NAN : n > 1 ? cli_rms(x, n) : *x);
  }
  for (int j = first; j < first + n; j++) { spread = fmax(spread, c->spread[j]); }
  if (c->nreached > 1) { printf("  %8.2g %%", 100 * spread); }
  puts(n > 1 ? "  rms" : "");
}

static const struct {
  const char *name, *format, *key; /* in the table; in JSON */
} measures[COMPARISON_MEASURES] = {[COMPARISON_OBJECTIVE] = {"objective", "%.9g", "objective"},
                                   [COMPARISON_OPTIMALITY] = {"optimality", "%.1e", "optimality"},
                                   [COMPARISON_VIOLATION] = {"violation", "%.3g", "violation"},
                                   [COMPARISON_ITERATIONS] = {"iterations", "%.0f", "iterations"},
                                   [COMPARISON_SIMULATIONS] = {"simulations", "%.0f", "simulations"},
                                   [COMPARISON_FAILURES] = {"failures", "%.0f", "failures"},
                                   [COMPARISON_SECONDS] = {"time [s]", "%.2f", "seconds"}};

static void print_table(const comparison *c, const mechanism *m) {
  int width = 16;
  for (int i = 0; i < c->n; i++) {
    const int length = (int)strlen(c->by[i].name);
    if (length > width) { width = length; }
  }
  width += 2;
  /* Names of the backends, the variables, and the measures of all backends. */
  printf("%-20s", "");
  for (int i = 0; i < c->n; i++) { printf("%*s", width, c->by[i].name); }
  printf("%s\n", c->nreached > 1 ? "      spread" : "");
  for (int j = 0, n; j < m->n; j += n) {
    n = cli_rows_at(m, j);
    variable_row(c, m, j, n, width);
  }
  for (int k = 0; k < COMPARISON_MEASURES; k++) {
    printf("%-20s", measures[k].name);
    for (int i = 0; i < c->n; i++) { cli_print_number(stdout, width, measures[k].format, c->by[i].measure[k]); }
    putchar('\n');
  }
  printf("%-20s", "status");
  for (int i = 0; i < c->n; i++) { printf("%*s", width, c->by[i].status); }
  printf("\n\n");
}

/* Prints the best objective, the number of simulations that each backend took to reach it, and variables that differ among these. */
static void print_verdict(const comparison *c, const mechanism *m) {
  if (c->best < 0) {
    printf("no backend found a design without violation\n");
    return;
  }
  printf("best objective: %.9g, by %s; reached within %.3g (1 %%, or 1e-6 of what was gained) by\n",
         c->by[c->best].measure[COMPARISON_OBJECTIVE], c->by[c->best].name, c->reach);
  for (int i = 0; i < c->n; i++) {
    const contender *e = &c->by[i];
    if (e->reached) { printf("  %-20s after %d simulation%s\n", e->name, e->reached, e->reached > 1 ? "s" : ""); }
  }
  for (int j = 0, n; j < m->n && c->nreached > 1; j += n) {
    int widest = j;
    n = cli_rows_at(m, j);
    for (int k = j; k < j + n; k++) {
      if (c->spread[k] > c->spread[widest]) { widest = k; }
    }
    if (c->spread[widest] <= 0.01) { continue; }
    printf("flat direction: %s differs by %.2g %% among these\n", m->name[widest], 100 * c->spread[widest]);
  }
}

/* Prints why runs failed. */
static void print_failures(const comparison *c, FILE *out) {
  for (int i = 0; i < c->n; i++) {
    if (c->by[i].state == RUN_FAILED) { fprintf(out, "%s: %s\n", c->by[i].name, c->by[i].text); }
  }
}

/* Prints the warnings of the simulation of a result. */
static mbd_status print_warnings(const comparison *c, mbd_error *err) {
  for (int i = 0; i < c->n; i++) {
    char of[200];
    snprintf(of, sizeof of, "%s: ", c->by[i].name);
    if (!cli_print_warning_list(json_object_get(c->by[i].record, "warnings"), of)) {
      MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the warnings of %s", c->by[i].name);
    }
  }
  return MBD_OK;
}

/* ---- JSON ---- */

static json_t *entry_json(const mechanism *m, const contender *e) {
  json_t *o = json_pack("{s:s, s:s, s:o}", "backend", e->name, "status", e->status, "text", json_text(e->text));
  const json_t *warnings = json_object_get(e->record, "warnings");
  if (e->state != RUN_DONE) { return o; }
  json_object_set_new(o, "design", results_design(m, e->x));
  for (int k = 0; k < COMPARISON_MEASURES; k++) {
    const int whole = strcmp(measures[k].format, "%.0f") == 0;
    const double v = e->measure[k];
    json_object_set_new(o, measures[k].key, whole ? json_integer((json_int_t)v) : json_number(v));
  }
  json_object_set_new(o, "simulations_to_best", e->reached ? json_integer(e->reached) : json_null());
  json_object_set_new(o, "warnings", warnings ? json_deep_copy(warnings) : json_array());
  return o;
}

static void add_json(const comparison *c, const mechanism *m, const flat_directions *v, json_t *o) {
  json_t *list = json_array();
  for (int i = 0; i < c->n; i++) { json_array_append_new(list, entry_json(m, &c->by[i])); }
  json_object_set_new(o, "best", c->best < 0 ? json_null() : json_string(c->by[c->best].name));
  json_object_set_new(o, "reach", c->best < 0 ? json_null() : json_number(c->reach));
  json_object_set_new(o, "backends", list);
  if (c->nreached > 1) { json_object_set_new(o, "spread", results_design(m, c->spread)); }
  if (v->n) { json_object_set_new(o, "gauss_newton", results_flat_directions(m, v)); }
}

/* ---- the end of a study ---- */

static int exit_of(const comparison *c) {
  if (c->best >= 0) { return EXIT_CONVERGED; }
  for (int i = 0; i < c->n; i++) {
    if (c->by[i].state == RUN_DONE) { return EXIT_INFEASIBLE; }
  }
  return EXIT_START;
}

/* Reports a comparison as JSON in *o, or as tables on standard output; *code: exit code. */
static mbd_status tell(const cli_arguments *a, study *s, mechanism *m, json_t *o, int *code, mbd_error *err) {
  mbo_problem p;
  flat_directions v = {0};
  comparison c;
  /* The results of all backends with their warnings, and the flat directions at the best one. */
  mechanism_problem(m, &p);
  MBD_TRY(comparison_create(s, m->n, m->name, &c, err));
  mbd_status status = c.best >= 0 ? results_look_around(&p, c.by[c.best].x, &v, err) : MBD_OK;
  if (status == MBD_OK && a->verbosity >= 0) { status = print_warnings(&c, err); }
  if (status == MBD_OK) { *code = exit_of(&c); }
  /* JSON, or tables. With --quiet a line if no backend has found a design without violation. */
  if (status == MBD_OK && o) {
    add_json(&c, m, &v, o);
  } else if (status == MBD_OK && a->verbosity >= 0) {
    print_table(&c, m);
    print_verdict(&c, m);
    cli_print_flat_directions(&p, &v);
    print_failures(&c, stdout);
  } else if (status == MBD_OK && c.best < 0) {
    fprintf(stderr, "mbopt: no backend found a design without violation\n");
    print_failures(&c, stderr);
  }
  flat_directions_destroy(&v);
  comparison_free(&c);
  return status;
}

mbd_status cli_tell_comparison(const cli_arguments *a, study *s, json_t *o, int *code, mbd_error *err) {
  mechanism *m = NULL;
  mbd_status status = mechanism_create(s->config, &m, err);
  if (status == MBD_OK) { status = tell(a, s, m, o, code, err); }
  mechanism_destroy(m);
  return status;
}

void cli_print_profiles(const profiles *curves) {
  printf(
      "%d pair%s of a problem and a start; solved to f <= best + tau (start - best), simulations in the middle\n%-24s",
      curves->ninstance, plural(curves->ninstance), "");
  for (int t = 0; t < PROFILES_NTAU; t++) { printf("     tau = %-8g", profiles_tau[t]); }
  putchar('\n');
  for (int b = 0; b < curves->nbackend; b++) {
    printf("%-24s", curves->backend[b]);
    for (int t = 0; t < PROFILES_NTAU; t++) {
      printf(" %5.0f %% ", profiles_percent(curves, t, b));
      cli_print_number(stdout, 8, "%.0f", profiles_median(curves, t, b)); /* of a backend that solves nothing "-" */
      printf("  ");
    }
    putchar('\n');
  }
  if (curves->solved_by_none) {
    printf("%d of them without any design that could be simulated\n", curves->solved_by_none);
  }
}
