#include "results/study_data.h"
#include "results/study_units.h"
#include "study/equivalent.h"
#include "mechanism/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/json.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "files/warning_words.h"
#include "files/atomic_file.h"

mbd_status study_data_run(const study_data *d, long run, json_t **o, mbd_error *err) {
  runs_state state;
  MBD_TRY(runs_read(d->s, run, &state, o, err));
  if (*o && d->kind == KIND_COMPARE) { costs_put(&d->profiles.costs, d->s, *o); }
  if (*o) { pareto_put(&d->front, run, *o); }
  return MBD_OK;
}

long study_data_shown(const study_data *d) {
  const pareto_front *p = &d->front;
  if (d->kind == KIND_PARETO) { return p->knee >= 0 ? p->knee : p->nefficient > 0 ? p->order[0] : -1; }
  return d->ntop > 0 ? d->top[0].run : -1;
}

static study_outcome outcome_of(runs_state state, const json_t *o) {
  const json_t *feasible = json_object_get(json_object_get(o, "front"), "feasible");
  if (state == RUN_DONE && json_is_false(feasible)) {
    return json_is_number(json_object_get(json_object_get(o, "columns"), "objective")) ? OUTCOME_VIOLATES
                                                                                       : OUTCOME_FAILED;
  }
  return state == RUN_FAILED ? OUTCOME_FAILED : isnan(runs_result(o)) ? OUTCOME_VIOLATES : OUTCOME_DONE;
}

/* ---- the first pass: counts, failures, best runs, columns ---- */

/* Returns the text with every number, and its sign, replaced by #. */
static char *pattern_of(const char *text) {
  char *pattern = mbd_zeros(strlen(text), 1), *to = pattern;
  for (const char *s = text; pattern && *s; s++) {
    const int digit = isdigit((unsigned char)*s) != 0, goes_on = to > pattern && to[-1] == '#';
    if (digit || (goes_on && strchr(".e-+", *s) && isdigit((unsigned char)s[1]))) {
      if (!goes_on && to > pattern + 1 && to[-1] == '-' && to[-2] == ' ') { to--; }
      if (!goes_on) { *to++ = '#'; }
    } else {
      *to++ = *s;
    }
  }
  if (pattern) { *to = '\0'; }
  return pattern;
}

char *study_data_values(const study *s) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  for (int j = 0; out && j < s->ncolumn; j++) {
    fprintf(out, "%s%s = %s", j ? ", " : "", s->column[j].name, s->points.value[j]);
  }
  return text_end(&stream);
}

static void note_reason(const study_data *d, study_reasons *list, long i, const char *text) {
  char *pattern = pattern_of(text);
  int k = 0;
  while (pattern && k < list->n && strcmp(list->v[k].pattern, pattern) != 0) { k++; }
  const int is_new = pattern && k == list->n && k < STUDY_REASONS_MAX;
  study_reason *grown = is_new ? mbd_list_grow(list->v, list->n, sizeof *grown) : NULL;
  if (grown) {
    list->v = grown;
    grown[list->n++] = (study_reason){pattern, mbd_strdup(text), 1, i, study_data_values(d->s)};
    return;
  }
  *(k < list->n ? &list->v[k].n : &list->more) += 1;
  free(pattern);
}

static void free_reasons(study_reasons *list) {
  for (int k = 0; k < list->n; k++) { free(list->v[k].pattern), free(list->v[k].text), free(list->v[k].values); }
  free(list->v);
}

/* Inserts an objective into the sorted list of the best ones, after equal ones, and keeps the worst. */
static void note_objective(study_data *d, long i, double f) {
  if (!isfinite(f)) { return; }
  if (d->worst.run < 0 || f > d->worst.f) { d->worst = (study_top){f, i}; }
  int k = d->ntop;
  while (k > 0 && f < d->top[k - 1].f) { k--; }
  if (k == STUDY_ROWS_MAX) { return; }
  if (d->ntop < STUDY_ROWS_MAX) { d->ntop++; }
  memmove(d->top + k + 1, d->top + k, (size_t)(d->ntop - 1 - k) * sizeof *d->top);
  d->top[k] = (study_top){f, i};
}

static int number_of(const study *s, study_role role) {
  const char *text = study_value(s, role);
  return text ? atoi(text) : 0;
}

