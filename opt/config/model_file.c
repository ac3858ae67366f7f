/* From design variables to coefficients: rho -> scalars -> theta, with the exact sparse Jacobian. */
#include "config/model_file.h"

#include <stdlib.h>
#include <string.h>

const mbd_spec *mbo_model_file_spec(const mbo_model_file *f) {
  return f->spec;
}
const char *mbo_model_file_title(const mbo_model_file *f) {
  return f->title;
}
const char *mbo_model_file_path(const mbo_model_file *f) {
  return f->path;
}
int mbo_model_file_nscalar(const mbo_model_file *f) {
  return f->nscalar;
}

const char *mbo_model_file_scalar(const mbo_model_file *f, int i, double *value) {
  if (value) { *value = f->value[i]; }
  return f->scalar[i].name;
}

void mbo_model_file_destroy(mbo_model_file *f) {
  if (!f) { return; }
  for (int i = 0; i < f->nscalar; i++) {
    free(f->scalar[i].name);
    mbo_expr_free(&f->scalar[i].expr);
  }
  for (int i = 0; i < f->ncoef; i++) { mbo_expr_free(&f->coef[i]); }
  mbd_spec_destroy(f->spec);
  free(f->scalar), free(f->coef), free(f->value), free(f->order), free(f->path), free(f->title);
  free(f->design), free(f->gradient), free(f->start), free(f->index), free(f->jacobian), free(f->row);
  free(f);
}

/* Scalars that depend on a design variable: an upper limit of the Jacobian's entries is taken from them. */
static size_t count_entries(const mbo_model_file *f) {
  size_t n = 0;
  for (int k = 0; k < f->ncoef; k++) { n += f->coef[k].nname ? (size_t)f->n : 0; }
  return n;
}

mbd_status mbo_model_file_vary(mbo_model_file *f, int n, const char *const *scalar, mbd_error *err) {
  f->n = n;
  f->design = calloc((size_t)n + 1, sizeof *f->design);
  f->gradient = calloc((size_t)f->nscalar * (size_t)n + 1, sizeof *f->gradient);
  f->start = calloc((size_t)n + 2, sizeof *f->start);
  size_t entries = count_entries(f);
  f->index = calloc(entries + 1, sizeof *f->index);
  f->jacobian = calloc(entries + 1, sizeof *f->jacobian);
  f->row = calloc((size_t)n + 1, sizeof *f->row);
  if (!f->design || !f->gradient || !f->start || !f->index || !f->jacobian || !f->row) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d design variables", n);
  }
  for (int i = 0; i < f->nscalar; i++) { f->scalar[i].design = 0; }
  for (int i = 0; i < n; i++) {
    MBD_TRY(model_file_find(f, scalar[i], &f->design[i], err));
    f->scalar[f->design[i]].design = i + 1;
  }
  return MBD_OK;
}

/* Values and gradients of all scalars, in an order in which each follows those it uses. */
static mbd_status eval_scalars(mbo_model_file *f, const double *rho, mbd_error *err) {
  const int n = f->n;
  double partial[MBO_EXPR_NODES];
  for (int i = 0; i < f->nscalar; i++) {
    int k = f->order[i];
    model_scalar *s = &f->scalar[k];
    double *g = f->gradient + (size_t)k * (size_t)n;
    memset(g, 0, (size_t)n * sizeof *g);
    if (s->design) {
      f->value[k] = rho[s->design - 1];
      g[s->design - 1] = 1;
      continue;
    }
    if (n == 0) {
      MBD_TRY(mbo_expr_eval(&s->expr, f->value, &f->value[k], NULL, err));
      continue;
    }
    MBD_TRY(mbo_expr_eval(&s->expr, f->value, &f->value[k], partial, err));
    for (int p = 0; p < s->expr.nname; p++) {
      const double *from = f->gradient + (size_t)s->expr.index[p] * (size_t)n;
      for (int j = 0; j < n; j++) { g[j] += partial[p] * from[j]; }
    }
  }
  return MBD_OK;
}

/* d theta_k / d rho into row [n]; 0 when nothing of it varies. */
static int coefficient_gradient(const mbo_model_file *f, int k, const double *partial, double *row) {
  const mbo_expr *x = &f->coef[k];
  const int n = f->n;
  int any = 0;
  memset(row, 0, (size_t)n * sizeof *row);
  for (int p = 0; p < x->nname; p++) {
    const double *from = f->gradient + (size_t)x->index[p] * (size_t)n;
    for (int j = 0; j < n; j++) { row[j] += partial[p] * from[j]; }
  }
  for (int j = 0; j < n; j++) { any |= row[j] != 0; }
  return any;
}

mbd_status mbo_model_file_eval(mbo_model_file *f, const double *rho, double *theta, const int **start,
                               const int **index, const double **value, mbd_error *err) {
  const int n = f->n;
  double partial[MBO_EXPR_NODES];
  MBD_TRY(eval_scalars(f, rho, err));
  for (int pass = 0; pass < 2; pass++) { /* count the entries of each column, then place them */
    if (pass == 0) {
      memset(f->start, 0, ((size_t)n + 2) * sizeof *f->start);
    } else { /* start[j + 1]: next place of column j; in the end, the first of column j + 1 */
      for (int j = 1; j <= n; j++) { f->start[j + 1] += f->start[j]; }
    }
    for (int k = 0; k < f->ncoef; k++) {
      MBD_TRY(mbo_expr_eval(&f->coef[k], f->value, &theta[k], start && f->coef[k].nname ? partial : NULL, err));
      if (!start || !f->coef[k].nname || !coefficient_gradient(f, k, partial, f->row)) { continue; }
      for (int j = 0; j < n; j++) {
        if (f->row[j] == 0) { continue; }
        if (pass == 0) {
          f->start[j + 2]++;
        } else {
          int at = f->start[j + 1]++;
          f->index[at] = k;
          f->jacobian[at] = f->row[j];
        }
      }
    }
    if (!start) { return MBD_OK; }
  }
  *start = f->start;
  *index = f->index;
  *value = f->jacobian;
  return MBD_OK;
}
