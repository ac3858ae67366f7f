#include "output/time_curves.h"

#include "output/acting.h"
#include "output/derived.h"

static int element_reads(const mbd_element_info *info, const int *of, int curve) {
  for (int i = 0; info->curves[i].key; i++) {
    if (of[i] == curve && mbd_curve_info_is_of_time(&info->curves[i])) { return 1; }
  }
  return 0;
}

/* Is the curve taken at the time, and not at a quantity, in a value of a force? */
static int formula_reads(const output_formula *f, int curve) {
  for (int i = 0; i < f->value.n; i++) {
    const mbd_operation *o = &f->value.op[i];
    if (o->op != MBD_OP_CURVE || o->b != curve) { continue; }
    const mbd_operation *at = &f->value.op[o->a];
    if (at->op == MBD_OP_LEAF && f->leaf[at->a].is == MBD_LEAF_TIME) { return 1; }
  }
  return 0;
}

static int force_reads(const mbd_force *f, int curve) {
  const expression_law *law = f->expression;
  for (int k = 0; law && k < law->line->nvalue; k++) {
    if (formula_reads(law->compiled[k].formula, curve)) { return 1; }
  }
  return element_reads(&f->ops->info, f->curve, curve);
}

/* The same of the value of a constraint by expression, which has its curves by their slots. */
static int velocity_reads(const mbd_constraint *c, int curve) {
  const velocity_law *law = c->expression;
  for (int i = 0; law && i < law->value.n; i++) {
    const mbd_operation *o = &law->value.op[i];
    if (o->op != MBD_OP_CURVE || c->curve[o->b] != curve) { continue; }
    const mbd_operation *at = &law->value.op[o->a];
    if (at->op == MBD_OP_LEAF && law->leaf[at->a].is == VELOCITY_TIME) { return 1; }
  }
  return 0;
}

static int acts(const mbd_model *m, int curve) {
  for (int i = 0; i < m->nforce; i++) {
    if (force_reads(&m->force[i], curve)) { return 1; }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    if (velocity_reads(c, curve) || element_reads(&c->ops->info, c->curve, curve)) { return 1; }
  }
  return 0;
}

int time_curves_list(const mbd_model *m, int *curve) {
  int n = 0;
  for (int k = 0; k < m->ncurve; k++) {
    if (m->curve[k].nknot > 0 && acts(m, k)) { curve[n++] = k; }
  }
  return n;
}
