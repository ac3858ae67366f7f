/* From design variables to coefficients: rho -> scalars -> theta, with the exact sparse Jacobian. */
#include "config/model_file.h"

#include <math.h>
#include <stdio.h>
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
  free(f->line), free(f->design), free(f->gradient), free(f->start), free(f->index), free(f->jacobian), free(f->row);
  free(f);
}

mbd_status mbo_model_file_vary(mbo_model_file *f, int n, const char *const *scalar, mbd_error *err) {
  f->n = n;
  free(f->design), free(f->gradient), free(f->start), free(f->index), free(f->jacobian), free(f->row);
  f->design = calloc((size_t)n + 1, sizeof *f->design);
  f->gradient = calloc((size_t)f->nscalar * (size_t)n + 1, sizeof *f->gradient);
  f->start = calloc((size_t)n + 2, sizeof *f->start);
  f->index = NULL, f->jacobian = NULL, f->room = 0; /* grow_entries */
  f->row = calloc((size_t)n + 1, sizeof *f->row);
  if (!f->design || !f->gradient || !f->start || !f->row) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d design variables", n);
  }
  for (int i = 0; i < f->nscalar; i++) { f->scalar[i].design = 0; }
  for (int i = 0; i < n; i++) {
    MBD_TRY(model_file_find(f, scalar[i], &f->design[i], err));
    f->scalar[f->design[i]].design = i + 1;
  }
  return MBD_OK;
}

/* "FILE:LINE: name: " in front of the text in err. */
static mbd_status at_line(const mbo_model_file *f, int line, const char *name, mbd_status status, mbd_error *err) {
  if (status == MBD_OK || !err) { return status; }
  char place[500], text[sizeof err->text];
  if (line > 0) {
    snprintf(place, sizeof place, "%s:%d: %s: ", f->path, line, name);
  } else {
    snprintf(place, sizeof place, "%s: ", name);
  }
  memcpy(text, err->text, sizeof text);
  snprintf(err->text, sizeof err->text, "%s%.*s", place, (int)(sizeof err->text - strlen(place) - 1), text);
  return status;
}

/* row [n] = d x / d rho by the chain rule. Names that do not vary need no derivative. */
static mbd_status chain(const mbo_model_file *f, const mbo_expr *x, const double *partial, double *row,
                        mbd_error *err) {
  const int n = f->n;
  memset(row, 0, (size_t)n * sizeof *row);
  for (int p = 0; p < x->nname; p++) {
    const double *from = f->gradient + (size_t)x->index[p] * (size_t)n;
    for (int j = 0; j < n; j++) {
      if (from[j] == 0) { continue; }
      row[j] += partial[p] * from[j];
      if (!isfinite(row[j])) {
        MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s' has no finite derivative in '%s'", x->text, x->name[p]);
      }
    }
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
    mbd_status status = mbo_expr_eval(&s->expr, f->value, &f->value[k], n ? partial : NULL, err);
    if (status == MBD_OK && n) { status = chain(f, &s->expr, partial, g, err); }
    MBD_TRY(at_line(f, s->line, s->name, status, err));
  }
  return MBD_OK;
}

/* theta_k and, where `wanted`, d theta_k / d rho into f->row [n]. */
static mbd_status eval_coefficient(mbo_model_file *f, int k, int wanted, double *theta, mbd_error *err) {
  const mbo_expr *x = &f->coef[k];
  double partial[MBO_EXPR_NODES];
  mbd_status status = mbo_expr_eval(x, f->value, theta, wanted ? partial : NULL, err);
  if (status == MBD_OK && wanted) { status = chain(f, x, partial, f->row, err); }
  return at_line(f, f->line[k], mbd_spec_coef_name(f->spec, k), status, err);
}

/* Room for the Jacobian's entries, which are counted first: few of 1000 variables reach one coefficient. */
static mbd_status grow_entries(mbo_model_file *f, int n, mbd_error *err) {
  if (n <= f->room && f->index) { return MBD_OK; }
  free(f->index), free(f->jacobian);
  f->index = calloc((size_t)n + 1, sizeof *f->index);
  f->jacobian = calloc((size_t)n + 1, sizeof *f->jacobian);
  f->room = f->index && f->jacobian ? n : 0;
  if (!f->index || !f->jacobian) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d derivatives of coefficients", n); }
  return MBD_OK;
}

mbd_status mbo_model_file_eval(mbo_model_file *f, const double *rho, double *theta, const int **start,
                               const int **index, const double **value, mbd_error *err) {
  const int n = f->n;
  MBD_TRY(eval_scalars(f, rho, err));
  for (int pass = 0; pass < 2; pass++) { /* count the entries of each column, then place them */
    if (pass == 0) {
      memset(f->start, 0, ((size_t)n + 2) * sizeof *f->start);
    } else { /* start[j + 1]: next place of column j; in the end, the first of column j + 1 */
      for (int j = 1; j <= n; j++) { f->start[j + 1] += f->start[j]; }
      MBD_TRY(grow_entries(f, f->start[n + 1], err));
    }
    for (int k = 0; k < f->ncoef; k++) {
      int wanted = start && f->coef[k].nname;
      MBD_TRY(eval_coefficient(f, k, wanted, &theta[k], err));
      for (int j = 0; wanted && j < n; j++) {
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
