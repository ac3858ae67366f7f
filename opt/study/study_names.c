#include "study/study_names.h"

#include <string.h>

/* Columns of every table; those from FIRST_OF_OPTIMIZE on where runs optimize. As run.c and merge.c write them. */
static const char *const own[] = {
    "run",       "status",     "seconds",     "error",         "objective", "objective_at_start",
    "violation", "iterations", "simulations", "failed_designs"};
enum { N_OWN = sizeof own / sizeof own[0], FIRST_OF_OPTIMIZE = 5 };

static int is_own(const study *s, const char *name) {
  const int n = strcmp(s->task, "optimize") == 0 ? N_OWN : FIRST_OF_OPTIMIZE;
  for (int i = 0; i < n; i++) {
    if (strcmp(own[i], name) == 0) { return 1; }
  }
  return 0;
}

static int is_column(const study *s, const char *name) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (strcmp(s->column[i].name, name) == 0) { return 1; }
  }
  return 0;
}

/* One objective or constraint: [KIND NAME]. */
static mbd_status check_quantity(const study *s, const mbo_run_config *c, const char *kind, const char *name,
                                 mbd_error *err) {
  if (is_own(s, name)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s]: the table of runs has a column '%s' of its own; expected another name",
             c->path, kind, name, name);
  }
  if (is_column(s, name)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [%s %s]: the table of runs has a column '%s' already, of the values that runs begin with; expected "
             "another name, or the whole key of what is swept, as in vary.scalars.%s",
             c->path, kind, name, name, name);
  }
  return MBD_OK;
}

static mbd_status check_pair(const mbo_run_config *c, const char *constraint, mbd_error *err) {
  for (int i = 0; i < c->nobjective; i++) {
    if (strcmp(c->objective[i].name, constraint) != 0) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [constraint %s] has the name of an objective, and the table of runs one column for both; expected "
             "another name",
             c->path, constraint);
  }
  return MBD_OK;
}

mbd_status study_check_names(const study *s, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < s->ncolumn; i++) {
    if (!is_own(s, s->column[i].name)) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: the table of runs has a column '%s' of its own; expected the whole key of what is swept, vary.%s",
             c->path, s->column[i].name, s->column[i].key);
  }
  for (int i = 0; i < c->nobjective; i++) { MBD_TRY(check_quantity(s, c, "objective", c->objective[i].name, err)); }
  for (int i = 0; i < c->nconstraint; i++) {
    MBD_TRY(check_quantity(s, c, "constraint", c->constraint[i].name, err));
    MBD_TRY(check_pair(c, c->constraint[i].name, err));
  }
  return MBD_OK;
}
