/* Points of inertia of beams on which nothing else acts (`light` bodies of the model), summed up in the frame of their joints, at the point O
 * of the first of these: they need no columns of their own, and what they cause is shifted, turned and paired with coordinates nearer to the
 * ground once for all of them. At a point displaced by u from O, with the rates of theory.md §12 (12.2), (12.3) and w the velocity of the
 * frame,
 *   v = v_O + w x u + dd,     a = a_O + wd x u + w x (w x u) + 2 w x dd + sum l_k etadd_k + L e_z etad' G etad
 *   W = w + w_P,              Wd = wd + w x w_P + T phidd + gw,        f = m a,   n = J Wd + W x J W
 * it has the wrench [f ; u x f + n] on the body of the beam and l_k . f + t_k . n on the amplitudes. Changes with an amplitude j are
 *   da = wd x l_j + w x (w x l_j + 2 g_j) + L e_z (G etadd)_j,    g_j = L e_z (G etad)_j,        by its rate: 2 (w x l_j + g_j)
 * and those of the rotation are as of a body behind its joint (kinematics/sweep.c, jacobian.c).
 * Equations: theory.md §12 (12.13), (12.14). */
#include <string.h>

#include "dynamics/composite.h"
#include "dynamics/pairs.h"
#include "dynamics/parts.h"
#include "joint/modal_place.h"

/* The frame of the joints of a beam's points, with its motion in its own axes at O; accelerations are those of the material, less gravity. */
typedef struct beam_frame {
  mbd_real D[9], O[3], v[3], w[3], a[3], wd[3];
  const mbd_real *z, *zd, *zdd; /* amplitudes */
} beam_frame;

static beam_frame frame_of(const mbd_work *w, const mbd_beam *beam, int first) {
  const body_state *b = &w->body[beam->body];
  const joint_params *jp = &w->p->joint[w->model->body[first].joint];
  beam_frame x = {.z = w->z + beam->z0, .zd = w->zd + beam->z0, .zdd = w->zdd + beam->z0};
  mbd_real arm[3], v[3], a[3];
  m3_mul(x.D, b->A, jp->F[0]);
  v3_copy(x.O, b->o);
  m3_vec_add(x.O, b->A, jp->s[0]);
  if (w->stage < WORK_MOVED) { return x; }
  v3_sub(arm, x.O, b->r);
  v3_copy(v, b->V), v3_copy(a, b->Vd);
  v3_cross_add(v, b->V + 3, arm);
  v3_cross_add(a, b->Vd + 3, arm);
  v3_cross_add(a, b->V + 3, v);
  m3_Tvec(x.v, x.D, v), m3_Tvec(x.w, x.D, b->V + 3), m3_Tvec(x.a, x.D, a), m3_Tvec(x.wd, x.D, b->Vd + 3);
  return x;
}

/* The first light point of a beam; -1: none. */
static int first_light(const mbd_model *m, const mbd_beam *beam) {
  for (int k = beam->layout.nnode; k < beam->layout.nnode + beam->layout.npoint; k++) {
    if (m->body[beam->node[k]].light) { return beam->node[k]; }
  }
  return -1;
}

/* ---- one point ---- */

typedef struct beam_point {
  modal_place at;
  mbd_real m, u[3];
  int turns; /* 1: it has a moment of inertia, */
  mbd_real J[9];
  /* and its motion: by the rates of the amplitudes, by their second rates; angular velocity and acceleration; force and moment */
  modal_rate rate, second;
  mbd_real W[3], Wd[3], f[3], n[3];
} beam_point;

