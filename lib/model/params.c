#include "model/params.h"

#include <stdlib.h>
#include <string.h>

#include "model/beams.h"
#include "model/derived.h"
#include "model/point_masses.h"

/* Checks the ranges of an element's coefficients, which hold for every design and not for the model file alone. Numbers behind the coefficients
 * follow from these, and have no range. */
static mbd_status check_ranges(const mbd_model *m, const double *theta, const mbd_element_info *info, int coef,
                               mbd_error *err) {
  for (const mbd_coef_info *coef_info = info->coefs; coef_info->key && coef < m->ncoef; coef_info++) {
    for (int i = 0; i < coef_info->size; i++, coef++) {
      if (theta[coef] < coef_info->min || theta[coef] > coef_info->max) {
        MBD_FAIL(
            err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g, expected %s %g", m->coef_name[coef], theta[coef],
            theta[coef] < coef_info->min ? ">=" : "<=", theta[coef] < coef_info->min ? coef_info->min : coef_info->max);
      }
    }
  }
  return MBD_OK;
}

static mbd_status check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int k = 0; k < m->ncoef; k++) {
    if (!isfinite(theta[k])) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g is not a finite number", m->coef_name[k], theta[k]);
    }
  }
  for (int i = 1; i < m->nb; i++) {
    if (m->body[i].mass < m->ncoef && theta[m->body[i].mass] < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "mass of body '%s' = %g kg, expected >= 0", m->body[i].name,
               theta[m->body[i].mass]);
    }
  }
  MBD_TRY(point_masses_check(m, theta, err));
  MBD_TRY(beams_check(m, theta, err));
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    if (k->stretch && !(theta[k->stretch - 1] > 0)) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "curve '%s': stretch = %g, expected > 0", k->name, theta[k->stretch - 1]);
    }
    if (curve_check(k->ops, k->name, k->nc, theta + k->coef, k->nknot, k->knot, err) != MBD_OK) {
      if (err) { err->code = MBD_OUT_OF_DOMAIN; }
      return MBD_OUT_OF_DOMAIN; /* the coefficients of this design give no curve; those of another one may */
    }
  }
  for (int i = 0; i < m->nforce; i++) {
    MBD_TRY(check_ranges(m, theta, &m->force[i].ops->info, m->force[i].coef, err));
  }
  return derived_check(m, theta, err);
}

mbd_status mbd_params_create(const mbd_model *m, const double *theta, mbd_params **out, mbd_error *err) {
  mbd_params *p = calloc(1, sizeof *p);
  *out = NULL;
  if (!p) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the numbers of a design"); }
  p->model = m;
  while (mbd_arena_pass(&p->arena)) {
    p->theta = mbd_arena_real(&p->arena, (size_t)m->ntheta + 3); /* three zeros for elements without coefficients */
    p->aux = mbd_arena_real(&p->arena, (size_t)m->naux + 1);
    p->joint = mbd_arena_take(&p->arena, (size_t)m->njoint * sizeof *p->joint);
    p->modal = mbd_arena_real(&p->arena, (size_t)m->nmodal + 1);
    p->local = mbd_arena_real(&p->arena, 3 * (size_t)m->nmarker);
  }
  mbd_status status = mbd_arena_check(&p->arena, "the numbers of a design", err);
  if (status == MBD_OK) { status = mbd_params_set(p, theta ? theta : m->nominal, err); }
  if (status != MBD_OK) { mbd_params_destroy(p); }
  *out = status == MBD_OK ? p : NULL;
  return status;
}

mbd_status mbd_params_set(mbd_params *p, const double *theta, mbd_error *err) {
  MBD_TRY(check(p->model, theta, err));
  for (int k = 0; k < p->model->ncoef; k++) { p->theta[k] = theta[k]; }
  derived_set(p);
  return MBD_OK;
}

#if MBD_DESIGNS > 1
mbd_status params_set_designs(mbd_params *p, const double *theta, mbd_error *err) {
  const int nc = p->model->ncoef;
  for (int i = 0; i < MBD_DESIGNS; i++) { MBD_TRY(check(p->model, theta + (size_t)i * (size_t)nc, err)); }
  for (int k = 0; k < nc; k++) {
    for (int i = 0; i < MBD_DESIGNS; i++) { p->theta[k][i] = theta[(size_t)i * (size_t)nc + (size_t)k]; }
  }
  derived_set(p);
  return MBD_OK;
}
#endif

