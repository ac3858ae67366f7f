/* Functions that report on a model: names, sizes, tree. */
#include "model/model.h"
#include "base/sized.h"

int mbd_model_nbody(const mbd_model *m) {
  return m->nb - 1;
}
int mbd_model_nz(const mbd_model *m) {
  return m->nz;
}
int mbd_model_nphi(const mbd_model *m) {
  return m->nphi;
}
int mbd_model_ncoef(const mbd_model *m) {
  return m->ncoef;
}
int mbd_model_njoint(const mbd_model *m) {
  return m->njoint;
}
const char *mbd_model_quantity_name(const mbd_model *m, int i) {
  return i >= 0 && i < m->nquantity ? m->quantity[i].name : NULL;
}

const char *mbd_model_drive_name(const mbd_model *m, int i) {
  for (int k = 0; k < m->nconstraint; k++) {
    if (m->constraint[k].ops->phi_t && i-- == 0) { return m->constraint[k].name; }
  }
  return NULL;
}

const char *mbd_model_curve_name(const mbd_model *m, int i) {
  return i < m->ncurve ? m->curve[i].name : NULL;
}
int mbd_model_nforce(const mbd_model *m) {
  return m->nforce;
}
int mbd_model_nconstraint(const mbd_model *m) {
  return m->nconstraint;
}
int mbd_model_nhold(const mbd_model *m) {
  return m->nhold;
}
const char *mbd_model_z_name(const mbd_model *m, int j) {
  return m->z_name[j];
}
const char *mbd_model_z_unit(const mbd_model *m, int j) {
  return m->z_unit[j];
}
const char *mbd_model_force_unit(const mbd_model *m, int j) {
  return model_unit_on(m->z_unit[j]);
}
const char *mbd_model_phi_name(const mbd_model *m, int i) {
  return m->phi_name[i];
}
const char *mbd_model_lam_unit(const mbd_model *m, int i) {
  int k = 0;
  while (i >= m->constraint[k].row + m->constraint[k].ops->nphi) { k++; }
  return model_lam_unit(m, &m->constraint[k]);
}
const char *mbd_model_coef_name(const mbd_model *m, int k) {
  return m->coef_name[k];
}
double mbd_model_nominal(const mbd_model *m, int k) {
  return m->nominal[k];
}
const char *mbd_model_hold_name(const mbd_model *m, int i) {
  return m->hold[i].name;
}

void mbd_model_body_sized(const mbd_model *m, int i, mbd_body_report *report, size_t size) {
  const mbd_body *b = &m->body[i];
  const mbd_joint *j = &m->joint[b->joint];
  const mbd_body_report own = {b->name, m->body[b->parent].name, j->name, j->ops->info.name, b->level, b->z0, b->nz};
  sized_write(report, size, &own, sizeof own);
}

static int closure_rows(const mbd_joint *j) {
  int n = 0;
  for (int i = 0; j->cut && i < j->ops->nclosure; i++) { n += j->ops->closure[i].a ? 1 : 3; }
  return n;
}

void mbd_model_joint_sized(const mbd_model *m, int i, mbd_joint_report *report, size_t size) {
  const mbd_joint *j = &m->joint[i];
  const mbd_joint_report own = {.name = j->name,
                                .type = j->ops->info.name,
                                .body = {m->body[j->body[j->reversed]].name, m->body[j->body[!j->reversed]].name},
                                .cut = j->cut,
                                .found = j->found,
                                .nphi = closure_rows(j),
                                .why = j->why};
  sized_write(report, size, &own, sizeof own);
}

const char *mbd_model_force_name(const mbd_model *m, int i, const char **type) {
  if (type) { *type = m->force[i].ops->info.name; }
  return m->force[i].name;
}

const char *mbd_model_constraint_name(const mbd_model *m, int i, const char **type, int *row, int *nrow) {
  const mbd_constraint *c = &m->constraint[i];
  if (type) { *type = c->ops->info.name; }
  if (row) { *row = c->row; }
  if (nrow) { *nrow = c->ops->nphi; }
  return c->name;
}
