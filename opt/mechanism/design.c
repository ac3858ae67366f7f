#include "mechanism/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

void design_free(design *d) {
  for (int i = 0; d->name && i < d->n; i++) { free(d->name[i]); }
  for (int i = 0; d->what && i < d->n + d->nparameter; i++) { free(d->what[i]); }
  free(d->name), free(d->what), free(d->section), free(d->start), free(d->scale_is_open), free(d->nvalues),
      free(d->values), free(d->parameter);
  *d = (design){0};
}

static int is_curve(const mbo_design_config *named) {
  return *named->curve != '\0';
}

/* How many variables a section makes: those of the curve's control points from `first` to `last`. */
static mbd_status count(const mbo_run_config *c, const mbo_design_config *named, const mbo_model_file *f, int *n,
                        mbd_error *err) {
  int points;
  *n = 1;
  if (!is_curve(named)) {
    if (named->first == 1 && named->last == 0) { return MBD_OK; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [design %s] first, last: a scalar has no control points; expected them with 'curve'", c->path,
             named->name);
  }
  MBD_TRY(
      mbd_locate(err, mbo_model_file_points(f, named->curve, &points, err), "%s: [design %s] ", c->path, named->name));
  const int last = named->last ? named->last : points;
  *n = last - named->first + 1;
  if (*n > 0 && last <= points) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: [design %s] first = %d, last = %d: curve '%s' has the control points 1 to %d, expected first <= last "
           "among them",
           c->path, named->name, named->first, last, named->curve, points);
}

/* The number of the curve's control point that variable i of the section moves. */
static int point(const mbo_design_config *named, int i) {
  return named->first + i;
}

static mbd_status allocate(design *d, mbd_error *err) {
  const size_t n = (size_t)d->n;
  d->name = calloc(n + 1, sizeof *d->name);
  d->what = calloc(n + 1, sizeof *d->what);
  d->section = calloc(n + 1, sizeof *d->section);
  d->start = calloc(4 * n + 1, sizeof *d->start);
  d->scale_is_open = calloc(n + 1, sizeof *d->scale_is_open);
  MEMORY_TRY(d->name && d->what && d->section && d->start && d->scale_is_open, err, "%d design variables", d->n);
  d->lower = d->start + n, d->upper = d->start + 2 * n, d->scale = d->start + 3 * n;
  return MBD_OK;
}

/* NaN: unknown, as design_vary says. */
static double scalar_of_model(const mbo_model_file *f, const char *scalar) {
  for (int k = 0; k < mbo_model_file_nscalar(f); k++) {
    double value;
    if (strcmp(mbo_model_file_scalar(f, k, &value), scalar) == 0) { return value; }
  }
  return NAN;
}

static double of_model(const mbo_design_config *named, const mbo_model_file *f, int i) {
  return is_curve(named) ? mbo_model_file_ordinate(f, named->curve, point(named, i))
                         : scalar_of_model(f, named->scalar);
}

/* One scale for a section: control points that happen to be small are of the size of the others. */
static double default_scale(const mbo_design_config *named, const double *start, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) { size = fmax(size, fabs(start[i])); }
  if (size > 0) { return size; }
  if (isfinite(named->upper - named->lower) && named->upper > named->lower) { return named->upper - named->lower; }
  return 1;
}

/* The variables first .. first + n - 1, those of section k. */
static mbd_status fill(design *d, const mbo_run_config *c, int k, int first, int n, const mbo_model_file *f,
                       mbd_error *err) {
  const mbo_design_config *named = &c->design[k];
  for (int i = 0; i < n; i++) {
    const int j = first + i;
    d->name[j] = is_curve(named) ? mbd_sprintf_dup("%s.%d", named->name, point(named, i)) : mbd_strdup(named->name);
    d->what[j] =
        is_curve(named) ? mbd_sprintf_dup("curve.%s.%d", named->curve, point(named, i)) : mbd_strdup(named->scalar);
    MEMORY_TRY(d->name[j] && d->what[j], err, "%d design variables", d->n);
    d->section[j] = k;
    d->start[j] = isnan(named->start) ? of_model(named, f, i) : named->start;
    d->lower[j] = named->lower, d->upper[j] = named->upper;
  }
  const double scale = isnan(named->scale) ? default_scale(named, d->start + first, n) : named->scale;
  for (int i = 0; i < n; i++) {
    d->scale[first + i] = scale, d->scale_is_open[first + i] = (unsigned char)(isnan(named->scale) != 0);
  }
  return MBD_OK;
}

/* Catalogues, if some variable has one. */
static mbd_status take_catalogues(design *d, const mbo_run_config *c, mbd_error *err) {
  int any = 0;
  for (int k = 0; k < c->ndesign; k++) { any |= c->design[k].values.n > 0; }
  if (!any) { return MBD_OK; }
  d->nvalues = calloc((size_t)d->n + 1, sizeof *d->nvalues);
  d->values = calloc((size_t)d->n + 1, sizeof *d->values);
  MEMORY_TRY(d->nvalues && d->values, err, "%d design variables", d->n);
  for (int j = 0; j < d->n; j++) {
    const mbo_numbers *v = &c->design[d->section[j]].values;
    d->nvalues[j] = v->n, d->values[j] = v->v;
  }
  return MBD_OK;
}