static void place_point(const mbd_work *w, const beam_frame *x, int first, int body, beam_point *p) {
  const mbd_body *b = &w->model->body[body];
  const joint_params *jp = &w->p->joint[b->joint];
  const mbd_real *theta = w->p->theta, *J = theta + b->inertia;
  modal_place_at(x->z, jp->own, &p->at);
  p->m = theta[b->mass];
  v3_copy(p->u, p->at.d);
  const int framed = w->model->joint[b->joint].framed; /* of data from outside, with axes and places of their own */
  if (framed) {
    mbd_real apart[3];
    v3_sub(apart, jp->s[0], w->p->joint[w->model->body[first].joint].s[0]);
    m3_Tvec_add(p->u, jp->F[0], apart);
  }
  p->turns = 0;
  for (int k = 0; k < 6; k++) { p->turns |= mbd_any(J[k] != 0); }
  if (!p->turns) { return; }
  mbd_real R[9], A[9];
  modal_rotation_matrix(&p->at, R);
  if (framed) { m3_mulT(A, R, jp->F[1]); }
  m3_turn_inertia(p->J, framed ? A : R, J);
}

/* The force and the moment of its inertia. */
static void move_point(const beam_frame *x, beam_point *p) {
  modal_rate *v = &p->rate, *a = &p->second;
  mbd_real t[3], JW[3];
  modal_rate_of(&p->at, x->zd, v), modal_rate_of(&p->at, x->zdd, a);
  modal_shorten(&p->at, x->zd, v->Gzd);
  v3_add(t, v->dd, v->dd);
  v3_cross_add(t, x->w, p->u);
  v3_add(p->f, x->a, a->dd);
  v3_cross_add(p->f, x->wd, p->u);
  v3_cross_add(p->f, x->w, t);
  p->f[2] += p->at.L * modal_dot(p->at.nm, x->zd, v->Gzd);
  v3_scale(p->f, p->m, p->f);
  v3_set(p->n, 0, 0, 0);
  if (!p->turns) { return; }
  v3_add(p->W, x->w, v->w);
  v3_add(p->Wd, x->wd, a->w);
  v3_cross_add(p->Wd, x->w, v->w);
  v3_axpy(p->Wd, -p->at.c / 2 * v->s, v->w);
  m3_vec(p->n, p->J, p->Wd);
  m3_vec(JW, p->J, p->W);
  v3_cross_add(p->n, p->W, JW);
}

/* out = T' x */
static void twist_T(const modal_place *m, const mbd_real x[3], mbd_real out[3]) {
  v3_cross(out, m->phi, x);
  v3_scale(out, -m->c / 2, out);
  v3_axpy(out, m->c, x);
}

/* ---- residual ---- */

/* r_k += l_k . f + Psi_k . T' n */
static void force_amplitudes(const beam_point *p, mbd_real *r) {
  const mbd_real *shape = p->at.own + modal_shape(0), L = p->at.L;
  mbd_real F[6] = {L * p->f[0], L * p->f[1], L * p->f[2]};
  if (p->turns) { twist_T(&p->at, p->n, F + 3); }
  for (int k = 0; k < p->at.nm; k++, shape += 6) { r[k] += sv_dot(shape, F) + p->at.Geta[k] * F[2]; }
}

static void beam_wrenches(mbd_work *w, const mbd_beam *beam, int first, mbd_real *r) {
  const beam_frame x = frame_of(w, beam, first);
  const body_state *b = &w->body[beam->body];
  mbd_real sum[6] = {0}, F[6], arm[3];
  for (int k = beam->layout.nnode; k < beam->layout.nnode + beam->layout.npoint; k++) {
    beam_point p;
    if (!w->model->body[beam->node[k]].light) { continue; }
    place_point(w, &x, first, beam->node[k], &p);
    move_point(&x, &p);
    v3_add(sum, sum, p.f), v3_add(sum + 3, sum + 3, p.n);
    v3_cross_add(sum + 3, p.u, p.f);
    if (r) { force_amplitudes(&p, r + beam->z0); }
  }
  m3_vec(F, x.D, sum), m3_vec(F + 3, x.D, sum + 3);
  v3_sub(arm, x.O, b->r);
  sv_add_wrench_from(w->F + 6 * beam->body, F, arm);
}

