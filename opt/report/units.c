#include "report/units.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "config/model_file.h"

int unit_is_none(const char *unit) {
  return !*unit || strcmp(unit, "-") == 0 || strcmp(unit, "1") == 0;
}

char *unit_power(const char *unit, int power, int seconds) {
  const char *time = seconds ? "s" : "";
  if (unit_is_none(unit) || power == 0) { return mbd_strdup(time); }
  const int simple = power == 1 || !strpbrk(unit, " /*^");
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
  for (int c = 0; c < m->ncase; c++) {
    const mechanism_case *q = &m->cases[c];
    for (int k = 0; k < q->nterm; k++) {
      const mbd_term *term = &q->term[k];
      const mbd_form_info *form = mbd_form_find(term->form);
      if (q->quantity[term->psi] != i || !form) { continue; }
      return unit_power(mbd_outputs_unit(q->outputs, term->output), form->power[0], form->power[1]);
    }
  }
  return mbd_strdup("");
}
