#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "files/memory.h"
#include "files/csv.h"
#include "mechanism/mechanism.h"
#include "study/axis.h"
#include "scatter/samples.h"

struct sweep {
  const mbo_run_config *c;
  study_plan plan;
  int n; /* swept keys */
  study_column *column;
  axis *axis; /* [n]; NULL: the values are from a table */
  int *width; /* [n] characters of the longest value */
  csv table;
};

enum { RUNS_MAX = 100000000 };

/* Puts "RUN.ini: [sweep] KEY: " in front of the text of an error. */
static mbd_status locate(const sweep *s, const char *key, mbd_status status, mbd_error *err) {
  return mbd_locate(err, status, "%s: [sweep] %s%s: ", s->c->path, s->axis ? "vary." : "", key);
}

/* ---- keys ---- */

static const mbo_design_config *design_of(const mbo_run_config *c, const char *scalar) {
  for (int i = 0; i < c->ndesign; i++) {
    if (strcmp(c->design[i].scalar, scalar) == 0) { return &c->design[i]; }
  }
  return NULL;
}

char *sweep_key(const mbo_run_config *c, const char *name) {
  const mbo_design_config *d = design_of(c, name);
  if (strchr(name, '.')) { return mbd_strdup(name); }
  return d ? mbd_sprintf_dup("design.%s.start", d->name) : mbd_sprintf_dup("scalars.%s", name);
}

/* Refuses names and values that points.csv cannot have. */
static mbd_status check_text(const char *text, mbd_error *err) {
  if (points_takes(text)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "'%s' cannot be swept: a comma outside of parentheses, or one that is not closed", text);
}

/* Refuses keys without an effect on results, or with another effect than intended. */
static mbd_status check_key(const sweep *s, const char *key, mbd_error *err) {
  static const char *const without[] = {"output.", "sweep.", "multistart.", "pareto.", "study.", "slurm."};
  const size_t prefix = strlen("scalars.");
  for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
    if (strncmp(key, without[i], strlen(without[i])) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "keys of [%.*s] change no result; they cannot be swept", (int)strlen(without[i]) - 1,
               without[i]);
    }
  }
  const mbo_design_config *d = strncmp(key, "scalars.", prefix) == 0 ? design_of(s->c, key + prefix) : NULL;
  if (d && !isnan(d->start)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "has no effect, because [design %s] has a start of its own; expected vary.%s or vary.design.%s.start",
             d->name, key + prefix, d->name);
  }
  return MBD_OK;
}

static mbd_status add_column(sweep *s, int i, const char *name, mbd_error *err) {
  study_column *column = &s->column[i];
  *column = (study_column){mbd_strdup(name), STUDY_SET, sweep_key(s->c, name)};
  MEMORY_TRY(column->name && column->key, err, "the sweep");
  MBD_TRY(check_text(name, err));
  for (int k = 0; k < i; k++) {
    if (strcmp(s->column[k].key, column->key) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "the same as '%s', which is swept already", s->column[k].name);
    }
  }
  return check_key(s, column->key, err);
}

/* ---- values ---- */

/* Do the run file and the model accept these assignments? If a design cannot be assembled, its run fails. */
static mbd_status try_values(const sweep *s, int n, const study_column *column, const char *const *value,
                             mbd_error *err) {
  const char **set = mbd_zeros((size_t)(s->plan.nset + n), sizeof *set);
  char **own = mbd_zeros((size_t)n, sizeof *own);
  mbo_run_config *c = NULL;
  mechanism *m = NULL;
  const int whole = set && own;
  for (int i = 0; whole && i < s->plan.nset; i++) { set[i] = s->plan.set[i]; }
  for (int i = 0; whole && i < n; i++) {
    set[s->plan.nset + i] = own[i] = mbd_sprintf_dup("%s=%s", column[i].key, value[i]);
  }
  mbd_status status = MEMORY_WHOLE(err, "the sweep");
  if (status == MBD_OK) { status = mbo_run_config_read(s->c->path, s->plan.nset + n, set, &c, err); }
  if (status == MBD_OK) { status = mechanism_create(c, &m, err); }
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  free(set), text_list_free(own, n);
  return status;
}

