// A model and its residual over the scalar of the build.
#ifndef BENCH_AD_MODEL_HPP
#define BENCH_AD_MODEL_HPP

#include "ad.h"
#include "dynamics/motion.h"
#include "force/user.h"
#include "model/spec_internal.h"

// Forces of one's own are functions of double: with another scalar there are none, and a model that has some is refused.
const mbd_force_ops mbd_force_user = {.info = {"user", ""}};
void user_force_ops(const mbd_user_force *, mbd_force_ops *) {}
void user_force_state(const mbd_user_force *, const mbd_element_input *, mbd_real *) {}

struct residual {
  mbd_model *m = nullptr;
  mbd_params *p = nullptr;
  mbd_work *w = nullptr;
  mbd_real *z = nullptr, *zd = nullptr, *zdd = nullptr, *lam = nullptr, *phi = nullptr, *r = nullptr;

  mbd_status open(const mbd_spec *spec, const double *theta, mbd_error *err) {
    for (int i = 0; i < spec->nforce; i++) {
      if (!spec->force[i].user && !spec->force[i].line) { continue; }
      MBD_FAIL(err, MBD_UNSUPPORTED, "force '%s' is one's own, in C or by expression, which this comparison does not compile",
               spec->force[i].name);
    }
    MBD_TRY(model_build(spec, &m, err));
    MBD_TRY(mbd_params_create(m, theta, &p, err));
    MBD_TRY(work_create(m, MBD_RTDYN1, 0, &w, err));
    const size_t n = (size_t)m->nz + 1, rows = (size_t)m->nphi + 1;
    z = new mbd_real[n], zd = new mbd_real[n], zdd = new mbd_real[n], r = new mbd_real[n];
    lam = new mbd_real[rows], phi = new mbd_real[rows];
    return MBD_OK;
  }

  ~residual() {
    delete[] z, delete[] zd, delete[] zdd, delete[] r, delete[] lam, delete[] phi;
    mbd_work_destroy(w), mbd_params_destroy(p);
    if (m) { model_free(m); }
  }

  // r of z, zd, zdd, lam as they stand.
  void evaluate(const mbd_real &t) {
    motion_place(w, p, t, z);
    motion_move(w, zd, zdd, 1);
    motion_residual_held(w, motion_constraints(m), lam, phi, r);
  }
};

#endif
