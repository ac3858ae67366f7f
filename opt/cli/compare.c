/* mbopt compare */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "files/json.h"
#include "mechanism/warnings.h"
#include "files/atomic_file.h"
#include "report/compare_csv.h"
#include "report/results.h"

/* ---- the table: a column per backend, a row per variable and per count ---- */

static int column_width(const comparison *c) {
  size_t width = 16;
  for (int i = 0; i < c->n; i++) {
    size_t length = strlen(c->entry[i].name);
    if (length > width) { width = length; }
  }
  return (int)width + 2;
}

static void cell(double v, int width, const char *format) {
  char text[64] = "-";
  if (isfinite(v)) { snprintf(text, sizeof text, format, v); }
  printf("%*s", width, text);
}

/* One variable, or the root mean square of the control points of a long curve. */
static void variable_row(const comparison *c, const mechanism *m, int first, int n, int width) {
  char name[CLI_NAME];
  double spread = 0;
  printf("%-20s", cli_row_name(m, first, n, name));
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (e->state == COMPARE_LEFT_OUT) { continue; }
    const double *x = e->state == COMPARE_DONE && isfinite(e->r.f) ? e->r.x + first : NULL;
    cell(!x ? NAN : n > 1 ? cli_rms(x, n) : *x, width, "%.9g");
  }
  for (int j = first; j < first + n; j++) { spread = fmax(spread, c->spread[j]); }
  if (c->nreached > 1) { printf("  %8.2g %%", 100 * spread); }
  puts(n > 1 ? "  rms" : "");
}

static void row(const comparison *c, const char *name, int width, const char *format,
                double (*value)(const compare_entry *e, int k), int k) {
  printf("%-20s", name);
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (e->state != COMPARE_LEFT_OUT) { cell(e->state == COMPARE_DONE ? value(e, k) : NAN, width, format); }
  }
  putchar('\n');
}

static double objective(const compare_entry *e, int k) {
  return (void)k, e->r.f;
}
static double violation(const compare_entry *e, int k) {
  return (void)k, e->r.violation;
}
static double seconds(const compare_entry *e, int k) {
  return (void)k, e->r.seconds;
}
static double count(const compare_entry *e, int k) {
  const int counts[] = {e->r.iterations, e->r.evaluations, e->r.failures};
  return counts[k];
}

static void print_table(const comparison *c, const mechanism *m) {
  static const char *const counts[] = {"iterations", "simulations", "failures"};
  const int width = column_width(c), several = c->nreached > 1;
  printf("%-20s", "");
  for (int i = 0; i < c->n; i++) {
    if (c->entry[i].state != COMPARE_LEFT_OUT) { printf("%*s", width, c->entry[i].name); }
  }
  printf("%s\n", several ? "      spread" : "");
  for (int j = 0, n; j < m->n; j += n) {
    n = cli_rows_at(m, j);
    variable_row(c, m, j, n, width);
  }
  row(c, "objective", width, "%.9g", objective, 0);
  row(c, "violation", width, "%.3g", violation, 0);
  for (int k = 0; k < 3; k++) { row(c, counts[k], width, "%.0f", count, k); }
  row(c, "time [s]", width, "%.2f", seconds, 0);
  printf("%-20s", "status");
  for (int i = 0; i < c->n; i++) {
    if (c->entry[i].state != COMPARE_LEFT_OUT) { printf("%*s", width, compare_status(&c->entry[i])); }
  }
  printf("\n\n");
}

/* ---- what it says ---- */

static void print_verdict(const comparison *c, const mechanism *m) {
  if (c->best < 0) {
    printf("no backend found a design without violation\n");
    return;
  }
  printf("best objective: %.9g, by %s; reached within %.3g (1 %%, or 1e-6 of what was gained) by\n",
         c->entry[c->best].r.f, c->entry[c->best].name, c->reach);
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (e->reached) { printf("  %-20s after %d simulation%s\n", e->name, e->reached, e->reached > 1 ? "s" : ""); }
  }
  for (int j = 0, n; j < m->n && c->nreached > 1; j += n) {
    int widest = j;
    n = cli_rows_at(m, j);
    for (int k = j; k < j + n; k++) {
      if (c->spread[k] > c->spread[widest]) { widest = k; }
    }
    if (c->spread[widest] <= 0.01) { continue; }
    printf("flat valley: %s differs by %.2g %% among these\n", m->name[widest], 100 * c->spread[widest]);
  }
}

