/* What pages ask of the library beside the functions of mbo/run.h: the data that a report shows of a design, and words of the last failure. Texts are JSON,
 * valid until the next call. */
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/json.h"
#include "mechanism/choices.h"
#include "results/hard_points.h"
#include "results/mechanism_view.h"
#include "results/run_folder.h"
#include "results/run_view.h"
#include "results/scene.h"

mbd_error *engine_error(void);
const char *engine_failure(void);
const char *engine_view(mbo_run *r, const double *x, int gradient);
const char *engine_place(mbo_run *r);
const char *engine_turn(mbo_run *r);
void engine_begin(mbo_run *r, const double *x);
void engine_choose_as(mbo_run *r, const mbo_run *other);

static mbd_error error; /* of the call before; JavaScript knows no layout of structures */
static char *text;

static const char *give(json_t *o) {
  free(text);
  text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(o);
  return text;
}

mbd_error *engine_error(void) {
  return &error;
}

const char *engine_failure(void) {
  return give(json_pack("{s:s, s:s, s:o, s:o}", "status", mbd_status_name(error.code), "means",
                        mbd_status_text(error.code), "text", json_text(error.text), "time",
                        error.time == error.time ? json_real(error.time) : json_null()));
}

/* x [variables] is the start of what follows, until mbo_run_change. */
void engine_begin(mbo_run *r, const double *x) {
  memcpy(r->m->start, x, (size_t)r->m->n * sizeof *x);
}

/* Takes over how another handle of the run file differentiates its cases, which is measured before the first gradient, where they fit. */
void engine_choose_as(mbo_run *r, const mbo_run *other) {
  char *choices = choices_text(other->m);
  if (choices) { choices_take(r->m, choices, &error); }
  free(choices);
}

/* run_view_create of x [variables] in the place of the start; NULL on failure. */
const char *engine_view(mbo_run *r, const double *x, int gradient) {
  double *const start = r->m->start;
  double *here = malloc((size_t)r->m->n * sizeof *here + 1);
  if (!here) {
    (void)MBD_FAILED(&error, MBD_NO_MEMORY, "no memory for the design");
    return NULL;
  }
  memcpy(here, x, (size_t)r->m->n * sizeof *here);
  const run_folder f = {.kind = RUN_SIMULATE,
                        .path = r->path,
                        .run_file = r->path,
                        .config = r->config,
                        .m = r->m,
                        .before = "now",
                        .after = "now"};
  json_t *o = NULL;
  const unsigned what = RUN_VIEW_PAGE | RUN_VIEW_CURVES | RUN_VIEW_LOOK | (gradient ? RUN_VIEW_GRADIENT : 0);
  r->m->start = here;
  warning_forget(&r->warnings);
  const mbd_status status = run_view_create(&f, what, &o, &error);
  r->m->start = start;
  free(here);
  return status == MBD_OK ? give(o) : NULL;
}

/* The simulation of the first case at the start of the run file, not yet begun; NULL: there is no case, or no such design. */
static const mechanism_case *first_case(mbo_run *r) {
  if (r->m->ncase == 0) {
    (void)MBD_FAILED(&error, MBD_BAD_INPUT, "%s: no [case NAME], so that there is no motion", r->path);
    return NULL;
  }
  return mechanism_set_design(r->m, r->m->start, 0, &error) == MBD_OK ? &r->m->cases[0] : NULL;
}

/* The mechanism at its start: scene_at_start with the members of mechanism_view, of hard_points_view, and
 *   start   [{coordinate, unit, value}]
 *   apart   why it cannot be assembled: it is at the position that comes closest; null: it is assembled
 * NULL: it has no such position. */
const char *engine_place(mbo_run *r) {
  const mechanism_case *load = first_case(r);
  if (!load) { return NULL; }
  json_t *o = NULL, *start = json_array();
  const mbd_model *model = load->v->model;
  double *z = calloc((size_t)mbd_model_nz(model) + 1, sizeof *z);
  const mbd_status status = z ? mbd_sim_start(load->sim, load->v->params, z, NULL, NULL, NULL, &error)
                              : MBD_FAILED(&error, MBD_NO_MEMORY, "no memory for the position");
  mbd_error none, *err = status == MBD_OK ? &error : &none;
  if (status == MBD_OK || status == MBD_NO_ASSEMBLY) { (void)scene_at_start(r->m, load, load->sim, &o, err); }
  for (int j = 0; o && j < mbd_model_nz(model) - mbd_model_nstate(model); j++) {
    json_array_append_new(start, json_pack("{s:s, s:s?, s:o}", "coordinate", mbd_model_z_name(model, j), "unit",
                                           mbd_model_z_unit(model, j), "value", json_number(z[j])));
  }
  free(z);
  json_object_set_new(o, "start", start);
  if (!o) { return NULL; }
  if (status == MBD_OK) { mechanism_view(load, o); }
  hard_points_view(load, o);
  json_object_set_new(o, "apart", status == MBD_OK ? json_null() : json_text(error.text));
  return give(o);
}

/* The motion of the first case, which is kinematic: scene_as_far with
 *   ends   why it ends on its way; null: it does not
 *   free   [names] coordinates that would determine the position, had they a drive
 * NULL: there is no position to begin with, nor such coordinates. */
const char *engine_turn(mbo_run *r) {
  const mechanism_case *load = first_case(r);
  if (!load) { return NULL; }
  json_t *o = NULL, *names = json_array();
  mbd_status status = mbd_sim_start(load->sim, load->v->params, NULL, NULL, NULL, NULL, &error);
  if (status == MBD_BAD_INPUT) { /* too few drives */
    int rank, n;
    const int *row, *held;
    mbd_sim_rank(load->sim, &rank, &row, &n, &held);
    for (int i = 0; i < n; i++) {
      const int is_state = held[i] >= mbd_model_nz(load->v->model) - mbd_model_nstate(load->v->model);
      if (!is_state) { json_array_append_new(names, json_string(mbd_model_z_name(load->v->model, held[i]))); }
    }
    o = json_array_size(names) > 0 ? json_object() : NULL;
  } else if (status == MBD_OK) {
    status = scene_as_far(r->m, load, &o, &error);
  }
  json_object_set_new(o, "free", names);
  json_object_set_new(o, "ends", status == MBD_OK ? json_null() : json_text(error.text));
  return o ? give(o) : NULL;
}
