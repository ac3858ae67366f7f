/* The options of a case: their defaults, and the checks of their values. */
#include "simulate/case.h"

#include <string.h>

#include "base/nearest.h"
#include "formulation/formulation.h"
#include "formulation/projection.h"
#include "formulation/tangent.h"
#include "base/sized.h"
#include "base/table.h"

MBD_TABLE_MEMBER(const char *, mbd_formulation_doc, mbd_formulation_at, doc)
MBD_TABLE_MEMBER(const char *, mbd_integrator_doc, mbd_integrator_at, doc)
MBD_TABLE_MEMBER(const char *, mbd_projection_doc, mbd_projection_at, doc)
MBD_TABLE_MEMBER(const char *, mbd_tangent_doc, mbd_tangent_at, doc)

/* The options of formulations that project (formulation.h), and those of all; those of one integrator are in its file. */
static const mbd_case_option projecting[] = {
    CASE_OPTION(
        penalty, 0, 0, 0, MBD_PENALTY_MAX, "",
        "ali3p: penalty of the augmented Lagrangian, 0: chosen at every step from the matrices; penalty: stiffness "
        "of the constraints, 0: 1e10"),
    CASE_OPTION(projection_iterations, 1, 0, 0, 100, "",
                "iterations of the projections of velocities and accelerations; 0: until the rates of the constraints "
                "vanish (formulation penalty: five); 1: not iterated. A given number leaves an error in the "
                "accelerations of the constraints, and in the reactions"),
    CASE_OPTION(projection_weight, 0, 1, 1e-12, 1e12, "",
                "weight of the penalty in projections with a given number of iterations; the published penalty "
                "formulation: step^2/4, one iteration"),
};

static const mbd_case_option common[] = {
    CASE_OPTION(tolerance, 0, 1e-10, 1e-15, 1e-2, "", "size of the last Newton step, relative to 1 + |z|"),
    CASE_OPTION(max_iterations, 1, 20, 1, 1000, "", "limit of Newton's iterations in a step"),
};

enum { NPROJECTING = sizeof projecting / sizeof projecting[0], NCOMMON = sizeof common / sizeof common[0] };

/* Row i, and the integrator that alone reads it; NULL: none. */
static const mbd_case_option *option_at(int i, const char **integrator) {
  const mbd_integrator_ops *ops;
  for (int k = 0; (ops = mbd_integrator_at(k)) != NULL; k++) {
    *integrator = ops->name;
    for (const mbd_case_option *o = ops->option; o && o->key; o++) {
      if (i-- == 0) { return o; }
    }
  }
  *integrator = NULL;
  if (i >= 0 && i < NPROJECTING) { return &projecting[i]; }
  return i >= 0 && i < NPROJECTING + NCOMMON ? &common[i - NPROJECTING] : NULL;
}

const mbd_case_option *mbd_case_option_at(int i) {
  const char *integrator;
  return option_at(i, &integrator);
}

const char *mbd_case_option_integrator(int i) {
  const char *integrator;
  return option_at(i, &integrator) ? integrator : NULL;
}

static double option_value(const mbd_case *c, const mbd_case_option *o) {
  const void *field = (const char *)c + o->offset;
  return o->whole ? *(const int *)field : *(const double *)field;
}

/* Numbers get the defaults of the table of options; words, and members without a row there, those of `fresh`. */
void mbd_case_init_sized(mbd_case *c, size_t size) {
  mbd_case fresh = {.duration = 1,
                    .step = 1e-3,
                    .analysis = "motion",
                    .formulation = "ali3p",
                    .reference = MBD_RTDYN_AUTO,
                    .integrator = "newmark",
                    .tangent = "analytic",
                    .projection_matrix = "mass"};
  const mbd_case_option *o;
  for (int i = 0; (o = mbd_case_option_at(i)) != NULL; i++) {
    void *field = (char *)&fresh + o->offset;
    if (o->whole) {
      *(int *)field = (int)o->dflt;
    } else {
      *(double *)field = o->dflt;
    }
  }
  sized_write(c, size, &fresh, sizeof fresh);
}

static const char has_projections[] = "expected ali3p or penalty";

/* Options of projections where nothing is projected. */
static mbd_status check_projecting(const mbd_case *c, mbd_error *err) {
  for (int i = 0; i < NPROJECTING; i++) {
    const mbd_case_option *o = &projecting[i];
    const double value = option_value(c, o);
    if (value == o->dflt) { continue; }
    if (strcmp(c->analysis, "motion") != 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s = %g: analysis '%s' has no %s, expected analysis = motion", o->key, value,
               c->analysis, o->key);
    }
    if (mbd_formulation_find(c->formulation)->projects) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s = %g: formulation '%s' has no %s, %s", o->key, value, c->formulation, o->key,
             has_projections);
  }
  return MBD_OK;
}

/* Penalties of single constraints; the formulation finds their names. */
static mbd_status check_penalties(const mbd_case *c, mbd_error *err) {
  for (int i = 0; i < c->npenalty; i++) {
    const double value = c->penalty_value[i];
    if (value >= MBD_PENALTY_MIN && value <= MBD_PENALTY_MAX) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "penalty.%s = %g, expected a number between %g and %g", c->penalty_name[i], value,
             MBD_PENALTY_MIN, MBD_PENALTY_MAX);
  }
  if (c->npenalty == 0) { return MBD_OK; }
  if (strcmp(c->analysis, "motion") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "penalty.%s: analysis '%s' has no penalties, expected analysis = motion",
             c->penalty_name[0], c->analysis);
  }
  if (mbd_formulation_find(c->formulation)->projects) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "penalty.%s: formulation '%s' has no penalties, %s", c->penalty_name[0], c->formulation,
           has_projections);
}

mbd_status case_check(const mbd_case *c, mbd_error *err) {
  /* Words are those of their tables. */
  MBD_TRY(mbd_check_word(NULL, "analysis", c->analysis, mbd_analysis_name, err));
  MBD_TRY(mbd_check_word(NULL, "formulation", c->formulation, mbd_formulation_name, err));
  MBD_TRY(mbd_check_word(NULL, "integrator", c->integrator, mbd_integrator_name, err));
  MBD_TRY(mbd_check_word(NULL, "projection_matrix", c->projection_matrix, mbd_projection_name, err));
  MBD_TRY(mbd_check_word(NULL, "tangent", c->tangent, mbd_tangent_name, err));
  /* Durations and steps; comparisons that are negated also refuse NAN. */
  if (!(c->duration > 0) || !(c->step > 0) || c->step > c->duration) {
    MBD_FAIL(err, MBD_BAD_INPUT, "duration = %g s and step = %g s, expected 0 < step <= duration", c->duration,
             c->step);
  }
  if (!(c->duration / c->step < 1e9)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "duration / step = %g, expected fewer than 1e9 steps", c->duration / c->step);
  }
  /* Numbers are in the ranges of their options. */
  const mbd_case_option *o;
  for (int i = 0; (o = mbd_case_option_at(i)) != NULL; i++) {
    const double value = option_value(c, o);
    if (value >= o->min && value <= o->max) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s = %g, expected a number between %g and %g%s%s", o->key, value, o->min, o->max,
             *o->unit ? " " : "", o->unit);
  }
  if (c->nindependent > 0 && !mbd_formulation_find(c->formulation)->space) {
    MBD_FAIL(err, MBD_BAD_INPUT, "independent = %s, ...: formulation '%s' has no independent coordinates",
             c->independent[0], c->formulation);
  }
  MBD_TRY(check_projecting(c, err));
  return check_penalties(c, err);
}
