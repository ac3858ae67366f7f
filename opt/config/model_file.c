/* From design variables to coefficients: rho -> scalars -> theta, with the exact sparse Jacobian. */
#include "config/model_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "files/memory.h"
#include "files/text_list.h"

const mbd_spec *mbo_model_file_spec(const mbo_model_file *f) {
  return f->spec;
}
const char *mbo_model_file_title(const mbo_model_file *f) {
  return f->title;
}
const char *mbo_model_file_path(const mbo_model_file *f) {
  return f->path;
}
const char *mbo_model_file_part(const mbo_model_file *f, int i) {
  return i >= 0 && i < f->nfile - 1 ? f->file[i + 1] : NULL;
}
int mbo_model_file_nscalar(const mbo_model_file *f) {
  return f->nscalar;
}

const char *mbo_model_file_scalar(const mbo_model_file *f, int i, double *value) {
  if (value) { *value = f->value[i]; }
  return f->scalar[i].name;
}

void mbo_model_file_destroy(mbo_model_file *f) {
  if (!f) { return; }
  for (int i = 0; i < f->nscalar; i++) {
    free(f->scalar[i].name), free(f->scalar[i].fixed), free(f->scalar[i].unit);
    mbo_expr_free(&f->scalar[i].expr);
  }
  for (int i = 0; i < f->ncoef; i++) { mbo_expr_free(&f->coef[i]); }
  for (int i = 0; i < f->ncurve; i++) { free(f->curve[i].name); }
  for (int i = 0; i < f->nobject; i++) { free(f->object[i].title), free(f->object[i].place); }
  for (int i = 0; i < f->nshape; i++) {
    free(f->shape[i].name), free(f->shape[i].body);
    mesh_free(&f->shape[i].mesh);
  }
  for (int i = 0; i < f->nlines; i++) { free(f->lines[i].body), free(f->lines[i].pair); }
  mbd_spec_destroy(f->spec);
  free(f->scalar), free(f->coef), free(f->value), free(f->order), free(f->path), free(f->title);
  text_list_free(f->file, f->nfile);
  free(f->line), free(f->curve), free(f->object), free(f->direct), free(f->moves), free(f->gradient), free(f->start),
      free(f->index), free(f->jacobian);
  for (int i = 0; i < 3; i++) { free(f->steady[i]); }
  free(f->row), free(f->shape), free(f->lines);
  free(f);
}

/* ---- positions ---- */

mbd_status model_file_locate(const mbo_model_file *f, mbd_status status, mbd_error *err) {
  for (int i = 0; status != MBD_OK && err && i < f->nobject; i++) {
    const model_object *o = &f->object[i];
    const size_t n = strlen(o->title);
    if (strncmp(err->text, o->title, n) == 0 && err->text[n] == ':') { return mbd_locate(err, status, "%s", o->place); }
  }
  return mbd_locate(err, status, "%s: ", f->path);
}

/* ---- which scalars and coefficients vary ---- */

/* The n characters of a name; NULL: there is no such curve. */
static const model_curve *find_curve(const mbo_model_file *f, const char *name, size_t n) {
  for (int i = 0; i < f->ncurve; i++) {
    const char *known = f->curve[i].name;
    if (strlen(known) == n && strncmp(known, name, n) == 0) { return &f->curve[i]; }
  }
  return NULL;
}