void params_set_moved(mbd_params *p, const mbd_params *from, int n, const int *first, const int *index,
                      const double *weight, const mbd_real *by) {
  memcpy(p->theta, from->theta, (size_t)p->model->ncoef * sizeof *p->theta);
  for (int i = 0; i < n; i++) {
    for (int k = first[i]; k < first[i + 1]; k++) { p->theta[index[k]] += weight[k] * by[i]; }
  }
  derived_set(p);
}

#ifdef MBD_COMPLEX
void params_set_imaginary(mbd_params *p, int n, const int *index, const double *value) {
  for (int k = 0; k < n; k++) { p->theta[index[k]] += MBD_IMAG_UNIT * value[k]; }
  derived_set(p);
}
#endif

void mbd_params_destroy(mbd_params *p) {
  if (!p) { return; }
  free(p->arena.base);
  free(p);
}

/* ---- directions ---- */

static void dparams_layout(mbd_dparams *d, const mbd_model *m, mbd_arena *a) {
  d->dtheta = mbd_arena_real(a, (size_t)m->ntheta + 3);
  d->daux = mbd_arena_real(a, (size_t)m->naux + 1);
  d->joint = mbd_arena_take(a, (size_t)m->njoint * sizeof *d->joint);
  d->dlocal = mbd_arena_real(a, 3 * (size_t)m->nmarker);
  d->marker_active = mbd_arena_take(a, (size_t)m->nmarker);
  d->body_active = mbd_arena_take(a, (size_t)m->nb);
  d->force_active = mbd_arena_take(a, (size_t)m->nforce);
  d->constraint_active = mbd_arena_take(a, (size_t)m->nconstraint);
  d->hold_active = mbd_arena_take(a, (size_t)m->nhold);
}

mbd_status mbd_dparams_create(const mbd_model *m, mbd_dparams **out, mbd_error *err) {
  mbd_dparams *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a direction of the coefficients"); }
  d->model = m;
  while (mbd_arena_pass(&d->arena)) { dparams_layout(d, m, &d->arena); }
  const mbd_status status = mbd_arena_check(&d->arena, "a direction of the coefficients", err);
  if (status != MBD_OK) { free(d); }
  *out = status == MBD_OK ? d : NULL;
  return status;
}

void mbd_dparams_destroy(mbd_dparams *d) {
  if (!d) { return; }
  free(d->arena.base);
  free(d);
}

/* curve [n]: numbers of curves; -1: none */
static int curves_active(const mbd_dparams *d, int n, const int *curve) {
  for (int k = 0; k < n; k++) {
    const mbd_curve *target = curve[k] < 0 ? NULL : &d->model->curve[curve[k]];
    if (!target) { continue; }
    if (derived_nonzero(d->dtheta + target->coef, target->nc) ||
        (target->stretch && mbd_any(d->dtheta[target->stretch - 1] != 0))) {
      return 1;
    }
  }
  return 0;
}

int params_ncoef(const mbd_element_info *info) {
  int n = 0;
  for (const mbd_coef_info *coef_info = info->coefs; coef_info->key; coef_info++) { n += coef_info->size; }
  return n;
}

static int coefs_active(const mbd_dparams *d, const mbd_element_info *info, int coef) {
  return derived_nonzero(d->dtheta + coef, params_ncoef(info));
}

/* A constraint with prepared data changes with these, any other one with its own coefficients and curves. */
static unsigned char constraint_active(const mbd_dparams *d, const mbd_constraint *c) {
  if (c->ops->nown) { return (unsigned char)derived_nonzero(d->daux + c->prepared, c->ops->nown); }
  for (int i = 0; c->expression && i < c->expression->nleaf; i++) {
    const velocity_leaf *leaf = &c->expression->leaf[i];
    if (leaf->is == VELOCITY_COEFFICIENT && derived_nonzero(d->dtheta + leaf->at, 1)) { return 1; }
  }
  return (unsigned char)(coefs_active(d, &c->ops->info, c->coef) || curves_active(d, MBD_CURVE_MAX, c->curve));
}

/* A force by expression changes with the coefficients and curves in its values and with the forces whose outputs are in them. */
static unsigned char expression_active(const mbd_dparams *d, const expression_law *law) {
  int active = curves_active(d, law->ncurve, law->curve);
  for (int k = 0; k < law->ncoef; k++) { active |= derived_nonzero(d->dtheta + law->coef[k], 1); }
  for (int k = 0; k < law->nforce; k++) { active |= d->force_active[law->force[k]]; }
  return (unsigned char)active;
}

static int any(const unsigned char *flag, int n) {
  return n > 0 && memchr(flag, 1, (size_t)n) != NULL;
}