/* An empty list of optima, whose designs are the variables and the numbers of varied keys; of the mechanism, if it is there, are their scales and periods. */
static mbd_status begin_optima(study_data *d, mbd_error *err) {
  d->varied = mbd_zeros((size_t)d->s->ncolumn, sizeof *d->varied);
  MEMORY_TRY(d->varied, err, "the optima");
  for (int j = 0; j < d->s->ncolumn; j++) {
    if (d->s->column[j].role == STUDY_SET) { d->varied[d->nvaried++] = d->s->column[j].key; }
  }
  optima *o = &d->optima;
  *o = (optima){.nx = d->nx + d->nvaried, .tol_f = OPTIMA_TOL_F, .tol_x = OPTIMA_TOL_X, .f_start = NAN};
  if (!d->m) { return MBD_OK; }
  double *scale = d->x_scale = mbd_zeros(2 * (size_t)o->nx, sizeof *scale);
  MEMORY_TRY(scale, err, "the optima");
  for (int j = 0; j < o->nx; j++) {
    scale[j] = j < d->m->n ? d->m->scale[j] : 1;
    scale[o->nx + j] = j < d->m->n ? d->m->config->design[d->m->design.section[j]].period : 0;
  }
  o->scale = scale, o->period = scale + o->nx;
  return MBD_OK;
}

/* Assigns the result of run i to an optimum. The first result determines the design variables by the columns of its record. */
static mbd_status note_optimum(study_data *d, long i, const json_t *o, mbd_error *err) {
  const char prefix[] = "result.";
  const double f = runs_result(o);
  /* at the first result: the design variables, and an empty list of optima */
  if (!d->end_of) {
    for (int k = 0; k < d->ncolumn; k++) {
      if (strncmp(d->column[k], prefix, strlen(prefix)) != 0) { continue; }
      text_list_add(&d->x, &d->nx, d->column[k] + strlen(prefix));
    }
    d->end_of = mbd_zeros((size_t)d->s->n, sizeof *d->end_of);
    MEMORY_TRY(d->end_of, err, "the optima");
    for (long k = 0; k < d->s->n; k++) { d->end_of[k] = -1; }
    MBD_TRY(begin_optima(d, err));
  }
  /* the design of this run, and the optimum that it belongs to */
  double *x = mbd_zeros((size_t)d->optima.nx, sizeof *x);
  MEMORY_TRY(x, err, "the optima");
  for (int j = 0; j < d->nx; j++) { x[j] = runs_number_in(o, prefix, d->x[j]); }
  for (int j = 0, n = d->nx; j < d->s->ncolumn; j++) {
    if (d->s->column[j].role == STUDY_SET) { x[n++] = strtod(d->s->points.value[j], NULL); }
  }
  const char *state = json_string_value(json_object_get(o, "status"));
  if (number_of(d->s, STUDY_START) == 0) { d->f_own_start = runs_number(o, "objective_at_start"); }
  const optima_end end = {.run = i,
                          .converged = state && strcmp(state, "CONVERGED") == 0,
                          .stopped = state && strcmp(state, "STOPPED_LIMIT") == 0,
                          .f = f,
                          .f_start = runs_number(o, "objective_at_start"),
                          .x = x,
                          .noise = json_number_value(json_object_get(o, "noise"))};
  /* A design outside of the limits has no objective to be ranked by: it is counted. */
  const double violation = runs_number(o, "violation");
  if (!isfinite(f) && violation > 0) {
    optima *all = &d->optima;
    if (all->outside++ == 0 || violation < all->outside_v) { all->outside_v = violation, all->outside_run = i; }
  }
  const mbd_status status = isfinite(f) ? optima_add(&d->optima, &end, &d->end_of[i], err) : MBD_OK;
  free(x);
  return status;
}

/* Records a run of a comparison: a problem's best by each backend, its start, and the runs that are shown. */
static void note_backend(study_data *d, long i, const json_t *o) {
  const int given = number_of(d->s, STUDY_PROBLEM), problem = given > 0 ? given - 1 : 0,
            backend = text_list_find(d->profiles.backend, d->profiles.nbackend, study_value(d->s, STUDY_BACKEND));
  if (backend < 0) { return; }
  const int at = problem * d->profiles.nbackend + backend;
  const double f = runs_result(o);
  if (!isnan(f) && !(f >= d->best[at])) { d->best[at] = f, d->best_run[at] = i; }
  d->noise[problem] = fmax(d->noise[problem], json_number_value(json_object_get(o, "noise")));
  if (number_of(d->s, STUDY_START) != 0) { return; }
  d->f_start[problem] = runs_number(o, "objective_at_start");
  d->from_own[at] = i;
}

