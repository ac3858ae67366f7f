/* Penalties of single constraints. S0 (9) to (11) have a diagonal matrix alpha: the rows to which the case gives a penalty have that number,
 * all others the number `penalty` of the case, or the one chosen from the matrices. Rows are weighted relative to the latter,
 *   alpha_r = alpha W_r
 * so that sums alpha Phi_z' W Phi_z, compliances W^-1/alpha and the iteration of multipliers, dlam += alpha W (Phi + Phi_z dz), differ from
 * those of one number by W alone. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "formulation/ali3p.h"

/* The ways in which a name means a row; one that stands later takes precedence. */
typedef enum meaning { NOT_MEANT, BY_TYPE, BY_PATTERN, BY_CONSTRAINT, BY_ROW } meaning;

/* Writes the name of row r of a constraint of several; "" if it has one row. */
static const char *row_name(const mbd_constraint_ops *ops, const char *constraint, int r, char *text, size_t size) {
  text[0] = '\0';
  if (ops->nphi > 1) { snprintf(text, size, "%s.%c", constraint, 'x' + r); }
  return text;
}

static meaning find_meaning(const char *name, const mbd_constraint_ops *ops, const char *constraint, int r) {
  char row[400];
  if (strcmp(name, row_name(ops, constraint, r, row, sizeof row)) == 0) { return BY_ROW; }
  if (strcmp(name, constraint) == 0) { return BY_CONSTRAINT; }
  if (strchr(name, '*') && fnmatch(name, constraint, FNM_NOESCAPE) == 0) { return BY_PATTERN; }
  return strcmp(name, ops->info.name) == 0 ? BY_TYPE : NOT_MEANT;
}

/* Writes the types that the constraints have, "coincident, dot_design". */
static const char *list_types(const mbd_sim *s, char *text, size_t size) {
  const mbd_constraint_ops *ops;
  const char *constraint;
  int row;
  text[0] = '\0';
  for (int k = 0; (ops = mbd_constraint_at(k)) != NULL; k++) {
    const mbd_constraint_ops *one = NULL;
    for (int i = 0; one != ops && (one = ali3p_of(s)->mech->constraint(s, i, &constraint, &row)) != NULL; i++) {}
    const size_t used = strlen(text);
    if (one) { snprintf(text + used, size - used, "%s%s", used ? ", " : "", ops->info.name); }
  }
  return *text ? text : "none";
}

static mbd_status not_known(const mbd_sim *s, const char *name, mbd_error *err) {
  const char *where = s->c.coordinates == MBD_COORDINATES_NATURAL ? " in natural coordinates" : "";
  mbd_nearest near = {.requested = name};
  const mbd_constraint_ops *ops;
  const char *constraint;
  char hint[MBD_HINT], types[400];
  int row;
  for (int i = 0; (ops = ali3p_of(s)->mech->constraint(s, i, &constraint, &row)) != NULL; i++) {
    mbd_nearest_offer(&near, constraint), mbd_nearest_offer(&near, ops->info.name);
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "penalty.%s: no constraint of the model%s and no equation of one, expected one of these or of their types "
           "(%s)%s",
           name, where, list_types(s, types, sizeof types), mbd_nearest_text(&near, hint, sizeof hint));
}

/* Gives the rows that name i means its penalty. The name of a constraint is no type. found [nphi]: how each row has got the one that it has. */
static mbd_status give_penalty(const mbd_sim *s, int i, meaning *found, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  const char *name = s->c.penalty_name[i], *constraint;
  const mbd_constraint_ops *ops;
  int row, meant = 0, of_constraint = 0;
  for (int k = 0; (ops = step->mech->constraint(s, k, &constraint, &row)) != NULL; k++) {
    of_constraint |= strcmp(name, constraint) == 0;
  }
  for (int k = 0; (ops = step->mech->constraint(s, k, &constraint, &row)) != NULL; k++) {
    for (int r = 0; r < ops->nphi; r++) {
      const meaning by = find_meaning(name, ops, constraint, r);
      if (by == NOT_MEANT || (by == BY_TYPE && of_constraint)) { continue; }
      meant = 1;
      if (by < found[row + r]) { continue; }
      found[row + r] = by, step->penalty[row + r] = s->c.penalty_value[i];
    }
  }
  return meant ? MBD_OK : not_known(s, name, err);
}

mbd_status ali3p_find_penalties(const mbd_sim *s, mbd_error *err) {
  const ali3p *step = ali3p_of(s);
  mbd_status status = MBD_OK;
  if (s->c.npenalty == 0) { return MBD_OK; }
  meaning *found = calloc((size_t)step->m + 1, sizeof *found);
  if (!found) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the penalties of constraints"); }
  for (int i = 0; i < s->c.npenalty && status == MBD_OK; i++) { status = give_penalty(s, i, found, err); }
  free(found);
  /* The first violations are computed before the first tangent. */
  ali3p_weigh(s, s->c.penalty > 0 ? s->c.penalty : 1, 1, step->tangent.weight);
  return status;
}

void ali3p_weigh(const mbd_sim *s, double alpha, double factor, double *weight) {
  const ali3p *step = ali3p_of(s);
  for (int i = 0; weight && i < step->m; i++) {
    weight[i] = step->penalty[i] > 0 ? factor * step->penalty[i] / alpha : 1;
  }
}
