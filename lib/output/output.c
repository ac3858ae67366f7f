#include "output/output.h"

#include <string.h>

/* ---- functions of arguments ---- */

/* A component (0, 1, 2) or the norm (3) of x, xd or xdd. The norm of zero has no gradient; zero is its
 * subgradient of least length. */
mbd_real output_component(const output *o, const mbd_arg_state *s, output_gradient *g) {
  const mbd_real *y = o->order == 0 ? s->x[0] : o->order == 1 ? s->xd[0] : s->xdd[0];
  mbd_real *g_y = o->order == 0 ? g->x[0] : o->order == 1 ? g->xd[0] : g->xdd[0];
  if (o->component < 3) {
    g_y[o->component] = 1;
    return y[o->component];
  }
  mbd_real norm = mbd_sqrt(v3_dot(y, y));
  if (mbd_re(norm) > 0) { v3_scale(g_y, 1 / norm, y); }
  return norm;
}

/* atan2(u_q, u_p) of a body axis u in the plane (p, q) normal to global axis number `component`. */
mbd_real output_angle(const output *o, const mbd_arg_state *s, output_gradient *g) {
  int p = (o->component + 1) % 3, q = (o->component + 2) % 3;
  mbd_real up = s->x[0][p], uq = s->x[0][q], r2 = up * up + uq * uq;
  g->x[0][p] = -uq / r2;
  g->x[0][q] = up / r2;
  return mbd_atan2(uq, up);
}

/* Angle atan2(a, b), or its rate (b ad - a bd)/(a^2 + b^2), with a, b entries of x (and ad, bd of xd) and their
 * derivatives in g. */
static mbd_real angle_of_two(int order, mbd_real a, mbd_real b, mbd_real ad, mbd_real bd, mbd_real *g_a, mbd_real *g_b,
                             mbd_real *g_ad, mbd_real *g_bd) {
  const mbd_real r2 = a * a + b * b;
  if (order == 0) {
    *g_a = b / r2, *g_b = -a / r2;
    return mbd_atan2(a, b);
  }
  const mbd_real rate = (b * ad - a * bd) / r2;
  *g_a = -(bd + 2 * a * rate) / r2, *g_b = (ad - 2 * b * rate) / r2;
  *g_ad = b / r2, *g_bd = -a / r2;
  return rate;
}

/* Attitude of a body with axes e_x forward, e_y left, e_z up (ISO 8855: yaw, then pitch, then roll), z up:
 *   roll  = atan2(e_y.z, e_z.z)    of the arguments e_y, e_z
 *   pitch = -asin(e_x.z)           of the argument e_x
 *   yaw   = atan2(e_x.y, e_x.x)    of the argument e_x */
mbd_real output_attitude(const output *o, const mbd_arg_state *s, output_gradient *g) {
  if (o->component == 0) {
    return angle_of_two(o->order, s->x[0][2], s->x[1][2], s->xd[0][2], s->xd[1][2], &g->x[0][2], &g->x[1][2],
                        &g->xd[0][2], &g->xd[1][2]);
  }
  if (o->component == 2) {
    return angle_of_two(o->order, s->x[0][1], s->x[0][0], s->xd[0][1], s->xd[0][0], &g->x[0][1], &g->x[0][0],
                        &g->xd[0][1], &g->xd[0][0]);
  }
  const mbd_real z = s->x[0][2], c = mbd_sqrt(1 - z * z);
  if (o->order == 0) {
    g->x[0][2] = -1 / c;
    return -mbd_atan2(z, c);
  }
  g->xd[0][2] = -1 / c;
  g->x[0][2] = -s->xd[0][2] * z / (c * c * c);
  return -s->xd[0][2] / c;
}

/* ---- values ---- */

