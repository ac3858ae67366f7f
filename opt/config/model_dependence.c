/* Determines from the expressions whether coefficients depend linearly on the design variables, independently of the values. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/operator.h"
#include "config/model_file.h"

static model_dependence of_operation(mbd_operator op, model_dependence a, model_dependence b) {
  const model_dependence both = a > b ? a : b;
  if (both == MODEL_CONSTANT || op == MBD_OP_ADD || op == MBD_OP_SUB || op == MBD_OP_NEG) { return both; }
  if (op == MBD_OP_MUL && (a == MODEL_CONSTANT || b == MODEL_CONSTANT)) { return both; }
  return op == MBD_OP_DIV && b == MODEL_CONSTANT ? a : MODEL_NONLINEAR;
}

model_dependence model_expression_dependence(const mbo_expr *x, const model_dependence *of) {
  model_dependence result[MBO_EXPR_NODES];
  for (int i = 0; i < x->value.n; i++) {
    const mbd_operation *o = &x->value.op[i];
    if (o->op == MBD_OP_NUMBER) {
      result[i] = MODEL_CONSTANT;
    } else if (o->op == MBD_OP_LEAF) {
      result[i] = of[o->a];
    } else {
      result[i] =
          of_operation(o->op, result[o->a], mbd_operator_at(o->op)->operands == 2 ? result[o->b] : MODEL_CONSTANT);
    }
  }
  /* cppcheck-suppress uninitvar ; an expression has one operation at least */
  return result[x->value.n - 1];
}

/* Dependence of an expression of scalars; of [nscalar] is known for those that come before it in the order. */
static model_dependence of_scalars(const mbo_expr *x, const model_dependence *of) {
  model_dependence name[MBO_EXPR_NODES];
  for (int i = 0; i < x->nname; i++) { name[i] = of[x->index[i]]; }
  return model_expression_dependence(x, name);
}

model_dependence model_file_dependence(const mbo_model_file *f, int coefficient) {
  model_dependence *of = calloc((size_t)f->nscalar + 1, sizeof *of);
  if (!of) { return MODEL_NONLINEAR; }
  for (int i = 0; i < f->nscalar; i++) {
    const model_scalar *s = &f->scalar[f->order[i]];
    of[f->order[i]] = s->design ? MODEL_LINEAR : of_scalars(&s->expr, of);
  }
  const model_dependence found =
      f->direct && f->direct[coefficient] ? MODEL_LINEAR : of_scalars(&f->coef[coefficient], of);
  free(of);
  return found;
}

/* ---- scalars that a steady motion determines ---- */

/* Derivatives of all scalars by one of them [nscalar], and whether they are linear in it and in the design variables; those are held. */
static mbd_status scalars_by(const mbo_model_file *f, int scalar, double *by, model_dependence *of, mbd_error *err) {
  double value, partial[MBO_EXPR_NODES];
  for (int i = 0; i < f->nscalar; i++) {
    const int k = f->order[i];
    const model_scalar *s = &f->scalar[k];
    by[k] = k == scalar;
    of[k] = k == scalar || s->design ? MODEL_LINEAR : of_scalars(&s->expr, of);
    if (k == scalar || s->design || s->expr.nname == 0) { continue; }
    MBD_TRY(mbo_expr_eval(&s->expr, f->value, &value, partial, err));
    for (int j = 0; j < s->expr.nname; j++) {
      if (by[s->expr.index[j]] != 0) { by[k] += partial[j] * by[s->expr.index[j]]; }
    }
  }
  return MBD_OK;
}

static mbd_status coefficient_by(const mbo_model_file *f, int k, const double *by, double *out, mbd_error *err) {
  const mbo_expr *x = &f->coef[k];
  double value, partial[MBO_EXPR_NODES];
  int depends = 0;
  *out = 0;
  for (int j = 0; j < x->nname; j++) { depends |= by[x->index[j]] != 0; }
  if (!depends || f->line[k].drawn || (f->direct && f->direct[k])) { return MBD_OK; }
  MBD_TRY(mbo_expr_eval(x, f->value, &value, partial, err));
  for (int j = 0; j < x->nname; j++) {
    if (by[x->index[j]] != 0) { *out += partial[j] * by[x->index[j]]; }
  }
  return MBD_OK;
}

static mbd_status list_coefficients(const mbo_model_file *f, const char *scalar, const double *by,
                                    const model_dependence *of, int *n, int *index, double *weight, mbd_error *err) {
  for (int k = 0; k < f->ncoef; k++) {
    double slope;
    MBD_TRY(coefficient_by(f, k, by, &slope, err));
    if (slope == 0) { continue; }
    if (of_scalars(&f->coef[k], of) == MODEL_NONLINEAR) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "coefficient '%s' is no linear function of scalar '%s' with a factor that no design variable changes; "
               "expected a scalar that is an angle, a displacement, a force or a torque by itself",
               mbd_spec_coef_name(f->spec, k), scalar);
    }
    index[*n] = k, weight[(*n)++] = slope;
  }
  if (*n > 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "no coefficient depends on scalar '%s'", scalar);
}

mbd_status model_file_input(const mbo_model_file *f, const char *scalar, int *n, int **index, double **weight,
                            mbd_error *err) {
  int k;
  *n = 0, *index = NULL, *weight = NULL;
  MBD_TRY(model_file_scalar(f, scalar, &k, err));
  if (f->scalar[k].design) {
    MBD_FAIL(err, MBD_BAD_INPUT, "scalar '%s' is a design variable, and cannot be found", scalar);
  }
  if (f->scalar[k].fixed) {
    MBD_FAIL(err, MBD_BAD_INPUT, "scalar '%s' cannot vary: it %s", scalar, f->scalar[k].fixed);
  }
  double *by = mbd_zeros((size_t)f->nscalar, sizeof *by);
  model_dependence *of = mbd_zeros((size_t)f->nscalar, sizeof *of);
  *index = mbd_zeros((size_t)f->ncoef, sizeof **index), *weight = mbd_zeros((size_t)f->ncoef, sizeof **weight);
  mbd_status status = by && of && *index && *weight
                          ? scalars_by(f, k, by, of, err)
                          : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the input '%s'", scalar);
  if (status == MBD_OK) { status = list_coefficients(f, scalar, by, of, n, *index, *weight, err); }
  free(by), free(of);
  return status;
}
