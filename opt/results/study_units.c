#include "results/study_units.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "config/model_file.h"
#include "config/options.h"
#include "mechanism/units.h"

/* ---- keys ---- */

static const char *unit_by_name(const study_data *d, const char *variable) {
  for (int j = 0; j < d->m->n; j++) {
    if (strcmp(d->m->name[j], variable) == 0) { return unit_of_variable(d->m, j); }
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

/* The unit of "scalars.NAME", "design.NAME.start" or any "SECTION.KEY", "SECTION.NAME.KEY". */
static const char *unit_of_key(const study_data *d, const char *key) {
  const char *dot = strchr(key, '.'), *last = strrchr(key, '.');
  char kind[32] = "", name[MBO_NAME_MAX + 1] = "";
  if (!dot || (size_t)(dot - key) >= sizeof kind) { return ""; }
  memcpy(kind, key, (size_t)(dot - key));
  if (strcmp(kind, "scalars") == 0) { return unit_of_scalar(d->m, dot + 1); }
  if (strcmp(kind, "design") == 0) {
    if (last == dot || (size_t)(last - dot) > sizeof name) { return ""; }
    memcpy(name, dot + 1, (size_t)(last - dot - 1));
    return unit_by_name(d, name);
  }
  const option_section *s = option_section_find(kind);
  return s ? unit_of_row(s, last + 1) : "";
}

/* ---- quantities ---- */

static char *unit_of_column(const study_data *d, const char *name) {
  static const char *const before[] = {"gradient of ", "start.", "result."};
  const mechanism *m = d->m;
  if (strncmp(name, before[0], strlen(before[0])) == 0) { name += strlen(before[0]); }
  for (int i = 1; i < 3; i++) {
    if (strncmp(name, before[i], strlen(before[i])) == 0) {
      return mbd_strdup(unit_by_name(d, name + strlen(before[i])));
    }
  }
  char *unit = unit_of_named(m, name);
  if (!unit || *unit || strcmp(name, "objective") != 0) { return unit; }
  free(unit);
  return unit_of_objective(m);
}

/* ---- problems of a comparison ---- */

/* The mechanism of the study is that of its first run file; others are read for their objective alone. */
static mbd_status objective_of(study_data *d, int problem, char **label, mbd_error *err) {
  mbo_run_config *config = NULL;
  mechanism *m = NULL;
  mbd_error why = {0};
  int start;
  mbd_status status = MBD_OK;
  /* A run of the problem from its own start; -1: there is none. */
  const int n = d->profiles.nbackend;
  long run = -1;
  for (int b = 0; problem > 0 && d->m && b < n && run < 0; b++) { run = d->from_own[problem * n + b]; }
  if (run >= 0) { status = study_configure(d->s, run, &config, &start, &why); }
  if (config && status == MBD_OK) { status = mechanism_create(config, &m, &why); }
  if (status != MBD_NO_MEMORY) { *label = objective_axis(problem == 0 ? d->m : m); }
  mechanism_destroy(m);
  mbo_run_config_destroy(config);
  return *label ? MEMORY_WHOLE(err, "the units of the study") : MEMORY_NONE(err, "the units of the study");
}

mbd_status study_units_problems(study_data *d, mbd_error *err) {
  d->objective = mbd_zeros((size_t)d->s->nfile, sizeof *d->objective);
  MEMORY_TRY(d->objective, err, "the units of the study");
  for (int i = 0; i < d->s->nfile; i++) { MBD_TRY(objective_of(d, i, &d->objective[i], err)); }
  return MBD_OK;
}

/* ---- columns ---- */

char *study_units_heading(const study_data *d, const char *column) {
  for (int j = 0; d->key_axis && j < d->keys.n; j++) { /* a comparison has none */
    if (strcmp(d->s->column[j].name, column) == 0) { return mbd_strdup(d->key_axis[j]); }
  }
  const int known = d->m && d->s->nfile == 1;
  char *unit = known ? unit_of_column(d, column) : mbd_strdup("");
  if (unit && !*unit && known) {
    free(unit);
    unit = mbd_strdup(unit_by_name(d, column));
  }
  char *heading = unit_label(column, unit);
  free(unit);
  return heading;
}

mbd_status study_units_find(study_data *d, mbd_error *err) {
  d->key_unit = mbd_zeros((size_t)d->keys.n, sizeof *d->key_unit);
  d->key_axis = mbd_zeros((size_t)d->keys.n, sizeof *d->key_axis);
  for (int j = 0; d->key_unit && d->key_axis && j < d->keys.n; j++) {
    const char *unit = d->m ? unit_of_key(d, d->s->column[j].key) : "";
    d->key_unit[j] = mbd_strdup(unit), d->key_axis[j] = unit_label(d->keys.key[j].name, unit);
  }
  for (int k = 0; k < d->nquantity; k++) {
    study_quantity *quantity = &d->quantity[k];
    quantity->unit = d->m ? unit_of_column(d, quantity->name) : mbd_strdup("");
    quantity->axis = unit_label(quantity->label, quantity->unit);
  }
  return MEMORY_WHOLE(err, "the units of the study");
}