static void print_notes(const comparison *c, FILE *out) {
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (e->state == COMPARE_LEFT_OUT) { fprintf(out, "left out: %s: %s\n", e->name, e->text); }
    if (e->state == COMPARE_DONE && !isfinite(e->r.f)) { fprintf(out, "%s: %s\n", e->name, e->r.text); }
    if (e->state == COMPARE_ERROR) { fprintf(out, "error: %s: %s\n", e->name, e->text); }
  }
}

/* ---- JSON ---- */

static json_t *entry_json(const cli_run *r, const compare_entry *e) {
  const int done = e->state == COMPARE_DONE;
  json_t *o = json_pack("{s:s, s:s, s:o}", "backend", e->name, "status", compare_status(e), "text",
                        json_text(done ? e->r.text : e->text));
  if (!done) { return o; }
  if (isfinite(e->r.f)) { json_object_set_new(o, "design", results_design(r->m, e->r.x)); }
  json_object_set_new(o, "objective", json_number(e->r.f));
  json_object_set_new(o, "violation", json_number(e->r.violation));
  json_object_set_new(o, "iterations", json_integer(e->r.iterations));
  json_object_set_new(o, "simulations", json_integer(e->r.evaluations));
  json_object_set_new(o, "failures", json_integer(e->r.failures));
  json_object_set_new(o, "seconds", json_number(e->r.seconds));
  json_object_set_new(o, "simulations_to_best", e->reached ? json_integer(e->reached) : json_null());
  json_object_set_new(o, "warnings", e->warnings ? json_incref(e->warnings) : json_array());
  return o;
}

static int print_json(const cli_run *r, const comparison *c, const valley *v, int code) {
  json_t *o = json_object(), *list = json_array();
  for (int i = 0; i < c->n; i++) { json_array_append_new(list, entry_json(r, &c->entry[i])); }
  json_object_set_new(o, "best", c->best < 0 ? json_null() : json_string(c->entry[c->best].name));
  json_object_set_new(o, "reach", c->best < 0 ? json_null() : json_number(c->reach));
  json_object_set_new(o, "backends", list);
  if (c->nreached > 1) { json_object_set_new(o, "spread", results_design(r->m, c->spread)); }
  if (v->n) { json_object_set_new(o, "gauss_newton", results_valley(r->m, v)); }
  code = cli_print_json(o, code);
  json_decref(o);
  return code;
}

/* ---- the command ---- */

/* What the simulation of the result warns of: simulated once more, for the last design of a run need not be its best. */
static mbd_status warn(const cli_run *r, compare_entry *e, mbd_error *err) {
  if (e->state != COMPARE_DONE || !isfinite(e->r.f) || cli_stop) { return MBD_OK; }
  const mbd_status status = mechanism_evaluate(r->m, e->r.x, "none", err);
  if (status != MBD_OK) { return status == MBD_NO_MEMORY ? status : MBD_OK; }
  char *of = mbd_sprintf_dup("%s: ", e->name);
  e->warnings = warnings_json(r->m);
  const int whole = of && !json_memory_lost();
  if (whole) { cli_print_warnings(r, of); }
  free(of);
  return whole ? MBD_OK : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the warnings of %s", e->name);
}

/* Files are written after every backend, so that nothing is lost with the process. */
static mbd_status run_all(const cli_run *r, comparison *c, const char *folder, mbd_error *err) {
  for (int i = 0; i < c->n && !cli_stop; i++) {
    compare_entry *e = &c->entry[i];
    if (e->state != COMPARE_WAITING) { continue; }
    MBD_TRY(compare_run(c, i, err));
    compare_judge(c);
    MBD_TRY(warn(r, e, err));
    MBD_TRY(compare_write(folder, c, err));
    if (r->a->verbosity >= 0) {
      fprintf(stderr, "%s: %s, objective %.9g, %d simulations\n", e->name,
              e->state == COMPARE_DONE ? mbo_status_text(e->r.status) : e->text, e->r.f, e->r.evaluations);
    }
  }
  return MBD_OK;
}

