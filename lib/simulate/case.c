/* How a case is simulated: its defaults, and what is allowed. */
#include "simulate/case.h"

#include <string.h>

#include "base/nearest.h"
#include "formulation/formulation.h"
#include "formulation/projection.h"

const char *mbd_formulation_doc(int i) {
  return mbd_formulation_at(i) ? mbd_formulation_at(i)->doc : NULL;
}

const char *mbd_integrator_doc(int i) {
  return mbd_integrator_at(i) ? mbd_integrator_at(i)->doc : NULL;
}

const char *mbd_projection_doc(int i) {
  return mbd_projection_at(i) ? mbd_projection_at(i)->doc : NULL;
}

const mbd_case_option *mbd_integrator_option(int i) {
  const mbd_integrator_ops *q;
  for (int k = 0; (q = mbd_integrator_at(k)) != NULL; k++) {
    for (const mbd_case_option *o = q->option; o && o->key; o++) {
      if (i-- == 0) { return o; }
    }
  }
  return NULL;
}

void mbd_case_init(mbd_case *c) {
  *c = (mbd_case){.duration = 1,
                  .step = 1e-3,
                  .formulation = "ali3p",
                  .reference = MBD_RTDYN1,
                  .integrator = "newmark",
                  .penalty = 0,
                  .projection_matrix = "mass",
                  .projection_weight = 1,
                  .projection_iterations = 0,
                  .tolerance = 1e-10,
                  .max_iterations = 20};
  const mbd_case_option *o;
  for (int i = 0; (o = mbd_integrator_option(i)) != NULL; i++) { *(double *)((char *)c + o->offset) = o->dflt; }
}

static mbd_status check_option(const mbd_case *c, const mbd_case_option *o, mbd_error *err) {
  const double value = *(const double *)((const char *)c + o->offset);
  if (value >= o->min && value <= o->max) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s = %g, expected a number between %g and %g %s", o->key, value, o->min, o->max,
           o->unit);
}

mbd_status case_check(const mbd_case *c, mbd_error *err) {
  MBD_TRY(mbd_check_word(NULL, "formulation", c->formulation, mbd_formulation_name, err));
  MBD_TRY(mbd_check_word(NULL, "integrator", c->integrator, mbd_integrator_name, err));
  MBD_TRY(mbd_check_word(NULL, "projection_matrix", c->projection_matrix, mbd_projection_name, err));
  if (!(c->duration > 0) || !(c->step > 0) || c->step > c->duration) {
    MBD_FAIL(err, MBD_BAD_INPUT, "duration = %g s and step = %g s, expected 0 < step <= duration", c->duration,
             c->step);
  }
  if (!(c->duration / c->step < 1e9)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "duration / step = %g, expected fewer than 1e9 steps", c->duration / c->step);
  }
  if (!(c->penalty >= 0) || !(c->projection_weight > 0) || c->projection_iterations < 0 || !(c->tolerance > 0) ||
      c->max_iterations < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "projection_weight, tolerance and max_iterations of a case must be "
             "positive, penalty and projection_iterations not negative");
  }
  const mbd_case_option *o;
  for (int i = 0; (o = mbd_integrator_option(i)) != NULL; i++) { MBD_TRY(check_option(c, o, err)); }
  if (c->nindependent > 0 && !mbd_formulation_find(c->formulation)->space) {
    MBD_FAIL(err, MBD_BAD_INPUT, "independent = %s, ...: formulation '%s' has no independent coordinates",
             c->independent[0], c->formulation);
  }
  return MBD_OK;
}
