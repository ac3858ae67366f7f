/* Constraints of velocities by expression. With g_y = dPsi/dy and D the derivative along the motion, x by xd, xd by xdd and t by 1,
 *   A = g_xd,   b = Psi at xd = 0,   Psid = D Psi,   dPsid/dx = D g_x,   dPsid/dxd = D g_xd + g_x         theory.md §4.4 (4.21)
 * A forward sweep over the operations and two reverse sweeps give g and D g at once; other directions in place of that of the motion give H =
 * dA/dx and the changes by coefficients, curves and the time. */
#include "constraint/expression.h"

#include <stdlib.h>

#include "base/expression.h"
#include "base/memory.h"

/* A direction: changes of arguments and of rates, NULL: held; of coefficients, curves and time, NULL: held; and of the time beside. */
typedef struct direction {
  const mbd_real (*x)[3], (*xd)[3];
  const mbd_element_direction *own;
  mbd_real t;
} direction;

/* Psi, its derivatives by the leaves, and the changes of both along the direction. g and dg are not set where slopes are not wanted. */
typedef struct swept {
  mbd_real psi, dpsi, g[VELOCITY_OPERATIONS_MAX], dg[VELOCITY_OPERATIONS_MAX];
} swept;

/* ---- curves ---- */

typedef struct curves_of {
  const mbd_element_input *in;
  const mbd_element_direction *own;
} curves_of;

/* The derivative of a curve's values of order `order` */
static mbd_real member(const mbd_curve_value *v, double order) {
  return order == 0 ? v->y : order == 1 ? v->yx : v->yxx;
}

static void curve_at(const void *of, const mbd_operation *o, mbd_real a, mbd_real *y, mbd_real *slope) {
  mbd_curve_value v;
  mbd_element_curve(((const curves_of *)of)->in, o->b, a, &v);
  *y = member(&v, o->number), *slope = member(&v, o->number + 1);
}

static void curve_change(const void *of, const mbd_operation *o, mbd_real a, mbd_real da, mbd_real *dy,
                         mbd_real *dslope) {
  const curves_of *c = of;
  mbd_curve_value own = {0, 0, 0}, shift = {0, 0, 0};
  if (c->own) { mbd_element_dcurve(c->in, c->own, o->b, a, &own); }
  curve_shift(c->in->curve[o->b], c->in->theta, c->in->aux, a, da, &shift);
  *dy = member(&own, o->number), *dslope = member(&own, o->number + 1) + member(&shift, o->number + 1);
}

/* ---- sweeps ---- */

/* The number behind a leaf. moving 0: rates are zero. */
static mbd_real leaf_value(const velocity_leaf *leaf, const mbd_element_input *in, int moving) {
  switch (leaf->is) {
    case VELOCITY_X: return in->s->x[leaf->at][leaf->component];
    case VELOCITY_XD: return moving ? in->s->xd[leaf->at][leaf->component] : 0;
    case VELOCITY_COEFFICIENT: return in->theta[leaf->at];
    case VELOCITY_TIME: break;
  }
  return in->t;
}

static mbd_real leaf_change(const velocity_leaf *leaf, const direction *d) {
  switch (leaf->is) {
    case VELOCITY_X: return d->x ? d->x[leaf->at][leaf->component] : 0;
    case VELOCITY_XD: return d->xd ? d->xd[leaf->at][leaf->component] : 0;
    case VELOCITY_COEFFICIENT: return d->own && d->own->dtheta ? d->own->dtheta[leaf->at] : 0;
    case VELOCITY_TIME: break;
  }
  return d->t + (d->own ? d->own->dt : 0);
}

/* d NULL: no direction. */
static void sweep(const mbd_element_input *in, int moving, int slopes, const direction *d, swept *s) {
  const velocity_law *law = in->law;
  const curves_of of = {in, d ? d->own : NULL};
  const mbd_expression_curves curves = {.at = curve_at, .of = &of, .change = curve_change};
  mbd_real x[VELOCITY_OPERATIONS_MAX], dx[VELOCITY_OPERATIONS_MAX], v[VELOCITY_OPERATIONS_MAX],
      dv[VELOCITY_OPERATIONS_MAX], bar[VELOCITY_OPERATIONS_MAX], dbar[VELOCITY_OPERATIONS_MAX];
  const int last = law->value.n - 1;
  for (int i = 0; i < law->nleaf; i++) {
    x[i] = leaf_value(&law->leaf[i], in, moving), dx[i] = d ? leaf_change(&law->leaf[i], d) : 0;
    s->g[i] = s->dg[i] = 0;
  }
  mbd_expression_values(&law->value, &curves, x, d ? dx : NULL, v, dv);
  if (slopes) { mbd_expression_reverse(&law->value, &curves, v, NULL, 1, bar, NULL, s->g); }
  if (slopes && d) { mbd_expression_reverse(&law->value, &curves, v, dv, 1, bar, dbar, s->dg); }
  s->psi = v[last], s->dpsi = d ? dv[last] : 0;
}