void beams_residual(mbd_work *w, mbd_real *r) {
  const mbd_model *m = w->model;
  for (int i = 0; i < m->nbeam; i++) {
    const int first = first_light(m, &m->beam[i]);
    if (first >= 0) { beam_wrenches(w, &m->beam[i], first, r); }
  }
}

/* ---- matrices ---- */

/* M, K, C of the amplitudes. */
enum { OF_M, OF_K, OF_C, MATRICES };

/* Sums over the points of a beam, in its frame at O. */
typedef struct beam_sums {
  composite c;
  column_wrench u[MBD_NZ_MAX];
  mbd_real A[MBD_NZ_MAX][MATRICES * MBD_NZ_MAX]; /* row k; of each column j the entries of all matrices */
} beam_sums;

/* What the amplitudes cause at one point: forces, and the moments that the shapes' rotations bear, component by component, as the factors of l
 * and Psi in rows of the matrices. */
typedef struct point_columns {
  mbd_real x[6][MATRICES * MBD_NZ_MAX];
} point_columns;

static inline void put_column(point_columns *to, int at, int j, mbd_real s, const mbd_real x[3], int matrix) {
  for (int i = 0; i < 3; i++) { to->x[at + i][MATRICES * j + matrix] = s * x[i]; }
}

/* A_kj += l_k . X_j + Psi_k . Y_j */
static void project(const modal_place *m, const point_columns *X, beam_sums *s) {
  const mbd_real *shape = m->own + modal_shape(0);
  for (int k = 0; k < m->nm; k++, shape += 6) {
    const mbd_real along = shape[2] + m->Geta[k];
    for (int i = 0; i < MATRICES * m->nm; i++) {
      s->A[k][i] += shape[0] * X->x[0][i] + shape[1] * X->x[1][i] + along * X->x[2][i] + shape[3] * X->x[3][i] +
                    shape[4] * X->x[4][i] + shape[5] * X->x[5][i];
    }
  }
}

/* What a unit rotation psi of the node, by an amplitude, causes by the moment of inertia, as moments of a column_wrench and as factors of Psi in
 * M, K, C; all of it is linear in psi. */
enum { TURN_A, TURN_Z = 3, TURN_V = 6, TURN_BB = 9, TURN_Y = 12, TURN_WIDTH = TURN_Y + 3 * MATRICES };

static void turn_column(const beam_frame *x, const beam_point *p, int i, const mbd_real block[9], const mbd_real Tn[3],
                        mbd_real by[TURN_WIDTH]) {
  const modal_place *m = &p->at;
  const modal_rate *v = &p->rate;
  const mbd_real psi[3] = {i == 0, i == 1, i == 2}, h = m->c / 2, turned = m->phi[i];
  mbd_real t[3], q[3], e[3], c[3], cbd[3], nxpsi[3];
  modal_twist(m, psi, t);
  /* q = sum_k dt_k/deta_j etad_k;  c = W x t + q;  c + bd with bd = w x t + sum_k dt_j/deta_k etad_k */
  v3_cross(q, psi, v->phid);
  v3_scale(q, h, q);
  v3_axpy(q, -h * turned, v->w);
  v3_copy(c, q);
  v3_cross_add(c, p->W, t);
  v3_cross(cbd, v->phid, psi);
  v3_scale(cbd, h, cbd);
  v3_axpy(cbd, -h * v->s, t);
  v3_cross_add(cbd, x->w, t);
  v3_add(cbd, cbd, c);
  /* e = Wd x t + sum_k dt_k/deta_j etadd_k + dgw/deta_j + w x q - c x W */
  v3_cross(e, psi, p->second.phid);
  v3_scale(e, h, e);
  v3_axpy(e, -h * turned, p->second.w);
  v3_axpy(e, h * h * turned * v->s - h * v->phid[i], v->w);
  v3_axpy(e, -h * v->s, q);
  v3_cross_add(e, p->Wd, t);
  v3_cross_add(e, x->w, q);
  v3_cross_sub(e, c, p->W);
  /* a = J t;  z = t x n + J e + B c;  v = J (c + bd) + B t;  B' t */
  m3_vec(by + TURN_A, p->J, t);
  m3_vec(by + TURN_Z, p->J, e);
  m3_vec_add(by + TURN_Z, block, c);
  v3_cross_add(by + TURN_Z, t, p->n);
  m3_vec(by + TURN_V, p->J, cbd);
  m3_vec_add(by + TURN_V, block, t);
  m3_Tvec(by + TURN_BB, block, t);
  /* Products with t_k = T Psi_k, which changes: dt_k/deta_j . n = -h (phi . psi) t_k . n + h Psi_k . (n x psi) */
  twist_T(m, by + TURN_A, by + TURN_Y + 3 * OF_M);
  twist_T(m, by + TURN_V, by + TURN_Y + 3 * OF_C);
  twist_T(m, by + TURN_Z, by + TURN_Y + 3 * OF_K);
  v3_axpy(by + TURN_Y + 3 * OF_K, -h * turned, Tn);
  v3_cross(nxpsi, p->n, psi);
  v3_axpy(by + TURN_Y + 3 * OF_K, h, nxpsi);
}

