// Forward mode by vector dual numbers (dual.hpp): AD_LANES directions in one evaluation.
#include "model.hpp"
#include "simulation.hpp"

struct ad_model {
  residual q;
};

static ad_model *dual_open(const mbd_spec *spec, const double *theta, mbd_error *err) {
  ad_model *a = new ad_model;
  if (a->q.open(spec, theta, err) == MBD_OK) { return a; }
  delete a;
  return nullptr;
}

static void dual_close(ad_model *a) {
  delete a;
}

static void place(residual *q, const ad_point *at) {
  for (int j = 0; j < q->m->nz; j++) { q->z[j] = at->z[j], q->zd[j] = at->zd[j], q->zdd[j] = at->zdd[j]; }
  for (int i = 0; i < q->m->nphi; i++) { q->lam[i] = at->lam[i]; }
}

static void dual_value(ad_model *a, const ad_point *at, double *R) {
  place(&a->q, at);
  a->q.evaluate(at->t);
  for (int i = 0; i < a->q.m->nz; i++) { R[i] = a->q.r[i].v; }
}

static void dual_forward(ad_model *a, const ad_point *at, const ad_seeds *s, double *B) {
  residual *q = &a->q;
  const int n = q->m->nz;
  for (int first = 0; first < s->colours; first += AD_LANES) {
    const int lanes = s->colours - first < AD_LANES ? s->colours - first : AD_LANES;
    place(q, at);
    for (int j = 0; j < n; j++) {
      const int by_z = s->colour[j] - first, by_zd = s->colour[n + j] - first;
      if (by_z >= 0 && by_z < lanes) { q->z[j].d[by_z] = 1; }
      if (by_zd >= 0 && by_zd < lanes) { q->zd[j].d[by_zd] = 1; }
    }
    q->evaluate(at->t);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < lanes; k++) { B[i * s->colours + first + k] = q->r[i].d[k]; }
    }
  }
}

/* ---- a whole simulation ---- */

struct ad_sim {
  simulation of;
};

static ad_sim *dual_sim_open(const mbd_spec *spec, const mbd_case *c, int nname, const char *const *name, int nterm,
                             const mbd_term *term, int npsi, mbd_error *err) {
  ad_sim *a = new ad_sim;
  if (a->of.open(spec, c, nname, name, nterm, term, npsi, err) == MBD_OK) { return a; }
  delete a;
  return nullptr;
}

static void dual_sim_close(ad_sim *a) {
  delete a;
}

static mbd_status set(simulation *q, const double *theta, const ad_variables *of, int first, mbd_error *err) {
  MBD_TRY(q->set(theta, err));
  for (int k = 0; k < AD_LANES && first + k < of->n; k++) {
    for (int i = of->start[first + k]; i < of->start[first + k + 1]; i++) {
      q->p->theta[of->index[i]].d[k] += of->value[i];
    }
  }
  return MBD_OK;
}

static void dual_steps_end(ad_sim *a, const ad_variables *of, int first, const double *weight, double *psi, double *g) {
  for (int k = 0; k < AD_LANES && first + k < of->n; k++) { g[first + k] = 0; }
  for (int i = 0; i < a->of.sim->npsi; i++) {
    psi[i] = a->of.psi(i).v;
    for (int k = 0; k < AD_LANES && first + k < of->n; k++) { g[first + k] += weight[i] * a->of.psi(i).d[k]; }
  }
}

static mbd_status dual_sim_gradient(ad_sim *a, const double *theta, const ad_variables *of, const double *weight,
                                    double *psi, double *g, ad_cost *cost, mbd_error *err) {
  *cost = {};
  for (int first = 0; first < of->n; first += AD_LANES) {
    MBD_TRY(set(&a->of, theta, of, first, err));
    MBD_TRY(a->of.run(nullptr, err));
    dual_steps_end(a, of, first, weight, psi, g);
    cost->simulations++, cost->iterations = a->of.sim->stats.iterations;
  }
  return MBD_OK;
}

/* ---- steps at their solutions ---- */

/* The start is computed in dual numbers; the values of all nodes after it are the program's. */
static mbd_status dual_steps_begin(ad_sim *a, const double *theta, const ad_variables *of, int first, mbd_error *err) {
  MBD_TRY(set(&a->of, theta, of, first, err));
  a->of.make_memory();
  return a->of.run_to_start(err);
}

