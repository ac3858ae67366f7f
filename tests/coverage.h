/* Whether every row of the tables of joints, forces, constraints and curves is in a model of a test that loops over models. Joints that can
 * close a loop have to be in a tree and to close a loop. */
#ifndef MBOPT_TEST_COVERAGE_H
#define MBOPT_TEST_COVERAGE_H

#include "constraint/constraint.h"
#include "curve/curve.h"
#include "force/force.h"
#include "joint/joint.h"
#include "model/model.h"
#include "test.h"

enum { COVERAGE_MAX = 64 };

typedef struct coverage {
  unsigned char joint[COVERAGE_MAX], cut[COVERAGE_MAX], force[COVERAGE_MAX], constraint[COVERAGE_MAX],
      curve[COVERAGE_MAX];
} coverage;

static inline void cover(coverage *q, const mbd_model *m) {
  for (int i = 0; mbd_joint_at(i); i++) {
    for (int k = 0; k < m->njoint; k++) {
      if (m->joint[k].ops == mbd_joint_at(i)) { (m->joint[k].cut ? q->cut : q->joint)[i] = 1; }
    }
  }
  for (int i = 0; mbd_force_at(i); i++) {
    for (int k = 0; k < m->nforce; k++) { q->force[i] |= m->force[k].ops->info.name == mbd_force_at(i)->info.name; }
  }
  for (int i = 0; mbd_constraint_at(i); i++) {
    for (int k = 0; k < m->nconstraint; k++) {
      q->constraint[i] |= m->constraint[k].ops->info.name == mbd_constraint_at(i)->info.name;
    }
  }
  for (int i = 0; mbd_curve_at(i); i++) {
    for (int k = 0; k < m->ncurve; k++) { q->curve[i] |= m->curve[k].ops == mbd_curve_at(i); }
  }
}

static inline int is_covered(int covered, const char *kind, const char *name, const char *models) {
  if (!covered) {
    printf("\n  no model of %s has the %s '%s': add one to a model in tests/conformance/models\n", models, kind, name);
  }
  return covered;
}

/* models: where the test lists its models. */
static inline void check_coverage(const coverage *q, const char *models) {
  for (int i = 0; mbd_joint_at(i); i++) {
    const mbd_joint_ops *j = mbd_joint_at(i);
    CU_ASSERT(is_covered(q->joint[i], "joint", j->info.name, models));
    if (j->nclosure) { CU_ASSERT(is_covered(q->cut[i], "joint that closes a loop", j->info.name, models)); }
  }
  for (int i = 0; mbd_force_at(i); i++) {
    CU_ASSERT(is_covered(q->force[i], "force", mbd_force_at(i)->info.name, models));
  }
  for (int i = 0; mbd_constraint_at(i); i++) {
    const mbd_constraint_ops *c = mbd_constraint_at(i);
    CU_ASSERT(c->hold || is_covered(q->constraint[i], "constraint", c->info.name, models));
  }
  for (int i = 0; mbd_curve_at(i); i++) { CU_ASSERT(is_covered(q->curve[i], "curve", mbd_curve_at(i)->name, models)); }
}

#endif