/* Tries the ends of a range, or all words of a list. */
static mbd_status check_axis(const sweep *s, int i, mbd_error *err) {
  const axis *a = &s->axis[i];
  char text[AXIS_NUMBER];
  for (int k = 0; a->level && k < a->n; k++) {
    MBD_TRY(check_text(a->level[k], err));
    MBD_TRY(try_values(s, 1, &s->column[i], (const char *const *)&a->level[k], err));
  }
  for (int end = 0; !a->level && end < 2; end++) {
    axis_number(end ? a->to : a->from, text);
    const char *value = text;
    MBD_TRY(try_values(s, 1, &s->column[i], &value, err));
  }
  return MBD_OK;
}

static mbd_status read_axis(sweep *s, int i, mbd_error *err) {
  const mbo_pairs *vary = &s->c->sweep.vary;
  MBD_TRY(axis_read(vary->name.v[i], vary->text.v[i], &s->axis[i], err));
  MBD_TRY(add_column(s, i, vary->name.v[i], err));
  s->width[i] = axis_width(&s->axis[i]);
  return check_axis(s, i, err);
}

/* ---- plans: number of runs, and their rows ---- */

static void put_row(const sweep *s, const study_rows *to, const char *const *value) {
  points_write_row(to->out, s->n, value, s->width);
}

static mbd_status grid_count(sweep *s, mbd_error *err) {
  s->plan.n = 1;
  for (int i = 0; i < s->n; i++) {
    if (s->axis[i].n == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep] vary.%s: a grid needs a number of values: FROM to TO in N", s->c->path,
               s->axis[i].key);
    }
    if (s->plan.n > RUNS_MAX / s->axis[i].n) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep]: the grid has more than %d runs", s->c->path, RUNS_MAX);
    }
    s->plan.n *= s->axis[i].n;
  }
  return MBD_OK;
}

static mbd_status grid_rows(const sweep *s, const study_rows *to, mbd_error *err) {
  char(*text)[AXIS_NUMBER] = mbd_zeros((size_t)s->n, sizeof *text);
  const char **value = mbd_zeros((size_t)s->n, sizeof *value);
  for (long k = 0; text && value && k < s->plan.n && study_rows_requested(to); k++) {
    long rest = k;
    for (int i = s->n - 1; i >= 0; i--) {
      value[i] = axis_level(&s->axis[i], (int)(rest % s->axis[i].n), text[i]);
      rest /= s->axis[i].n;
    }
    put_row(s, to, value);
  }
  free(text), free(value);
  return MEMORY_WHOLE(err, "the sweep");
}

static mbd_status spread_count(sweep *s, mbd_error *err) {
  s->plan.n = s->c->sweep.points;
  if (s->plan.n < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep] plan = %s needs points = N, the number of runs", s->c->path,
             s->c->sweep.plan);
  }
  return MBD_OK;
}

static mbd_status spread_rows(const sweep *s, samples_kind kind, const study_rows *to, mbd_error *err) {
  samples *plan = NULL;
  MBD_TRY(samples_create(kind, (int)s->plan.n, s->n, (uint64_t)s->c->sweep.seed, &plan, err));
  double *u = mbd_zeros((size_t)s->n, sizeof *u);
  char(*text)[AXIS_NUMBER] = mbd_zeros((size_t)s->n, sizeof *text);
  const char **value = mbd_zeros((size_t)s->n, sizeof *value);
  while (u && text && value && study_rows_requested(to) && samples_next(plan, u)) {
    for (int i = 0; i < s->n; i++) { value[i] = axis_at(&s->axis[i], u[i], text[i]); }
    put_row(s, to, value);
  }
  samples_destroy(plan);
  free(u), free(text), free(value);
  return MEMORY_WHOLE(err, "the sweep");
}

static mbd_status hypercube_rows(const sweep *s, const study_rows *to, mbd_error *err) {
  return spread_rows(s, SAMPLES_LATIN_HYPERCUBE, to, err);
}

static mbd_status sobol_rows(const sweep *s, const study_rows *to, mbd_error *err) {
  return spread_rows(s, SAMPLES_SOBOL, to, err);
}

static mbd_status table_count(sweep *s, mbd_error *err) {
  s->plan.n = s->table.nrow;
  if (s->plan.n == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep] %s: no rows below the names", s->c->path, s->c->sweep.file);
  }
  for (int k = 0; k < s->table.nrow; k++) {
    for (int i = 0; i < s->n; i++) {
      const char *value = csv_text(&s->table, k, i);
      const int length = (int)strlen(value);
      MBD_TRY(locate(s, s->c->sweep.file, check_text(value, err), err));
      if (length > s->width[i]) { s->width[i] = length; }
    }
  }
  return locate(s, s->c->sweep.file, try_values(s, s->n, s->column, csv_row(&s->table, 0), err), err);
}

