/* Opens, changes and closes run files; names of their objects. */
#include "api/run.h"

#include <stdlib.h>

#include "files/memory.h"
#include "files/text_list.h"
#include "mechanism/warnings.h"
#include "files/warning_words.h"
#include "mbd/version.h"
#include "plugin/plugin.h"

int mbo_api(void) {
  return MBO_API;
}

const char *mbo_version(void) {
  return MBD_VERSION;
}

void mbo_plugins_allow(int allow) {
  plugin_allow(allow);
}

/* ---- opening and closing ---- */

static void add_settings(mbo_run *r, int nset, const char *const *set) {
  for (int i = 0; i < nset; i++) { text_list_add(&r->set, &r->nset, set[i]); }
}

static mbd_status make_ready(mbo_run *r, mbd_error *err) {
  MBD_TRY(mbo_run_config_read(r->path, r->nset, (const char *const *)r->set, &r->config, err));
  MBD_TRY(mechanism_create(r->config, &r->m, err));
  mechanism_problem(r->m, &r->problem);
  const size_t n = (size_t)r->m->n, nc = (size_t)r->m->nconstraint;
  r->g = mbd_zeros(n, sizeof *r->g), r->c = mbd_zeros(nc, sizeof *r->c);
  r->jac = mbd_zeros(nc * n, sizeof *r->jac);
  return r->g && r->c && r->jac ? MBD_OK : MEMORY_NONE(err, "a run file");
}

/* Opens path with the settings of `earlier` (NULL: none), followed by the given ones. */
static mbd_status open_with(const char *path, const mbo_run *earlier, int nset, const char *const *set, mbo_run **out,
                            mbd_error *err) {
  const long lost = mbd_memory_lost();
  mbo_run *r = mbd_zeros(1, sizeof *r);
  *out = NULL;
  MEMORY_TRY(r, err, "a run file");
  r->path = mbd_strdup(path);
  if (earlier) { add_settings(r, earlier->nset, (const char *const *)earlier->set); }
  add_settings(r, nset, set);
  mbd_status status = MEMORY_SINCE(lost, err, "a run file");
  if (status == MBD_OK) { status = make_ready(r, err); }
  if (status != MBD_OK) {
    mbo_run_close(r);
    return status;
  }
  *out = r;
  return MBD_OK;
}

mbd_status mbo_run_open(const char *path, int nset, const char *const *set, mbo_run **out, mbd_error *err) {
  return open_with(path, NULL, nset, set, out, err);
}

void mbo_run_close(mbo_run *r) {
  if (!r) { return; }
  warning_forget(&r->warnings);
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
  for (int i = 0; i < r->nset; i++) { free(r->set[i]); }
  free(r->set), free(r->path), free(r->option), free(r->g), free(r->c), free(r->jac);
  free(r);
}

mbd_status mbo_run_change(mbo_run *r, int nset, const char *const *set, mbd_error *err) {
  mbo_run *changed;
  MBD_TRY(open_with(r->path, r, nset, set, &changed, err));
  changed->m->threads = r->m->threads, changed->m->stop = r->m->stop;
  changed->m->as_with_gradient = r->m->as_with_gradient;
  changed->on_iteration = r->on_iteration, changed->user = r->user;
  const mbo_run was = *r;
  *r = *changed, *changed = was;
  mbo_run_close(changed);
  return MBD_OK;
}

void mbo_run_threads(mbo_run *r, int n) {
  r->m->threads = n;
}

void mbo_run_as_with_gradient(mbo_run *r, int on) {
  r->m->as_with_gradient = on;
}

void mbo_run_stop(mbo_run *r, const volatile sig_atomic_t *stop) {
  r->m->stop = stop;
}

const double *run_begin(mbo_run *r, const double *x) {
  warning_forget(&r->warnings);
  return x ? x : r->m->start;
}

mechanism_case *run_case(const mbo_run *r, int i, mbd_error *err) {
  if (i >= 0 && i < r->m->ncase) { return &r->m->cases[i]; }
  (void)MBD_FAILED(err, MBD_BAD_INPUT, "%s: case number %d is not there, expected 0 to %d", r->path, i,
                   r->m->ncase - 1);
  return NULL;
}

/* ---- warnings ---- */

const char *warning_at(warning_list *list, mechanism *m, int i) {
  if (!list->all) { list->all = warnings_json(m); }
  const json_t *one = i < 0 ? NULL : json_array_get(list->all, (size_t)i);
  if (!one) { return NULL; }
  free(list->text);
  list->text = warning_words(one);
  return list->text ? list->text : "a warning for whose text there is no memory";
}

void warning_forget(warning_list *list) {
  json_decref(list->all);
  free(list->text);
  *list = (warning_list){0};
}

const char *mbo_run_warning(mbo_run *r, int i) {
  return warning_at(&r->warnings, r->m, i);
}

/* ---- names ---- */

int mbo_run_variables(const mbo_run *r) {
  return r->m->n;
}

const char *mbo_run_variable(const mbo_run *r, int i) {
  return i >= 0 && i < r->m->n ? r->m->name[i] : NULL;
}

const double *mbo_run_start(const mbo_run *r) {
  return r->m->start;
}

const double *mbo_run_lower(const mbo_run *r) {
  return r->m->lower;
}

const double *mbo_run_upper(const mbo_run *r) {
  return r->m->upper;
}

const double *mbo_run_scale(const mbo_run *r) {
  return r->m->scale;
}

int mbo_run_objectives(const mbo_run *r) {
  return r->m->nobjective;
}

int mbo_run_constraints(const mbo_run *r) {
  return r->m->nconstraint;
}

const char *mbo_run_quantity(const mbo_run *r, int i) {
  return i >= 0 && i < r->m->nobjective + r->m->nconstraint ? mechanism_quantity(r->m, i) : NULL;
}

const double *mbo_run_constraint_lower(const mbo_run *r) {
  return r->m->c_lower;
}

const double *mbo_run_constraint_upper(const mbo_run *r) {
  return r->m->c_upper;
}

int mbo_run_cases(const mbo_run *r) {
  return r->m->ncase;
}

const char *mbo_run_case(const mbo_run *r, int i) {
  return i >= 0 && i < r->m->ncase ? r->m->cases[i].config->name : NULL;
}

const char *mbo_run_coordinate(const mbo_run *r, int i, int j) {
  if (i < 0 || i >= r->m->ncase) { return NULL; }
  const mbd_model *model = r->m->cases[i].v->model;
  return j >= 0 && j < mbd_model_nz(model) ? mbd_model_z_name(model, j) : NULL;
}
