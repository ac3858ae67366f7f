/* The linear system of small motions about the start of a case, for programs that call the library. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "simulate/analysis.h"
#include "simulate/deviations.h"
#include "simulate/linearize.h"

static mbd_status linearize_start(mbd_sim *s, const mbd_params *p, mbd_linear *out, double **bodies, mbd_real *exact,
                                  mbd_modes *modes, mbd_error *err) {
  if (!s->w->second.state && !analysis_integrates(s->analysis)) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "analysis = %s: drives leave nothing free to move; expected analysis = motion or static",
             s->analysis->name);
  }
  if (!s->w->second.state) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "a linearization takes matrices, which formulation '%s' does without: formulation = ali3p", s->ops->name);
  }
  /* The motion about which the model is linearized is that of the start. */
  MBD_TRY(mbd_sim_start(s, p, NULL, NULL, NULL, NULL, err));
  return linearize_present(s, out, bodies, exact, modes, err);
}

/* Programs that do not know of states, or of velocity constraints, would take A for a matrix of another size. */
static mbd_status check_size(const mbd_sim *s, size_t size, mbd_error *err) {
  const int states = s->m->nstate > 0 && size <= offsetof(mbd_linear, nstate);
  if (!states && (s->m->nvelocity == 0 || size > offsetof(mbd_linear, nrate))) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "the model has %s, and the program was compiled with a header mbd/linearize.h that has none; expected it "
           "compiled again",
           states ? "states" : "velocity constraints");
}

mbd_status mbd_sim_linearize_sized(mbd_sim *s, const mbd_params *p, mbd_linear *out, size_t size, mbd_error *err) {
  mbd_linear ours = {0};
  memset(out, 0, size);
  MBD_TRY(check_size(s, size, err));
  const mbd_status status = linearize_start(s, p, &ours, NULL, NULL, NULL, err);
  sized_write(out, size, &ours, sizeof ours);
  return status;
}

mbd_status linearize_exact(mbd_sim *s, const mbd_params *p, mbd_linear *out, mbd_real *A, mbd_error *err) {
  *out = (mbd_linear){0};
  return linearize_start(s, p, out, NULL, A, NULL, err);
}

mbd_status mbd_sim_linearize_bodies_sized(mbd_sim *s, const mbd_params *p, mbd_linear *out, size_t size,
                                          double **bodies, mbd_error *err) {
  mbd_linear ours = {0};
  *bodies = NULL;
  memset(out, 0, size);
  MBD_TRY(check_size(s, size, err));
  const mbd_status status = linearize_start(s, p, &ours, bodies, NULL, NULL, err);
  sized_write(out, size, &ours, sizeof ours);
  if (status != MBD_OK) {
    free(*bodies);
    *bodies = NULL;
  }
  return status;
}

mbd_status mbd_sim_modes(mbd_sim *s, const mbd_params *p, mbd_modes **out, mbd_error *err) {
  *out = NULL;
  mbd_modes *m = calloc(1, sizeof *m);
  if (!m) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for modes"); }
  m->differentiated = 1;
  const mbd_status status = linearize_start(s, p, &m->l, NULL, NULL, m, err);
  if (status != MBD_OK) {
    mbd_modes_free(m);
    return status;
  }
  *out = m;
  return MBD_OK;
}

void mbd_modes_free(mbd_modes *m) {
  if (!m) { return; }
  mbd_linear_free(&m->l);
  modes_release(m);
  free(m);
}