static void add_turns(const beam_frame *x, const beam_point *p, const mbd_real block[9], beam_sums *s,
                      point_columns *to) {
  mbd_real by[3][TURN_WIDTH], Tn[3];
  int known[3] = {0};
  twist_T(&p->at, p->n, Tn);
  for (int j = 0; j < p->at.nm; j++) {
    const mbd_real *psi = modal_rotation(&p->at, j);
    column_wrench *u = &s->u[j];
    mbd_real sum[TURN_WIDTH] = {0};
    for (int i = 0; i < 3; i++) {
      if (mbd_none(psi[i] != 0)) { continue; } /* a shape of a beam turns about one axis */
      if (!known[i]) { turn_column(x, p, i, block, Tn, by[i]); }
      known[i] = 1;
      for (int k = 0; k < TURN_WIDTH; k++) { sum[k] += psi[i] * by[i][k]; }
    }
    v3_add(u->a + 3, u->a + 3, sum + TURN_A), v3_add(u->z + 3, u->z + 3, sum + TURN_Z);
    v3_add(u->v + 3, u->v + 3, sum + TURN_V), v3_add(u->Bb + 3, u->Bb + 3, sum + TURN_BB);
    for (int i = 0; i < MATRICES; i++) { put_column(to, 3, j, 1, sum + TURN_Y + 3 * i, i); }
  }
}

/* Its part of the momentum and of the velocity block, and that by its rotation alone in `block`; the velocity in v. */
static void add_velocity_block(const beam_frame *x, const beam_point *p, mbd_real v[3], mbd_real block[9],
                               composite *c) {
  mbd_inertia in = {.m = 0};
  mbd_real V[6] = {0};
  v3_add(v, x->v, p->rate.dd);
  v3_cross_add(v, x->w, p->u);
  v3_axpy(c->pf, p->m, v);
  const mbd_real along = 2 * p->m * v3_dot(p->u, v);
  for (int i = 0; i < 3; i++) {
    v3_axpy(c->Bn + 3 * i, -2 * p->m * v[i], p->u);
    c->Bn[4 * i] += along;
  }
  if (!p->turns) { return; }
  memcpy(in.J, p->J, sizeof in.J);
  v3_copy(V + 3, p->W);
  velocity_block(&in, V, block);
  for (int k = 0; k < 9; k++) { c->Bn[k] += block[k]; }
}