/* Power of a force, sum_a f_a . xd_a:  g_x[b] = sum_a K_ab' xd_a,  g_xd[b] = f_b + sum_a D_ab' xd_a */
static void evaluate_power(const mbd_force *f, output_force *q) {
  mbd_real K[MBD_ARG_MAX][MBD_ARG_MAX][9], D[MBD_ARG_MAX][MBD_ARG_MAX][9], out[MBD_ARG_MAX][3];
  const int n = f->lift.narg;
  memset(K, 0, sizeof K);
  memset(D, 0, sizeof D);
  f->ops->f(&q->in, out);
  f->ops->f_x(&q->in, K, D);
  q->value = 0;
  for (int a = 0; a < n; a++) {
    q->value += v3_dot(out[a], q->s.xd[a]);
    v3_add(q->g_xd[a], q->g_xd[a], out[a]);
    for (int b = 0; b < n; b++) {
      mbd_real y[3];
      m3_Tvec(y, K[a][b], q->s.xd[a]);
      v3_add(q->g_x[b], q->g_x[b], y);
      m3_Tvec(y, D[a][b], q->s.xd[a]);
      v3_add(q->g_xd[b], q->g_xd[b], y);
    }
  }
}

void output_force_evaluate(const mbd_params *p, const mbd_work *w, const output *o, mbd_real t, output_force *q) {
  const mbd_force *f = &w->model->force[o->force];
  memset(q->g_x, 0, sizeof q->g_x);
  memset(q->g_xd, 0, sizeof q->g_xd);
  lift_values(w, &f->lift, 1, &q->s);
  params_force_input(p, f, t, &q->s, &q->in);
  if (o->kind == OUTPUT_POWER) {
    evaluate_power(f, q);
  } else {
    q->value = f->ops->scalar(&q->in, o->scalar, q->g_x, q->g_xd);
  }
}

mbd_real output_reaction_norm(const output *o, const output_state *s) {
  mbd_real sum = 0;
  for (int r = 0; r < o->nrow; r++) { sum += s->lam[o->row + r] * s->lam[o->row + r]; }
  return mbd_sqrt(sum);
}

mbd_real output_value(const mbd_params *p, mbd_work *w, const output *o, const output_state *s) {
  switch (o->kind) {
    case OUTPUT_ARGUMENT: {
      mbd_arg_state a;
      output_gradient g = {0};
      lift_values(w, &o->lift, 1, &a);
      return o->eval(o, &a, &g);
    }
    case OUTPUT_POWER:
    case OUTPUT_FORCE: {
      output_force q;
      output_force_evaluate(p, w, o, s->t, &q);
      return q.value;
    }
    case OUTPUT_KINETIC: return dyn_kinetic(w);
    case OUTPUT_POTENTIAL: return dyn_potential(p, w, s->t);
    case OUTPUT_TOTAL: return dyn_kinetic(w) + dyn_potential(p, w, s->t);
    case OUTPUT_MULTIPLIER: return s->lam[o->row];
    case OUTPUT_REACTION: return output_reaction_norm(o, s);
  }
  return 0;
}

/* ---- gradient rows ---- */

static void lift_gradient(mbd_work *w, const mbd_lift *l, const mbd_real (*g_x)[3], const mbd_real (*g_xd)[3],
                          const mbd_real (*g_xdd)[3], mbd_real *z, mbd_real *zd, mbd_real *zdd) {
  lift_columns(w, l);
  lift_rate_columns(w, l, g_xdd != NULL);
  for (int a = 0; a < l->narg; a++) {
    for (int c = 0; c < l->ncol; c++) {
      size_t at = lift_at(l, a, c);
      int j = l->col[c];
      z[j] += v3_dot(g_x[a], w->dx + at) + v3_dot(g_xd[a], w->dxd + at);
      zd[j] += v3_dot(g_xd[a], w->dx + at);
      if (!g_xdd) { continue; }
      z[j] += v3_dot(g_xdd[a], w->dxdd + at);
      zd[j] += v3_dot(g_xdd[a], w->dxdd_zd + at);
      zdd[j] += v3_dot(g_xdd[a], w->dx + at);
    }
  }
}

