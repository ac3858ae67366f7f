/* Numbers of model files: expressions of scalars, which become coefficients of the description. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "config/load_model.h"
#include "files/plural.h"

mbd_status load_parse(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x) {
  mbd_status status = mbo_expr_parse(text, x, l->err);
  return ini_locate_expression(l->f, s, e, text, status, l->err);
}

int load_find_scalar(const loader *l, const char *name) {
  int k = -1;
  for (const model_part *p = l->p; p && k < 0; p = p->outer) {
    char full[MBO_FULL_NAME_MAX + MBO_NAME_MAX + 2];
    snprintf(full, sizeof full, "%s%s", p->prefix, name);
    k = name_index_find(&l->scalar_at, full, "");
  }
  return k;
}

mbd_status load_resolve(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x) {
  mbo_model_file *m = l->m;
  for (int i = 0; i < x->nname; i++) {
    char hint[MBD_HINT];
    mbd_nearest near = {.requested = x->name[i]};
    x->index[i] = load_find_scalar(l, x->name[i]);
    if (x->index[i] >= 0) {
      l->source[x->index[i]].used = 1;
      const char *full = m->scalar[x->index[i]].name; /* for messages */
      if (strcmp(full, x->name[i]) != 0) { MBD_TRY(load_replace(l, &x->name[i], full)); }
      continue;
    }
    for (int k = 0; k < m->nscalar; k++) { mbd_nearest_offer(&near, m->scalar[k].name); }
    const char *known = mbd_nearest_text(&near, hint, sizeof hint);
    if (strcmp(x->name[i], "time") == 0) { known = "; a function of time is a [curve NAME] of type expression"; }
    const int of_motion = !mbd_nearest_best(&near) && s && strcmp(s->kind, "force") == 0 && strchr(x->name[i], '.');
    return load_fail(l, s, e, "scalar '%s' is not known%s", x->name[i],
                     of_motion ? "; a force that depends on outputs is a [force NAME] with type = expression" : known);
  }
  return MBD_OK;
}

mbd_status load_evaluate(loader *l, const ini_section *s, const ini_entry *e, const mbo_expr *x, double *value) {
  if (mbo_expr_eval(x, l->m->value, value, NULL, l->err) == MBD_OK) { return MBD_OK; }
  return ini_locate_expression(l->f, s, e, x->text, MBD_BAD_INPUT, l->err);
}

/* An end of a range in units of the file, one of which is `factor` in SI. */
static double in_file(double end, double factor) {
  return fabs(end) >= 1e300 ? end : end / factor;
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

mbd_status load_scale(loader *l, const ini_section *s, const ini_entry *e, double factor, mbo_expr *x) {
  const mbo_expr *const of = x;
  mbo_expr scaled;
  if (factor == 1) { return MBD_OK; }
  MBD_TRY(load_resolve(l, s, e, x));
  MBD_TRY(load_located(l, s, e, mbo_expr_sum(1, &factor, &of, &scaled, l->err)));
  mbo_expr_free(x);
  *x = scaled;
  return MBD_OK;
}

/* Notes the unit of a scalar if the number consists of this scalar only. */
static mbd_status note_unit(loader *l, const mbo_expr *x, const char *unit) {
  if (!unit || *unit == '?' || !mbo_expr_is_name(x)) { return MBD_OK; }
  model_scalar *scalar = &l->m->scalar[x->index[0]];
  if (scalar->unit && strcmp(scalar->unit, unit) == 0) { return MBD_OK; }
  return load_replace(l, &scalar->unit, scalar->unit ? "" : unit);
}

/* Resolves and evaluates a number that is given in `unit`, and checks that it lies in [min, max]. */
static mbd_status evaluate_number(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x, const char *unit,
                                  double min, double max, double *value) {
  double factor = 1;
  char range[64];
  if (unit && e) { MBD_TRY(load_factor(l, s, e, unit, &factor)); }
  MBD_TRY(load_scale(l, s, e, factor, x));
  /* A sum has names that are resolved already, in the parts of its summands. */
  if (x->nname > 0 && x->index[0] < 0) { MBD_TRY(load_resolve(l, s, e, x)); }
  MBD_TRY(load_evaluate(l, s, e, x, value));
  MBD_TRY(note_unit(l, x, factor == 1 ? unit : NULL));
  if (*value < min || *value > max || !isfinite(*value)) {
    return load_fail(l, s, e, "the value is %g, expected %s", *value / factor,
                     load_range(in_file(min, factor), in_file(max, factor), range));
  }
  return MBD_OK;
}

mbd_status load_expression(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                           const char *unit, double min, double max, int *index) {
  double value;
  const mbd_status status = evaluate_number(l, s, e, x, unit, min, max, &value);
  if (status != MBD_OK) {
    mbo_expr_free(x);
    return status;
  }
  const int drawn = s && strcmp(s->kind, "shape") == 0;
  *index = model_file_append(l->m, name, x, (model_line){l->p->file, e ? e->line : 0, drawn, 0}, value);
  return *index < 0 ? load_no_memory(l) : MBD_OK;
}

mbd_status load_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                            const char *unit, double min, double max, int *index) {
  mbo_expr x;
  MBD_TRY(load_parse(l, s, e, text, &x));
  return load_expression(l, s, e, name, &x, unit, min, max, index);
}

const char *const load_xyz[] = {"x", "y", "z"};
const char *const load_matrix[] = {"xx", "yy", "zz", "xy", "xz", "yz"};

/* The texts of n coefficients, which text_list_free frees; there is nothing to free on failure. */
static mbd_status list_items(loader *l, const ini_section *s, const ini_entry *e, const char *text,
                             const char *const *suffix, int n, char ***item, int *found) {
  MBD_TRY(load_list(l, text, item, found));
  if (*found == n || (suffix == load_matrix && *found == 3)) { return MBD_OK; }
  text_list_free(*item, *found);
  if (suffix != load_matrix) {
    return load_fail(l, s, e, "%d value%s, expected %d separated by commas", *found, plural(*found), n);
  }
  return load_fail(l, s, e, "%d value%s, expected 3 (Ixx, Iyy, Izz) or 6 (also Ixy, Ixz, Iyz)", *found, plural(*found));
}

mbd_status load_items(loader *l, const ini_section *s, const ini_entry *e, const char *text, const char *const *suffix,
                      int n, mbo_expr *x) {
  char **item;
  int found;
  mbd_status status = MBD_OK;
  MBD_TRY(list_items(l, s, e, text, suffix, n, &item, &found));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = load_parse(l, s, e, i < found ? item[i] : "0", &x[i]);
    if (status == MBD_OK) { status = load_resolve(l, s, e, &x[i]); }
  }
  text_list_free(item, found);
  return status;
}

void load_free_items(int n, mbo_expr *x) {
  for (int i = 0; i < n; i++) { mbo_expr_free(&x[i]); }
}

mbd_status load_coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                             const char *const *suffix, int n, const char *text, const char *unit, double min,
                             double max, int *first) {
  char **part, name[300];
  int k;
  mbd_status status = MBD_OK;
  MBD_TRY(list_items(l, s, e, text, suffix, n, &part, &k));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    int index = -1;
    if (suffix) {
      snprintf(name, sizeof name, "%s.%s", base, suffix[i]);
    } else {
      snprintf(name, sizeof name, "%s.%d", base, i + 1);
    }
    status = load_coefficient(l, s, e, name, i < k ? part[i] : "0", unit, min, max, &index);
    if (i == 0) { *first = index; }
  }
  text_list_free(part, k);
  return status;
}
