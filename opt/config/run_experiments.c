#include "config/run_experiments.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

static int is_among(const mbo_names *list, int n, const char *name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(list->v[i], name) == 0) { return 1; }
  }
  return 0;
}

static mbd_status check_once(const ini_file *f, ini_section *s, const char *key, const mbo_names *list,
                             mbd_error *err) {
  for (int i = 0; i < list->n; i++) {
    if (is_among(list, i, list->v[i])) {
      return ini_fail(f, s, ini_get(s, key), err, "'%s' is there twice, expected it once", list->v[i]);
    }
  }
  return MBD_OK;
}

/* A name that is to be one of the parameters; e: its entry. */
static mbd_status check_parameter(const ini_file *f, ini_section *s, const ini_entry *e, const mbo_names *parameters,
                                  const char *name, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  if (is_among(parameters, parameters->n, name)) { return MBD_OK; }
  for (int i = 0; i < parameters->n; i++) { mbd_nearest_offer(&near, parameters->v[i]); }
  return ini_fail(f, s, e, err, "'%s' is none of the parameters of the section%s", name,
                  mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status check_priors(const ini_file *f, ini_section *s, const mbo_experiment_config *k, mbd_error *err) {
  const mbo_names *prior = &k->prior.pairs.name;
  for (int i = 0; i < prior->n; i++) {
    char *key = mbd_sprintf_dup("prior.%s", prior->v[i]);
    if (!key) { return ini_no_memory(f, err); }
    const mbd_status status = check_parameter(f, s, ini_get(s, key), &k->parameters, prior->v[i], err);
    free(key);
    MBD_TRY(status);
  }
  return MBD_OK;
}

static mbd_status check_sensors(const ini_file *f, const mbo_run_config *c, ini_section *s,
                                const mbo_experiment_config *k, mbd_error *err) {
  char hint[MBD_HINT];
  if (c->nsensor == 0) {
    return ini_fail(f, s, NULL, err, "there is no [sensor NAME], expected what measures in the experiment");
  }
  for (int i = 0; i < k->sensors.n; i++) {
    mbd_nearest near = {.requested = k->sensors.v[i]};
    int known = 0;
    for (int j = 0; j < c->nsensor; j++) { known |= strcmp(c->sensor[j].name, k->sensors.v[i]) == 0; }
    if (known) { continue; }
    for (int j = 0; j < c->nsensor; j++) { mbd_nearest_offer(&near, c->sensor[j].name); }
    return ini_fail(f, s, ini_get(s, "sensors"), err, "[sensor %s] is not known%s", k->sensors.v[i],
                    mbd_nearest_text(&near, hint, sizeof hint));
  }
  return MBD_OK;
}

mbd_status run_experiments_check(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nexperiment; i++) {
    const mbo_experiment_config *k = &c->experiment[i];
    ini_section *s = ini_find(f, "experiment", k->name);
    if (c->nuncertain > 0) {
      return ini_fail(f, s, NULL, err,
                      "experiments are planned at numbers that do not scatter, expected no [uncertain %s] beside it",
                      c->uncertain[0].name);
    }
    for (int j = 0; j < c->nmode; j++) {
      if (strcmp(c->mode[j].name, k->name) != 0) { continue; }
      return ini_fail(f, s, NULL, err, "there is a [mode %s] already, expected another name", k->name);
    }
    MBD_TRY(check_once(f, s, "parameters", &k->parameters, err));
    MBD_TRY(check_once(f, s, "of_interest", &k->of_interest, err));
    MBD_TRY(check_once(f, s, "sensors", &k->sensors, err));
    for (int j = 0; j < k->of_interest.n; j++) {
      MBD_TRY(check_parameter(f, s, ini_get(s, "of_interest"), &k->parameters, k->of_interest.v[j], err));
    }
    MBD_TRY(check_priors(f, s, k, err));
    MBD_TRY(check_sensors(f, c, s, k, err));
  }
  return MBD_OK;
}