/* dT = sum_i p_i . c_i over the bodies: columns c in z, b in zd, with p summed beyond each joint. */
static void kinetic_rows(mbd_work *w, mbd_real *z, mbd_real *zd) {
  const mbd_model *m = w->model;
  for (int i = 1; i < m->nb; i++) { sv_copy(w->F + 6 * i, w->body[i].p); }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *q = &m->body[i];
    for (int j = q->z0; j < q->z0 + q->nz; j++) {
      z[j] += sv_dot(w->col[j].c, w->F + 6 * i);
      zd[j] += sv_dot(w->col[j].b, w->F + 6 * i);
    }
    if (q->parent > 0) {
      mbd_real s[3];
      v3_sub(s, w->body[i].r, w->body[q->parent].r);
      sv_add_wrench_from(w->F + 6 * q->parent, w->F + 6 * i, s);
    }
  }
}

/* dU/dz: minus the generalized conservative forces, weights and springs without their damping. */
static void potential_rows(const mbd_params *p, mbd_work *w, mbd_real t, mbd_real *z) {
  const mbd_model *m = w->model;
  sv_zero(w->F);
  for (int i = 1; i < m->nb; i++) { /* weight at the centre of mass */
    const body_state *b = &w->body[i];
    mbd_real *F = w->F + 6 * i, arm[3];
    sv_zero(F);
    if (m->gravity < 0) { continue; }
    v3_scale(F, -b->in.m, p->theta + m->gravity);
    v3_sub(arm, b->g, b->r);
    v3_cross(F + 3, arm, F);
  }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *q = &m->body[i];
    for (int j = q->z0; j < q->z0 + q->nz; j++) { z[j] += sv_dot(w->col[j].b, w->F + 6 * i); }
    mbd_real s[3];
    v3_sub(s, w->body[i].r, w->body[q->parent].r);
    sv_add_wrench_from(w->F + 6 * q->parent, w->F + 6 * i, s);
  }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    mbd_arg_state s;
    mbd_element_input in;
    mbd_real out[MBD_ARG_MAX][3];
    if (!f->ops->potential) { continue; }
    lift_values(w, &f->lift, 1, &s);
    memset(s.xd, 0, sizeof s.xd);
    params_force_input(p, f, t, &s, &in);
    f->ops->f(&in, out);
    lift_columns(w, &f->lift);
    for (int a = 0; a < f->lift.narg; a++) {
      for (int c = 0; c < f->lift.ncol; c++) { z[f->lift.col[c]] -= v3_dot(out[a], w->dx + lift_at(&f->lift, a, c)); }
    }
  }
}

void output_rows(const mbd_params *p, mbd_work *w, const output *o, const output_state *s, mbd_real *g_z,
                 mbd_real *g_zd, mbd_real *g_zdd, mbd_real *g_lam) {
  const mbd_model *m = w->model;
  size_t bytes = (size_t)m->nz * sizeof *g_z;
  memset(g_z, 0, bytes), memset(g_zd, 0, bytes), memset(g_zdd, 0, bytes);
  memset(g_lam, 0, (size_t)m->nphi * sizeof *g_lam);
  switch (o->kind) {
    case OUTPUT_ARGUMENT: {
      mbd_arg_state a;
      output_gradient g = {0};
      lift_values(w, &o->lift, 1, &a);
      o->eval(o, &a, &g);
      if (o->lift.arg[0].kind == MBD_ARG_COORDINATE) {
        int j = o->lift.arg[0].b;
        g_z[j] = g.x[0][0], g_zd[j] = g.xd[0][0], g_zdd[j] = g.xdd[0][0];
      } else {
        lift_gradient(w, &o->lift, CONST3(g.x), CONST3(g.xd), o->order == 2 ? CONST3(g.xdd) : NULL, g_z, g_zd, g_zdd);
      }
      break;
    }
    case OUTPUT_POWER:
    case OUTPUT_FORCE: {
      output_force q;
      output_force_evaluate(p, w, o, s->t, &q);
      lift_gradient(w, &m->force[o->force].lift, CONST3(q.g_x), CONST3(q.g_xd), NULL, g_z, g_zd, g_zdd);
      break;
    }
    case OUTPUT_TOTAL:
    case OUTPUT_KINETIC: kinetic_rows(w, g_z, g_zd); break;
    case OUTPUT_POTENTIAL: break;
    case OUTPUT_MULTIPLIER: g_lam[o->row] = 1; break;
    case OUTPUT_REACTION: {
      mbd_real norm = output_reaction_norm(o, s);
      for (int r = 0; r < o->nrow && mbd_re(norm) > 0; r++) { g_lam[o->row + r] = s->lam[o->row + r] / norm; }
      break;
    }
  }
  if (o->kind == OUTPUT_POTENTIAL || o->kind == OUTPUT_TOTAL) { potential_rows(p, w, s->t, g_z); }
}