/* x := the value, with the directions that it has, or with those of a solution x_ [n][AD_LANES] added to them */
static void put(int n, const double *value, const double *x_, mbd_real *x) {
  for (int i = 0; i < n; i++) {
    x[i].v = value[i];
    for (int k = 0; k < AD_LANES; k++) { x[i].d[k] = x_[i * AD_LANES + k]; }
  }
}

/* Right-hand sides: less the directions of a residual. */
static void take(int n, const mbd_real *r, double *f) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < AD_LANES; k++) { f[i * AD_LANES + k] = -r[i].d[k]; }
  }
}

static mbd_status dual_steps_take(ad_sim *a, const ad_step *at, ad_solve solve, void *user, mbd_error *err) {
  simulation *q = &a->of;
  mbd_sim *s = q->sim;
  const int n = q->m->nz, m = q->m->nphi;
  const motion_rows rows = motion_constraints(q->m);
  const sim_state before = s->before;
  s->before = s->now, s->now = before, s->t = at->t;
  /* The motion, with its increment and lam held. */
  scheme_history(&s->scheme, (size_t)n, s->before.zd, s->before.zdd, s->before.acc, q->vs, q->as);
  for (int j = 0; j < n; j++) {
    s->now.z[j] = s->before.z[j], s->now.z[j].v = at->z[j];
    q->vs[j].v = at->vs[j], q->as[j].v = at->as[j];
  }
  for (int i = 0; i < m; i++) { s->now.lam[i] = at->lam[i]; }
  motion_place(s->w, q->p, s->t, s->now.z);
  motion_move(s->w, q->vs, q->as, 1);
  motion_residual_held(s->w, rows, s->now.lam, q->phi, q->r);
  take(n, q->r, q->f.data()), take(m, q->phi, q->g.data());
  MBD_TRY(solve(user, 0, q->f.data(), q->g.data(), q->x.data(), q->y.data(), err));
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < AD_LANES; k++) {
      const double dz = q->x[j * AD_LANES + k];
      s->now.z[j].d[k] += dz;
      q->vs[j].d[k] += mbd_re(s->scheme.c) * dz, q->as[j].d[k] += mbd_re(s->scheme.a) * dz;
    }
  }
  put(m, at->lam, q->y.data(), s->now.lam);
  /* Velocities. */
  motion_place(s->w, q->p, s->t, s->now.z);
  motion_mass(s->w, nullptr, q->M);
  motion_phi(s->w, rows, nullptr, q->Phi_z);
  motion_phi_t(s->w, rows, q->rate);
  for (int j = 0; j < n; j++) { q->change[j] = at->zd[j] - q->vs[j]; }
  q->projection(q->change, at->sigma, at->zd, q->rate);
  take(n, q->r, q->f.data()), take(m, q->phi, q->g.data());
  MBD_TRY(solve(user, 1, q->f.data(), q->g.data(), q->x.data(), q->y.data(), err));
  put(n, at->zd, q->x.data(), s->now.zd);
  /* Accelerations. */
  for (int j = 0; j < n; j++) { q->change[j] = 0; }
  motion_move(s->w, s->now.zd, q->change, 0);
  motion_phidd(s->w, rows, q->rate);
  for (int j = 0; j < n; j++) { q->change[j] = at->zdd[j] - q->as[j]; }
  q->projection(q->change, at->kappa, at->zdd, q->rate);
  take(n, q->r, q->f.data()), take(m, q->phi, q->g.data());
  MBD_TRY(solve(user, 1, q->f.data(), q->g.data(), q->x.data(), q->y.data(), err));
  put(n, at->zdd, q->x.data(), s->now.zdd);
  /* Reactions, and the objectives. */
  put(m, at->kappa, q->y.data(), q->rate);
  for (int i = 0; s->reactions_apart && i < m; i++) { s->now.reaction[i] = s->now.lam[i] + q->rate[i]; }
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return quadrature_add(s, sim_weight(s, at->k), at->k == s->nsteps, 0, 0, err);
}

static const ad_ops ops = {"dual numbers", dual_open,         dual_close,       dual_value,
                           dual_forward,   nullptr,           nullptr,          dual_sim_open,
                           dual_sim_close, dual_sim_gradient, dual_steps_begin, dual_steps_take,
                           dual_steps_end, nullptr,           nullptr,          nullptr};

extern "C" __attribute__((visibility("default"))) const ad_ops *ad_dual(void) {
  return &ops;
}