/* What follows from d->dtheta. */
static void follow(mbd_dparams *d, const mbd_params *p) {
  const mbd_model *m = d->model;
  /* Changes of joint frames, markers and prepared data. */
  derived_direct(p, d);
  /* Marks of the objects that the direction changes. */
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *b = &m->body[i];
    d->body_active[i] = derived_nonzero(d->dtheta + b->mass, 1) || derived_nonzero(d->dtheta + b->com, 3) ||
                        derived_nonzero(d->dtheta + b->inertia, 6);
  }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    d->force_active[i] =
        (unsigned char)(coefs_active(d, &f->ops->info, f->coef) || curves_active(d, MBD_CURVE_MAX, f->curve));
  }
  for (int i = 0; i < m->nforce; i++) {
    if (m->force[i].expression) { d->force_active[i] |= expression_active(d, m->force[i].expression); }
  }
  for (int i = 0; i < m->nconstraint; i++) { d->constraint_active[i] = constraint_active(d, &m->constraint[i]); }
  for (int i = 0; i < m->nhold; i++) { d->hold_active[i] = constraint_active(d, &m->hold[i]); }
  d->any_gravity = m->gravity >= 0 && derived_nonzero(d->dtheta + m->gravity, 3);
  d->any_body = any(d->body_active, m->nb);
  d->any_marker = any(d->marker_active, m->nmarker);
  d->any_force = any(d->force_active, m->nforce);
  d->any_constraint = any(d->constraint_active, m->nconstraint);
  d->any_hold = any(d->hold_active, m->nhold);
}

void mbd_dparams_set(mbd_dparams *d, const mbd_params *p, int n, const int *index, const double *value) {
  memset(d->dtheta, 0, (size_t)d->model->ncoef * sizeof *d->dtheta);
  for (int k = 0; k < n; k++) { d->dtheta[index[k]] += value[k]; }
  follow(d, p);
}

#if MBD_DESIGNS > 1
void dparams_set_designs(mbd_dparams *d, const mbd_params *p, int n, const int *index, const double *value,
                         int stride) {
  memset(d->dtheta, 0, (size_t)d->model->ncoef * sizeof *d->dtheta);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < MBD_DESIGNS; i++) { d->dtheta[index[k]][i] += value[i * stride + k]; }
  }
  follow(d, p);
}
#endif

/* ---- inputs of elements ---- */

static void element_input(const mbd_model *m, const mbd_real *theta, const mbd_real *aux, int coef, int prepared,
                          const int *curve, mbd_real t, const mbd_arg_state *s, mbd_element_input *in) {
  in->s = s;
  in->t = t;
  in->c = theta + coef;
  in->theta = theta;
  in->aux = aux;
  in->prepared = aux + prepared;
  for (int k = 0; k < MBD_CURVE_MAX; k++) { in->curve[k] = curve[k] < 0 ? NULL : &m->curve[curve[k]]; }
}

void params_force_input(const mbd_params *p, const mbd_force *f, mbd_real t, const mbd_real *turns,
                        const mbd_arg_state *s, mbd_element_input *in) {
  element_input(p->model, p->theta, p->aux, f->coef, 0, f->curve, t, s, in);
  in->turns = turns;
  in->variant = f->ops->variant;
  in->law = f->ops->law;
}

void params_force_input_beside(const mbd_model *m, const mbd_element_input *other, const mbd_force *f,
                               const mbd_arg_state *s, mbd_element_input *in) {
  element_input(m, other->theta, other->aux, f->coef, 0, f->curve, other->t, s, in);
  in->turns = other->turns;
  in->variant = f->ops->variant;
  in->law = f->ops->law;
}

void params_constraint_input(const mbd_params *p, const mbd_constraint *c, mbd_real t, const mbd_arg_state *s,
                             mbd_element_input *in) {
  element_input(p->model, p->theta, p->aux, c->coef, c->prepared, c->curve, t, s, in);
  in->variant = c->ops->variant;
  in->law = c->ops->law;
}

mbd_element_direction params_direction(const mbd_dparams *d, int coef, int prepared, mbd_real dt) {
  return (mbd_element_direction){
      .dc = d->dtheta + coef, .dtheta = d->dtheta, .daux = d->daux, .down = d->daux + prepared, .dt = dt};
}

static int has_curve(const int *curve) {
  int found = 0;
  for (int k = 0; k < MBD_CURVE_MAX; k++) { found |= curve[k] >= 0; }
  return found;
}

int params_constraint_has_time(const mbd_constraint *c) {
  return c->ops->timed || has_curve(c->curve);
}

int params_force_has_time(const mbd_force *f) {
  return f->ops->timed || has_curve(f->curve);
}