int study_data_reaches_far(const study_data *d, int category, int column) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < d->nrow; i++) {
    const double v = study_data_row(d, i)[column];
    if (isfinite(v) && (category < 0 || d->category[i] == category)) { low = fmin(low, v), high = fmax(high, v); }
  }
  return low > 0 && high >= 100 * low;
}

int study_data_quantity(const study_data *d, const char *prefix, const char *name) {
  const size_t n = strlen(prefix);
  for (int k = 0; k < d->nquantity; k++) {
    const char *full = d->quantity[k].name;
    if (strncmp(full, prefix, n) == 0 && strcmp(full + n, name) == 0) { return k; }
  }
  return -1;
}

double study_data_best(const study_data *d, int problem) {
  const int n = d->profiles.nbackend;
  double best = NAN;
  for (int b = 0; b < n; b++) { best = fmin(best, d->best[problem * n + b]); }
  return best;
}

int study_data_first_quantity(const study_data *d) {
  for (int k = 0; k < d->nquantity; k++) {
    if (d->quantity[k].state == QUANTITY_VARIES) { return k; }
  }
  return -1;
}

double study_data_same(const study_data *d, int problem) {
  const double best = study_data_best(d, problem);
  return optima_same(OPTIMA_TOL_F, isfinite(best) ? fabs(best) : 0, d->f_start[problem], d->noise[problem]);
}

typedef struct reading {
  study_data *d;
  const volatile sig_atomic_t *stop;
} reading;

static mbd_status first_pass(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  study_data *d = r->d;
  size_t k;
  const json_t *one;
  if (r->stop && *r->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "interrupted"); }
  *(state == RUN_DONE ? &d->done : &d->failed) += 1;
  d->seconds += json_number_value(json_object_get(o, "seconds"));
  if (d->kind == KIND_COMPARE) { costs_put(&d->profiles.costs, d->s, o); }
  pareto_put(&d->front, i, o);
  runs_add_columns(&d->column, &d->ncolumn, o);
  json_array_foreach(json_object_get(o, "warnings"), k, one) {
    char *words = warning_words(one);
    if (words) { note_reason(d, &d->warnings, i, words); }
    free(words);
  }
  if (state == RUN_FAILED) {
    note_reason(d, &d->failures, i, json_text_in(o, "error"));
    return MBD_OK;
  }
  note_objective(d, i, runs_result(o));
  d->violating += outcome_of(state, o) == OUTCOME_VIOLATES;
  if (d->kind == KIND_MULTISTART) { MBD_TRY(note_optimum(d, i, o, err)); }
  if (d->kind == KIND_COMPARE) { note_backend(d, i, o); }
  return MBD_OK;
}

/* ---- quantities ---- */

/* Adds a quantity without parts, which takes over the label; NULL: no memory. */
static study_quantity *add_quantity(study_data *d, const char *name, char *label) {
  study_quantity *grown = mbd_list_grow(d->quantity, d->nquantity, sizeof *grown);
  if (!grown) {
    free(label);
    return NULL;
  }
  d->quantity = grown;
  grown[d->nquantity] = (study_quantity){.name = mbd_strdup(name), .label = label};
  return &grown[d->nquantity++];
}

static void add_part(study_quantity *quantity, const char *column, double weight) {
  double *grown = quantity ? mbd_list_grow(quantity->weight, quantity->n, sizeof *grown) : NULL;
  if (!grown) { return; }
  quantity->weight = grown;
  grown[quantity->n] = weight;
  text_list_add(&quantity->column, &quantity->n, column);
}

static int begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* Returns the place of V in "d Q/d V"; NULL: the column is no derivative. */
static const char *derived_in(const char *column) {
  const char *slash = begins(column, "d ") ? strstr(column, "/d ") : NULL;
  return slash ? slash + strlen("/d ") : NULL;
}

static double scale_of(const study_data *d, const char *variable) {
  for (int j = 0; d->m && j < d->m->n; j++) {
    if (strcmp(d->m->name[j], variable) == 0) { return d->m->scale[j]; }
  }
  return 1;
}

