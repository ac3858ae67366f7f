/* Phi_q of the natural model against the complex step of Phi, at states off the constraints; and rates of what drives move against the
 * complex step in the time. */
#include "dynamics/motion.h"
#include "model.h"
#include "natural/natural.h"

static const char *const models[] = {"tests/conformance/models/axles.ini",
                                     "tests/conformance/models/branches.ini",
                                     "tests/conformance/models/cuts.ini",
                                     "tests/conformance/models/constraints.ini",
                                     "tests/conformance/models/couplings.ini",
                                     "tests/conformance/models/door.ini",
                                     "tests/conformance/models/drives.ini",
                                     "tests/conformance/models/hinges.ini",
                                     "tests/conformance/models/image.ini",
                                     "tests/conformance/models/rows.ini",
                                     "tests/conformance/models/tree.ini",
                                     "tests/conformance/models/uncut.ini",
                                     "tests/conformance/models/wheels.ini",
                                     "problems/five_bar/five_bar_driven.ini",
                                     "problems/buggy/buggy.ini"};
enum { N_MODELS = sizeof models / sizeof models[0] };

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
  free(q), free(phi), free(Phi_q), free(phi_t);
  natural_params_destroy(v), natural_destroy(n), mbd_work_destroy(w);
  model_close(&base);
}

static void test_models(void) {
  for (int i = 0; i < N_MODELS; i++) { check_model(models[i]); }
}

TEST_MAIN(TEST(test_models))
