#include "study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "config/ini.h"
#include "mbo/backend.h"
#include "mechanism/mechanism.h"
#include "backend/run_settings.h"
#include "study/multistart.h"
#include "study/study_row.h"

/* ---- the backends that take part ---- */

/* A backend of the list of a problem. */
typedef struct entrant {
  char *name, *why;  /* reason why it is left out; NULL: it takes part */
  mbd_status status; /* of its check */
} entrant;

typedef struct entrants {
  int n;
  entrant *v; /* [n] */
} entrants;

struct compare_plan {
  study_plan plan;
  int width;    /* characters of the longest name */
  entrants *of; /* [plan.nfile] */
};

/* Can the backend solve the problem, with the settings of its runs? */
static mbd_status check_backend(const compare_plan *c, int i, const char *name, const mbo_problem *p, mbd_error *err) {
  mbo_run_config *config = NULL;
  mbo_settings settings;
  MBD_TRY(mbo_run_config_read(c->plan.file[i], c->plan.nset, c->plan.set, &config, err));
  char *folder = ini_beside(c->plan.file[0], ".");
  mbd_status status = folder ? study_set_backend(config, folder, name, err) : MEMORY_NONE(err, "the comparison");
  free(folder);
  mbo_option *options = status == MBD_OK ? run_settings(config, p, &settings) : NULL;
  if (status == MBD_OK) {
    status = options ? mbo_check(run_backend(config, p), p, &settings, err) : MEMORY_NONE(err, "the comparison");
  }
  free(options);
  mbo_run_config_destroy(config);
  return status;
}

static int is_entered(const entrants *of, const char *name) {
  for (int k = 0; k < of->n; k++) {
    if (!of->v[k].why && strcmp(of->v[k].name, name) == 0) { return 1; }
  }
  return 0;
}

/* Adds a backend, which takes over its name. One that cannot solve the problem is left out; one that nobody could run is an error. */
static mbd_status enter(compare_plan *c, int i, char *name, const mbo_problem *p, mbd_error *err) {
  mbd_error why = {0};
  entrants *of = &c->of[i];
  entrant *grown = name ? mbd_list_grow(of->v, of->n, sizeof *grown) : NULL;
  if (!grown) {
    free(name);
    return MEMORY_NONE(err, "the comparison");
  }
  of->v = grown;
  entrant *entry = &grown[of->n++];
  *entry = (entrant){.name = name};
  const mbd_status status = entry->status = check_backend(c, i, name, p, &why);
  if (status != MBD_OK) { entry->why = mbd_strdup(why.text); }
  MEMORY_TRY(status != MBD_NO_MEMORY, err, "the comparison");
  if (status != MBD_OK && status != MBD_UNSUPPORTED && status != MBD_NOT_BUILT_IN) {
    MBD_FAIL(err, status, "'%s' cannot be compared: %s", name, why.text);
  }
  if (status != MBD_OK) { return MEMORY_WHOLE(err, "the comparison"); }
  if ((int)strlen(name) > c->width) { c->width = (int)strlen(name); }
  c->plan.n += c->plan.starts;
  return MBD_OK;
}

/* Adds the first of "A or B or ..." that can solve the problem; those before it are left out. */
static mbd_status enter_first(compare_plan *c, int i, const char *alternatives, const mbo_problem *p, mbd_error *err) {
  static const char between[] = " or ";
  for (const char *at = alternatives; at;) {
    const char *end = strstr(at, between);
    char *name = mbd_sprintf_dup("%.*s", end ? (int)(end - at) : (int)strlen(at), at);
    if (name && is_entered(&c->of[i], name)) {
      free(name);
      return MBD_OK;
    }
    MBD_TRY(enter(c, i, name, p, err));
    if (!c->of[i].v[c->of[i].n - 1].why) { return MBD_OK; }
    at = end ? end + strlen(between) : NULL;
  }
  return MBD_OK;
}

/* Adds the backends of a list with commas: the default one, which is taken like one that the user writes; with `command`, that of the run file
 * too. */