/* Adds the norm of the gradient of a quantity, whose derivatives are columns. */
static void add_norm(study_data *d, const char *of) {
  char *prefix = mbd_sprintf_dup("d %s/d ", of), *name = mbd_sprintf_dup("gradient of %s", of);
  study_quantity *norm = NULL;
  for (int k = 0; prefix && name && k < d->ncolumn; k++) {
    if (!begins(d->column[k], prefix)) { continue; }
    if (!norm) {
      norm = add_quantity(d, name,
                          mbd_sprintf_dup("norm of the %s%s", name, d->m ? ", variables divided by their scale" : ""));
    }
    add_part(norm, d->column[k], scale_of(d, derived_in(d->column[k])));
  }
  free(prefix), free(name);
}

/* Returns 1 for columns with counts and measures, which are no results: the violation, and others of an optimization. */
static int is_measure(const study_data *d, const char *column) {
  static const char *const names[] = {"objective_at_start", "iterations", "simulations", "failed_designs"};
  if (strcmp(column, "violation") == 0) { return 1; }
  for (size_t i = 0; d->optimize && i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(column, names[i]) == 0) { return 1; }
  }
  return d->optimize && begins(column, "start.") && d->kind != KIND_MULTISTART;
}

static int is_key(const study_data *d, const char *column) {
  for (int j = 0; j < d->s->ncolumn; j++) {
    if (strcmp(d->s->column[j].name, column) == 0) { return 1; }
  }
  return 0;
}

/* Lists the quantities in the order of the columns, the objective first. */
static mbd_status find_quantities(study_data *d, mbd_error *err) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < d->ncolumn; k++) {
      const char *c = d->column[k];
      const int first = strcmp(c, "objective") == 0;
      if (first != (pass == 0) || is_key(d, c) || is_measure(d, c) || derived_in(c)) { continue; }
      if (d->kind == KIND_SWEEP && d->nquantity >= STUDY_QUANTITIES_MAX) {
        d->more_quantities++;
        continue;
      }
      add_part(add_quantity(d, c, mbd_strdup(first ? objective_label(d->m) : c)), c, 1);
    }
  }
  const int n = d->nquantity;
  MBD_TRY(MEMORY_WHOLE(err, "the runs of %s", d->s->folder));
  for (int k = 0; d->gradient && k < n; k++) { add_norm(d, d->quantity[k].name); }
  return MEMORY_WHOLE(err, "the runs of %s", d->s->folder);
}

static double quantity_value(const study_quantity *quantity, const json_t *o) {
  double sum = 0;
  if (quantity->n == 1 && strcmp(quantity->name, quantity->column[0]) == 0) {
    return runs_number(o, quantity->column[0]);
  }
  for (int k = 0; k < quantity->n; k++) { sum += pow(quantity->weight[k] * runs_number(o, quantity->column[k]), 2); }
  return sqrt(sum);
}

/* ---- the second pass: what is drawn ---- */

static mbd_status reserve(study_data *d, mbd_error *err) {
  if (d->nrow & (d->nrow - 1)) { return MBD_OK; } /* at powers of two, as lists grow */
  const size_t capacity = d->nrow ? 2 * (size_t)d->nrow : 1;
  long *run = realloc(d->run, capacity * sizeof *run);
  if (run) { d->run = run; }
  int *category = realloc(d->category, capacity * sizeof *category);
  if (category) { d->category = category; }
  study_outcome *outcome = realloc(d->outcome, capacity * sizeof *outcome);
  if (outcome) { d->outcome = outcome; }
  double *value = realloc(d->value, capacity * (size_t)(study_data_width(d) + 1) * sizeof *value);
  if (value) { d->value = value; }
  return run && category && outcome && value ? MBD_OK : MEMORY_NONE(err, "the runs of %s", d->s->folder);
}

/* Values of the runs without violation with the least and the largest value of each quantity, and of the best run; those of runs that are drawn
 * anyhow come in here, too. */
struct study_extremes {
  int n;         /* 2 for each quantity, and one */
  long *run;     /* [n] -1: none */
  int *category; /* [n] */
  int *drawn;    /* [n] it is drawn anyhow */
  double *value; /* [n][width] */
  double *row;   /* [width] of the current run */
};

static void free_extremes(struct study_extremes *x) {
  if (!x) { return; }
  free(x->run), free(x->category), free(x->drawn), free(x->value), free(x->row), free(x);
}