mbd_status design_create(const mbo_run_config *c, const mbo_model_file *f, design *d, mbd_error *err) {
  int n;
  *d = (design){0};
  for (int k = 0; k < c->ndesign; k++) {
    MBD_TRY(count(c, &c->design[k], f, &n, err));
    d->n += n;
  }
  mbd_status status = allocate(d, err);
  for (int k = 0, first = 0; k < c->ndesign && status == MBD_OK; k++, first += n) {
    status = count(c, &c->design[k], f, &n, err);
    if (status == MBD_OK) { status = fill(d, c, k, first, n, f, err); }
  }
  if (status == MBD_OK) { status = take_catalogues(d, c, err); }
  return status;
}

int design_parameter(design *d, const mbo_model_file *f, const char *scalar, double *value) {
  const int n = d->n + d->nparameter;
  *value = scalar_of_model(f, scalar);
  for (int i = 0; i < n; i++) {
    if (strcmp(d->what[i], scalar) == 0) { return i; }
  }
  char **what = realloc(d->what, ((size_t)n + 2) * sizeof *what), *name = mbd_strdup(scalar);
  if (what) { d->what = what; }
  double *values = realloc(d->parameter, ((size_t)d->nparameter + 1) * sizeof *values);
  if (values) { d->parameter = values; }
  if (!what || !name || !values) {
    free(name);
    return -1;
  }
  what[n] = name, values[d->nparameter++] = *value;
  return n;
}

mbd_status design_check_start(const design *d, const mbo_run_config *c, mbd_error *err) {
  for (int j = 0; j < d->n; j++) {
    if (d->start[j] >= d->lower[j] && d->start[j] <= d->upper[j]) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [design %s]: the model's %s = %g is outside of the bounds %g and %g; give a start", c->path,
             c->design[d->section[j]].name, d->what[j], d->start[j], d->lower[j], d->upper[j]);
  }
  return MBD_OK;
}

/* A case must not set a scalar that varies, and a curve that varies must have the same number of points in every case. */
static mbd_status check_case(const mbo_run_config *c, const mbo_case_config *own, int k, int n, const mbo_model_file *f,
                             mbd_error *err) {
  const mbo_design_config *named = &c->design[k];
  int points = 1;
  for (int i = 0; !is_curve(named) && i < own->scalars.name.n; i++) {
    if (strcmp(own->scalars.name.v[i], named->scalar) != 0) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [case %s] sets scalar '%s', which [design %s] varies; expected one of the two",
             c->path, own->name, named->scalar, named->name);
  }
  MBD_TRY(count(c, named, f, &points, err));
  if (points != n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [design %s]: curve '%s' has %d points in case '%s', but %d in case '%s'", c->path,
             named->name, named->curve, points, own->name, n, c->cases[0].name);
  }
  return MBD_OK;
}

/* Parameters are scalars of the model, and have one value in all cases. */
static mbd_status check_parameters(const design *d, const mbo_run_config *c, const mbo_case_config *own,
                                   mbo_model_file *f, mbd_error *err) {
  const char *const *what = (const char *const *)d->what + d->n;
  MBD_TRY(
      mbd_locate(err, mbo_model_file_vary(f, d->nparameter, what, err), "%s: [experiment ...] parameters: ", c->path));
  for (int k = 0; k < d->nparameter; k++) {
    for (int i = 0; i < own->scalars.name.n; i++) {
      if (strcmp(own->scalars.name.v[i], what[k]) != 0) { continue; }
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [case %s] sets scalar '%s', which [experiment ...] has among its parameters; expected one value in "
               "all cases",
               c->path, own->name, what[k]);
    }
  }
  return MBD_OK;
}

mbd_status design_vary(const design *d, const mbo_run_config *c, const mbo_case_config *own, mbo_model_file *f,
                       mbd_error *err) {
  const char *const *what = (const char *const *)d->what;
  for (int first = 0, last; first < d->n; first = last) { /* by sections first, to say which of them is wrong */
    const int k = d->section[first];
    for (last = first; last < d->n && d->section[last] == k;) { last++; }
    MBD_TRY(check_case(c, own, k, last - first, f, err));
    MBD_TRY(mbd_locate(err, mbo_model_file_vary(f, last - first, what + first, err), "%s: [design %s] ", c->path,
                       c->design[k].name));
  }
  MBD_TRY(check_parameters(d, c, own, f, err));
  return mbd_locate(err, mbo_model_file_vary(f, d->n + d->nparameter, what, err), "%s: [design ...] ", c->path);
}

double design_combinations(const design *d) {
  double n = 1;
  for (int i = 0; d->nvalues && i < d->n; i++) { n *= d->nvalues[i] > 0 ? d->nvalues[i] : 1; }
  return n;
}

const char *design_at_bound(const design *d, int i, double x) {
  const double width = d->upper[i] - d->lower[i], near = DESIGN_AT_BOUND * (isfinite(width) ? width : d->scale[i]);
  return x <= d->lower[i] + near ? "lower bound" : x >= d->upper[i] - near ? "upper bound" : NULL;
}
