/* The summary of a comparison of several backends: of a study of many runs, and of one problem from one start. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "results/results.h"
#include "study/compare.h"
#include "study/problem_class.h"
#include "study/profiles.h"
#include "study/verdict.h"

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
                                   [COMPARISON_EQUIVALENT] = {"equivalent", "%.1f", "equivalent"},
                                   [COMPARISON_FAILURES] = {"failures", "%.0f", "failures"},
                                   [COMPARISON_SECONDS] = {"time [s]", "%.2f", "seconds"}};

/* What the problem is; NULL: no run is done. */
static const json_t *problem_of(const comparison *c) {
  const json_t *problem = NULL;
  for (int i = 0; i < c->n && !problem; i++) { problem = json_object_get(c->by[i].record, "problem"); }
  return problem;
}

/* The costs of derivatives, and the scales that the run file leaves out. */
static void print_notes(const problem_costs *cost, const json_t *problem) {
  char *counts = costs_text(cost), *scales = problem_class_scales(problem);
  if (counts) { printf("equivalent: %s\n", counts); }
  if (scales && *scales) { puts(scales); }
  free(counts), free(scales);
}

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
  print_notes(&c->costs.of[0], problem_of(c));
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
    if (e->reached) {
      printf("  %-20s after %d simulation%s, %.1f equivalent\n", e->name, e->reached, plural(e->reached),
             e->equivalent);
    }
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
      return MEMORY_NONE(err, "the warnings of %s", c->by[i].name);
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
  json_object_set_new(o, "equivalent_to_best", json_number(e->equivalent));
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
    puts("one start of one problem: --starts 10 shows the spread, with a verdict and its confidence");
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

/* ---- several problems or starts ---- */

static void print_quartiles(const double quartile[3], int width, const char *format) {
  for (int k = 0; k < 3; k++) { cli_print_number(stdout, width, format, quartile[k]); }
}

/* The share of k of n with its interval of 95 %. */
static void print_share(int k, int n, double low, double high) {
  char text[40];
  snprintf(text, sizeof text, "%d of %d", k, n);
  printf("%12s %4.0f to %3.0f %%", text, 100 * low, 100 * high);
}

/* The spread over the starts of one problem: what each optimizer solved, needed and reached. */
static mbd_status print_problem(const profiles *p, const char *file, int problem, mbd_error *err) {
  const profiles_part part = profiles_of_problem(p, problem);
  const char *class = json_text_in(p->problem[problem], "class");
  printf("%s%s%s, %d start%s\n%-24s%12s %13s%12s%10s%10s%14s%13s%13s\n", file, *class ? ": " : "", class, p->starts,
         plural(p->starts), "", "solved", "95 %", "needs: 25 %", "median", "75 %", "reaches: 25 %", "median", "75 %");
  for (int b = 0; b < p->nbackend; b++) {
    profiles_spread spread;
    if (!p->takes[b * p->nproblem + problem]) { continue; }
    MBD_TRY(profiles_spread_of(p, b, part, &spread, err));
    printf("%-24s", p->backend[b]);
    print_share(spread.solved, part.n, spread.low, spread.high);
    printf("  ");
    print_quartiles(spread.needed, 10, "%.1f");
    putchar(' ');
    print_quartiles(spread.reached, 13, "%.5g");
    putchar('\n');
  }
  print_notes(&p->costs.of[problem], p->problem[problem]);
  return MBD_OK;
}

static mbd_status print_problems(const profiles *p, char *const *file, mbd_error *err) {
  printf(
      "solved: f <= best + %g (start - best), best over all optimizers from the same start; needs: equivalent "
      "simulations until then, unsolved ones infinite; reaches: objective of the results; quartiles over the starts\n",
      profiles_tau[PROFILES_MIDDLE]);
  for (int i = 0; i < p->nproblem; i++) { MBD_TRY(print_problem(p, file[i], i, err)); }
  return MBD_OK;
}

/* All pairs of a problem and a start at once, for three accuracies. */
static mbd_status print_profiles(const profiles *p, mbd_error *err) {
  printf(
      "%d pair%s of a problem and a start; solved to f <= best + tau (start - best); the median of equivalent "
      "simulations, unsolved ones infinite\n%-24s",
      p->ninstance, plural(p->ninstance), "");
  for (int t = 0; t < PROFILES_NTAU; t++) { printf("     tau = %-8g", profiles_tau[t]); }
  putchar('\n');
  for (int b = 0; b < p->nbackend; b++) {
    printf("%-24s", p->backend[b]);
    for (int t = 0; t < PROFILES_NTAU; t++) {
      double quartile[3];
      MBD_TRY(profiles_quartiles(profiles_costs(p, t, b), profiles_all(p), quartile, err));
      printf(" %5.0f %% ", 100.0 * profiles_solved(p, t, b, profiles_all(p)) / p->ninstance);
      cli_print_number(stdout, 8, "%.1f", quartile[1]); /* of a backend that solves less than half "-" */
      printf("  ");
    }
    putchar('\n');
  }
  if (p->solved_by_none) { printf("%d of them without any design that could be simulated\n", p->solved_by_none); }
  return MBD_OK;
}