static mbd_status make_extremes(study_data *d, mbd_error *err) {
  struct study_extremes *x = d->extremes = mbd_zeros(1, sizeof *x);
  MEMORY_TRY(x, err, "the runs of %s", d->s->folder);
  const size_t width = (size_t)study_data_width(d) + 1;
  x->n = 2 * d->nquantity + 1;
  x->run = mbd_zeros((size_t)x->n, sizeof *x->run), x->category = mbd_zeros((size_t)x->n, sizeof *x->category);
  x->drawn = mbd_zeros((size_t)x->n, sizeof *x->drawn);
  x->value = mbd_zeros((size_t)x->n * width, sizeof *x->value), x->row = mbd_zeros(width, sizeof *x->row);
  MBD_TRY(MEMORY_WHOLE(err, "the runs of %s", d->s->folder));
  for (int i = 0; i < x->n; i++) { x->run[i] = -1; }
  return MBD_OK;
}

static void keep_extreme(const study_data *d, int i, long run, int category, int drawn) {
  struct study_extremes *x = d->extremes;
  const size_t width = (size_t)study_data_width(d);
  x->run[i] = run, x->category[i] = category, x->drawn[i] = drawn;
  memcpy(x->value + (size_t)i * width, x->row, width * sizeof *x->row);
}

static void note_extremes(const study_data *d, long run, int category, int drawn) {
  const struct study_extremes *x = d->extremes;
  const size_t width = (size_t)study_data_width(d);
  for (int i = 0; i + 1 < x->n; i++) {
    const int k = d->keys.n + i / 2;
    const double v = x->row[k], kept = x->value[(size_t)i * width + (size_t)k];
    if (isfinite(v) && (x->run[i] < 0 || (i % 2 ? v > kept : v < kept))) { keep_extreme(d, i, run, category, drawn); }
  }
  if (run == study_data_shown(d)) { keep_extreme(d, x->n - 1, run, category, drawn); }
}

static mbd_status add_row(study_data *d, long run, int category, study_outcome outcome, const double *value,
                          mbd_error *err) {
  const size_t width = (size_t)study_data_width(d);
  MBD_TRY(reserve(d, err));
  const int i = d->nrow++;
  d->category[i] = category, d->run[i] = run, d->outcome[i] = outcome;
  double *row = d->value + (size_t)i * width;
  memcpy(row, value, width * sizeof *value);
  for (int k = 0; !study_data_has_values(d, i) && k < d->nquantity; k++) { row[d->keys.n + k] = NAN; }
  return MBD_OK;
}

/* Adds the extreme runs that are not drawn yet, each once. */
static mbd_status add_extremes(study_data *d, mbd_error *err) {
  const struct study_extremes *x = d->extremes;
  d->nregular = d->nrow;
  for (int i = 0; i < x->n; i++) {
    int there = x->run[i] < 0 || x->drawn[i];
    for (int k = d->nregular; k < d->nrow; k++) { there |= d->run[k] == x->run[i]; }
    if (there) { continue; }
    MBD_TRY(
        add_row(d, x->run[i], x->category[i], OUTCOME_DONE, x->value + (size_t)i * (size_t)study_data_width(d), err));
  }
  free_extremes(d->extremes);
  d->extremes = NULL;
  return MBD_OK;
}

static mbd_status second_pass(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  study_data *d = r->d;
  char *const *text = d->s->points.value;
  int category;
  if (r->stop && *r->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "interrupted"); }
  double *value = d->extremes->row;
  for (int j = 0; j < d->keys.n; j++) {
    const study_key *key = &d->keys.key[j];
    value[j] = key->words ? text_list_find(key->word, key->n, text[j]) : study_key_number(key, text[j]);
  }
  for (int k = 0; k < d->nquantity; k++) { value[d->keys.n + k] = quantity_value(&d->quantity[k], o); }
  MBD_TRY(study_keys_category(&d->keys, text, &category, err));
  const int drawn = study_keys_drawn(&d->keys, i, text);
  const study_outcome outcome = outcome_of(state, o);
  if (outcome == OUTCOME_DONE) { note_extremes(d, i, category, drawn); }
  return drawn ? add_row(d, i, category, outcome, value, err) : MBD_OK;
}

/* The first row with values; the number of rows where there is none. */
static int first_with_values(const study_data *d) {
  int i = 0;
  while (i < d->nrow && !study_data_has_values(d, i)) { i++; }
  return i;
}

