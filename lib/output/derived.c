/* Derived quantities: y(y_1, ..., y_k, theta, t) of other outputs, by an expression, with its derivative in theory.md §7.1 (7.3):
 *   y' = sum_i (dy/dy_i) y_i' + (dy/dtheta) theta',   so that every derivative of an output goes through those of its parts */
#include "output/derived.h"

#include <string.h>

#include "base/operator.h"
#include "la/dense.h"

static output_at input_at(const output_at *at, int i) {
  return (output_at){at->w, at->m, &at->o->formula->input->item[i], at->lam, at->dlam};
}

static int is_time(const derived_node *n) {
  return n->op == MBD_OP_NAME && n->coef < 0 && n->input < 0;
}

static mbd_real leaf(const output_at *at, const derived_node *n) {
  if (n->op == MBD_OP_NUMBER) { return n->number; }
  if (n->coef >= 0) { return at->w->p->theta[n->coef]; }
  if (is_time(n)) { return at->w->t; }
  const output_at part = input_at(at, n->input);
  return part.o->ops->value(&part);
}

/* v [n] */
static mbd_real evaluate(const output_at *at, mbd_real *v) {
  const output_formula *f = at->o->formula;
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    const mbd_operator *op = mbd_operator_at(n->op);
    v[i] = op->operands ? op->f(v[n->a], op->operands == 2 ? v[n->b] : 0) : leaf(at, n);
  }
  /* cppcheck-suppress uninitvar ; a formula has at least one node */
  return v[f->value];
}

static mbd_real value(const output_at *at) {
  mbd_real v[DERIVED_MOST];
  return evaluate(at, v);
}

/* bar [n]: the derivative of the value in each node, backwards from that one, whose own is `scale`. */
static void sensitivities(const output_at *at, mbd_real scale, mbd_real *bar) {
  const output_formula *f = at->o->formula;
  mbd_real v[DERIVED_MOST];
  evaluate(at, v);
  memset(bar, 0, (size_t)f->n * sizeof *bar);
  bar[f->value] = scale;
  for (int i = f->n - 1; i >= 0; i--) {
    const derived_node *n = &f->node[i];
    const mbd_operator *op = mbd_operator_at(n->op);
    mbd_real da = 0, db = 0;
    if (!op->operands || mbd_none(bar[i] != 0)) { continue; }
    op->d(v[n->a], op->operands == 2 ? v[n->b] : 0, &da, &db);
    bar[n->a] += bar[i] * da;
    if (op->operands == 2) { bar[n->b] += bar[i] * db; }
  }
}

static void gradient(const output_at *at, const output_row *g) {
  const output_formula *f = at->o->formula;
  const int nz = at->m->nz, nphi = at->m->nphi;
  mbd_real bar[DERIVED_MOST], *row = at->w->row;
  const output_row part = {row, row + nz, row + 2 * nz, row + 3 * nz};
  sensitivities(at, 1, bar);
  for (int i = 0; i < f->n; i++) {
    if (f->node[i].input < 0 || mbd_none(bar[i] != 0)) { continue; }
    const output_at in = input_at(at, f->node[i].input);
    memset(row, 0, (size_t)(3 * nz + nphi) * sizeof *row);
    in.o->ops->rows(&in, &part);
    mbd_axpy(nz, bar[i], part.z, g->z), mbd_axpy(nz, bar[i], part.zd, g->zd);
    mbd_axpy(nz, bar[i], part.zdd, g->zdd), mbd_axpy(nphi, bar[i], part.lam, g->lam);
  }
}

static mbd_real direction(const output_at *at) {
  const output_formula *f = at->o->formula;
  const mbd_dparams *d = at->w->vary.d;
  mbd_real bar[DERIVED_MOST], dy = 0;
  sensitivities(at, 1, bar);
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    if (mbd_none(bar[i] != 0)) { continue; }
    if (n->input >= 0) {
      const output_at in = input_at(at, n->input);
      dy += bar[i] * in.o->ops->direction(&in);
    } else if (n->coef >= 0 && d) {
      dy += bar[i] * d->dtheta[n->coef];
    } else if (is_time(n)) {
      dy += bar[i] * at->w->vary.stretch * at->w->t;
    }
  }
  return dy;
}

static void pull(const output_at *at, mbd_real s, const output_back *to) {
  const output_formula *f = at->o->formula;
  mbd_real bar[DERIVED_MOST];
  sensitivities(at, s, bar);
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    if (mbd_none(bar[i] != 0)) { continue; }
    if (n->input >= 0) {
      const output_at in = input_at(at, n->input);
      in.o->ops->pull(&in, bar[i], to);
    } else if (n->coef >= 0) {
      to->q->theta->theta[n->coef] += bar[i];
    } else if (is_time(n)) {
      to->q->theta->stretch += bar[i] * at->w->t;
    }
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
                                   .pull = pull},
                                  {0}};

const output_object output_derived = {.word = "QUANTITY", .noun = "quantity", .row = rows, .name = name, .find = find};
