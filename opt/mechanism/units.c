#include "mechanism/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/model_file.h"

int unit_is_none(const char *unit) {
  return !unit || !*unit || strcmp(unit, "-") == 0 || strcmp(unit, "1") == 0;
}

char *unit_power(const char *unit, int power, int seconds) {
  const char *time = seconds ? "s" : "";
  if (unit_is_none(unit) || power == 0) { return mbd_strdup(time); }
  const int simple = power == 1 ? !(*time && strchr(unit, '/')) : !strpbrk(unit, " /*^");
  char exponent[16] = "";
  if (power != 1) { snprintf(exponent, sizeof exponent, "^%d", power); }
  return mbd_sprintf_dup("%s%s%s%s%s%s", simple ? "" : "(", unit, simple ? "" : ")", exponent, *time ? " " : "", time);
}

const char *unit_of_scalar(const mechanism *m, const char *name) {
  int k;
  mbd_error err;
  const mbo_model_file *f = m->variant[0].file;
  return model_file_scalar(f, name, &k, &err) == MBD_OK ? model_file_unit(f, k) : "";
}

const char *unit_of_variable(const mechanism *m, int j) {
  return unit_of_scalar(m, m->design.what[j]);
}

char *unit_of_quantity(const mechanism *m, int i) {
  const int across = scenarios_across(m, i);
  if (across >= 0 && measure_counts(m->scenarios->across[across].is)) { return mbd_strdup(""); }
  for (int c = 0; c < m->nload; c++) {
    const mechanism_case *load = &m->cases[c];
    for (int k = 0; k < load->nterm; k++) {
      const mbd_term *term = &load->term[k];
      const mbd_form_info *form = mbd_form_find(term->form);
      if (scenarios_owner(m, load->quantity[term->psi]) != i || !form) { continue; }
      return unit_power(mbd_outputs_unit(load->outputs, term->output), form->power[0], form->power[1]);
    }
  }
  return mbd_strdup("");
}

char *unit_of_named(const mechanism *m, const char *quantity) {
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    if (strcmp(mechanism_quantity(m, i), quantity) == 0) { return unit_of_quantity(m, i); }
  }
  return mbd_strdup("");
}

/* Terms of weight zero are ignored. */
char *unit_of_objective(const mechanism *m) {
  char *common = NULL;
  int differ = 0;
  for (int i = 0; i < m->nobjective; i++) {
    if (m->config->objective[i].weight == 0) { continue; }
    char *unit = unit_of_quantity(m, i);
    differ |= common && unit && strcmp(unit, common) != 0;
    free(common);
    common = unit;
  }
  if (common && !differ) { return common; }
  free(common);
  return mbd_strdup("");
}

const char *objective_label(const mechanism *m) {
  static const char one[] = "objective";
  if (!m || m->nobjective < 2) { return one; }
  char *unit = unit_of_objective(m);
  const int common = unit && !unit_is_none(unit);
  free(unit);
  if (common) { return one; }
  return strcmp(m->config->objectives.combine, "worst") == 0 ? "objective (largest weighted term)"
                                                             : "objective (weighted sum)";
}

char *unit_label(const char *name, const char *unit) {
  return unit_is_none(unit) ? mbd_strdup(name) : mbd_sprintf_dup("%s [%s]", name, unit);
}

char *objective_axis(const mechanism *m) {
  char *unit = m ? unit_of_objective(m) : mbd_strdup("");
  char *label = unit_label(objective_label(m), unit);
  free(unit);
  return label;
}