/* ---- directions of coefficients and coordinates ---- */

static mbd_real dot_args(const mbd_lift *l, const mbd_real (*g)[3], const mbd_real (*dx)[3]) {
  mbd_real v = 0;
  for (int a = 0; a < l->narg; a++) { v += v3_dot(g[a], dx[a]); }
  return v;
}

static mbd_real force_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                                const output *o, mbd_real t) {
  const mbd_force *f = &w->model->force[o->force];
  output_force q;
  mbd_arg_state ds;
  mbd_real out = 0;
  output_force_evaluate(p, w, o, t, &q);
  if (d && d->force_active[o->force]) {
    mbd_element_direction e = params_direction(d, f->coef, 0);
    if (o->kind == OUTPUT_POWER) {
      mbd_real df[MBD_ARG_MAX][3] = {{0}};
      f->ops->f_c(&q.in, &e, df);
      out += dot_args(&f->lift, CONST3(df), CONST3(q.s.xd));
    } else {
      out += f->ops->scalar_c(&q.in, o->scalar, &e);
    }
  }
  if (vary_arguments(d, w, v, &f->lift, 1, &ds)) {
    out += dot_args(&f->lift, CONST3(q.g_x), CONST3(ds.x)) + dot_args(&f->lift, CONST3(q.g_xd), CONST3(ds.xd));
  }
  return out;
}

/* dT = sum_i p_i . c_i + 1/2 V_i . dI_i V_i: the second part from mass, centre of mass (dc) and inertia:
 *   1/2 [ dm |v_G|^2 + w . A dJ_G A' w ] + m v_G . (w x dc) */
static mbd_real kinetic_direction(const mbd_params *p, const mbd_dparams *d, const mbd_work *w,
                                  const mbd_variation *v) {
  const mbd_model *m = w->model;
  mbd_real dT = 0;
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *q = &m->body[i];
    const body_state *b = &w->body[i];
    if (v->body[i].active) { dT += sv_dot(v->body[i].c, b->p); }
    if (!d || !d->body_active[i]) { continue; }
    const mbd_real *J = d->dtheta + q->inertia;
    mbd_real arm[3], vG[3], wl[3], dc[3], wdc[3];
    v3_sub(arm, b->g, b->r);
    v3_copy(vG, b->V);
    v3_cross_add(vG, b->V + 3, arm);
    m3_Tvec(wl, b->A, b->V + 3);
    m3_vec(dc, b->A, d->dtheta + q->com);
    v3_cross(wdc, b->V + 3, dc);
    dT += d->dtheta[q->mass] * v3_dot(vG, vG) / 2 + p->theta[q->mass] * v3_dot(vG, wdc);
    dT += (J[0] * wl[0] * wl[0] + J[1] * wl[1] * wl[1] + J[2] * wl[2] * wl[2]) / 2 + J[3] * wl[0] * wl[1] +
          J[4] * wl[0] * wl[2] + J[5] * wl[1] * wl[2];
  }
  return dT;
}