static mbd_status enter_usual(compare_plan *c, int i, int command, const mbo_problem *p, mbd_error *err) {
  const char *at = MBO_COMPARED_BACKENDS;
  while (*at) {
    char name[64];
    const size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    MBD_TRY(enter_first(c, i, name, p, err));
    at += length + strspn(at + length, ", ");
  }
  return command ? enter(c, i, mbd_strdup("command"), p, err) : MBD_OK;
}

static mbd_status enter_all(compare_plan *c, int i, const mbo_run_config *config, const mbo_problem *p,
                            mbd_error *err) {
  const mbo_names *asked_for = &config->compare.backends;
  const int command = strcmp(config->optimizer.backend, "command") == 0;
  const long before = c->plan.n;
  for (int k = 0; k < asked_for->n; k++) { MBD_TRY(enter_first(c, i, asked_for->v[k], p, err)); }
  if (asked_for->n == 0) { MBD_TRY(enter_usual(c, i, command, p, err)); }
  if (c->plan.n == before) {
    const entrant *first = c->of[i].v;
    MBD_FAIL(err, first->status, "no backend can solve this problem: %s: %s", first->name, first->why);
  }
  return MBD_OK;
}

/* Reads run file i and adds the backends that take part in its problem; the first file also gives the number of starts. */
static mbd_status enter_file(compare_plan *c, int i, mbd_error *err) {
  mbo_run_config *config = NULL;
  mechanism *m = NULL;
  mbo_problem p;
  mbd_status status = mbo_run_config_read(c->plan.file[i], c->plan.nset, c->plan.set, &config, err);
  if (status == MBD_OK && config->nobjective == 0) {
    status =
        MBD_FAILED(err, MBD_BAD_INPUT,
                   "%s: no [objective NAME] or [measurement NAME]; expected at least one to minimize", config->path);
  }
  if (status == MBD_OK && c->plan.starts == 0) { c->plan.starts = config->compare.starts; }
  if (status == MBD_OK) { status = mechanism_create(config, &m, err); }
  if (status == MBD_OK && c->plan.starts > 1) { status = starts_check(m, err); }
  if (status == MBD_OK) {
    mechanism_problem(m, &p);
    status = enter_all(c, i, config, &p, err);
  }
  mechanism_destroy(m);
  mbo_run_config_destroy(config);
  return status;
}

const char *compare_left_out(const compare_plan *c, int i, const char **why) {
  for (int file = 0; file < c->plan.nfile; file++) {
    for (int k = 0; k < c->of[file].n; k++) {
      const entrant *entry = &c->of[file].v[k];
      *why = entry->why;
      if (entry->why && i-- == 0) { return entry->name; }
    }
  }
  return NULL;
}

/* ---- the plan ---- */

/* The starts of a problem follow each other, each with all backends, so that the runs that are done first are complete comparisons. */
static mbd_status write_rows(void *user, const study_rows *to, mbd_error *err) {
  const compare_plan *c = user;
  (void)err;
  for (int i = 0; i < c->plan.nfile; i++) {
    for (int start = 0; start < c->plan.starts && study_rows_requested(to); start++) {
      for (int k = 0; k < c->of[i].n; k++) {
        const entrant *entry = &c->of[i].v[k];
        if (!entry->why) { fprintf(to->out, "%-6d,%-9d,%-*s\n", i + 1, start, c->width, entry->name); }
      }
    }
  }
  return MBD_OK;
}

