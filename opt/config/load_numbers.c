/* Numbers of model files: expressions of scalars, which become coefficients of the description. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"

mbd_status load_parse(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x) {
  mbd_status status = mbo_expr_parse(text, x, l->err);
  return load_located(l, s, e, status);
}

mbd_status load_resolve(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x) {
  mbo_model_file *m = l->m;
  for (int i = 0; i < x->nname; i++) {
    char hint[96];
    mbd_nearest near = {.wanted = x->name[i]};
    x->index[i] = name_index_find(&l->scalar_at, x->name[i], "");
    if (x->index[i] >= 0) { continue; }
    for (int k = 0; k < m->nscalar; k++) { mbd_nearest_offer(&near, m->scalar[k].name); }
    return ini_fail(&l->f, s, e, l->err, "scalar '%s' is not known%s", x->name[i],
                    mbd_nearest_text(&near, hint, sizeof hint));
  }
  return MBD_OK;
}

mbd_status load_evaluate(loader *l, const ini_section *s, const ini_entry *e, const mbo_expr *x, double *value) {
  if (mbo_expr_eval(x, l->m->value, value, NULL, l->err) == MBD_OK) { return MBD_OK; }
  return ini_locate(&l->f, s, e, MBD_BAD_INPUT, l->err);
}

const char *load_range(double min, double max, char text[64]) {
  if (max >= 1e300) {
    snprintf(text, 64, ">= %g", min);
  } else if (min <= -1e300) {
    snprintf(text, 64, "<= %g", max);
  } else {
    snprintf(text, 64, "between %g and %g", min, max);
  }
  return text;
}

mbd_status load_expression(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                           double min, double max, int *index) {
  mbo_model_file *m = l->m;
  mbo_expr *grown = mbd_list_grow(m->coef, m->ncoef, sizeof *grown);
  double value;
  char range[64];
  if (grown) { m->coef = grown; }
  int *lines = grown ? mbd_list_grow(m->line, m->ncoef, sizeof *lines) : NULL;
  if (!lines) {
    mbo_expr_free(x);
    return load_no_memory(l);
  }
  m->line = lines;
  lines[m->ncoef] = e ? e->line : 0;
  grown[m->ncoef] = *x;
  x = &grown[m->ncoef++];
  MBD_TRY(load_resolve(l, s, e, x));
  MBD_TRY(load_evaluate(l, s, e, x, &value));
  if (value < min || value > max || !isfinite(value)) {
    return ini_fail(&l->f, s, e, l->err, "the value is %g, expected %s", value, load_range(min, max, range));
  }
  *index = mbd_spec_coef(m->spec, name, value);
  if (*index < 0) { return load_no_memory(l); }
  return MBD_OK;
}

mbd_status load_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                            double min, double max, int *index) {
  mbo_expr x;
  MBD_TRY(load_parse(l, s, e, text, &x));
  return load_expression(l, s, e, name, &x, min, max, index);
}

const char *const load_xyz[] = {"x", "y", "z"};
static const char *const matrix[] = {"xx", "yy", "zz", "xy", "xz", "yz"};

static mbd_status check_count(loader *l, const ini_section *s, const ini_entry *e, int found, const char *const *suffix,
                              int n) {
  if (found == n || (suffix == matrix && found == 3)) { return MBD_OK; }
  if (suffix != matrix) {
    return ini_fail(&l->f, s, e, l->err, "%d values, expected %d separated by commas", found, n);
  }
  return ini_fail(&l->f, s, e, l->err, "%d values, expected 3 (Ixx, Iyy, Izz) or 6 (also Ixy, Ixz, Iyz)", found);
}

mbd_status load_coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                             const char *const *suffix, int n, const char *text, double min, double max, int *first) {
  char **part, name[300];
  int k;
  MBD_TRY(load_list(l, text, &part, &k));
  mbd_status status = check_count(l, s, e, k, suffix, n);
  for (int i = 0; i < n && status == MBD_OK; i++) {
    int index = -1;
    if (suffix) {
      snprintf(name, sizeof name, "%s.%s", base, suffix[i]);
    } else {
      snprintf(name, sizeof name, "%s.%d", base, i + 1);
    }
    status = load_coefficient(l, s, e, name, i < k ? part[i] : "0", min, max, &index);
    if (i == 0) { *first = index; }
  }
  text_list_free(part, k);
  return status;
}

mbd_status load_numbers(loader *l, const model_section *q, ini_section *s, const char *key, int *first) {
  const model_key *r = model_key_find(q, key);
  const ini_entry *e = ini_get(s, key);
  char base[300];
  if (!e && !r->dflt) { return load_missing(l, q, s, key, NULL); }
  const char *text = e ? e->value : r->dflt;
  if (q->named) {
    snprintf(base, sizeof base, "%s.%s.%s", q->kind, s->name, key);
  } else {
    snprintf(base, sizeof base, "%s", key);
  }
  if (r->count == 1) { return load_coefficient(l, s, e, base, text, r->min, 1e300, first); }
  return load_coefficients(l, s, e, base, r->count == 6 ? matrix : load_xyz, r->count, text, r->min, 1e300, first);
}
