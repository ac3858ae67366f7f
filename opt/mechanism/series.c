#include "mechanism/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- columns ---- */

static mbd_status no_memory(const series *s, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the columns of case '%s'", s->load->config->name);
}

/* One more column with a name and a unit in new memory, NULL where there was none for them. */
static mbd_status add(series *s, series_kind kind, int index, char *name, char *unit, mbd_error *err) {
  series_column *grown = name && unit ? mbd_list_grow(s->column, s->n, sizeof *grown) : NULL;
  if (!grown) {
    free(name), free(unit);
    return no_memory(s, err);
  }
  s->column = grown;
  grown[s->n++] = (series_column){kind, index, name, unit};
  return MBD_OK;
}

/* Coordinates, or their rates, or their accelerations. */
static mbd_status add_coordinates(series *s, series_kind kind, const char *suffix, const char *per, mbd_error *err) {
  const mbd_model *model = s->load->v->model;
  for (int j = 0; j < mbd_model_nz(model); j++) {
    const char *unit = mbd_model_z_unit(model, j);
    MBD_TRY(add(s, kind, j, mbd_sprintf_dup("%s%s", mbd_model_z_name(model, j), suffix),
                mbd_sprintf_dup("%s%s", *per && *unit == '-' ? "1" : unit, per), err));
  }
  return MBD_OK;
}

/* Outputs; asked [nphi]: multipliers among them, which are known by the name that was asked for. */
static mbd_status add_outputs(series *s, unsigned char *asked, mbd_error *err) {
  const mbd_outputs *o = s->load->outputs;
  for (int i = 0; i < mbd_outputs_count(o); i++) {
    const int row = mbd_outputs_multiplier(o, i);
    if (row >= 0) { asked[row] = 1; }
    if (mbd_outputs_is_repeated(o, i) || mbd_outputs_coordinate(o, i) >= 0) { continue; }
    MBD_TRY(add(s, SERIES_OUTPUT, i, mbd_strdup(mbd_outputs_name(o, i)), mbd_strdup(mbd_outputs_unit(o, i)), err));
  }
  return MBD_OK;
}

static mbd_status add_multipliers(series *s, const unsigned char *asked, mbd_error *err) {
  const mbd_model *model = s->load->v->model;
  for (int i = 0; i < mbd_model_nphi(model); i++) {
    if (asked[i]) { continue; }
    MBD_TRY(add(s, SERIES_MULTIPLIER, i, mbd_sprintf_dup("lam %s", mbd_model_phi_name(model, i)),
                mbd_strdup(mbd_model_lam_unit(model, i)), err));
  }
  return MBD_OK;
}

/* Objectives and constraints of the case that have a value at each time. */
static mbd_status add_so_far(series *s, mbd_error *err) {
  const mechanism_case *load = s->load;
  for (int i = 0; s->m->config->output.objectives && i < load->npsi; i++) {
    if (!mbd_sim_is_integral(load->sim, i)) { continue; }
    const char *kind = load->quantity[i] < s->m->nobjective ? "objective" : "constraint";
    MBD_TRY(add(s, SERIES_SO_FAR, i, mbd_sprintf_dup("%s %s", kind, mechanism_quantity(s->m, load->quantity[i])),
                mbd_strdup(""), err));
  }
  return MBD_OK;
}

static mbd_status need_projections(series *s, mbd_error *err) {
  const mechanism_case *load = s->load;
  const int m = mbd_model_nphi(load->v->model);
  s->projections = calloc(2 * (size_t)m + 1, sizeof *s->projections);
  if (!s->projections) { return no_memory(s, err); }
  if (mbd_sim_projections(load->sim, s->projections, s->projections + m)) { return MBD_OK; }
  if (strcmp(load->c.analysis, "motion") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [output] projections = yes: case '%s' has none, its analysis is %s, expected motion",
             s->m->config->path, load->config->name, load->c.analysis);
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s: [output] projections = yes: formulation '%s' of case '%s' has none, expected ali3p or penalty",
           s->m->config->path, load->c.formulation, load->config->name);
}

/* sigma is a force over some time. */
static mbd_status add_projections(series *s, mbd_error *err) {
  const mbd_model *model = s->load->v->model;
  const int m = mbd_model_nphi(model);
  if (!s->m->config->output.projections) { return MBD_OK; }
  MBD_TRY(need_projections(s, err));
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < m; i++) {
      MBD_TRY(add(s, SERIES_PROJECTION, k * m + i,
                  mbd_sprintf_dup("%s %s", k ? "kappa" : "sigma", mbd_model_phi_name(model, i)),
                  mbd_sprintf_dup("%s%s", mbd_model_lam_unit(model, i), k ? "" : " s"), err));
    }
  }
  return MBD_OK;
}

static mbd_status add_all(series *s, unsigned char *asked, mbd_error *err) {
  MBD_TRY(add(s, SERIES_TIME, 0, mbd_strdup("t"), mbd_strdup("s"), err));
  MBD_TRY(add_coordinates(s, SERIES_COORDINATE, "", "", err));
  MBD_TRY(add_coordinates(s, SERIES_RATE, ".rate", "/s", err));
  MBD_TRY(add_coordinates(s, SERIES_ACCELERATION, ".acceleration", "/s^2", err));
  MBD_TRY(add_outputs(s, asked, err));
  MBD_TRY(add_multipliers(s, asked, err));
  MBD_TRY(add_so_far(s, err));
  return add_projections(s, err);
}

mbd_status series_create(const mechanism *m, const mechanism_case *load, series *s, mbd_error *err) {
  *s = (series){.m = m, .load = load};
  unsigned char *asked = calloc((size_t)mbd_model_nphi(load->v->model) + 1, 1);
  if (!asked) { return no_memory(s, err); }
  mbd_status status = add_all(s, asked, err);
  free(asked);
  if (status != MBD_OK) { return status; }
  s->row = calloc((size_t)s->n, sizeof *s->row);
  return s->row ? MBD_OK : no_memory(s, err);
}

void series_free(series *s) {
  for (int i = 0; i < s->n; i++) { free(s->column[i].name), free(s->column[i].unit); }
  free(s->column), free(s->row), free(s->projections);
  *s = (series){0};
}

/* ---- values ---- */

void series_fill(series *s, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  const double *const from[] = {&t, z, zd, zdd, y, lam, NULL, s->projections};
  if (s->projections) {
    mbd_sim_projections(s->load->sim, s->projections, s->projections + mbd_model_nphi(s->load->v->model));
  }
  for (int i = 0; i < s->n; i++) {
    const series_column *c = &s->column[i];
    s->row[i] = c->kind == SERIES_SO_FAR ? mbd_sim_so_far(s->load->sim, c->index) : from[c->kind][c->index];
  }
}