/* where: begins the message. */
static mbd_status unknown_curve(const mbo_model_file *f, const char *where, const char *name, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (int i = 0; i < f->ncurve; i++) { mbd_nearest_offer(&near, f->curve[i].name); }
  MBD_FAIL(err, MBD_BAD_INPUT, "%scurve '%s' is not known in %s%s", where, name, f->path,
           mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status mbo_model_file_points(const mbo_model_file *f, const char *curve, int *n, mbd_error *err) {
  const model_curve *found = find_curve(f, curve, strlen(curve));
  if (!found) { return unknown_curve(f, "", curve, err); }
  *n = found->n;
  if (found->points) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "curve '%s' of %s has no control points; expected one with knots, as spline, bspline and table", curve,
           f->path);
}

/* curve.NAME.i: the coefficient */
static mbd_status find_point(const mbo_model_file *f, const char *point, int *coefficient, mbd_error *err) {
  const char *name = point + strlen("curve."), *dot = strrchr(name, '.');
  char *end = "";
  const size_t n = dot ? (size_t)(dot - name) : strlen(name);
  const model_curve *curve = find_curve(f, name, n);
  if (!curve) {
    char requested[128], where[300];
    snprintf(requested, sizeof requested, "%.*s", (int)n, name);
    snprintf(where, sizeof where, "%s: ", point);
    return unknown_curve(f, where, requested, err);
  }
  const long number = dot && isdigit((unsigned char)dot[1]) ? strtol(dot + 1, &end, 10) : 0;
  if (!curve->points || number < 1 || number > curve->n || *end) {
    MBD_FAIL(err, MBD_BAD_INPUT, "'%s' is no control point: curve '%s' of %s has %d of them, curve.NAME.1 the first",
             point, curve->name, f->path, curve->points ? curve->n : 0);
  }
  *coefficient = curve->first + (int)number - 1;
  return MBD_OK;
}

double mbo_model_file_ordinate(const mbo_model_file *f, const char *curve, int i) {
  const model_curve *found = find_curve(f, curve, strlen(curve));
  return found ? mbd_spec_nominal(f->spec, found->first + i - 1) : NAN;
}

mbd_status model_file_scalar(const mbo_model_file *f, const char *name, int *index, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (*index = 0; *index < f->nscalar; (*index)++) {
    if (strcmp(f->scalar[*index].name, name) == 0) { return MBD_OK; }
  }
  for (int i = 0; i < f->nscalar; i++) { mbd_nearest_offer(&near, f->scalar[i].name); }
  MBD_FAIL(err, MBD_BAD_INPUT, "scalar '%s' is not known in %s%s", name, f->path,
           mbd_nearest_text(&near, hint, sizeof hint));
}

const char *model_file_unit(const mbo_model_file *f, int scalar) {
  const char *unit = f->scalar[scalar].unit;
  for (int i = 0; !unit && i < f->nscalar; i++) {
    const mbo_expr *x = &f->scalar[i].expr;
    if (mbo_expr_is_name(x) && x->index[0] == scalar && *model_file_unit(f, i)) { unit = model_file_unit(f, i); }
  }
  return unit ? unit : "";
}

mbd_status model_file_resolve(const mbo_model_file *f, mbo_expr *x, mbd_error *err) {
  for (int i = 0; i < x->nname; i++) { MBD_TRY(model_file_scalar(f, x->name[i], &x->index[i], err)); }
  return MBD_OK;
}

static mbd_status vary_scalar(mbo_model_file *f, const char *name, int variable, mbd_error *err) {
  int k;
  MBD_TRY(model_file_scalar(f, name, &k, err));
  if (f->scalar[k].fixed) {
    MBD_FAIL(err, MBD_BAD_INPUT, "scalar '%s' of %s %s, so it cannot vary", name, f->path, f->scalar[k].fixed);
  }
  if (f->scalar[k].mean) { k = f->scalar[k].mean - 1; }
  f->scalar[k].design = variable + 1;
  return MBD_OK;
}

/* The scalar through which an expression depends on a design variable; NULL: it does not. */
static const model_scalar *moved_by(const mbo_model_file *f, const mbo_expr *x) {
  for (int p = 0; p < x->nname; p++) {
    if (f->moves[x->index[p]]) { return &f->scalar[x->index[p]]; }
  }
  return NULL;
}

int model_file_mover(const mbo_model_file *f, const mbo_expr *x) {
  const model_scalar *s = moved_by(f, x);
  while (s && !s->design) { s = moved_by(f, &s->expr); }
  return s ? s->design - 1 : -1;
}

void mbo_model_file_moved(const mbo_model_file *f, unsigned char *moved) {
  for (int k = 0; k < f->ncoef; k++) {
    moved[k] = f->direct[k] || (!f->line[k].drawn && moved_by(f, &f->coef[k]) != NULL);
  }
}

/* Refuses a control point as a design variable if its expression depends on another design variable. */
static mbd_status check_points(const mbo_model_file *f, mbd_error *err) {
  for (int k = 0; k < f->ncoef; k++) {
    const model_scalar *scalar = f->direct[k] ? moved_by(f, &f->coef[k]) : NULL;
    if (scalar) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s = %s of %s varies already with scalar '%s'; expected one of the two",
               mbd_spec_coef_name(f->spec, k), f->coef[k].text, f->path, scalar->name);
    }
  }
  return MBD_OK;
}