/* out[argument] += the derivatives g by all leaves of a kind */
static void gather(const mbd_element_input *in, velocity_leaf_kind is, const mbd_real *g, mbd_real (*out)[3]) {
  const velocity_law *law = in->law;
  for (int i = 0; i < law->nleaf; i++) {
    if (law->leaf[i].is == is) { out[law->leaf[i].at][law->leaf[i].component] += g[i]; }
  }
}

/* ---- the constraint ---- */

static void expression_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  swept s;
  sweep(in, 0, 1, NULL, &s);
  gather(in, VELOCITY_XD, s.g, J[0]);
}

/* A row of H' for each component of an argument that is in A. */
static void expression_phi_xx(const mbd_element_input *in, const mbd_real *weight, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  const velocity_law *law = in->law;
  for (int j = 0; j < law->nleaf; j++) {
    const velocity_leaf *by = &law->leaf[j];
    mbd_real unit[CONSTRAINT_ARG_MAX][3] = {{0}};
    swept s;
    if (by->is != VELOCITY_X) { continue; }
    unit[by->at][by->component] = 1;
    sweep(in, 0, 1, &(direction){.x = CONST3(unit)}, &s);
    for (int i = 0; i < law->nleaf; i++) {
      const velocity_leaf *of = &law->leaf[i];
      if (of->is == VELOCITY_XD) { H[of->at][by->at][3 * of->component + by->component] += weight[0] * s.dg[i]; }
    }
  }
}

static void expression_psid(const mbd_element_input *in, mbd_real *psid, mbd_real (*g)[3], mbd_real (*gd)[3],
                            mbd_real (*g2)[3]) {
  swept s;
  sweep(in, 1, g != NULL, &(direction){.x = CONST3(in->s->xd), .xd = CONST3(in->s->xdd), .t = 1}, &s);
  *psid = s.dpsi;
  if (!g) { return; }
  gather(in, VELOCITY_X, s.g, g), gather(in, VELOCITY_X, s.dg, gd);
  gather(in, VELOCITY_X, s.g, g2), gather(in, VELOCITY_XD, s.dg, g2);
}

static void expression_phi_t(const mbd_element_input *in, mbd_real *b, mbd_real *bd) {
  swept s;
  sweep(in, 0, 0, NULL, &s);
  b[0] = s.psi, bd[0] = 0; /* which is in Psid */
}

static void expression_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *db,
                             mbd_real *dbd) {
  swept s;
  sweep(in, 0, 0, &(direction){.own = d}, &s);
  dphi[0] = 0, db[0] = s.dpsi, dbd[0] = 0;
}

static void expression_phi_xc(const mbd_element_input *in, const mbd_element_direction *d,
                              mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]) {
  swept s;
  sweep(in, 0, 1, &(direction){.own = d}, &s);
  gather(in, VELOCITY_XD, s.dg, dJ[0]);
}

/* Of Psid less A xdd, which is g_x . xd + g_t. */
static void expression_phi_xxc(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dq) {
  const velocity_law *law = in->law;
  swept s;
  sweep(in, 1, 1, &(direction){.own = d}, &s);
  dq[0] = 0;
  for (int i = 0; i < law->nleaf; i++) {
    const velocity_leaf *leaf = &law->leaf[i];
    if (leaf->is == VELOCITY_X) { dq[0] += s.dg[i] * in->s->xd[leaf->at][leaf->component]; }
    if (leaf->is == VELOCITY_TIME) { dq[0] += s.dg[i]; }
  }
}

static const mbd_ref_info refs[] = {
    {"value", MBD_REF_VALUE, 1,
     "what is kept at zero: an expression of quantities of positions and velocities, outputs and [quantity NAME], of "
     "scalars and `time`, linear in the velocities"},
    {0}};

const mbd_constraint_ops mbd_constraint_expression = {
    .info =
        {"expression",
         "A constraint of velocities whose value, an expression of outputs, is zero: a sum of velocities, each times "
         "a function of positions, scalars, curves and time, and of such a function alone. Outputs in it are "
         "positions and velocities of points and centres of mass, rates of bodies, seen from the ground or from a "
         "body, coordinates and their rates. Its multiplier is the force, or torque, along what the value measures.",
         refs, NO_COEFS, NO_CURVES},
    .look = MBD_LOOK_NONE,
    .nphi = 1,
    .lam_unit = "",
    .velocity = 1,
    .phi_x = expression_phi_x,
    .phi_xx = expression_phi_xx,
    .phi_t = expression_phi_t,
    .phi_c = expression_phi_c,
    .phi_xc = expression_phi_xc,
    .phi_xxc = expression_phi_xxc,
    .psid = expression_psid,
};

velocity_law *velocity_law_create(void) {
  velocity_law *law = mbd_zeros(1, sizeof *law);
  if (!law) { return NULL; }
  law->ops = mbd_constraint_expression;
  law->ops.law = law;
  return law;
}

void velocity_law_free(velocity_law *law) {
  if (!law) { return; }
  free(law->value.op), free(law->leaf), free(law);
}
