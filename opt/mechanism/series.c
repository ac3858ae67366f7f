#include "mechanism/series.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "files/memory.h"

/* ---- columns ---- */

/* One more column with a name and a unit in new memory, which it takes over. */
static void add(series *s, series_kind kind, int index, char *name, char *unit) {
  series_column *grown = mbd_list_grow(s->column, s->n, sizeof *grown);
  if (!grown) {
    free(name), free(unit);
    return;
  }
  s->column = grown;
  grown[s->n++] = (series_column){kind, index, name, unit};
}

static int first_state(const mbd_model *model) {
  return mbd_model_nz(model) - mbd_model_nstate(model);
}

/* States, which are the rates of their coordinates, or their rates. */
static void add_states(series *s, series_kind kind, const char *suffix,
                       const char *(*unit)(const mbd_model *m, int i)) {
  const mbd_model *model = s->load->v->model;
  for (int i = 0; i < mbd_model_nstate(model); i++) {
    const int j = first_state(model) + i;
    add(s, kind, j, mbd_sprintf_dup("%s%s", mbd_model_z_name(model, j), suffix), mbd_strdup(unit(model, i)));
  }
}

/* Coordinates, or their rates, or their accelerations. */
static void add_coordinates(series *s, series_kind kind, const char *suffix, const char *per) {
  const mbd_model *model = s->load->v->model;
  for (int j = 0; j < first_state(model); j++) {
    const char *unit = mbd_model_z_unit(model, j);
    add(s, kind, j, mbd_sprintf_dup("%s%s", mbd_model_z_name(model, j), suffix),
        mbd_sprintf_dup("%s%s", *per && *unit == '-' ? "1" : unit, per));
  }
}

/* Outputs, then multipliers that are not among them under the names that were asked for. */
static void add_outputs(series *s) {
  const mbd_model *model = s->load->v->model;
  const mbd_outputs *o = s->load->outputs;
  const int m = mbd_model_nphi(model);
  unsigned char *asked = mbd_zeros((size_t)m, 1);
  for (int i = 0; asked && i < mbd_outputs_count(o); i++) {
    const int row = mbd_outputs_multiplier(o, i);
    if (row >= 0) { asked[row] = 1; }
    if (mbd_outputs_is_repeated(o, i) || mbd_outputs_coordinate(o, i) >= 0) { continue; }
    add(s, SERIES_OUTPUT, i, mbd_strdup(mbd_outputs_name(o, i)), mbd_strdup(mbd_outputs_unit(o, i)));
  }
  for (int i = 0; asked && i < m; i++) {
    if (asked[i]) { continue; }
    add(s, SERIES_MULTIPLIER, i, mbd_sprintf_dup("lam %s", mbd_model_phi_name(model, i)),
        mbd_strdup(mbd_model_lam_unit(model, i)));
  }
  free(asked);
}

/* Objectives and constraints of the case that have a value at each time. */
static void add_so_far(series *s) {
  const mechanism_case *load = s->load;
  for (int i = 0; s->m->config->output.objectives && i < load->npsi; i++) {
    if (!mbd_sim_is_integral(load->sim, i)) { continue; }
    const char *kind = load->quantity[i] < s->m->nobjective ? "objective" : "constraint";
    add(s, SERIES_SO_FAR, i, mbd_sprintf_dup("%s %s", kind, mechanism_quantity(s->m, load->quantity[i])),
        mbd_strdup(""));
  }
}

/* The multipliers of the projections, if they are asked for; sigma is a force over some time. */
static mbd_status add_projections(series *s, mbd_error *err) {
  const mechanism_case *load = s->load;
  const mbd_model *model = load->v->model;
  const int m = mbd_model_nphi(model);
  if (!s->m->config->output.projections) { return MBD_OK; }
  s->projections = mbd_zeros(2 * (size_t)m, sizeof *s->projections);
  MEMORY_TRY(s->projections, err, "the columns of case '%s'", load->config->name);
  /* Only a motion has them, by some of the formulations. */
  if (!mbd_sim_projections(load->sim, s->projections, s->projections + m)) {
    if (strcmp(load->c.analysis, "motion") != 0) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [output] projections = yes: case '%s' has none, its analysis is %s, expected motion",
               s->m->config->path, load->config->name, load->c.analysis);
    }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: [output] projections = yes: formulation '%s' of case '%s' has none, expected ali3p or penalty",
             s->m->config->path, load->c.formulation, load->config->name);
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < m; i++) {
      add(s, SERIES_PROJECTION, k * m + i,
          mbd_sprintf_dup("%s %s", k ? "kappa" : "sigma", mbd_model_phi_name(model, i)),
          mbd_sprintf_dup("%s%s", mbd_model_lam_unit(model, i), k ? "" : " s"));
    }
  }
  return MBD_OK;
}

/* ---- columns that the run file chooses ---- */

/* "P1.position" names P1.position.x and both others. */
static int is_component(const char *name, const char *vector) {
  const size_t n = strlen(vector);
  return strncmp(name, vector, n) == 0 && name[n] == '.' && strchr("xyz", name[n + 1]) && name[n + 1] && !name[n + 2];
}