/* dU = -sum_i [ (dm g + m dg) . r_G + m g . dr_G ] */
static mbd_real weight_direction(const mbd_params *p, const mbd_dparams *d, const mbd_work *w, const mbd_variation *v) {
  const mbd_model *m = w->model;
  mbd_real dU = 0;
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) {
    const mbd_body *q = &m->body[i];
    const body_state *b = &w->body[i];
    const mbd_real *gravity = p->theta + m->gravity;
    mbd_real dg[3] = {0, 0, 0}, arm[3];
    if (d) {
      m3_vec(dg, b->A, d->dtheta + q->com);
      dU -= d->dtheta[q->mass] * v3_dot(gravity, b->g) + b->in.m * v3_dot(d->dtheta + m->gravity, b->g);
    }
    if (v->body[i].active) {
      v3_sub(arm, b->g, b->r);
      v3_add(dg, dg, v->body[i].x);
      v3_cross_add(dg, v->body[i].x + 3, arm);
    }
    dU -= b->in.m * v3_dot(gravity, dg);
  }
  return dU;
}

/* of weights and springs: minus their forces at rest on the arguments */
static mbd_real potential_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                                    mbd_real t) {
  const mbd_model *m = w->model;
  mbd_real dU = weight_direction(p, d, w, v);
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    mbd_arg_state s, ds;
    mbd_element_input in;
    mbd_real out[MBD_ARG_MAX][3];
    if (!f->ops->potential) { continue; }
    int moved = vary_arguments(d, w, v, &f->lift, 0, &ds);
    const int own = d && d->force_active[i];
    if (!moved && !own) { continue; }
    lift_values(w, &f->lift, 1, &s);
    memset(s.xd, 0, sizeof s.xd);
    params_force_input(p, f, t, &s, &in);
    if (own) {
      mbd_element_direction e = params_direction(d, f->coef, 0);
      dU += f->ops->potential_c(&in, &e);
    }
    if (moved) {
      f->ops->f(&in, out);
      dU -= dot_args(&f->lift, CONST3(out), CONST3(ds.x));
    }
  }
  return dU;
}

static mbd_real multiplier_direction(const output *o, const output_state *s, const mbd_real *dlam) {
  if (!dlam) { return 0; }
  if (o->kind == OUTPUT_MULTIPLIER) { return dlam[o->row]; }
  const mbd_real norm = output_reaction_norm(o, s);
  mbd_real dy = 0;
  for (int r = 0; r < o->nrow && mbd_re(norm) > 0; r++) { dy += s->lam[o->row + r] * dlam[o->row + r] / norm; }
  return dy;
}

mbd_real output_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                          const output *o, const output_state *s, const mbd_real *dlam) {
  switch (o->kind) {
    case OUTPUT_ARGUMENT: {
      mbd_arg_state a, da;
      output_gradient g = {0};
      if (!vary_arguments(d, w, v, &o->lift, 1, &da)) { return 0; }
      lift_values(w, &o->lift, 1, &a);
      o->eval(o, &a, &g);
      return dot_args(&o->lift, CONST3(g.x), CONST3(da.x)) + dot_args(&o->lift, CONST3(g.xd), CONST3(da.xd)) +
             dot_args(&o->lift, CONST3(g.xdd), CONST3(da.xdd));
    }
    case OUTPUT_POWER:
    case OUTPUT_FORCE: return force_direction(p, d, w, v, o, s->t);
    case OUTPUT_KINETIC: return kinetic_direction(p, d, w, v);
    case OUTPUT_POTENTIAL: return potential_direction(p, d, w, v, s->t);
    case OUTPUT_TOTAL: return kinetic_direction(p, d, w, v) + potential_direction(p, d, w, v, s->t);
    case OUTPUT_MULTIPLIER:
    case OUTPUT_REACTION: return multiplier_direction(o, s, dlam);
  }
  return 0;
}
