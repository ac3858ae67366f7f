/* Functions that report on a model: names, sizes, tree. */
#include "base/sized.h"
#include "model/loop.h"

/* A number of the model. */
#define COUNT(NAME, VALUE)       \
  int NAME(const mbd_model *m) { \
    return VALUE;                \
  }
COUNT(mbd_model_nbody, m->nb - 1)
COUNT(mbd_model_nz, m->nz)
COUNT(mbd_model_nphi, m->nphi)
COUNT(mbd_model_nvelocity, m->nvelocity_row)
COUNT(mbd_model_ncoef, m->ncoef)
COUNT(mbd_model_njoint, m->njoint)
COUNT(mbd_model_nforce, m->nforce - m->nstate)
COUNT(mbd_model_nstate, m->nstate)
COUNT(mbd_model_nconstraint, m->nconstraint)
COUNT(mbd_model_nhold, m->nhold)

/* A name or unit of the model by its number i. */
#define TEXT(NAME, VALUE)                       \
  const char *NAME(const mbd_model *m, int i) { \
    return VALUE;                               \
  }
TEXT(mbd_model_quantity_name, i >= 0 && i < m->nquantity ? m->quantity[i].name : NULL)
TEXT(mbd_model_curve_name, i < m->ncurve ? m->curve[i].name : NULL)
TEXT(mbd_model_z_name, m->z_name[i])
TEXT(mbd_model_z_unit, m->z_unit[i])
TEXT(mbd_model_state_unit, m->state[i].unit)
TEXT(mbd_model_state_rate_unit, m->state[i].rate_unit)
TEXT(mbd_model_force_unit, model_unit_on(m->z_unit[i]))
TEXT(mbd_model_phi_name, m->phi_name[i])
TEXT(mbd_model_lam_unit, model_lam_unit(m, model_row_constraint(m, i)))
TEXT(mbd_model_coef_name, m->coef_name[i])
TEXT(mbd_model_hold_name, m->hold[i].name)

double mbd_model_nominal(const mbd_model *m, int k) {
  return m->nominal[k];
}

const char *mbd_model_drive_name(const mbd_model *m, int i) {
  for (int k = 0; k < m->nconstraint; k++) {
    if (m->constraint[k].ops->phi_t && !m->constraint[k].ops->velocity && i-- == 0) { return m->constraint[k].name; }
  }
  return NULL;
}

void mbd_model_body_sized(const mbd_model *m, int i, mbd_body_report *report, size_t size) {
  const mbd_body *b = &m->body[i];
  const mbd_joint *j = &m->joint[b->joint];
  const mbd_body_report ours = {b->name, m->body[b->parent].name, j->name, j->ops->info.name, b->level, b->z0, b->nz};
  sized_write(report, size, &ours, sizeof ours);
}

void mbd_model_joint_sized(const mbd_model *m, int i, mbd_joint_report *report, size_t size) {
  const mbd_joint *j = &m->joint[i];
  mbd_joint_report ours = {.name = j->name,
                           .type = j->ops->info.name,
                           .body = {m->body[j->body[j->reversed]].name, m->body[j->body[!j->reversed]].name},
                           .cut = j->cut,
                           .found = j->found,
                           .why = j->why};
  for (int k = 0; j->cut && k < j->ops->nclosure; k++) { ours.nphi += j->ops->closure[k].a ? 1 : 3; }
  sized_write(report, size, &ours, sizeof ours);
}

const char *mbd_model_force_name(const mbd_model *m, int i, const char **type) {
  if (i < 0 || i >= mbd_model_nforce(m)) { return NULL; }
  if (type) { *type = m->force[i].ops->info.name; }
  return m->force[i].name;
}

const char *mbd_model_constraint_name(const mbd_model *m, int i, const char **type, int *row, int *nrow) {
  if (i < 0 || i >= mbd_model_nconstraint(m)) { return NULL; }
  const mbd_constraint *c = &m->constraint[i];
  if (type) { *type = c->ops->info.name; }
  if (row) { *row = c->row; }
  if (nrow) { *nrow = c->ops->nphi; }
  return c->name;
}
