/* Phi_q of the natural model, the slopes of its forces and of its reactions against the complex step, at states off the constraints; and
 * rates of what drives move against the complex step in the time. */
#include "dynamics/motion.h"
#include "model.h"
#include "complex/natural_models.h"
#include "natural/system.h"

static const double step = 1e-30, t = 0.137;

/* The bodies somewhere. */
static void place_any(const mbd_model *m, mbd_work *w, const mbd_params *p) {
  mbd_real *z = calloc((size_t)m->nz + 1, sizeof *z);
  for (int j = 0; j < m->nz; j++) { z[j] = 0.3 * sin(1.3 + 1.7 * j); }
  for (int i = 1; i < m->nb; i++) {
    const int e = m->joint[m->body[i].joint].ops->euler;
    if (e >= 0) { z[m->body[i].z0 + e] += 0.9; }
  }
  motion_place(w, p, t, z);
  free(z);
}

/* Column j of Phi_q is slope [nphi]. */
static void check_column(const char *model, const natural *n, const mbd_real *Phi_q, int j, const mbd_real *slope) {
  for (int i = 0; i < n->nphi; i++) {
    double got = 0;
    char name[400];
    for (int p = n->first[i]; p < n->first[i + 1]; p++) { got += n->col[p] == j ? creal(Phi_q[p]) : 0; }
    snprintf(name, sizeof name, "%s, %s, variable %d", model, n->phi_name[i], j);
    CHECK_NEAR(name, got, cimag(slope[i]) / step, 1 + fabs(got), 1e-13);
  }
}

/* Phi_q' lam - Q */
static void forces_at(const natural_params *v, const mbd_real *q, const mbd_real *qd, const mbd_real *lam,
                      mbd_real *phi, mbd_real *Phi_q, mbd_real *f) {
  const natural *n = v->n;
  const mbd_packed J = {n->first, n->col, Phi_q, NULL};
  memset(f, 0, (size_t)n->nq * sizeof *f);
  natural_forces_add(v, t, q, qd, f);
  for (int i = 0; i < n->nq; i++) { f[i] = -f[i]; }
  natural_phi(v, t, q, phi, Phi_q);
  mbd_packed_mulT_add(n->nphi, 1, 1, &J, lam, f);
}

/* Slopes by the variables in x, of which forces_at is a function: q or qd. */
static void check_slopes(const char *model, const natural_params *v, mbd_real *q, mbd_real *qd, const mbd_real *lam,
                         int by_rates, mbd_real *phi, mbd_real *Phi_q) {
  const natural *n = v->n;
  mbd_error err = {0};
  natural_system *s;
  must(natural_system_create(n, &s, &err), &err);
  mbd_real *K = calloc(2 * (size_t)s->count + 1, sizeof *K), *C = K + s->count, *const A = by_rates ? C : K,
           *f = calloc((size_t)n->nq + 1, sizeof *f);
  double *row = calloc((size_t)n->nq * (size_t)n->nq + 1, sizeof *row), max = 1;
  natural_add_slopes(s, v, t, q, qd, lam, K, C);
  for (int i = 0; i < n->nq; i++) {
    for (int p = s->at.first[i]; p < s->at.first[i + 1]; p++) {
      row[i * n->nq + s->at.col[p]] = creal(A[p]), max = fmax(max, fabs(creal(A[p])));
    }
  }
  for (int j = 0; j < n->nq; j++) {
    mbd_real *x = by_rates ? qd : q;
    x[j] += MBD_IMAG_UNIT * step;
    forces_at(v, q, qd, lam, phi, Phi_q, f);
    x[j] = creal(x[j]);
    for (int i = 0; i < n->nq; i++) {
      char name[400];
      snprintf(name, sizeof name, "%s, slope of force %d by %s %d", model, i, by_rates ? "rate" : "variable", j);
      CHECK_NEAR(name, row[i * n->nq + j], cimag(f[i]) / step, max, 1e-13);
    }
  }
  CU_ASSERT(by_rates || n->nq == 0 || max > 1);
  free(K), free(f), free(row);
  natural_system_destroy(s);
}

static void check_model(const char *model) {
  mbd_error err = {0};
  test_model base = model_open(model);
  mbd_work *w;
  natural *n;
  natural_params *v;
  must(mbd_work_create(base.m, MBD_RTDYN0, &w, &err), &err);
  must(natural_create(base.m, &n, &err), &err);
  must(natural_params_create(n, base.p, &v, &err), &err);
  mbd_real *q = calloc((size_t)n->nq + 1, sizeof *q), *phi = calloc((size_t)n->nphi + 1, sizeof *phi);
  mbd_real *Phi_q = calloc((size_t)n->first[n->nphi] + 1, sizeof *Phi_q),
           *phi_t = calloc((size_t)n->nphi + 1, sizeof *q);
  place_any(base.m, w, base.p);
  natural_take(v, w, q, NULL, NULL);
  natural_phi(v, t, q, phi, Phi_q);
  for (int j = 0; j < n->nq; j++) {
    q[j] += MBD_IMAG_UNIT * step;
    natural_phi(v, t, q, phi, NULL);
    q[j] = creal(q[j]);
    check_column(model, n, Phi_q, j, phi);
  }
  natural_phi_t(v, t, q, phi_t);
  natural_phi(v, t + MBD_IMAG_UNIT * step, q, phi, NULL);
  for (int i = 0; i < n->nphi; i++) {
    CHECK_NEAR(n->phi_name[i], creal(phi_t[i]), cimag(phi[i]) / step, 1 + fabs(creal(phi_t[i])), 1e-13);
  }
  mbd_real *qd = calloc((size_t)n->nq + 1, sizeof *qd), *lam = calloc((size_t)n->nphi + 1, sizeof *lam);
  for (int j = 0; j < n->nq; j++) { qd[j] = sin(0.4 + 2.3 * j); }
  for (int i = 0; i < n->nphi; i++) { lam[i] = 3 * sin(0.7 + 1.1 * i); }
  for (int by_rates = 0; by_rates < 2; by_rates++) { check_slopes(model, v, q, qd, lam, by_rates, phi, Phi_q); }
  free(q), free(phi), free(Phi_q), free(phi_t), free(qd), free(lam);
  natural_params_destroy(v), natural_destroy(n), mbd_work_destroy(w);
  model_close(&base);
}

static void test_models(void) {
  for (int i = 0; i < N_MODELS; i++) { check_model(models[i]); }
}

TEST_MAIN(TEST(test_models))
