// The table of formulations of the builds with scalar classes: ALI3-P in joint coordinates, without its adjoints. What shared sources call for
// others is not reached.
#ifndef BENCH_AD_FORMULATIONS_HPP
#define BENCH_AD_FORMULATIONS_HPP

#include "formulation/ali3p.h"
#include "formulation/state_space.h"
#include "natural/system.h"

static const mbd_formulation_ops formulation_ali3p = {
    .name = "ali3p",
    .doc = "",
    .create = ali3p_create,
    .destroy = ali3p_destroy,
    .begin = ali3p_begin,
    .tangent = 1,
    .step = ali3p_step,
    .projects = 1,
    .step_terms = ali3p_step_terms,
    .matrices = ali3p_matrices,
};

const mbd_formulation_ops *mbd_formulation_at(int i) {
  return i == 0 ? &formulation_ali3p : nullptr;
}
const mbd_formulation_ops *mbd_formulation_find(const char *name) {
  return std::strcmp(name, formulation_ali3p.name) == 0 ? &formulation_ali3p : nullptr;
}
const char *mbd_formulation_name(int i) {
  return i == 0 ? formulation_ali3p.name : nullptr;
}
mbd_status formulation_choose(const mbd_case *c, const mbd_formulation_ops **out, mbd_error *err) {
  *out = mbd_formulation_find(c->formulation);
  if (*out && c->coordinates == MBD_COORDINATES_JOINT) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED, "this comparison has ali3p in joint coordinates alone");
}

int ss_matrix_free(const mbd_sim *) {
  return 0;
}
void natural_mark_mass(const natural_system *, unsigned char *) {}
void natural_add_squares(const natural_system *, mbd_real, const double *, const mbd_real *, mbd_real *) {}
double natural_penalty(int, const mbd_real *, int, const mbd_real *) {
  return 0;
}
mbd_status natural_sparse_create(const natural_system *, mbd_sparse **, mbd_error *) {
  return MBD_UNSUPPORTED;
}

#endif