/* M of its rotation, where the motion is not known. */
static void add_turning_mass(const beam_point *p, beam_sums *s, point_columns *to) {
  for (int j = 0; j < p->at.nm; j++) {
    mbd_real t[3], moment[3], Y[3];
    modal_twist(&p->at, modal_rotation(&p->at, j), t);
    m3_vec(moment, p->J, t);
    v3_add(s->u[j].a + 3, s->u[j].a + 3, moment);
    twist_T(&p->at, moment, Y);
    put_column(to, 3, j, 1, Y, OF_M);
  }
}

/* Inertia alone: of the body, and M. */
static void add_mass(const beam_point *p, beam_sums *s, point_columns *to) {
  const mbd_inertia in = {.m = p->m};
  sv_inertia_add_from(&s->c.in, &in, p->u);
  for (int k = 0; p->turns && k < 9; k++) { s->c.in.J[k] += p->J[k]; }
  for (int j = 0; j < p->at.nm; j++) {
    mbd_real X[3], *a = s->u[j].a;
    modal_shift(&p->at, j, X);
    put_column(to, 0, j, p->at.L * p->m, X, OF_M);
    v3_scale(X, p->m, X);
    v3_add(a, a, X);
    v3_cross_add(a + 3, p->u, X);
  }
}

/* The translation of the point by amplitudes and their rates. */
static void add_slopes(const beam_frame *x, const beam_point *p, const mbd_real v[3], beam_sums *s, point_columns *to) {
  const modal_place *m = &p->at;
  const mbd_real *G = m->own + modal_shortening(m->nm);
  mbd_real Gzdd[MBD_NZ_MAX];
  modal_shorten(m, x->zdd, Gzdd);
  v3_add(s->c.W, s->c.W, p->f), v3_add(s->c.W + 3, s->c.W + 3, p->n);
  v3_cross_add(s->c.W + 3, p->u, p->f);
  for (int j = 0; j < m->nm; j++) {
    column_wrench *u = &s->u[j];
    mbd_real l[3], X_K[3], X_C[3], t[3];
    modal_shift(m, j, l);
    v3_cross(X_C, x->w, l);
    v3_copy(t, X_C);
    X_C[2] += m->L * p->rate.Gzd[j], t[2] += 2 * m->L * p->rate.Gzd[j];
    v3_scale(X_C, 2 * p->m, X_C);
    v3_cross(X_K, x->w, t);
    v3_cross_add(X_K, x->wd, l);
    X_K[2] += m->L * Gzdd[j];
    v3_scale(X_K, p->m, X_K);
    v3_add(u->z, u->z, X_K), v3_add(u->v, u->v, X_C);
    v3_cross_add(u->z + 3, p->u, X_K), v3_cross_add(u->v + 3, p->u, X_C);
    v3_cross_add(u->z + 3, l, p->f);
    v3_cross(t, v, l);
    v3_axpy(u->Bb + 3, 2 * p->m, t);
    put_column(to, 0, j, m->L, X_K, OF_K), put_column(to, 0, j, m->L, X_C, OF_C);
  }
  /* The forces on points whose l changes. */
  for (int k = 0; k < m->nm; k++, G += m->nm) {
    for (int j = 0; j < m->nm; j++) { s->A[k][MATRICES * j + OF_K] += m->L * p->f[2] * G[j]; }
  }
}