static int is_constant(const study_data *d, int k) {
  const int column = d->keys.n + k, first = first_with_values(d);
  for (int i = first + 1; i < d->nrow; i++) {
    const double a = study_data_row(d, first)[column], b = study_data_row(d, i)[column];
    if (study_data_has_values(d, i) && a != b && !(isnan(a) && isnan(b))) { return 0; }
  }
  return 1;
}

/* Returns 1 if quantity k has the same numbers as the first quantity except for rounding: an optimizer's own objective is summed another way. */
static int is_objective(const study_data *d, int k) {
  double largest = 0;
  for (int i = 0; i < d->nrow; i++) { largest = fmax(largest, fabs(study_data_row(d, i)[d->keys.n])); }
  for (int i = 0; i < d->nrow; i++) {
    const double *v = study_data_row(d, i) + d->keys.n;
    if (!(fabs(v[k] - v[0]) <= 1e-9 * largest) && !(isnan(v[k]) && isnan(v[0]))) { return 0; }
  }
  return k > 0;
}

/* A single objective of weight 1 is the objective itself: it takes the first place, under its own name. Quantities that do not vary are marked. */
static void name_objective(study_data *d) {
  for (int k = 1; k < d->nquantity; k++) {
    study_quantity *quantity = &d->quantity[k];
    if (quantity->n != 1 || quantity->weight[0] != 1 || strcmp(quantity->name, quantity->column[0]) != 0 ||
        !is_objective(d, k)) {
      continue;
    }
    if (strcmp(d->quantity[0].name, "objective") == 0) {
      const study_quantity first = d->quantity[0];
      d->quantity[0] = *quantity, *quantity = first;
      for (int i = 0; i < d->nrow; i++) {
        double *v = d->value + (size_t)i * (size_t)study_data_width(d) + d->keys.n;
        const double objective = v[0];
        v[0] = v[k], v[k] = objective;
      }
    }
    quantity->state = QUANTITY_IS_OBJECTIVE;
  }
  /* quantities that have one value in all runs */
  for (int k = 0; k < d->nquantity; k++) {
    study_quantity *quantity = &d->quantity[k];
    const int first = first_with_values(d);
    if (quantity->state != QUANTITY_VARIES || first == d->nrow || !is_constant(d, k)) { continue; }
    quantity->state = QUANTITY_CONSTANT, quantity->value = study_data_row(d, first)[d->keys.n + k];
  }
}

/* ---- opening ---- */

mbd_status study_data_is(const char *folder, int *is, mbd_error *err) {
  double plan = -1, table = -1, result = -1;
  MBD_TRY(file_written(folder, "study.json", &plan, err));
  MBD_TRY(file_written(folder, "table.csv", &table, err));
  MBD_TRY(file_written(folder, "result.json", &result, err));
  *is = plan >= 0 && fmax(plan, table) >= result;
  return MBD_OK;
}

/* Opens a study for reading, which needs no model. */
static mbd_status open_study(study_data *d, const char *folder, mbd_error *err) {
  mbd_status status = study_open(folder, 0, NULL, &d->s, &d->changed);
  if (status == MBD_OK) { status = mechanism_create(d->s->config, &d->m, &d->changed); }
  if (status == MBD_NO_MEMORY) {
    *err = d->changed;
    return status;
  }
  d->title = "";
  if (d->m) {
    d->title = mbo_model_file_title(d->m->variant[0].file);
    d->nvariable = d->m->n, d->variable = d->m->name, d->start = d->m->start;
  }
  return d->s ? MBD_OK : study_open_results(folder, &d->s, err);
}

static mbd_status find_kind(study_data *d, mbd_error *err) {
  static const char *const kinds[] = {"sweep", "multistart", "compare", "pareto"};
  while (d->kind <= KIND_PARETO && strcmp(kinds[d->kind], d->s->kind) != 0) { d->kind++; }
  if (d->kind > KIND_PARETO) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s/study.json: kind '%s', expected sweep, multistart, compare or pareto",
             d->s->folder, d->s->kind);
  }
  d->gradient = strcmp(d->s->task, "gradient") == 0, d->optimize = strcmp(d->s->task, "optimize") == 0;
  return MBD_OK;
}