/* Makes the plan with a column for each of problem, start and backend, and checks all run files. */
mbd_status compare_create(int nfile, const char *const *file, int nset, const char *const *set, int starts,
                          compare_plan **out, mbd_error *err) {
  static char problem[] = "problem", start[] = "start", backend[] = "backend", none[] = "";
  static const study_column column[] = {
      {problem, STUDY_PROBLEM, none}, {start, STUDY_START, none}, {backend, STUDY_BACKEND, none}};
  compare_plan *c = mbd_zeros(1, sizeof *c);
  *out = NULL;
  MEMORY_TRY(c, err, "the comparison");
  /* The plan of a study of optimizations, whose rows write_rows writes. */
  c->plan = (study_plan){.kind = "compare",
                         .task = "optimize",
                         .nfile = nfile,
                         .file = file,
                         .nset = nset,
                         .set = set,
                         .ncolumn = sizeof column / sizeof column[0],
                         .column = column,
                         .starts = starts,
                         .write_rows = write_rows,
                         .user = c,
                         .replaces = 1};
  /* The backends of each run file. Their checks need the problem of the file. */
  c->of = mbd_zeros((size_t)nfile, sizeof *c->of);
  mbd_status status = MEMORY_WHOLE(err, "the comparison");
  for (int i = 0; status == MBD_OK && i < nfile; i++) { status = enter_file(c, i, err); }
  if (status != MBD_OK) { compare_destroy(c); }
  *out = status == MBD_OK ? c : NULL;
  return status;
}

void compare_destroy(compare_plan *c) {
  if (!c) { return; }
  for (int i = 0; c->of && i < c->plan.nfile; i++) {
    for (int k = 0; k < c->of[i].n; k++) { free(c->of[i].v[k].name), free(c->of[i].v[k].why); }
    free(c->of[i].v);
  }
  free(c->of);
  free(c);
}

const study_plan *compare_study_plan(const compare_plan *c) {
  return &c->plan;
}

/* ---- results ---- */

int comparison_is(const study *s) {
  return strcmp(s->kind, "compare") == 0 && s->nfile == 1 && s->starts == 1;
}

static mbd_status take(study *s, long i, const costs *c, int nx, const char *const *name, contender *e,
                       mbd_error *err) {
  static const char *const column[COMPARISON_MEASURES] = {
      [COMPARISON_OBJECTIVE] = "objective",
      [COMPARISON_VIOLATION] = "violation",
      [COMPARISON_ITERATIONS] = "iterations",
      [COMPARISON_SIMULATIONS] = "simulations",
      [COMPARISON_FAILURES] = "failed_designs"}; /* seconds and optimality are next to the columns */
  *e = (contender){.status = "NOT_RUN", .text = "", .equivalent = NAN};
  for (int k = 0; k < COMPARISON_MEASURES; k++) { e->measure[k] = NAN; }
  MBD_TRY(runs_read(s, i, &e->state, &e->record, err));
  e->name = mbd_strdup(study_value(s, STUDY_BACKEND));
  if (e->record) { e->status = json_text_in(e->record, "status"); }
  if (e->state == RUN_FAILED) { e->text = json_text_in(e->record, "error"); }
  if (e->state != RUN_DONE) { return MEMORY_WHOLE(err, "the comparison"); }
  e->text = json_text_in(e->record, "message");
  for (int k = 0; k < COMPARISON_MEASURES; k++) {
    if (column[k]) { e->measure[k] = runs_number(e->record, column[k]); }
  }
  const json_t *optimality = json_object_get(e->record, "optimality");
  if (optimality) { e->measure[COMPARISON_OPTIMALITY] = json_number_value(optimality); }
  e->measure[COMPARISON_SECONDS] = json_number_value(json_object_get(e->record, "seconds"));
  e->measure[COMPARISON_EQUIVALENT] = costs_of_run(costs_here(c, s), e->record);
  e->x = mbd_zeros((size_t)nx, sizeof *e->x);
  for (int j = 0; e->x && j < nx; j++) { e->x[j] = runs_number_in(e->record, "result.", name[j]); }
  return MEMORY_WHOLE(err, "the comparison");
}

static int is_feasible(const contender *e) {
  return e->state == RUN_DONE && e->measure[COMPARISON_VIOLATION] <= runs_tolerance(e->record);
}

/* Finds the number of simulations until a feasible design had an objective at most this large. */
static mbd_status find_reached(const costs *c, contender *e, double f, mbd_error *err) {
  double *cost = costs_of_designs(&c->of[0], e->record);
  MEMORY_TRY(cost, err, "the comparison");
  for (int k = 0; k < runs_simulations(e->record) && e->reached == 0; k++) {
    if (runs_feasible(e->record, k) <= f) { e->reached = k + 1, e->equivalent = cost[k]; }
  }
  free(cost);
  return MBD_OK;
}

