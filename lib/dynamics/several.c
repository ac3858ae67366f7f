/* Products of derivatives with several directions of the coordinates, in O(bodies + elements) each, without the matrices: theory.md §3
 * (3.4) for coordinates alone, MBD_LANES directions side by side. */

#include "dynamics/element.h"
#include "dynamics/parts.h"
#include "kinematics/several.h"

/* block [n][k] += scale times lanes */
static void unload(int n, int k, mbd_real scale, const mbd_lane *from, mbd_real *block) {
  for (int j = 0; j < n; j++) {
    for (int r = 0; r < k; r++) { block[j * k + r] += scale * from[j].v[r]; }
  }
}

/* F = I V, as sv_inertia_mul */
static void inertia_times(const mbd_inertia *in, const mbd_lane *V, mbd_lane *F) {
  lanes_zero(6, F);
  lanes_axpy(3, in->m, V, F);
  lanes_cross_add(F, 1, V + 3, in->h);
  lanes_m3_vec_add(F + 3, in->J, V + 3);
  lanes_cross_add(F + 3, -1, V, in->h);
}

/* The change of the inertia wrench of bodies at rest, dW = x x* W + I e */
static void inertia_several(mbd_work *w) {
  for (int i = 1; i < w->model->nb; i++) {
    const body_state *b = &w->body[i];
    const body_several *v = &w->several.body[i];
    const mbd_lane *x = v->m[SEVERAL_X];
    mbd_lane dW[6];
    inertia_times(&b->in, v->m[SEVERAL_E], dW);
    lanes_cross_add(dW, 1, x + 3, b->W);
    lanes_cross_add(dW + 3, 1, x + 3, b->W + 3);
    lanes_cross_add(dW + 3, 1, x, b->W);
    several_wrench(w, i, b->W, dW);
  }
}

/* df_a = sum_b H_ab dx_b with H = sum_r lam_r d2 phi_r/dx_a dx_b, and f_a = sum_r lam_r J_ra */
static void reaction_several(mbd_work *w, const mbd_constraint *c, const mbd_real *lam) {
  const mbd_lift *l = &c->lift;
  element_state q;
  mbd_real f[ELEMENT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  mbd_lanes3 dx[ELEMENT_ARG_MAX], df[ELEMENT_ARG_MAX];
  element_evaluate(w, c, 0, &q);
  element_first(c->ops, &q);
  if (!element_reaction(c->ops, &q, lam, f)) { return; }
  for (int a = 0; a < l->narg; a++) { lanes_zero(3, df[a].v); }
  if (element_second(c->ops, &q, lam, H)) {
    lift_block block[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX];
    const int n = lift_blocks(l->narg, CONSTH(H), block);
    several_arguments(w, l, dx, NULL, NULL);
    for (int b = 0; b < n; b++) { lanes_m3_vec_add(df[block[b].a].v, H[block[b].a][block[b].b], dx[block[b].b].v); }
  }
  several_forces(w, l, CONST3(f), df);
}

void motion_rest_times(mbd_work *w, const motion_terms *terms, int k, mbd_real c, const mbd_real *dz, mbd_real *dr) {
  several_begin(w, k, dz, NULL, 1 << SEVERAL_X | (terms->inertia ? 1 << SEVERAL_E : 0));
  several_clear(w);
  if (terms->inertia) { inertia_several(w); }
  for (int i = 0; terms->lam && i < rows_elements(&terms->rows); i++) {
    const motion_row row = rows_element(&terms->rows, i);
    reaction_several(w, row.c, terms->lam + row.first);
  }
  several_sum(w);
  unload(w->model->nz, k, c, w->several.dr, dr);
}

/* ---- rates of the rows ---- */

/* d += sum_a J_a . x_a, scaled */
static void row_times(int narg, mbd_real scale, const mbd_real (*J)[3], const mbd_lanes3 *x, mbd_lane *d) {
  mbd_lane sum = {{0}};
  for (int a = 0; a < narg; a++) { lane_dot_add(3, J[a], x[a].v, &sum); }
  lane_axpy(scale, &sum, d);
}

/* Adds the rates of the rows of one element (element_direction of equations.c) to dphid, dphidd [MBD_ROW_MAX]. */
static void rates_several(const mbd_work *w, const mbd_constraint *c, int moved, int second, mbd_lane *dphid,
                          mbd_lane *dphidd) {
  const int n = c->lift.narg;
  element_state q;
  mbd_lanes3 x[ELEMENT_ARG_MAX], xd[ELEMENT_ARG_MAX], xdd[ELEMENT_ARG_MAX];
  element_evaluate(w, c, 1, &q);
  element_first(c->ops, &q);
  several_arguments(w, &c->lift, x, xd, second ? xdd : NULL);
  for (int r = 0; r < c->ops->nphi; r++) {
    mbd_real g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3], g2[ELEMENT_ARG_MAX][3];
    element_row_rate(c->ops, &q, r, g, gd, g2);
    lanes_zero(1, dphid + r), lanes_zero(1, dphidd + r);
    if (moved) { row_times(n, 1, CONST3(g), x, &dphid[r]); }
    row_times(n, 1, CONST3(q.J[r]), xd, &dphid[r]);
    if (!second) { continue; }
    if (moved) { row_times(n, 1, CONST3(gd), x, &dphidd[r]); }
    row_times(n, 1, CONST3(g2), xd, &dphidd[r]);
    row_times(n, 1, CONST3(q.J[r]), xdd, &dphidd[r]);
  }
}

void motion_rates_times(mbd_work *w, motion_rows rows, int k, const mbd_real *dz, const mbd_real *dzd, mbd_real *dphid,
                        mbd_real *dphidd) {
  several_begin(w, k, dz, dzd, 1 << SEVERAL_X | 1 << SEVERAL_C | (dphidd ? 1 << SEVERAL_E : 0));
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    mbd_lane d[MBD_ROW_MAX], dd[MBD_ROW_MAX];
    rates_several(w, e.c, dz != NULL, dphidd != NULL, d, dd);
    if (dphid) { unload(e.c->ops->nphi, k, 1, d, dphid + e.first * k); }
    if (dphidd) { unload(e.c->ops->nphi, k, 1, dd, dphidd + e.first * k); }
  }
}
