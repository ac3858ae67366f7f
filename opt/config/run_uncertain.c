/* Checks of what run files say about scalars that scatter. */
#include "config/uncertain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/expr.h"
#include "files/memory.h"
#include "scatter/correlation.h"
#include "scatter/measure.h"
#include "scatter/normal.h"

static int is(const mbo_uncertain_config *u, const char *distribution) {
  return strcmp(u->distribution, distribution) == 0;
}

double uncertain_deviate(const mbo_uncertain_config *u, double p) {
  return is(u, "normal") ? normal_quantile(p) : is(u, "uniform") ? sqrt(12) * (p - 0.5) : p;
}

/* ---- checks ---- */

static int number_of(const mbo_run_config *c, const char *name) {
  int i = c->nuncertain - 1;
  while (i >= 0 && strcmp(c->uncertain[i].name, name) != 0) { i--; }
  return i;
}

/* A distribution has its numbers, and no others. */
static mbd_status check_numbers(const ini_file *f, const mbo_uncertain_config *u, ini_section *s, mbd_error *err) {
  const struct {
    const char *key, *text;
    int needed;
  } of[] = {{"deviation", u->deviation, is(u, "normal")},
            {"lower", u->lower, !is(u, "normal")},
            {"upper", u->upper, !is(u, "normal")}};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    if (of[i].needed && !*of[i].text) {
      return ini_fail(f, s, NULL, err, "key '%s' is missing, which distribution = %s has: an expression of scalars",
                      of[i].key, u->distribution);
    }
    if (!of[i].needed && *of[i].text) {
      return ini_fail(f, s, ini_get(s, of[i].key), err, "distribution = %s has no %s, expected %s", u->distribution,
                      of[i].key, is(u, "normal") ? "deviation" : "lower and upper");
    }
  }
  return MBD_OK;
}

static mbd_status check_correlations(const ini_file *f, const mbo_run_config *c, const mbo_uncertain_config *u,
                                     ini_section *s, mbd_error *err) {
  char key[MBO_NAME_MAX + 16], hint[MBD_HINT];
  for (int i = 0; i < u->correlation.value.n; i++) {
    const char *name = u->correlation.pairs.name.v[i];
    const int other = number_of(c, name);
    snprintf(key, sizeof key, "correlation.%.120s", name);
    const ini_entry *e = ini_get(s, key);
    if (other < 0) {
      mbd_nearest near = {.requested = name};
      for (int k = 0; k < c->nuncertain; k++) { mbd_nearest_offer(&near, c->uncertain[k].name); }
      return ini_fail(f, s, e, err, "there is no [uncertain %s]%s", name, mbd_nearest_text(&near, hint, sizeof hint));
    }
    if (&c->uncertain[other] == u) { return ini_fail(f, s, e, err, "expected the name of another [uncertain NAME]"); }
    if (!is(u, "normal") || !is(&c->uncertain[other], "normal")) {
      return ini_fail(f, s, e, err, "'%s' is %s, expected distribution = normal of both",
                      is(u, "normal") ? name : u->name,
                      is(u, "normal") ? c->uncertain[other].distribution : u->distribution);
    }
    const mbo_uncertain_config *v = &c->uncertain[other];
    for (int k = 0; k < v->correlation.value.n; k++) {
      if (strcmp(v->correlation.pairs.name.v[k], u->name) == 0 &&
          v->correlation.value.v[k] != u->correlation.value.v[i]) {
        return ini_fail(f, s, e, err, "[uncertain %s] has correlation.%s = %g, expected it once, or the same number",
                        name, u->name, v->correlation.value.v[k]);
      }
    }
  }
  return MBD_OK;
}

mbd_status uncertain_correlation(const mbo_run_config *c, double *C, double *L, mbd_error *err) {
  const int n = c->nuncertain;
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (int i = 0; i < n; i++) {
    const mbo_uncertain_config *u = &c->uncertain[i];
    C[i * n + i] = 1;
    for (int k = 0; k < u->correlation.value.n; k++) {
      const int j = number_of(c, u->correlation.pairs.name.v[k]);
      C[i * n + j] = C[j * n + i] = u->correlation.value.v[k];
    }
  }
  const int at = correlation_factor(n, C, L);
  if (at < 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: [uncertain %s]: the correlations are not positive definite: with those of the sections before, no "
           "numbers that scatter have them; expected smaller ones",
           c->path, c->uncertain[at].name);
}

