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

static mbd_status dual_sim_gradient(ad_sim *a, const double *theta, const ad_variables *of, const double *weight,
                                    double *psi, double *g, ad_cost *cost, mbd_error *err) {
  *cost = {};
  for (int first = 0; first < of->n; first += AD_LANES) {
    const int lanes = of->n - first < AD_LANES ? of->n - first : AD_LANES;
    MBD_TRY(a->of.set(theta, err));
    for (int k = 0; k < lanes; k++) {
      for (int i = of->start[first + k]; i < of->start[first + k + 1]; i++) {
        a->of.p->theta[of->index[i]].d[k] += of->value[i];
      }
    }
    MBD_TRY(a->of.run(err));
    for (int k = 0; k < lanes; k++) { g[first + k] = 0; }
    for (int i = 0; i < a->of.sim->npsi; i++) {
      psi[i] = a->of.psi(i).v;
      for (int k = 0; k < lanes; k++) { g[first + k] += weight[i] * a->of.psi(i).d[k]; }
    }
    cost->simulations++, cost->iterations = a->of.sim->stats.iterations;
  }
  return MBD_OK;
}

static const ad_ops ops = {"dual numbers", dual_open, dual_close,    dual_value,     dual_forward,
                           nullptr,        nullptr,   dual_sim_open, dual_sim_close, dual_sim_gradient};

extern "C" __attribute__((visibility("default"))) const ad_ops *ad_dual(void) {
  return &ops;
}