static mbd_status open_compare(study_data *d, mbd_error *err) {
  MBD_TRY(profiles_create(d->s, &d->profiles, err));
  const size_t n = (size_t)d->s->nfile * (size_t)d->profiles.nbackend;
  MBD_TRY(verdicts_create(&d->profiles, &d->verdicts, err));
  d->best_run = mbd_zeros(n, sizeof *d->best_run);
  d->best = mbd_zeros(n, sizeof *d->best), d->from_own = mbd_zeros(n, sizeof *d->from_own);
  d->f_start = mbd_zeros((size_t)d->s->nfile, sizeof *d->f_start);
  d->noise = mbd_zeros((size_t)d->s->nfile, sizeof *d->noise);
  MBD_TRY(MEMORY_WHOLE(err, "the runs of %s", d->s->folder));
  for (int i = 0; i < d->s->nfile; i++) { d->f_start[i] = NAN; }
  for (size_t i = 0; i < n; i++) { d->best[i] = NAN, d->best_run[i] = d->from_own[i] = -1; }
  if (comparison_is(d->s) && d->m) { return comparison_create(d->s, d->m->n, d->m->name, &d->comparison, err); }
  return MBD_OK;
}

/* Reads the study in two passes over its runs: the first for counts, best runs and columns, the second for the numbers of the runs that
 * are drawn. */
static mbd_status read_all(study_data *d, const char *folder, const volatile sig_atomic_t *stop, mbd_error *err) {
  reading r = {d, stop};
  struct stat info;
  MBD_TRY(open_study(d, folder, err));
  MBD_TRY(find_kind(d, err));
  if (stat(d->s->points.path, &info) == 0) { d->written = info.st_mtime; }
  d->worst.run = -1, d->f_own_start = NAN;
  d->top = mbd_zeros(STUDY_ROWS_MAX, sizeof *d->top);
  MEMORY_TRY(d->top, err, "the runs of %s", d->s->folder);
  MBD_TRY(study_keys_create(d->s, &d->keys, err));
  /* the first pass */
  if (d->kind == KIND_COMPARE) { MBD_TRY(open_compare(d, err)); }
  if (d->kind == KIND_PARETO) { MBD_TRY(pareto_open(d->s, &d->front, err)); }
  MBD_TRY(runs_each(d->s, first_pass, &r, err));
  d->left = d->s->n - d->done - d->failed;
  optima_sort(&d->optima);
  d->optima.f_start = d->f_own_start;
  if (d->m && d->optima.n) { MBD_TRY(equivalents_name(d->m, d->nvaried, d->varied, &d->optima, err)); }
  if (d->kind == KIND_COMPARE) { return study_units_problems(d, err); }
  /* the second pass, of a study that is no comparison */
  MBD_TRY(find_quantities(d, err));
  MBD_TRY(make_extremes(d, err));
  MBD_TRY(runs_each(d->s, second_pass, &r, err));
  MBD_TRY(add_extremes(d, err));
  name_objective(d);
  return study_units_find(d, err);
}

mbd_status study_data_open(const char *folder, const volatile sig_atomic_t *stop, study_data **out, mbd_error *err) {
  study_data *d = calloc(1, sizeof *d);
  MEMORY_TRY(d, err, "%s", folder);
  const mbd_status status = read_all(d, folder, stop, err);
  if (status != MBD_OK) {
    study_data_close(d);
    return status;
  }
  if (d->m) { d->m->stop = stop; }
  *out = d;
  return MBD_OK;
}

void study_data_close(study_data *d) {
  if (!d) { return; }
  free_reasons(&d->failures), free_reasons(&d->warnings), pareto_close(&d->front);
  for (int k = 0; k < d->nquantity; k++) {
    study_quantity *quantity = &d->quantity[k];
    text_list_free(quantity->column, quantity->n);
    free(quantity->name), free(quantity->label), free(quantity->unit), free(quantity->axis), free(quantity->weight);
  }
  text_list_free(d->column, d->ncolumn), text_list_free(d->x, d->nx);
  free(d->quantity), free(d->top);
  free(d->run), free(d->category), free(d->outcome), free(d->value), free(d->best), free(d->best_run),
      free(d->from_own), free(d->f_start), free(d->noise);
  free(d->end_of), free_extremes(d->extremes);
  text_list_free(d->key_unit, d->keys.n), text_list_free(d->key_axis, d->keys.n);
  text_list_free(d->objective, d->s ? d->s->nfile : 0);
  study_keys_free(&d->keys), optima_free(&d->optima), verdicts_free(&d->verdicts), free(d->varied), free(d->x_scale),
      profiles_free(&d->profiles), comparison_free(&d->comparison);
  mechanism_destroy(d->m);
  study_destroy(d->s);
  free(d);
}