static double noise_of(const contender *e) {
  return json_number_value(json_object_get(e->record, "noise")); /* 0 if it was not measured */
}

/* Among the runs whose objectives differ from the least one by at most the noise, the one with the fewest equivalent simulations. */
static int first_of_equals(const comparison *judged, int min) {
  int first = min;
  for (int i = 0; i < judged->n; i++) {
    const double *measure = judged->by[i].measure,
                 worse = measure[COMPARISON_OBJECTIVE] - judged->by[min].measure[COMPARISON_OBJECTIVE];
    const int equal =
        is_feasible(&judged->by[i]) && worse <= fmax(noise_of(&judged->by[i]), noise_of(&judged->by[min]));
    if (equal && measure[COMPARISON_EQUIVALENT] < judged->by[first].measure[COMPARISON_EQUIVALENT]) { first = i; }
  }
  return first;
}

static mbd_status judge(comparison *judged, mbd_error *err) {
  static const double same_objective = 0.01, same_gain = 1e-6;
  /* the least objective of the feasible designs */
  for (int i = 0; i < judged->n; i++) {
    const double f = judged->by[i].measure[COMPARISON_OBJECTIVE];
    if (is_feasible(&judged->by[i]) &&
        (judged->best < 0 || f < judged->by[judged->best].measure[COMPARISON_OBJECTIVE])) {
      judged->best = i;
    }
  }
  if (judged->best < 0) { return MBD_OK; }
  judged->best = first_of_equals(judged, judged->best);
  /* the runs that came within reach of it, and after how many simulations */
  const contender *b = &judged->by[judged->best];
  const double f = b->measure[COMPARISON_OBJECTIVE], gained = runs_number(b->record, "objective_at_start") - f;
  judged->reach = fmax(same_objective * fabs(f), same_gain * gained); /* fmax ignores NaN */
  for (int i = 0; i < judged->n; i++) {
    contender *e = &judged->by[i];
    if (is_feasible(e)) { MBD_TRY(find_reached(&judged->costs, e, f + judged->reach, err)); }
    judged->nreached += e->reached > 0;
  }
  /* the differences between their designs, for each variable */
  for (int j = 0; j < judged->nx; j++) {
    double min = INFINITY, largest = -INFINITY;
    for (int i = 0; i < judged->n; i++) {
      if (judged->by[i].reached == 0) { continue; }
      min = fmin(min, judged->by[i].x[j]);
      largest = fmax(largest, judged->by[i].x[j]);
    }
    const double size = fmax(fabs(min), fabs(largest));
    judged->spread[j] = size > 0 ? (largest - min) / size : 0;
  }
  return MBD_OK;
}

mbd_status comparison_create(study *s, int nx, const char *const *name, comparison *judged, mbd_error *err) {
  *judged = (comparison){.nx = nx, .best = -1};
  judged->spread = mbd_zeros((size_t)nx, sizeof *judged->spread);
  judged->by = mbd_zeros((size_t)s->n, sizeof *judged->by);
  mbd_status status = MEMORY_WHOLE(err, "the comparison");
  if (status == MBD_OK) { status = costs_create(s, &judged->costs, err); }
  for (; status == MBD_OK && judged->n < s->n; judged->n++) {
    status = take(s, judged->n, &judged->costs, nx, name, &judged->by[judged->n], err);
  }
  if (status == MBD_OK) { status = judge(judged, err); }
  if (status != MBD_OK) { comparison_free(judged); }
  return status;
}

void comparison_free(comparison *judged) {
  for (int i = 0; i < judged->n; i++) {
    free(judged->by[i].name), free(judged->by[i].x);
    json_decref(judged->by[i].record);
  }
  costs_free(&judged->costs);
  free(judged->by), free(judged->spread);
  *judged = (comparison){0};
}
