/* Forces and moments that joints and constraints transmit: y = e . v with v = s f, or s n about a point P, of the wrench [f; n_r]
 * through a section about a place r (dynamics/motion.h); e a global axis, one of a body, or v/|v| for the norm.
 *   n = n_r + (r - P) x f,      dy = e . s [df; dn_r + (r - P) x df - dP x f] + x_w . (e x v)
 * with dP of the point and x_w of the body that carries e. The norm of zero has no gradient; zero is its subgradient of least
 * length.
 * Equations: theory.md §3 (3.7). */
#include "kinematics/reverse.h"
#include "output/output.h"

typedef struct transmitted {
  output_wrench q;
  int carrier;         /* body of the point */
  mbd_real F[6], P[3]; /* about the section's place r */
  mbd_real arm[3];     /* r - P */
  mbd_real v[3], e[3];
  int turned; /* body in which e is fixed; 0: none */
} transmitted;

static void point_of(const mbd_work *w, const output_wrench *wrench, int *carrier, mbd_real P[3]) {
  const mbd_model *m = w->model;
  if (wrench->joint < 0) {
    *carrier = m->marker[wrench->marker].body;
    v3_copy(P, work_marker(w, wrench->marker)->p);
    return;
  }
  *carrier = m->joint[wrench->joint].body[wrench->side];
  v3_copy(P, w->body[*carrier].o);
  m3_vec_add(P, w->body[*carrier].A, w->p->joint[wrench->joint].s[wrench->side]);
}

static void axis_of(const output_at *at, transmitted *t) {
  const int k = at->o->component;
  const mbd_real *A = at->w->body[t->q.axes].A;
  t->turned = 0;
  if (k < 3) {
    v3_set(t->e, A[k], A[3 + k], A[6 + k]);
    t->turned = t->q.axes;
    return;
  }
  output_norm(t->v, t->e);
}

static void evaluate(const output_at *at, transmitted *t) {
  at->o->ops->wrench(at->m, at->o, &t->q);
  motion_section_wrench(at->w, &t->q.section, at->lam, t->F);
  point_of(at->w, &t->q, &t->carrier, t->P);
  v3_sub(t->arm, at->w->body[t->q.section.body].r, t->P);
  v3_copy(t->v, t->F);
  if (t->q.moment) {
    v3_copy(t->v, t->F + 3);
    v3_cross_add(t->v, t->arm, t->F);
  }
  v3_scale(t->v, t->q.sign, t->v);
  axis_of(at, t);
}

mbd_real wrench_value(const output_at *at) {
  transmitted t;
  evaluate(at, &t);
  return v3_dot(t.e, t.v);
}

/* ---- along a direction ---- */

/* The change dP of the point; 0: none. */
static int point_change(const mbd_work *w, const transmitted *t, mbd_real dP[3]) {
  const body_variation *x = &w->variation.last.body[t->carrier];
  const mbd_dparams *d = w->variation.last.d;
  v3_set(dP, 0, 0, 0);
  if (t->q.joint < 0) { return vary_marker_place(w, t->q.marker, 1, dP); }
  const int shifted = d && d->joint[t->q.joint].active;
  if (x->active) {
    mbd_real from_r[3];
    v3_sub(from_r, t->P, w->body[t->carrier].r);
    v3_copy(dP, x->x);
    v3_cross_add(dP, x->x + 3, from_r);
  }
  if (shifted) { m3_vec_add(dP, w->body[t->carrier].A, d->joint[t->q.joint].ds[t->q.side]); }
  return x->active || shifted;
}

mbd_real wrench_direction(const output_at *at) {
  transmitted t;
  mbd_real dF[6], dv[3], dP[3], turned[3];
  evaluate(at, &t);
  motion_section_direction(at->w, &t.q.section, at->lam, at->dlam, dF);
  v3_copy(dv, dF);
  if (t.q.moment) {
    v3_copy(dv, dF + 3);
    v3_cross_add(dv, t.arm, dF);
    if (point_change(at->w, &t, dP)) { v3_cross_sub(dv, dP, t.F); }
  }
  const mbd_real dy = t.q.sign * v3_dot(t.e, dv);
  const body_variation *x = &at->w->variation.last.body[t.turned];
  if (t.turned == 0 || !x->active) { return dy; }
  v3_cross(turned, t.e, t.v);
  return dy + v3_dot(x->x + 3, turned);
}

/* ---- in reverse ---- */

/* L += g . dP */
static void reverse_point(const mbd_work *w, const transmitted *t, const mbd_real g[3], mbd_reverse *sweep) {
  const body_state *b = &w->body[t->carrier];
  mbd_real *X = sweep->body[t->carrier].X, from_r[3], local[3];
  if (t->q.joint < 0) {
    reverse_place(sweep, t->q.marker, g);
    return;
  }
  v3_sub(from_r, t->P, b->r);
  v3_add(X, X, g);
  v3_cross_add(X + 3, from_r, g);
  if (!sweep->theta || !sweep->theta->joint_requested[t->q.joint]) { return; }
  mbd_real *ds = sweep->theta->joint[t->q.joint].ds[t->q.side];
  m3_Tvec(local, b->A, g);
  v3_add(ds, ds, local);
}

/* y = T . F with the rigid motion  T = s [e; 0]  or  s [e x (r - P); e];  -s e . (dP x f) = -s dP . (f x e) */
void wrench_reverse(const output_at *at, mbd_real s, const output_back *to) {
  transmitted t;
  mbd_real T[6] = {0}, se[3];
  evaluate(at, &t);
  v3_scale(se, s * t.q.sign, t.e);
  v3_copy(t.q.moment ? T + 3 : T, se);
  if (t.q.moment) {
    mbd_real g[3];
    v3_cross(T, se, t.arm);
    v3_cross(g, se, t.F);
    reverse_point(at->w, &t, g, to->sweep);
  }
  motion_section_reverse(to->sweep, &t.q.section, at->lam, T, to->lam);
  if (t.turned > 0) {
    mbd_real *X = to->sweep->body[t.turned].X, turned[3];
    v3_cross(turned, t.e, t.v);
    v3_axpy(X + 3, s, turned);
  }
}

void wrench_rows(const output_at *at, const output_row *g) {
  output_rows_by_reverse(at, wrench_reverse, g);
}
