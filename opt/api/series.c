/* Time series of a case's columns in memory, and small motions about its start. */
#include "mechanism/series.h"

#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/memory.h"
#include "mechanism/case_gradient.h"

struct mbo_series {
  series columns;
  int rows;
  double *values; /* [rows][columns.n] */
};

static int keep_row(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                    const double *lam, const double *y) {
  mbo_series *s = user;
  const mechanism *m = s->columns.m;
  if (m->stop && *m->stop) { return 1; }
  series_fill(&s->columns, t, z, zd, zdd, lam, y);
  memcpy(s->values + (size_t)k * (size_t)s->columns.n, s->columns.row, (size_t)s->columns.n * sizeof *s->values);
  s->rows = k + 1;
  return 0;
}

static mbd_status simulate(const mechanism *m, mechanism_case *load, mbo_series *s, mbd_error *err) {
  MBD_TRY(series_create(m, load, SERIES_CHOSEN, &s->columns, err));
  const size_t nodes = (size_t)mbd_sim_steps(load->sim) + 1;
  s->values = calloc(nodes * (size_t)s->columns.n, sizeof *s->values);
  MEMORY_TRY(s->values, err, "%zu nodes of case '%s'", nodes, load->config->name);
  mbd_sim_as_with_gradient(load->sim, 0); /* the motion of the program, whatever ran before */
  return series_run(&s->columns, keep_row, s, err);
}

mbd_status mbo_run_simulate(mbo_run *r, const double *x, int i, mbo_series **out, mbd_error *err) {
  *out = NULL;
  mechanism_case *load = run_case(r, i, err);
  if (!load) { return MBD_BAD_INPUT; }
  MBD_TRY(mechanism_set_design(r->m, run_begin(r, x), 0, err));
  mbo_series *s = calloc(1, sizeof *s);
  MEMORY_TRY(s, err, "the motion of case '%s'", load->config->name);
  const mbd_status status = simulate(r->m, load, s, err);
  if (status != MBD_OK) {
    mbo_series_free(s);
    return status;
  }
  *out = s;
  return MBD_OK;
}

void mbo_series_free(mbo_series *s) {
  if (!s) { return; }
  series_free(&s->columns);
  free(s->values);
  free(s);
}

int mbo_series_rows(const mbo_series *s) {
  return s->rows;
}

int mbo_series_columns(const mbo_series *s) {
  return s->columns.n;
}

const char *mbo_series_name(const mbo_series *s, int column) {
  return column >= 0 && column < s->columns.n ? s->columns.column[column].name : NULL;
}

const char *mbo_series_unit(const mbo_series *s, int column) {
  return column >= 0 && column < s->columns.n ? s->columns.column[column].unit : NULL;
}

int mbo_series_find(const mbo_series *s, const char *name) {
  for (int i = 0; i < s->columns.n; i++) {
    if (strcmp(s->columns.column[i].name, name) == 0) { return i; }
  }
  return -1;
}

const double *mbo_series_values(const mbo_series *s) {
  return s->values;
}

mbd_status mbo_run_linearize_sized(mbo_run *r, const double *x, int i, mbd_linear *out, size_t size, mbd_error *err) {
  memset(out, 0, size);
  mechanism_case *load = run_case(r, i, err);
  if (!load) { return MBD_BAD_INPUT; }
  MBD_TRY(mechanism_set_design(r->m, run_begin(r, x), 0, err));
  return mechanism_name_case(mbd_sim_linearize_sized(load->sim, load->v->params, out, size, err), load, err);
}

/* A, and its derivatives in variable j behind those of the earlier ones. */
static mbd_status add_column(const mechanism_case *load, int j, int n, int *order, double **A, double **dA,
                             mbd_error *err) {
  const mechanism_variant *v = load->v;
  const int from = v->start[j];
  double *along;
  free(*A);
  MBD_TRY(mbd_referee_linearize(load->referee, v->theta, v->start[j + 1] - from, v->index + from, v->value + from,
                                order, A, &along, err));
  const size_t size = (size_t)*order * (size_t)*order;
  if (!*dA) { *dA = mbd_zeros((size_t)n * size, sizeof **dA); }
  if (*dA) { memcpy(*dA + (size_t)j * size, along, size * sizeof *along); }
  free(along);
  return *dA ? MBD_OK : MEMORY_NONE(err, "the derivatives of a linearization");
}

mbd_status mbo_run_linear_gradient(mbo_run *r, const double *x, int i, int *order, double **A, double **dA,
                                   mbd_error *err) {
  mechanism_case *load = run_case(r, i, err);
  *A = *dA = NULL, *order = 0;
  if (!load) { return MBD_BAD_INPUT; }
  if (r->m->n == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: there is no design variable", r->path); }
  MBD_TRY(mechanism_set_design(r->m, run_begin(r, x), 0, err));
  mbd_status status = load->referee ? MBD_OK : case_make_referee(load, err);
  for (int j = 0; status == MBD_OK && j < r->m->n; j++) { status = add_column(load, j, r->m->n, order, A, dA, err); }
  if (status != MBD_OK) {
    free(*A), free(*dA);
    *A = *dA = NULL;
  }
  return mechanism_name_case(status, load, err);
}

void mbo_numbers_free(double *numbers) {
  free(numbers);
}