static int exit_of(const comparison *c) {
  if (cli_stop) { return EXIT_INTERRUPTED; }
  if (c->best >= 0) { return EXIT_CONVERGED; }
  for (int i = 0; i < c->n; i++) {
    if (c->entry[i].state == COMPARE_DONE && isfinite(c->entry[i].r.f)) { return EXIT_INFEASIBLE; }
  }
  return EXIT_START;
}

static int compare(const cli_run *r, comparison *c, const char *folder) {
  mbd_error err = {0};
  if (r->a->verbosity >= 0 && c->p->has_gradient) { cli_print_choice(stderr, r->m); }
  mbd_status status = make_folder(folder, &err);
  if (status == MBD_OK) { status = cli_keep_earlier(r, folder, 0, &err); }
  if (status == MBD_OK) { status = results_write_config(folder, r->config, &err); }
  if (status == MBD_OK) { status = run_all(r, c, folder, &err); }
  valley v = {0};
  if (status == MBD_OK && c->best >= 0 && c->p->has_gauss_newton && c->p->n <= VALLEY_MOST && !cli_stop) {
    mbd_error why = {0}; /* without it the comparison is complete all the same, unless memory has run out */
    if (valley_create(c->p, c->entry[c->best].r.x, &v, &why) == MBD_NO_MEMORY) { status = MBD_NO_MEMORY, err = why; }
  }
  int code = status == MBD_OK ? exit_of(c) : cli_error(&err, cli_exit_code(status));
  if (code == EXIT_MEMORY) { /* nothing is whole */
  } else if (r->a->json) {
    code = print_json(r, c, &v, code);
  } else if (r->a->verbosity >= 0) {
    print_table(c, r->m);
    print_verdict(c, r->m);
    cli_print_valley(c->p, &v);
    print_notes(c, stdout);
    printf("results in %s\n", folder);
  }
  valley_destroy(&v);
  if (cli_stop) { fprintf(stderr, "mbopt: interrupted; the comparison is not complete\n"); }
  if (c->best < 0 && status == MBD_OK && !cli_stop && r->a->verbosity < 0) {
    fprintf(stderr, "mbopt: no backend found a design without violation\n");
    print_notes(c, stderr);
  }
  return code;
}

mbd_status compare_list(const mbo_run_config *c, char **list, mbd_error *err) {
  *list = NULL;
  for (int i = 0; i < c->compare.backends.n; i++) {
    char *longer = mbd_sprintf_dup("%s%s%s", *list ? *list : "", *list ? "," : "", c->compare.backends.v[i]);
    free(*list);
    *list = longer;
    if (!longer) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison"); }
  }
  return MBD_OK;
}

int command_compare(cli_run *r) {
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  comparison *c = NULL;
  if (r->config->nobjective == 0) { return cli_no_objective(r); }
  const int starts = r->a->starts ? r->a->starts : r->config->compare.starts;
  const int elsewhere = strcmp(r->config->study.engine, "local") != 0;
  if (r->a->nfile > 1 || starts > 1 || elsewhere || r->a->dry_run) { return compare_study(r); }
  mbo_option *options = cli_settings(r, &s);
  char *folder = r->a->output ? mbd_strdup(r->a->output) : mbd_sprintf_dup("%s_compare", r->config->output.folder);
  char *list = NULL;
  mechanism_problem(r->m, &p);
  mbd_status status = options && folder
                          ? compare_list(r->config, &list, &err)
                          : mbd_fail(&err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the comparison");
  if (status == MBD_OK) { status = compare_create(&p, &s, r->config->optimizer.backend, list, &c, &err); }
  int code = status == MBD_OK ? compare(r, c, folder) : cli_error(&err, cli_exit_code(status));
  compare_destroy(c);
  free(options), free(folder), free(list);
  return code;
}