static void sum_points(const mbd_work *w, const mbd_beam *beam, const beam_frame *x, int first, int slopes,
                       beam_sums *s) {
  const int n = beam->layout.n;
  memset(&s->c, 0, sizeof s->c), memset(s->u, 0, (size_t)n * sizeof *s->u);
  for (int k = 0; k < n; k++) { memset(s->A[k], 0, (size_t)(MATRICES * n) * sizeof *s->A[k]); }
  for (int k = beam->layout.nnode; k < beam->layout.nnode + beam->layout.npoint; k++) {
    beam_point p;
    point_columns to;
    mbd_real v[3], block[9];
    if (!w->model->body[beam->node[k]].light) { continue; }
    /* cppcheck-suppress uninitvar ; this writes it */
    for (int i = 0; i < 6; i++) { memset(to.x[i], 0, (size_t)(MATRICES * n) * sizeof *to.x[i]); }
    place_point(w, x, first, beam->node[k], &p);
    add_mass(&p, s, &to);
    if (slopes) {
      move_point(x, &p);
      add_velocity_block(x, &p, v, block, &s->c);
      add_slopes(x, &p, v, s, &to);
      if (p.turns) { add_turns(x, &p, block, s, &to); }
    } else if (p.turns) {
      add_turning_mass(&p, s, &to);
    }
    project(&p.at, &to, s);
  }
}

/* ---- into global axes, at the body of the beam ---- */

static void turn_vector(const mbd_real D[9], mbd_real x[3]) {
  mbd_real y[3];
  m3_vec(y, D, x);
  v3_copy(x, y);
}

static void turn_matrix(const mbd_real D[9], mbd_real X[9]) {
  mbd_real DX[9];
  m3_mul(DX, D, X);
  m3_mulT(X, DX, D);
}

static void turn_wrench(const mbd_real D[9], const mbd_real arm[3], mbd_real F[6]) {
  turn_vector(D, F), turn_vector(D, F + 3);
  v3_cross_add(F + 3, arm, F);
}

static void put_shapes(mbd_work *w, const mbd_beam *beam, const beam_frame *x, const mbd_real arm[3], int slopes,
                       beam_sums *s) {
  for (int j = 0; j < beam->layout.n; j++) {
    column_wrench *u = &s->u[j];
    turn_wrench(x->D, arm, u->a);
    if (slopes) { turn_wrench(x->D, arm, u->z), turn_wrench(x->D, arm, u->v), turn_vector(x->D, u->Bb + 3); }
    w->formed.shape[beam->z0 + j] = *u;
  }
}

/* The entries of amplitudes, added to a matrix of all coordinates. */
static void put_matrix(const mbd_work *w, const mbd_beam *beam, const mbd_nonzeros *at, const beam_sums *s, int matrix,
                       mbd_real *to) {
  const int n = beam->layout.n;
  for (int k = 0; to && k < n * n; k++) {
    to[mbd_entry(at, w->model->nz, beam->z0 + k / n, beam->z0 + k % n)] += s->A[k / n][MATRICES * (k % n) + matrix];
  }
}

void beams_matrices(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, mbd_real *M) {
  const mbd_model *m = w->model;
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *beam = &m->beam[i];
    const int first = first_light(m, beam);
    beam_sums s;
    mbd_real arm[3];
    memset(w->formed.shape + beam->z0, 0, (size_t)beam->layout.n * sizeof *w->formed.shape);
    if (!inertia || first < 0) { continue; }
    const beam_frame x = frame_of(w, beam, first);
    sum_points(w, beam, &x, first, K != NULL, &s);
    /* As locked together, they are a part of the body. */
    v3_sub(arm, x.O, w->body[beam->body].r);
    turn_vector(x.D, s.c.in.h), turn_matrix(x.D, s.c.in.J);
    if (K) {
      turn_vector(x.D, s.c.pf), turn_matrix(x.D, s.c.Bn);
      turn_vector(x.D, s.c.W), turn_vector(x.D, s.c.W + 3);
      composite_add_from(&w->comp[beam->body], &s.c, arm, w->moving);
    } else {
      sv_inertia_add_from(&w->comp[beam->body].in, &s.c.in, arm);
    }
    put_shapes(w, beam, &x, arm, K != NULL, &s);
    put_matrix(w, beam, w->formed.M_at, &s, OF_M, M);
    put_matrix(w, beam, w->formed.K_at, &s, OF_K, K);
    put_matrix(w, beam, w->formed.K_at, &s, OF_C, w->moving ? C : NULL);
  }
}
