/* Units that follow from the elements of a model: those of added coordinates, of multipliers, of forces on coordinates. */
#include <string.h>

#include "model/model.h"

const char *model_unit_on(const char *coordinate_unit) {
  return strcmp(coordinate_unit, "m") == 0 ? "N" : strcmp(coordinate_unit, "rad") == 0 ? "N m" : "J";
}

/* The unit of the first coordinate among the arguments; NULL: there is none, or its unit is not known yet. */
static const char *unit_of_coordinate(const mbd_model *m, const mbd_lift *l) {
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE && m->z_unit[l->arg[a].b]) { return m->z_unit[l->arg[a].b]; }
  }
  return NULL;
}

const char *model_lam_unit(const mbd_model *m, const mbd_constraint *c) {
  return c->ops->lam_unit ? c->ops->lam_unit : model_unit_on(unit_of_coordinate(m, &c->lift));
}

/* The multipliers of equations times these are energies. Equations between directions, and of Euler parameters, are pure numbers. */
const char *model_equation_unit(const mbd_model *m, const mbd_constraint *c) {
  const char *of_coordinate = unit_of_coordinate(m, &c->lift), *lam = c->ops->lam_unit;
  if (c->ops->hold && !of_coordinate) { return c->lift.arg[0].kind == MBD_ARG_POINT ? "m" : "rad"; }
  if (!lam) { return of_coordinate && strcmp(of_coordinate, "-") != 0 ? of_coordinate : ""; }
  if (strcmp(lam, "N m") == 0 && of_coordinate) { return "rad"; }
  return strcmp(lam, "N") == 0 ? "m" : strcmp(lam, "N/m") == 0 ? "m^2" : "";
}

const char *model_scalar_unit(const mbd_model *m, const mbd_force *f, int k) {
  return f->ops->scalar_unit[k] ? f->ops->scalar_unit[k] : model_unit_on(unit_of_coordinate(m, &f->lift));
}

/* The coordinates of a constraint have one common unit, unless its table gives an argument a unit of its own. Sets the units of those that
 * have none yet; *changed := 1 if there were any. */
static mbd_status share_unit(mbd_model *m, const mbd_constraint *c, int *changed, mbd_error *err) {
  const char *common = c->ops->coordinate_unit ? c->ops->coordinate_unit : unit_of_coordinate(m, &c->lift);
  for (int a = 0; a < c->lift.narg; a++) {
    const mbd_arg *arg = &c->lift.arg[a];
    const char *unit = c->ops->arg_unit[a] ? c->ops->arg_unit[a] : common;
    if (arg->kind != MBD_ARG_COORDINATE || !unit) { continue; }
    if (!m->z_unit[arg->b]) { m->z_unit[arg->b] = unit, *changed = 1; }
    if (strcmp(m->z_unit[arg->b], unit) != 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "constraint '%s': coordinate '%s' is in %s, expected %s", c->name, m->z_name[arg->b],
               m->z_unit[arg->b], unit);
    }
  }
  return MBD_OK;
}

/* A coupling may relate coordinates of different units; an added coordinate without a unit gets that of the other coordinate. */
static int couple_units(mbd_model *m) {
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_lift *l = &m->constraint[i].lift;
    const char *unit = unit_of_coordinate(m, l);
    for (int a = 0; m->constraint[i].ops->coupling && unit && a < l->narg; a++) {
      if (m->z_unit[l->arg[a].b]) { continue; }
      m->z_unit[l->arg[a].b] = unit;
      return 1;
    }
  }
  return 0;
}

/* Checks the units of a force on the difference of two coordinates. */
static mbd_status check_force(const mbd_model *m, const mbd_force *f, mbd_error *err) {
  const char *unit = unit_of_coordinate(m, &f->lift);
  for (int a = 0; f->ops->nscalar && !f->ops->scalar_unit[0] && a < f->lift.narg; a++) {
    const int j = f->lift.arg[a].b;
    if (strcmp(m->z_unit[j], unit) != 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "force '%s': coordinate '%s' is in %s, expected %s", f->name, m->z_name[j],
               m->z_unit[j], unit);
    }
  }
  return MBD_OK;
}

mbd_status model_units(mbd_model *m, mbd_error *err) {
  for (int changed = 1; changed;) { /* repeated, because a sum may contain a coordinate that is a sum */
    changed = 0;
    for (int i = 0; i < m->nconstraint; i++) {
      if (!m->constraint[i].ops->coupling) { MBD_TRY(share_unit(m, &m->constraint[i], &changed, err)); }
    }
    if (!changed) { changed = couple_units(m); }
  }
  for (int j = m->nz_tree; j < m->nz; j++) {
    if (!m->z_unit[j]) { m->z_unit[j] = "-"; } /* no equation determines its unit */
  }
  for (int i = 0; i < m->nforce; i++) { MBD_TRY(check_force(m, &m->force[i], err)); }
  return MBD_OK;
}
