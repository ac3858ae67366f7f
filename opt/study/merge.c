#include "study/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/memory.h"
#include "files/warning_words.h"
#include "files/atomic_file.h"
#include "files/csv.h"
#include "files/text_list.h"

/* ---- columns of the table ---- */

/* Adds the columns of a run to the list. */
static mbd_status gather(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  merged *m = user;
  (void)state, (void)err;
  pareto_put(&m->front, i, o);
  runs_add_columns(&m->column, &m->ncolumn, o);
  return MBD_OK;
}

void merged_free(merged *m) {
  text_list_free(m->column, m->ncolumn);
  costs_free(&m->costs);
  pareto_close(&m->front);
  *m = (merged){0};
}

/* ---- the table of runs ---- */

typedef struct writing {
  const study *s;
  merged *m;
  int ncolumn; /* of m, when the table began */
  FILE *out;
  merge_database *database;
  const json_t **value; /* [ncolumn] of the present run */
} writing;

static void write_value(FILE *out, const json_t *v) {
  if (json_is_integer(v)) {
    fprintf(out, ",%lld", (long long)json_integer_value(v));
  } else if (json_is_string(v)) {
    csv_put_text(out, json_string_value(v));
  } else {
    csv_put_number(out, json_is_number(v) ? json_number_value(v) : NAN);
  }
}

/* Runs nearly always have the same columns in the same order, so that a column is looked for at its place in the record first. */
static void pick(const merged *m, const json_t *columns, const json_t **value) {
  const char *name;
  json_t *v;
  int at = 0;
  for (int k = 0; k < m->ncolumn; k++) { value[k] = NULL; }
  json_object_foreach((json_t *)columns, name, v) {
    const int is_there = at < m->ncolumn && strcmp(m->column[at], name) == 0;
    const int k = is_there ? at : text_list_find(m->column, m->ncolumn, name);
    at++;
    if (k >= 0) { value[k] = v; }
  }
}

/* Counts the run, and writes its line unless it or one before it has a column that the table lacks. */
static mbd_status write_run(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const writing *w = user;
  merged *m = w->m;
  if (json_array_size(json_object_get(o, "warnings")) > 0 && m->warned++ == 0) { m->first_warned = i; }
  *(state == RUN_DONE ? &m->done : &m->failed) += 1;
  const json_t *in_lanes = json_object_get(o, "in_lanes");
  m->in_lanes.together += json_integer_value(json_object_get(in_lanes, "together"));
  m->in_lanes.repeated += json_integer_value(json_object_get(in_lanes, "repeated"));
  if (m->costs.nproblem) { costs_put(&m->costs, w->s, o); }
  pareto_put(&m->front, i, o);
  runs_add_columns(&m->column, &m->ncolumn, o);
  if (m->ncolumn > w->ncolumn) { return MBD_OK; }
  pick(m, json_object_get(o, "columns"), w->value);
  fprintf(w->out, "%ld", i);
  write_value(w->out, json_object_get(o, "status"));
  for (int k = 0; k < m->ncolumn; k++) { write_value(w->out, w->value[k]); }
  char *warnings = warnings_words(json_object_get(o, "warnings"));
  MEMORY_TRY(warnings, err, "the warnings of run %ld", i);
  csv_put_text(w->out, warnings);
  write_value(w->out, json_object_get(o, "seconds"));
  write_value(w->out, json_object_get(o, "error"));
  fputc('\n', w->out);
  const mbd_status status = w->database ? merge_database_add(w->database, i, o, w->value, warnings, err) : MBD_OK;
  free(warnings);
  return status;
}

static mbd_status write_table(writing *w, study *s, mbd_error *err) {
  merged *m = w->m;
  w->value = mbd_zeros((size_t)m->ncolumn, sizeof *w->value);
  MEMORY_TRY(w->value, err, "the table");
  m->done = m->failed = m->warned = 0, m->in_lanes = (lane_counts){0, 0};
  fputs("run,status", w->out);
  for (int k = 0; k < m->ncolumn; k++) { csv_put_text(w->out, m->column[k]); }
  fputs(",warnings,seconds,error\n", w->out);
  const mbd_status status = runs_each(s, write_run, w, err);
  free(w->value);
  return status;
}

