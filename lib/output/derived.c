/* Derived quantities: y(y_1, ..., y_k, theta, t) of other outputs, by an expression, with its derivative in theory.md §7.1 (7.3):
 *   y' = sum_i (dy/dy_i) y_i' + (dy/dtheta) theta',   so that every derivative of an output goes through those of its parts,
 * where the part by theta is that of coefficients in the expression and of curves in it (formula.c) */
#include "output/derived.h"

#include <string.h>

#include "la/dense.h"

static output_at input_at(const output_at *at, int i) {
  return (output_at){at->w, at->m, &at->o->formula->input->item[i], at->lam, at->dlam, at->theta};
}

static formula_at formula_of(const output_at *at) {
  return (formula_at){at->o->formula, at->m, at->w->p->theta, at->w->p->aux};
}

static mbd_real leaf_value(const output_at *at, const formula_leaf *leaf) {
  if (leaf->is == MBD_LEAF_COEFFICIENT) { return at->w->p->theta[leaf->at]; }
  if (leaf->is == MBD_LEAF_TIME) { return at->w->t; }
  const output_at part = input_at(at, leaf->at);
  return part.o->ops->value(&part);
}

/* v [n] */
static mbd_real evaluate(const output_at *at, mbd_real *v) {
  const formula_at point = formula_of(at);
  mbd_real x[DERIVED_MAX];
  for (int k = 0; k < point.f->nleaf; k++) { x[k] = leaf_value(at, &point.f->leaf[k]); }
  formula_values(&point, x, v);
  return v[point.f->value.n - 1];
}

static mbd_real value(const output_at *at) {
  mbd_real v[DERIVED_MAX];
  return evaluate(at, v);
}

/* The values of all operations, and `scale` times the derivatives of the last one by operations and leaves. */
typedef struct sensitivity {
  mbd_real v[DERIVED_MAX], reverse[DERIVED_MAX], xbar[DERIVED_MAX];
} sensitivity;

static void sensitivities(const output_at *at, mbd_real scale, sensitivity *by) {
  const formula_at point = formula_of(at);
  evaluate(at, by->v);
  formula_slopes(&point, by->v, scale, by->reverse, by->xbar);
}

static void gradient(const output_at *at, const output_row *g) {
  const output_formula *f = at->o->formula;
  const int nz = at->m->nz, nlam = output_lam_size(at->m, at->o);
  mbd_real *row = at->w->row;
  sensitivity by;
  const output_row part = {row, row + nz, row + 2 * nz, row + 3 * nz};
  sensitivities(at, 1, &by);
  for (int k = 0; k < f->nleaf; k++) {
    if (f->leaf[k].is != MBD_LEAF_OUTPUT || mbd_none(by.xbar[k] != 0)) { continue; }
    const output_at in = input_at(at, f->leaf[k].at);
    memset(row, 0, (size_t)(3 * nz + nlam) * sizeof *row);
    in.o->ops->rows(&in, &part);
    mbd_axpy(nz, by.xbar[k], part.z, g->z), mbd_axpy(nz, by.xbar[k], part.zd, g->zd);
    mbd_axpy(nz, by.xbar[k], part.zdd, g->zdd), mbd_axpy(nlam, by.xbar[k], part.lam, g->lam);
  }
}

/* s times the change of a leaf along the direction of the motion. */
static mbd_real leaf_direction(const output_at *at, const formula_leaf *leaf, mbd_real s) {
  const mbd_variation *vary = &at->w->variation.last;
  if (leaf->is == MBD_LEAF_COEFFICIENT) { return vary->d ? s * vary->d->dtheta[leaf->at] : 0; }
  if (leaf->is == MBD_LEAF_TIME) { return s * vary->stretch * at->w->t; }
  const output_at in = input_at(at, leaf->at);
  return s * in.o->ops->direction(&in);
}

static mbd_real direction(const output_at *at) {
  const formula_at point = formula_of(at);
  const mbd_dparams *d = at->w->variation.last.d;
  sensitivity by;
  sensitivities(at, 1, &by);
  mbd_real dy = d ? formula_curves_along(&point, by.v, by.reverse, d->dtheta, d->daux) : 0;
  for (int k = 0; k < point.f->nleaf; k++) {
    if (mbd_any(by.xbar[k] != 0)) { dy += leaf_direction(at, &point.f->leaf[k], by.xbar[k]); }
  }
  return dy;
}

/* Its transpose. */
static void leaf_reverse(const output_at *at, const formula_leaf *leaf, mbd_real s, const output_back *to) {
  if (leaf->is == MBD_LEAF_OUTPUT) {
    const output_at in = input_at(at, leaf->at);
    in.o->ops->reverse(&in, s, to);
  } else if (leaf->is == MBD_LEAF_COEFFICIENT) {
    to->sweep->theta->theta[leaf->at] += s;
  } else {
    to->sweep->theta->stretch += s * at->w->t;
  }
}

static void reverse(const output_at *at, mbd_real s, const output_back *to) {
  const formula_at point = formula_of(at);
  sensitivity by;
  sensitivities(at, s, &by);
  formula_curves_reverse(&point, by.v, by.reverse, to->sweep->theta);
  for (int k = 0; k < point.f->nleaf; k++) {
    if (mbd_any(by.xbar[k] != 0)) { leaf_reverse(at, &point.f->leaf[k], by.xbar[k], to); }
  }
}

/* ---- the row ---- */

static const char *name(const mbd_model *m, int i) {
  return i == m->nquantity ? NULL : m->quantity[i].name;
}

static int find(const mbd_model *m, const char *asked) {
  return mbd_names_find(&m->quantity_names, asked);
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return m->quantity[o->object].unit;
}

static const output_ops rows[] = {{.quantity = "",
                                   .unit_of = unit_of,
                                   .doc = "derived quantity, by [quantity NAME]",
                                   .value = value,
                                   .rows = gradient,
                                   .direction = direction,
                                   .reverse = reverse},
                                  {0}};

const output_object output_derived = {.word = "QUANTITY", .noun = "quantity", .row = rows, .name = name, .find = find};