static int matches(const char *entry, const char *name) {
  return strcmp(entry, name) == 0 || is_component(name, entry) ||
         (strchr(entry, '*') && fnmatch(entry, name, FNM_NOESCAPE) == 0);
}

int series_choice(const mbo_run_config *c, const char *name) {
  const mbo_names *chosen = &c->output.columns;
  if (chosen->n == 0) { return -1; }
  for (int i = 0; i < chosen->n; i++) {
    if (matches(chosen->v[i], name)) { return i + 1; }
  }
  return 0;
}

/* Keeps the time and the chosen columns, in the order of the entries that choose them. */
static void keep_chosen(series *s) {
  const mbo_run_config *c = s->m->config;
  series_column *all = s->column, *kept = mbd_zeros((size_t)s->n, sizeof *kept);
  const int n = s->n;
  s->column = kept, s->n = 0;
  for (int entry = 0; kept && entry <= c->output.columns.n; entry++) {
    for (int i = 0; i < n; i++) {
      const int choice = i == 0 ? 0 : all[i].name ? series_choice(c, all[i].name) : -1;
      if (choice != entry || (i > 0 && choice == 0)) { continue; }
      kept[s->n++] = all[i];
      all[i] = (series_column){0};
    }
  }
  for (int i = 0; i < n; i++) { free(all[i].name), free(all[i].unit); }
  free(all);
}

/* ---- all of them ---- */

mbd_status series_create(const mechanism *m, const mechanism_case *load, series_which which, series *s,
                         mbd_error *err) {
  const long lost = mbd_memory_lost();
  *s = (series){.m = m, .load = load};
  add(s, SERIES_TIME, 0, mbd_strdup("t"), mbd_strdup("s"));
  add_coordinates(s, SERIES_COORDINATE, "", "");
  add_coordinates(s, SERIES_RATE, ".rate", "/s");
  add_coordinates(s, SERIES_ACCELERATION, ".acceleration", "/s^2");
  add_states(s, SERIES_RATE, "", mbd_model_state_unit);
  add_states(s, SERIES_ACCELERATION, ".rate", mbd_model_state_rate_unit);
  add_outputs(s);
  add_so_far(s);
  MBD_TRY(add_projections(s, err));
  if (which == SERIES_CHOSEN && m->config->output.columns.n > 0) { keep_chosen(s); }
  s->row = mbd_zeros((size_t)s->n, sizeof *s->row);
  return MEMORY_SINCE(lost, err, "the columns of case '%s'", load->config->name);
}

void series_free(series *s) {
  for (int i = 0; i < s->n; i++) { free(s->column[i].name), free(s->column[i].unit); }
  free(s->column), free(s->row), free(s->projections);
  *s = (series){0};
}

/* ---- names of [output] columns that are not known ---- */

static mbd_status check_entries(const mechanism *m, const series *of_case, mbd_error *err) {
  const mbo_names *entries = &m->config->output.columns;
  for (int k = 0; k < entries->n; k++) {
    mbd_nearest near = {.requested = entries->v[k]};
    int found = 0;
    for (int i = 0; i < m->ncase; i++) {
      for (int j = 1; j < of_case[i].n; j++) { found |= matches(entries->v[k], of_case[i].column[j].name); }
    }
    if (found) { continue; }
    for (int i = 0; i < m->ncase; i++) {
      for (int j = 1; j < of_case[i].n; j++) { mbd_nearest_offer(&near, of_case[i].column[j].name); }
    }
    MBD_TRY(mbd_locate(err, mbd_not_known("[output columns]", "column", &near, err), "%s: ", m->config->path));
  }
  return MBD_OK;
}

mbd_status series_check(const mechanism *m, mbd_error *err) {
  if (m->config->output.columns.n == 0) { return MBD_OK; }
  series *of_case = mbd_zeros((size_t)m->ncase, sizeof *of_case);
  mbd_status status = of_case ? MBD_OK : MEMORY_NONE(err, "the columns of the cases");
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    status = series_create(m, &m->cases[i], SERIES_ALL, &of_case[i], err);
  }
  if (status == MBD_OK) { status = check_entries(m, of_case, err); }
  for (int i = 0; of_case && i < m->ncase; i++) { series_free(&of_case[i]); }
  free(of_case);
  return status;
}

/* ---- values ---- */

mbd_status series_run(const series *s, mbd_observer observer, void *user, mbd_error *err) {
  const mechanism_case *load = s->load;
  unsigned char *seen = mbd_zeros((size_t)mbd_outputs_count(load->shown ? load->shown : load->outputs), 1);
  MEMORY_TRY(seen, err, "the columns of case '%s'", load->config->name);
  for (int i = 0; i < s->n; i++) {
    if (s->column[i].kind == SERIES_OUTPUT) { seen[s->column[i].index] = 1; }
  }
  mbd_sim_watch_outputs(load->sim, seen);
  const mbd_status status =
      mbd_sim_run(load->sim, load->v->params, 0, NULL, load->psi, NULL, NULL, observer, user, err);
  mbd_sim_watch_outputs(load->sim, NULL);
  free(seen);
  return mechanism_name_case(status, load, err);
}

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