mbd_status mbo_model_file_vary(mbo_model_file *f, int n, const char *const *what, mbd_error *err) {
  f->n = n;
  free(f->direct), free(f->moves), free(f->gradient), free(f->start), free(f->index), free(f->jacobian), free(f->row);
  f->direct = calloc((size_t)f->ncoef + 1, sizeof *f->direct);
  f->gradient = calloc((size_t)f->nscalar * (size_t)n + 1, sizeof *f->gradient);
  f->start = calloc((size_t)n + 2, sizeof *f->start);
  f->index = NULL, f->jacobian = NULL, f->capacity = 0; /* grow_entries */
  f->row = calloc((size_t)n + 1, sizeof *f->row);
  f->moves = calloc((size_t)f->nscalar + 1, 1);
  mbd_status status =
      f->direct && f->gradient && f->start && f->row && f->moves ? MBD_OK : MEMORY_NONE(err, "%d design variables", n);
  for (int i = 0; i < f->nscalar; i++) { f->scalar[i].design = 0; }
  for (int i = 0; i < n && status == MBD_OK; i++) {
    int k = 0;
    const int is_point = strncmp(what[i], "curve.", 6) == 0;
    status = is_point ? find_point(f, what[i], &k, err) : vary_scalar(f, what[i], i, err);
    if (status == MBD_OK && is_point) { f->direct[k] = i + 1; }
  }
  MBD_TRY(status);
  for (int i = 0; i < f->nscalar; i++) { /* each scalar comes after those that it uses */
    const model_scalar *s = &f->scalar[f->order[i]];
    f->moves[f->order[i]] = s->design || moved_by(f, &s->expr) != NULL;
  }
  return check_points(f, err);
}

/* ---- values and derivatives ---- */

/* Puts "FILE:LINE: name: " in front of the text in err. */
static mbd_status at_line(const mbo_model_file *f, int file, int line, const char *name, mbd_status status,
                          mbd_error *err) {
  return line > 0 ? mbd_locate(err, status, "%s:%d: %s: ", f->file[file], line, name)
                  : mbd_locate(err, status, "%s: ", name);
}

/* row [n] = d x / d rho by the chain rule. Names that do not vary need no derivative. */
static mbd_status chain(const mbo_model_file *f, const mbo_expr *x, const double *partial, double *row,
                        mbd_error *err) {
  const int n = f->n;
  memset(row, 0, (size_t)n * sizeof *row);
  for (int p = 0; p < x->nname; p++) {
    const double *from = f->gradient + (size_t)x->index[p] * (size_t)n;
    for (int j = 0; j < n; j++) {
      if (from[j] == 0) { continue; }
      row[j] += partial[p] * from[j];
      if (!isfinite(row[j])) {
        MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s' has no finite derivative in '%s'", x->text, x->name[p]);
      }
    }
  }
  return MBD_OK;
}

mbd_status model_file_value(const mbo_model_file *f, const mbo_expr *x, double *value, double *row, mbd_error *err) {
  double partial[MBO_EXPR_NODES];
  /* cppcheck-suppress legacyUninitvar ; this writes it */
  MBD_TRY(mbo_expr_eval(x, f->value, value, row ? partial : NULL, err));
  return row ? chain(f, x, partial, row, err) : MBD_OK;
}

void model_file_set_number(mbo_model_file *f, int scalar, double value) {
  mbd_expression *x = &f->scalar[scalar].expr.value;
  x->op[0] = (mbd_operation){.op = MBD_OP_NUMBER, .number = value}, x->n = 1;
}

mbd_status model_file_set_scalar(mbo_model_file *f, int scalar, const char *expression, mbd_error *err) {
  mbo_expr x = {0};
  MBD_TRY(mbo_expr_parse(expression, &x, err));
  const mbd_status status = model_file_resolve(f, &x, err);
  mbo_expr *old = &f->scalar[scalar].expr;
  mbo_expr_free(status == MBD_OK ? old : &x);
  if (status == MBD_OK) { *old = x; }
  return status;
}

/* Values and gradients of all scalars, in an order in which each follows those it uses. */
static mbd_status eval_scalars(mbo_model_file *f, const double *rho, mbd_error *err) {
  const int n = f->n;
  for (int i = 0; i < f->nscalar; i++) {
    int k = f->order[i];
    model_scalar *s = &f->scalar[k];
    double *g = f->gradient + (size_t)k * (size_t)n;
    if (s->design) {
      memset(g, 0, (size_t)n * sizeof *g);
      f->value[k] = rho[s->design - 1];
      g[s->design - 1] = 1;
      continue;
    }
    const mbd_status status = model_file_value(f, &s->expr, &f->value[k], n ? g : NULL, err);
    MBD_TRY(at_line(f, s->file, s->line, s->name, status, err));
  }
  return MBD_OK;
}

