#include "study/equivalent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/model_file.h"
#include "files/memory.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "study/axis.h"

enum { TOLERANCE = 10 }; /* times that of optima: the errors of both ends, mapped */

/* The value of an expression of scalars with the design that is set. */
static mbd_status expression_value(const mbo_model_file *f, const char *text, double *value, mbd_error *err) {
  mbo_expr x = {0};
  MBD_TRY(mbo_expr_parse(text, &x, err));
  mbd_status status = model_file_resolve(f, &x, err);
  if (status == MBD_OK) { status = model_file_value(f, &x, value, NULL, err); }
  mbo_expr_free(&x);
  return status;
}

mbd_status equivalents_check(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const mbo_model_file *f = m->variant[0].file;
  if (c->nequivalent == 0) { return MBD_OK; }
  MBD_TRY(mechanism_set_design(m, m->start, 0, err));
  for (int i = 0; i < c->nequivalent; i++) {
    const mbo_pairs *pairs = &c->equivalent[i].scalars;
    for (int k = 0; k < pairs->name.n; k++) {
      int scalar;
      double value;
      mbd_status status = model_file_scalar(f, pairs->name.v[k], &scalar, err);
      if (status == MBD_OK) { status = expression_value(f, pairs->text.v[k], &value, err); }
      MBD_TRY(
          mbd_locate(err, status, "%s: [equivalent %s] scalar.%s: ", c->path, c->equivalent[i].name, pairs->name.v[k]));
    }
  }
  return MBD_OK;
}

/* The scalar of a varied key; NULL: it is another key. */
static const char *varied_scalar(const char *key) {
  static const char prefix[] = "scalars.";
  return strncmp(key, prefix, sizeof prefix - 1) == 0 ? key + sizeof prefix - 1 : NULL;
}

/* Gives the scalar of a varied key another expression. *before: the one until now, in new memory, unless it is there already. */
static mbd_status set_varied(mechanism *m, const char *key, const char *expression, char **before, mbd_error *err) {
  mbo_model_file *f = m->variant[0].file;
  const char *name = varied_scalar(key);
  int scalar;
  if (!name) { return MBD_OK; }
  MBD_TRY(model_file_scalar(f, name, &scalar, err));
  if (!*before) { *before = mbd_strdup(f->scalar[scalar].expr.text); }
  MEMORY_TRY(*before, err, "the optima");
  return model_file_set_scalar(f, scalar, expression, err);
}

/* Sets a design of the optima: the variables of x, and behind them the numbers of what is varied. own [nvaried]: as `before` of set_varied. */
static mbd_status set_design(mechanism *m, int nvaried, const char *const *varied, const double *x, char **own,
                             mbd_error *err) {
  for (int k = 0; k < nvaried; k++) {
    char number[AXIS_NUMBER];
    axis_number(x[m->n + k], number);
    MBD_TRY(set_varied(m, varied[k], number, &own[k], err));
  }
  return mechanism_set_design(m, x, 0, err);
}

/* Sets the design of the run file again. */
static mbd_status set_own(mechanism *m, int nvaried, const char *const *varied, char **own, mbd_error *err) {
  for (int k = 0; k < nvaried; k++) {
    if (own[k]) { MBD_TRY(set_varied(m, varied[k], own[k], &own[k], err)); }
  }
  return mechanism_set_design(m, m->start, 0, err);
}

/* y = e(x), with the design x set. */
static mbd_status map(const mechanism *m, const mbo_pairs *e, int nvaried, const char *const *varied, const double *x,
                      double *y, mbd_error *err) {
  for (int j = 0; j < m->n + nvaried; j++) {
    const char *scalar = j < m->n ? m->design.what[j] : varied_scalar(varied[j - m->n]);
    y[j] = x[j];
    for (int k = 0; scalar && k < e->name.n; k++) {
      if (strcmp(e->name.v[k], scalar) != 0) { continue; }
      MBD_TRY(expression_value(m->variant[0].file, e->text.v[k], &y[j], err));
    }
  }
  return MBD_OK;
}

/* The place of the optimum at y, which has the objective of optimum i; -1: none. */
static int find(const optima *o, int i, const double *y) {
  const optimum *p = o->found;
  for (int j = 0; j < o->n; j++) {
    const double size = fmax(fabs(p[i].f), fabs(p[j].f)), noise = fmax(p[i].noise, p[j].noise);
    if (j != i && fabs(p[i].f - p[j].f) <= TOLERANCE * optima_same(o->tol_f, size, o->f_start, noise) &&
        optima_same_design(o, y, p[j].x, TOLERANCE)) {
      return j;
    }
  }
  return -1;
}

/* Shifts variables with a period between their bounds. Are all of them there? */
static int bring_inside(const mechanism *m, const double *period, double *y) {
  int inside = 1;
  for (int j = 0; j < m->n; j++) {
    const double apart = fmax(m->lower[j] - y[j], y[j] - m->upper[j]), whole = period ? period[j] : 0;
    if (apart > 0 && whole > 0) { y[j] += copysign(whole * ceil(apart / whole), m->lower[j] - y[j]); }
    inside &= y[j] >= m->lower[j] && y[j] <= m->upper[j];
  }
  return inside;
}

/* A line with the settings that make a run begin at y, the equivalent by this name. */
static void write_lacking(const mechanism *m, int nvaried, const char *const *varied, const char *name,
                          const double *period, double *y, FILE *out) {
  const int inside = bring_inside(m, period, y);
  fprintf(out, "%s of the best one, %s:", name, inside ? "at which no start has ended" : "outside of the bounds");
  for (int j = 0; j < m->n; j++) { fprintf(out, " --set design.%s.start=%.9g", m->name[j], y[j]); }
  for (int k = 0; k < nvaried; k++) { fprintf(out, " --set %s=%.9g", varied[k], y[m->n + k]); }
  fputc('\n', out);
}

mbd_status equivalents_name(mechanism *m, int nvaried, const char *const *varied, optima *o, mbd_error *err) {
  const mbo_run_config *c = m->config;
  text_stream stream;
  if (c->nequivalent == 0) { return MBD_OK; }
  double *y = mbd_zeros((size_t)o->nx, sizeof *y);
  char **own = mbd_zeros((size_t)nvaried, sizeof *own);
  FILE *lacking = text_begin(&stream);
  mbd_status status = y && own && lacking ? MBD_OK : MEMORY_NONE(err, "the optima");
  for (int i = 0; status == MBD_OK && i < o->n; i++) {
    status = set_design(m, nvaried, varied, o->found[i].x, own, err);
    for (int k = 0; k < c->nequivalent && status == MBD_OK; k++) {
      status = map(m, &c->equivalent[k].scalars, nvaried, varied, o->found[i].x, y, err);
      const int j = status == MBD_OK ? find(o, i, y) : i;
      optimum *worse = j > i ? &o->found[j] : NULL;
      if (worse && !worse->as) { worse->same = i, worse->as = c->equivalent[k].name; }
      const int is_itself = status == MBD_OK && optima_same_design(o, y, o->found[i].x, TOLERANCE);
      if (i == 0 && j < 0 && !is_itself) {
        write_lacking(m, nvaried, varied, c->equivalent[k].name, o->period, y, lacking);
      }
    }
  }
  if (status == MBD_OK) { status = set_own(m, nvaried, varied, own, err); }
  text_list_free(own, nvaried);
  free(y);
  o->lacking = lacking ? text_end(&stream) : NULL;
  return status;
}