static mbd_status check_correlation(const mbo_run_config *c, mbd_error *err) {
  const size_t n = (size_t)c->nuncertain;
  double *C = malloc((2 * n * n + 1) * sizeof *C);
  MEMORY_TRY(C, err, "the correlations");
  const mbd_status status = uncertain_correlation(c, C, C + n * n, err);
  free(C);
  return status;
}

static mbd_status check_across(const ini_file *f, const mbo_run_config *c, const mbo_objective_config *o,
                               ini_section *s, mbd_error *err) {
  static const char *const keys[] = {"across.sigmas", "across.level", "across.limit", "across.width", "across.tail"};
  if (!*o->across) {
    for (size_t i = 0; s && i < sizeof keys / sizeof keys[0]; i++) {
      const ini_entry *e = ini_get(s, keys[i]);
      /* Resolved files have all keys, with their defaults. */
      if (!e || !*e->value || (i == 0 && o->across_sigmas == 3) || (i == 1 && o->across_level == 0.9) ||
          (i == 4 && strcmp(o->across_tail, "upper") == 0)) {
        continue;
      }
      return ini_fail(f, s, e, err, "there is no 'across', expected it with this key");
    }
    return MBD_OK;
  }
  const ini_entry *e = ini_get(s, "across");
  if (c->nuncertain == 0) {
    return ini_fail(f, s, e, err, "nothing scatters, expected an [uncertain NAME] with a scalar of the model");
  }
  if (strcmp(o->across, "probability") == 0 && isnan(o->across_limit)) {
    return ini_fail(f, s, e, err, "key 'across.limit' is missing: the probability is that of more");
  }
  if (c->scenarios.samples > 0) { return MBD_OK; }
  if (!measure_has_normal(measure_find(o->across))) {
    return ini_fail(f, s, e, err,
                    "to first order, without samples, scatter has no largest value; expected [scenarios] samples = "
                    "NUMBER, as 32");
  }
  if (*o->value) {
    return ini_fail(f, s, e, err,
                    "a value that scatters takes samples, which cost no simulation; expected [scenarios] samples = "
                    "NUMBER, as 256");
  }
  return MBD_OK;
}

mbd_status uncertain_check(const ini_file *f, mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nuncertain; i++) {
    mbo_uncertain_config *u = &c->uncertain[i];
    ini_section *s = ini_find(f, "uncertain", u->name);
    if (!*u->scalar) { MBD_TRY(ini_replace(f, &u->scalar, u->name, err)); }
    for (int k = 0; k < i; k++) {
      if (strcmp(c->uncertain[k].scalar, u->scalar) == 0) {
        return ini_fail(f, s, NULL, err, "scalar '%s' scatters already by [uncertain %s]", u->scalar,
                        c->uncertain[k].name);
      }
    }
    MBD_TRY(check_numbers(f, u, s, err));
  }
  for (int i = 0; i < c->nuncertain; i++) {
    const mbo_uncertain_config *u = &c->uncertain[i];
    MBD_TRY(check_correlations(f, c, u, ini_find(f, "uncertain", u->name), err));
  }
  MBD_TRY(check_correlation(c, err));
  if (c->scenarios.samples == 1) {
    ini_section *s = ini_find(f, "scenarios", "");
    return ini_fail(f, s, ini_get(s, "samples"), err,
                    "one sample has no scatter, expected 0 (to first order), or 2 and more");
  }
  for (int i = 0; i < c->nobjective; i++) {
    const mbo_objective_config *o = &c->objective[i];
    if (!o->measured) { MBD_TRY(check_across(f, c, o, ini_find(f, "objective", o->name), err)); }
  }
  for (int i = 0; i < c->nconstraint; i++) {
    const mbo_objective_config *o = &c->constraint[i];
    MBD_TRY(check_across(f, c, o, ini_find(f, "constraint", o->name), err));
  }
  return MBD_OK;
}
