/* Places of parts, and how they change the numbers of a part: r = M r_part + at, where M = T S reflects (S) and then turns (T).
 *
 * Frames of bodies agree with the global frame at the design position, in parts too, so that numbers in body frames change likewise:
 *   places            M r + at
 *   directions        M u
 *   axes              det(M) M u        so that a turn about them by the same angle is the image of the turn
 *   inertia           M J M'
 * Each changed number is an expression again, the sum of expressions of the part with entries of M as weights, so that its derivatives are
 * exact. Entries of M that differ from 0 or 1 by round-off are set to these: a part that is turned by pi/2 or reflected keeps its numbers
 * but for order and sign. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/load_model.h"

/* ---- the matrix ---- */

static void multiply(const double *a, const double *b, double *c) {
  for (int i = 0; i < 9; i++) {
    const double *row = a + i / 3 * 3, *column = b + i % 3;
    c[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
  }
}

static void set_identity(double *m) {
  for (int i = 0; i < 9; i++) { m[i] = i % 4 == 0; }
}

/* x, with rounding removed near 0, 1 and -1. */
static double exact(double x) {
  return fabs(x) < 1e-15 ? 0 : fabs(fabs(x) - 1) < 1e-15 ? (x < 0 ? -1 : 1) : x;
}

/* M = R_axis(angle) M */
static void turn_about(int axis, double angle, double *m) {
  const int i = (axis + 1) % 3, k = (axis + 2) % 3;
  double r[9], product[9];
  set_identity(r);
  r[4 * i] = r[4 * k] = exact(cos(angle));
  r[3 * k + i] = exact(sin(angle));
  r[3 * i + k] = -r[3 * k + i];
  multiply(r, m, product);
  memcpy(m, product, sizeof product);
}

int load_axis_image(const model_part *p, int axis, double *sign) {
  for (int i = 0; i < 3; i++) {
    const double m = p->place.M[3 * i + axis];
    if (fabs(m) == 1) {
      *sign = m;
      return i;
    }
  }
  return -1;
}

/* ---- a part's place ---- */

mbd_status load_turn(loader *l, ini_section *s, const char *what, const char *name, double *m) {
  const ini_entry *e = ini_get(s, "turn");
  mbo_expr x[3] = {0};
  char why[MBO_FULL_NAME_MAX + 40];
  if (!e) { return MBD_OK; }
  mbd_status status = load_items(l, s, e, e->value, load_xyz, 3, x);
  snprintf(why, sizeof why, "turns %s '%s'", what, name);
  for (int i = 0; i < 3 && status == MBD_OK; i++) {
    double angle;
    status = load_evaluate(l, s, e, &x[i], &angle);
    for (int k = 0; k < x[i].nname && status == MBD_OK; k++) { status = load_fix_scalar(l, x[i].index[k], why); }
    if (status == MBD_OK) { turn_about(i, angle, m); }
  }
  load_free_items(3, x);
  return status;
}

/* at := at of the outer part + M of the outer part times the position in it. */
static mbd_status place_origin(loader *l, model_part *p) {
  const model_part *outer = p->outer;
  const double *m = outer->place.M;
  const ini_entry *e = ini_get(p->section, "at");
  mbo_expr place[3] = {0};
  mbd_status status = MBD_OK;
  for (int i = 0; i < 3 && !e && status == MBD_OK; i++) { status = mbo_expr_parse("0", &place[i], l->err); }
  if (e) { status = load_items(l, p->section, e, e->value, load_xyz, 3, place); }
  for (int i = 0; i < 3 && status == MBD_OK; i++) {
    const double size = outer->length, w[4] = {1, size * m[3 * i], size * m[3 * i + 1], size * m[3 * i + 2]};
    const mbo_expr *x[4] = {&outer->place.at[i], &place[0], &place[1], &place[2]};
    status = load_located(l, p->section, e, mbo_expr_sum(4, w, x, &p->place.at[i], l->err));
  }
  load_free_items(3, place);
  return status;
}

/* 1 + the global axis along which a part is mirrored: its own one, turned, or else that of the part around it. */
static int mirror_along(const model_part *p, int own) {
  double sign;
  if (!p->place.mirrored) { return 0; }
  if (own < 0) { return p->outer->place.mirror; }
  const int axis = load_axis_image(p, own, &sign);
  return axis < 0 ? -1 : 1 + axis;
}

/* Computes the place of a part that the present part uses. */
static mbd_status place_part(loader *l, model_part *p) {
  double m[9]; /* relative to the outer part */
  int axis;
  set_identity(m);
  MBD_TRY(load_word(l, &model_section_part, p->section, "mirror", &axis));
  if (axis) { m[4 * (axis - 1)] = -1; }
  MBD_TRY(load_turn(l, p->section, "part", p->name, m));
  multiply(p->outer->place.M, m, p->place.M);
  p->place.mirrored = p->outer->place.mirrored != (axis > 0);
  for (int i = 0; i < 9; i++) {
    p->place.M[i] = exact(p->place.M[i]);
    p->place.turned |= p->place.M[i] != (i % 4 == 0);
  }
  p->place.mirror = mirror_along(p, axis - 1);
  return place_origin(l, p);
}

mbd_status load_place_parts(loader *l) {
  part_place *first = &l->part[0]->place;
  set_identity(first->M);
  for (int i = 0; i < 3; i++) { MBD_TRY(mbo_expr_parse("0", &first->at[i], l->err)); }
  for (int i = 1; i < l->npart; i++) {
    load_enter(l, l->part[i]->outer);
    MBD_TRY(place_part(l, l->part[i]));
  }
  return MBD_OK;
}

/* ---- numbers of the present part ---- */

/* Adds each of the `rows` sums as a coefficient. Takes ownership of x. */
static mbd_status add_sums(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                           const char *const *suffix, int rows, int n, const double *weight, const mbo_expr *const *x,
                           double min, double max, int *first) {
  char name[320];
  for (int i = 0; i < rows; i++) {
    mbo_expr sum;
    int index;
    snprintf(name, sizeof name, "%s.%s", base, suffix[i]);
    MBD_TRY(load_located(l, s, e, mbo_expr_sum(n, weight + n * i, x, &sum, l->err)));
    MBD_TRY(load_expression(l, s, e, name, &sum, NULL, min, max, &index));
    if (i == 0) { *first = index; }
  }
  return MBD_OK;
}

/* Each component of the changed vector is the sum of the three components of the part, weighted by a row of M, and for a place `at`. */
mbd_status load_vector(loader *l, const ini_section *s, const ini_entry *e, const char *base, load_geometry what,
                       const char *text, double min, double max, int *first) {
  const part_place *place = &l->p->place;
  const double size = what == LOAD_PLACE ? l->p->length : what == LOAD_AXIS && place->mirrored ? -1 : 1;
  mbo_expr x[3] = {0};
  if (!l->p->outer) {
    return load_coefficients(l, s, e, base, load_xyz, 3, text, what == LOAD_PLACE ? "m" : NULL, min, max, first);
  }
  mbd_status status = load_items(l, s, e, text, load_xyz, 3, x);
  for (int i = 0, index = -1; i < 3 && status == MBD_OK; i++) {
    const double *m = place->M + 3 * i, w[4] = {size * m[0], size * m[1], size * m[2], what == LOAD_PLACE};
    const mbo_expr *const terms[4] = {&x[0], &x[1], &x[2], &place->at[i]};
    status = add_sums(l, s, e, base, load_xyz + i, 1, 4, w, terms, min, max, &index);
    if (i == 0) { *first = index; }
  }
  load_free_items(3, x);
  return status;
}

void load_inertia_image(const loader *l, double w[36]) {
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  const double *m = l->p->place.M;
  for (int i = 0; i < 36; i++) {
    const int a = row[i / 6], b = column[i / 6], c = row[i % 6], d = column[i % 6];
    w[i] = m[3 * a + c] * m[3 * b + d] + (c != d ? m[3 * a + d] * m[3 * b + c] : 0);
  }
}

static mbd_status load_inertia(loader *l, const ini_section *s, const ini_entry *e, const char *base, const char *text,
                               int *first) {
  double w[36];
  mbo_expr x[6] = {0};
  if (!l->p->place.turned) { return load_coefficients(l, s, e, base, load_matrix, 6, text, "kg m^2", LOAD_ANY, first); }
  load_inertia_image(l, w);
  for (int i = 0; i < 36; i++) { w[i] *= l->p->length * l->p->length; }
  const mbo_expr *const terms[6] = {&x[0], &x[1], &x[2], &x[3], &x[4], &x[5]};
  mbd_status status = load_items(l, s, e, text, load_matrix, 6, x);
  if (status == MBD_OK) { status = add_sums(l, s, e, base, load_matrix, 6, 6, w, terms, LOAD_ANY, first); }
  load_free_items(6, x);
  return status;
}

mbd_status load_image_of(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                         const char *unit, double sign, const mbo_expr *add, int *index) {
  mbo_expr x, sum;
  double factor = 1;
  if (sign == 1 && !add) { return load_coefficient(l, s, e, name, text, unit, LOAD_ANY, index); }
  if (unit && e) { MBD_TRY(load_factor(l, s, e, unit, &factor)); }
  MBD_TRY(load_parse(l, s, e, text, &x));
  mbd_status status = load_resolve(l, s, e, &x);
  const double w[2] = {sign * factor, 1};
  const mbo_expr *const terms[2] = {&x, add};
  if (status == MBD_OK) { status = load_located(l, s, e, mbo_expr_sum(add ? 2 : 1, w, terms, &sum, l->err)); }
  mbo_expr_free(&x);
  return status == MBD_OK ? load_expression(l, s, e, name, &sum, NULL, LOAD_ANY, index) : status;
}

/* ---- numbers by the rows of a section ---- */

mbd_status load_numbers(loader *l, const model_section *section, ini_section *s, const char *key, int *first) {
  const model_key *r = model_key_find(section, key);
  const ini_entry *e = ini_get(s, key);
  char base[300];
  if (!e && !r->dflt) { return load_missing(l, section, s, key, NULL); }
  const char *text = e ? e->value : r->dflt;
  if (section->named) {
    snprintf(base, sizeof base, "%s.%s.%s", section->kind, l->name, key);
  } else {
    snprintf(base, sizeof base, "%s", key);
  }
  if (r->count == 6) { return load_inertia(l, s, e, base, text, first); }
  if (r->count == 3 && r->geometry == LOAD_PLAIN) {
    return load_coefficients(l, s, e, base, load_xyz, 3, text, r->unit, r->min, 1e300, first);
  }
  if (r->count == 3) { return load_vector(l, s, e, base, r->geometry, text, r->min, 1e300, first); }
  return load_coefficient(l, s, e, base, text, r->unit, r->min, 1e300, first);
}