/* One entry d theta_k / d rho_j, counted in the first pass and stored in the second. */
static void add_entry(mbo_model_file *f, int pass, int k, int j, double value) {
  if (pass == 0) {
    f->start[j + 2]++;
    return;
  }
  const int at = f->start[j + 1]++;
  f->index[at] = k;
  f->jacobian[at] = value;
}

/* Allocates the Jacobian's entries, which are counted first, since a coefficient depends on few of perhaps 1000 variables. */
static mbd_status grow_entries(mbo_model_file *f, int n, mbd_error *err) {
  if (n <= f->capacity && f->index) { return MBD_OK; }
  free(f->index), free(f->jacobian);
  f->index = calloc((size_t)n + 1, sizeof *f->index);
  f->jacobian = calloc((size_t)n + 1, sizeof *f->jacobian);
  f->capacity = f->index && f->jacobian ? n : 0;
  MEMORY_TRY(f->index && f->jacobian, err, "%d derivatives of coefficients", n);
  return MBD_OK;
}

mbd_status mbo_model_file_eval(mbo_model_file *f, const double *rho, double *theta, const int **start,
                               const int **index, const double **value, mbd_error *err) {
  const int n = f->n;
  MBD_TRY(eval_scalars(f, rho, err));
  for (int pass = 0; pass < 2; pass++) { /* count the entries of each column, then place them */
    if (pass == 0) {
      memset(f->start, 0, ((size_t)n + 2) * sizeof *f->start);
    } else { /* start[j + 1]: next place of column j; in the end, the first of column j + 1 */
      for (int j = 1; j <= n; j++) { f->start[j + 1] += f->start[j]; }
      MBD_TRY(grow_entries(f, f->start[n + 1], err));
    }
    for (int k = 0; k < f->ncoef; k++) {
      const int variable = f->direct ? f->direct[k] : 0, requested = start && f->coef[k].nname && !f->line[k].drawn;
      if (variable) {
        theta[k] = rho[variable - 1];
        if (start) { add_entry(f, pass, k, variable - 1, 1); }
        continue;
      }
      const mbd_status status = model_file_value(f, &f->coef[k], &theta[k], requested ? f->row : NULL, err);
      if (f->line[k].drawn) {
        f->line[k].missing = status != MBD_OK;
        if (f->line[k].missing) { theta[k] = 0; }
        continue;
      }
      MBD_TRY(at_line(f, f->line[k].file, f->line[k].line, mbd_spec_coef_name(f->spec, k), status, err));
      for (int j = 0; requested && j < n; j++) {
        if (f->row[j] != 0) { add_entry(f, pass, k, j, f->row[j]); }
      }
    }
    if (!start) { return MBD_OK; }
  }
  *start = f->start;
  *index = f->index;
  *value = f->jacobian;
  return MBD_OK;
}

/* ---- more coefficients ---- */

int model_file_append(mbo_model_file *f, const char *name, mbo_expr *x, model_line line, double value) {
  mbo_expr *coefs = mbd_list_grow(f->coef, f->ncoef, sizeof *coefs);
  if (coefs) { f->coef = coefs; }
  model_line *lines = coefs ? mbd_list_grow(f->line, f->ncoef, sizeof *lines) : NULL;
  if (lines) { f->line = lines; }
  const int index = lines ? mbd_spec_coef(f->spec, name, value) : -1;
  if (index < 0) {
    mbo_expr_free(x);
    return -1;
  }
  lines[f->ncoef] = line;
  coefs[f->ncoef++] = *x;
  return index;
}

mbd_status model_file_coefficient(mbo_model_file *f, const char *name, const char *text, int *index, mbd_error *err) {
  mbo_expr x;
  double value;
  MBD_TRY(mbo_expr_parse(text, &x, err));
  mbd_status status = model_file_resolve(f, &x, err);
  if (status == MBD_OK) { status = mbo_expr_eval(&x, f->value, &value, NULL, err); }
  if (status != MBD_OK) {
    mbo_expr_free(&x);
    return status;
  }
  *index = model_file_append(f, name, &x, (model_line){0}, value);
  if (*index < 0) { return MEMORY_NONE(err, "'%s'", name); }
  return MBD_OK;
}
