#include "report/study_units.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/model_file.h"
#include "config/options.h"

static int is_none(const char *unit) {
  return !*unit || strcmp(unit, "-") == 0 || strcmp(unit, "1") == 0;
}

char *study_unit_power(const char *unit, int power, int seconds) {
  const char *time = seconds ? "s" : "";
  if (is_none(unit) || power == 0) { return mbd_strdup(time); }
  const int simple = power == 1 || !strpbrk(unit, " /*^");
  char exponent[16] = "";
  if (power != 1) { snprintf(exponent, sizeof exponent, "^%d", power); }
  return mbd_sprintf_dup("%s%s%s%s%s%s", simple ? "" : "(", unit, simple ? "" : ")", exponent, *time ? " " : "", time);
}

char *study_unit_label(const char *name, const char *unit) {
  return is_none(unit) ? mbd_strdup(name) : mbd_sprintf_dup("%s [%s]", name, unit);
}

/* ---- keys ---- */

static const char *unit_of_scalar(const study_data *d, const char *name) {
  int k;
  mbd_error err;
  const mbo_model_file *f = d->m->variant[0].file;
  return model_file_scalar(f, name, &k, &err) == MBD_OK ? model_file_unit(f, k) : "";
}

static const char *unit_of_variable(const study_data *d, const char *name) {
  for (int j = 0; j < d->m->n; j++) {
    if (strcmp(d->m->name[j], name) == 0) { return unit_of_scalar(d, d->m->design.what[j]); }
  }
  return "";
}

static const char *unit_of_row(const option_section *s, const char *key) {
  option_row row;
  for (int i = 0; option_row_at(s->row, i, &row); i++) {
    if (strcmp(row.key, key) == 0) { return row.unit ? row.unit : ""; }
  }
  return "";
}

/* Of "scalars.NAME", "design.NAME.start" or any "SECTION.KEY", "SECTION.NAME.KEY". */
static const char *unit_of_key(const study_data *d, const char *key) {
  const char *dot = strchr(key, '.'), *last = strrchr(key, '.');
  char kind[32] = "", name[MBO_NAME_MOST + 1] = "";
  if (!dot || (size_t)(dot - key) >= sizeof kind) { return ""; }
  memcpy(kind, key, (size_t)(dot - key));
  if (strcmp(kind, "scalars") == 0) { return unit_of_scalar(d, dot + 1); }
  if (strcmp(kind, "design") == 0) {
    if (last == dot || (size_t)(last - dot) > sizeof name) { return ""; }
    memcpy(name, dot + 1, (size_t)(last - dot - 1));
    return unit_of_variable(d, name);
  }
  const option_section *s = option_section_find(kind);
  return s ? unit_of_row(s, last + 1) : "";
}

/* ---- quantities ---- */

/* The output and the form of an objective or constraint; "": it is an expression. */
static char *unit_of_objective(const study_data *d, int quantity) {
  for (int c = 0; c < d->m->ncase; c++) {
    const mechanism_case *q = &d->m->cases[c];
    for (int i = 0; i < q->nterm; i++) {
      const mbd_term *k = &q->term[i];
      const mbd_form_info *form = mbd_form_find(k->form);
      if (q->quantity[k->psi] != quantity || !form) { continue; }
      return study_unit_power(mbd_outputs_unit(q->outputs, k->output), form->power[0], form->power[1]);
    }
  }
  return mbd_strdup("");
}

static char *unit_of_quantity(const study_data *d, const char *name) {
  static const char *const before[] = {"gradient of ", "start.", "result."};
  const mechanism *m = d->m;
  if (strncmp(name, before[0], strlen(before[0])) == 0) { name += strlen(before[0]); }
  for (int i = 1; i < 3; i++) {
    if (strncmp(name, before[i], strlen(before[i])) == 0) {
      return mbd_strdup(unit_of_variable(d, name + strlen(before[i])));
    }
  }
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    if (strcmp(mechanism_quantity(m, i), name) == 0) { return unit_of_objective(d, i); }
  }
  return mbd_strdup("");
}

mbd_status study_units_find(study_data *d, mbd_error *err) {
  d->key_unit = calloc((size_t)d->keys.n + 1, sizeof *d->key_unit);
  d->key_axis = calloc((size_t)d->keys.n + 1, sizeof *d->key_axis);
  int ok = d->key_unit && d->key_axis;
  for (int j = 0; ok && j < d->keys.n; j++) {
    const char *unit = d->m ? unit_of_key(d, d->s->column[j].key) : "";
    d->key_unit[j] = mbd_strdup(unit), d->key_axis[j] = study_unit_label(d->keys.key[j].name, unit);
    ok = d->key_unit[j] && d->key_axis[j];
  }
  for (int k = 0; ok && k < d->nquantity; k++) {
    study_quantity *q = &d->quantity[k];
    q->unit = d->m ? unit_of_quantity(d, q->name) : mbd_strdup("");
    q->axis = q->unit ? study_unit_label(q->label, q->unit) : NULL;
    ok = q->axis != NULL;
  }
  if (!ok) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the units of the study"); }
  return MBD_OK;
}