static mbd_status table_rows(const sweep *s, const study_rows *to, mbd_error *err) {
  (void)err;
  for (int k = 0; k < s->table.nrow && study_rows_requested(to); k++) { put_row(s, to, csv_row(&s->table, k)); }
  return MBD_OK;
}

static mbd_status read_table(sweep *s, mbd_error *err) {
  const char *file = s->c->sweep.file;
  if (!*file) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep] plan = csv needs file = TABLE.csv", s->c->path); }
  char *path = ini_beside(s->c->path, file);
  mbd_status status = csv_read(path, 1, &s->table, err);
  free(path);
  return status;
}

static const struct plan_ops {
  const char *name;
  int from_table;
  mbd_status (*count)(sweep *s, mbd_error *err);
  mbd_status (*rows)(const sweep *s, const study_rows *to, mbd_error *err);
} plans[] = {
    {"grid", 0, grid_count, grid_rows},
    {"latin_hypercube", 0, spread_count, hypercube_rows},
    {"sobol", 0, spread_count, sobol_rows},
    {"csv", 1, table_count, table_rows},
};

static const struct plan_ops *plan_of(const sweep *s) {
  int k = 0;
  while (strcmp(plans[k].name, s->c->sweep.plan) != 0) { k++; } /* the table of options has no other names */
  return &plans[k];
}

static mbd_status write_rows(void *user, const study_rows *to, mbd_error *err) {
  const sweep *s = user;
  return plan_of(s)->rows(s, to, err);
}

/* ---- the sweep ---- */

/* Reads the swept keys and their values, from the table of plan = csv or from [sweep], and counts the runs. */
static mbd_status create(sweep *s, mbd_error *err) {
  const mbo_sweep_config *swept = &s->c->sweep;
  const struct plan_ops *p = plan_of(s);
  if (p->from_table && swept->vary.name.n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sweep] vary.%s: with plan = csv the keys stand in the file", s->c->path,
             swept->vary.name.v[0]);
  }
  if (p->from_table) { MBD_TRY(read_table(s, err)); }
  s->n = p->from_table ? s->table.ncol : swept->vary.name.n;
  if (s->n == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: nothing to sweep; expected vary.KEY = VALUES in [sweep]", s->c->path);
  }
  s->column = mbd_zeros((size_t)s->n, sizeof *s->column);
  s->width = mbd_zeros((size_t)s->n, sizeof *s->width);
  if (!p->from_table) { s->axis = mbd_zeros((size_t)s->n, sizeof *s->axis); }
  MBD_TRY(MEMORY_WHOLE(err, "the sweep"));
  /* The columns, with their values unless the table has these. */
  for (int i = 0; i < s->n; i++) {
    const char *name = p->from_table ? s->table.cell[i] : swept->vary.name.v[i];
    MBD_TRY(locate(s, name, p->from_table ? add_column(s, i, name, err) : read_axis(s, i, err), err));
  }
  MBD_TRY(p->count(s, err));
  s->plan.ncolumn = s->n, s->plan.column = s->column;
  return MBD_OK;
}

/* Makes the plan of the study with one run file. */
mbd_status sweep_create(const mbo_run_config *c, int nset, const char *const *set, sweep **out, mbd_error *err) {
  sweep *s = mbd_zeros(1, sizeof *s);
  *out = NULL;
  MEMORY_TRY(s, err, "the sweep");
  s->c = c;
  s->plan = (study_plan){.kind = "sweep",
                         .task = c->sweep.task,
                         .nfile = 1,
                         .file = (const char *const *)&c->path,
                         .nset = nset,
                         .set = set,
                         .write_rows = write_rows,
                         .user = s};
  const mbd_status status = create(s, err);
  if (status == MBD_OK) {
    *out = s;
  } else {
    sweep_destroy(s);
  }
  return status;
}

void sweep_destroy(sweep *s) {
  if (!s) { return; }
  for (int i = 0; s->column && i < s->n; i++) { free(s->column[i].name), free(s->column[i].key); }
  for (int i = 0; s->axis && i < s->n; i++) { axis_free(&s->axis[i]); }
  csv_free(&s->table);
  free(s->column), free(s->axis), free(s->width);
  free(s);
}

const study_plan *sweep_plan(const sweep *s) {
  return &s->plan;
}