/* The database of an earlier merge is none of a table that has none. */
static void remove_database(const study *s) {
  char *path = path_in(s->folder, "study.sqlite");
  if (path) { unlink(path); }
  free(path);
}

/* Writes table.csv and study.sqlite, unless it turns out that runs have more columns. */
static mbd_status write_tables(study *s, merged *m, mbd_error *why, mbd_error *err) {
  atomic_file a;
  writing w = {.s = s, .m = m, .ncolumn = m->ncolumn};
  MBD_TRY(atomic_open_in(s->folder, "table.csv", &a, err));
  w.out = a.out, *why = (mbd_error){0};
  mbd_status status = merge_database_open(s, m, &w.database, why);
  if (status == MBD_NOT_BUILT_IN || status == MBD_UNSUPPORTED) {
    status = MBD_OK;
  } else if (status != MBD_OK && err) {
    *err = *why;
  }
  if (status == MBD_OK) { status = write_table(&w, s, err); }
  if (status == MBD_OK && m->ncolumn > w.ncolumn) {
    if (w.database) { (void)merge_database_close(w.database, MBD_INTERRUPTED, NULL); }
    atomic_abort(&a);
    return MBD_OK;
  }
  if (w.database) { status = merge_database_close(w.database, status, err); }
  if (status == MBD_OK && !w.database) { remove_database(s); }
  return atomic_end(&a, status, err);
}

/* ---- the simulations of a comparison ---- */

typedef struct history {
  const study *s;
  const costs *costs;
  FILE *out;
} history;

/* best: the least objective so far of a feasible design. */
static mbd_status write_designs(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const history *histories = user;
  const json_t *columns = json_object_get(o, "columns");
  double best = NAN, *cost = costs_of_designs(costs_here(histories->costs, histories->s), o);
  (void)state;
  MEMORY_TRY(cost, err, "the table");
  for (int k = 0; k < runs_simulations(o); k++) {
    fprintf(histories->out, "%ld", i);
    for (int j = 0; j < histories->s->ncolumn; j++) {
      write_value(histories->out, json_object_get(columns, histories->s->column[j].name));
    }
    fprintf(histories->out, ",%d", k + 1);
    best = fmin(best, runs_feasible(o, k)); /* fmin ignores NaN */
    csv_put_number(histories->out, runs_objective(o, k));
    csv_put_number(histories->out, best);
    csv_put_number(histories->out, runs_violation(o, k));
    csv_put_number(histories->out, cost[k]);
    fputc('\n', histories->out);
  }
  free(cost);
  return MBD_OK;
}

static mbd_status write_history(study *s, const merged *m, FILE *out, mbd_error *err) {
  history histories = {s, &m->costs, out};
  fputs("run", out);
  for (int j = 0; j < s->ncolumn; j++) { csv_put_text(out, s->column[j].name); }
  fputs(",evaluation,objective,best,violation,equivalent\n", out);
  return runs_each(s, write_designs, &histories, err);
}

/* ---- the files ---- */

/* A run nearly always has the columns of the first ones. So tables are written while it is found out whether one has others, and then once more. */
mbd_status merge_write(study *s, merged *m, mbd_error *why, mbd_error *err) {
  enum { FIRST = 1000 };
  const int compares = strcmp(s->kind, "compare") == 0, is_all = compares || pareto_is(s) || s->n < FIRST;
  int ncolumn;
  atomic_file a;
  *m = (merged){0};
  if (pareto_is(s)) { MBD_TRY(pareto_open(s, &m->front, err)); }
  MBD_TRY(runs_each_before(s, is_all ? s->n : FIRST, gather, m, err));
  if (compares) {
    MBD_TRY(costs_create(s, &m->costs, err));
    text_list_add(&m->column, &m->ncolumn, "equivalent");
    MBD_TRY(MEMORY_WHOLE(err, "the table"));
  }
  do {
    ncolumn = m->ncolumn;
    MBD_TRY(write_tables(s, m, why, err));
  } while (m->ncolumn > ncolumn);
  m->missing = s->n - m->done - m->failed;
  if (!compares) { return MBD_OK; }
  MBD_TRY(atomic_open_in(s->folder, "history.csv", &a, err));
  return atomic_end(&a, write_history(s, m, a.out, err), err);
}