/* ---- the same as JSON ---- */

static json_t *costs_json(const problem_costs *p) {
  static const char *const kind[COST_KINDS] = {"value", "gradient", "gauss_newton", "hessian"};
  json_t *o = json_object();
  for (int k = 0; k < COST_KINDS; k++) {
    json_object_set_new(o, kind[k],
                        json_pack("{s:o, s:i, s:o}", "simulations", p->n[k] ? json_number(p->cost[k]) : json_null(),
                                  "measured", p->n[k], "seconds", json_number(p->seconds[k])));
  }
  return o;
}

/* The member `problems`: the spread over the starts of each. */
static mbd_status problems_json(const profiles *p, char *const *file, json_t *list, mbd_error *err) {
  for (int i = 0; i < p->nproblem; i++) {
    json_t *backends = json_array(), *problem = p->problem[i] ? json_deep_copy(p->problem[i]) : json_object();
    const profiles_part part = profiles_of_problem(p, i);
    json_object_set_new(problem, "run_file", json_text(file[i]));
    json_object_set_new(problem, "starts", json_integer(p->starts));
    json_object_set_new(problem, "costs", costs_json(&p->costs.of[i]));
    json_object_set_new(problem, "backends", backends);
    json_array_append_new(list, problem);
    for (int b = 0; b < p->nbackend; b++) {
      profiles_spread spread;
      if (!p->takes[b * p->nproblem + i]) { continue; }
      MBD_TRY(profiles_spread_of(p, b, part, &spread, err));
      json_array_append_new(backends,
                            json_pack("{s:o, s:i, s:[f, f], s:o, s:o}", "backend", json_text(p->backend[b]), "solved",
                                      spread.solved, "share", spread.low, spread.high, "equivalent",
                                      json_numbers(spread.needed, 3), "objective", json_numbers(spread.reached, 3)));
    }
  }
  return MBD_OK;
}

static json_t *verdict_json(const profiles *p, const verdict *v) {
  json_t *order = json_array();
  for (int i = 0; i < v->nrow; i++) {
    const verdict_row *row = &v->row[i];
    json_array_append_new(
        order, json_pack("{s:o, s:i, s:[f, f], s:o}", "backend", json_text(p->backend[row->backend]), "solved",
                         row->solved, "share", row->low, row->high, "equivalent", json_numbers(row->quartile, 3)));
  }
  const int pair = v->rival > 0;
  return json_pack("{s:o, s:i, s:i, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "class",
                   v->class ? json_text(v->class) : json_null(), "problems", v->nproblem, "pairs", v->n, "winner",
                   v->wins ? json_text(p->backend[v->row[0].backend]) : json_null(), "rival",
                   pair ? json_text(p->backend[v->row[v->rival].backend]) : json_null(), "p",
                   pair ? json_number(v->p) : json_null(), "ahead", v->ahead, "decided", v->decided, "starts_needed",
                   v->starts_needed ? json_integer(v->starts_needed) : json_null(), "order", order, "text",
                   json_text(v->text));
}

static mbd_status comparisons_json(const profiles *p, const verdicts *v, char *const *file, json_t *o, mbd_error *err) {
  json_t *problems = json_array(), *list = json_array();
  const mbd_status status = problems_json(p, file, problems, err);
  for (int i = 0; i < v->n; i++) { json_array_append_new(list, verdict_json(p, &v->of[i])); }
  json_object_set_new(o, "accuracy", json_number(profiles_tau[PROFILES_MIDDLE]));
  json_object_set_new(o, "problems", problems);
  json_object_set_new(o, "verdicts", list);
  return status;
}

mbd_status cli_tell_comparisons(study *s, json_t *o, mbd_error *err) {
  profiles p;
  verdicts v;
  MBD_TRY(profiles_create(s, &p, err));
  mbd_status status = verdicts_create(&p, &v, err);
  if (status != MBD_OK) {
    profiles_free(&p);
    return status;
  }
  if (o) {
    status = comparisons_json(&p, &v, s->origin, o, err);
  } else {
    status = print_problems(&p, s->origin, err);
    if (status == MBD_OK) { status = print_profiles(&p, err); }
    for (int i = 0; i < v.n && status == MBD_OK; i++) { puts(v.of[i].text); }
  }
  verdicts_free(&v), profiles_free(&p);
  return status;
}
