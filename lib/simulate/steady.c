/* A steady motion as the start of a simulation: memory, and the steps of the search. The assembled position, in which quantities of
 * 'settle' find static equilibrium, and the rates of the start are where it begins.
 * Equations: theory.md §5.8. */
#include "simulate/steady.h"

#include <stdlib.h>
#include <string.h>

#include "mbd/params.h"
#include "simulate/equilibrium.h"

int steady_requested(const mbd_sim *s) {
  return s->c.start == MBD_START_STEADY || s->analysis->moves_steadily;
}

/* ---- memory ---- */

static void layout(sim_steady *trim, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, rows = m + (size_t)s->m->nhold_row + n;
  const size_t M = 2 * n + 2 * m + 5, N = 2 * n + m + 3 + (size_t)trim->ninput, nc = (size_t)s->m->ncoef + 1;
  const size_t np = (size_t)(s->np_max > s->npsi ? s->np_max : s->npsi) + 1;
  trim->cyclic = mbd_arena_take(a, n * sizeof *trim->cyclic);
  trim->phase = mbd_arena_take(a, (n + 3) * sizeof *trim->phase);
  trim->moving = mbd_arena_take(a, (m + 1) * sizeof *trim->moving);
  trim->dependent = mbd_arena_take(a, m + 1);
  trim->held_state = mbd_arena_take(a, n * sizeof *trim->held_state);
  trim->index = mbd_arena_take(a, nc * sizeof *trim->index);
  trim->value = mbd_arena_take(a, nc * sizeof *trim->value);
  trim->requested = mbd_arena_take(a, nc);
  trim->input = mbd_arena_take(a, ((size_t)trim->ninput + 1) * sizeof *trim->input);
  trim->d = mbd_arena_take(a, np * sizeof *trim->d);
  trim->work = mbd_arena_take(a, M * (N + 1) * sizeof *trim->work);
  trim->row = mbd_arena_take(a, M * sizeof *trim->row);
  trim->col = mbd_arena_take(a, N * sizeof *trim->col);
  trim->piv = mbd_arena_take(a, N * sizeof *trim->piv);
  MBD_ARENA_REALS(a, rows, &trim->lam, &trim->phi, &trim->phi_t, &trim->dphi, &trim->dphid);
  MBD_ARENA_REALS(a, n + 3, &trim->w);
  MBD_ARENA_REALS(a, (size_t)trim->ninput + 1, &trim->delta);
  trim->by_input = mbd_arena_real(a, (size_t)trim->ninput * np + 1);
  MBD_ARENA_REALS(a, N, &trim->kept, &trim->from, &trim->dy, &trim->simple, &trim->first, &trim->col_scale);
  trim->slope = mbd_arena_take(a, 2 * ((size_t)trim->ninput + 1) * sizeof *trim->slope);
  MBD_ARENA_REALS(a, M, &trim->G, &trim->dG, &trim->row_scale);
  trim->Gy = mbd_arena_real(a, M * N);
  trim->lu = mbd_arena_real(a, N * N);
  MBD_ARENA_REALS(a, (M > N ? M : N) * np, &trim->b, &trim->yp);
  MBD_ARENA_REALS(a, n, &trim->r, &trim->dr, &trim->dzd, &trim->dzdd, &trim->zdd);
  MBD_ARENA_REALS(a, n * n, &trim->K, &trim->C, &trim->M);
  MBD_ARENA_REALS(a, rows * n, &trim->J, &trim->Phid_z);
}

static mbd_status find_curve(const mbd_sim *s, const char *key, const char *name, int *curve, mbd_error *err) {
  *curve = name ? mbd_names_find(&s->m->curve_names, name) : -1;
  if (!name || *curve >= 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s = %s is no curve of the model", key, name);
}

static mbd_status find_given(const mbd_sim *s, sim_steady *trim, mbd_error *err) {
  const mbd_case *c = &s->c;
  MBD_TRY(find_curve(s, "steady.speed", c->steady_speed, &trim->speed, err));
  MBD_TRY(find_curve(s, "steady.curvature", c->steady_curvature, &trim->curvature, err));
  MBD_TRY(find_curve(s, "steady.lateral_acceleration", c->steady_lateral_acceleration, &trim->lateral, err));
  if (trim->curvature >= 0 && trim->lateral >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "expected one of steady.curvature and steady.lateral_acceleration, not both");
  }
  if ((trim->curvature >= 0 || trim->lateral >= 0) && trim->speed < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "steady.%s is given, but no speed; expected also steady.speed = CURVE or NUMBER",
             trim->curvature >= 0 ? "curvature" : "lateral_acceleration");
  }
  trim->ninput = c->nfound;
  return MBD_OK;
}

/* The numbers of the design with inputs, and directions with their changes. */
static mbd_status create_numbers(mbd_sim *s, sim_steady *trim, mbd_error *err) {
  if (trim->ninput == 0) { return MBD_OK; }
  for (int k = 0; k < s->m->ncoef; k++) { trim->index[k] = k; }
  MBD_TRY(mbd_params_create(s->m, NULL, &trim->own, err));
  for (int i = 0; i < trim->ninput; i++) { MBD_TRY(mbd_dparams_create(s->m, &trim->input[i], err)); }
  for (int k = 0; k < s->np_max; k++) { MBD_TRY(mbd_dparams_create(s->m, &trim->d[k], err)); }
  trim->nd = s->np_max;
  return MBD_OK;
}

mbd_status steady_create(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = s->start->steady = calloc(1, sizeof *trim);
  if (!trim) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a steady motion"); }
  MBD_TRY(find_given(s, trim, err));
  while (mbd_arena_pass(&trim->arena)) { layout(trim, s, &trim->arena); }
  MBD_TRY(mbd_arena_check(&trim->arena, "a steady motion", err));
  return create_numbers(s, trim, err);
}

void steady_destroy(sim_steady *trim) {
  if (!trim) { return; }
  for (int i = 0; trim->input && i < trim->ninput; i++) { mbd_dparams_destroy(trim->input[i]); }
  for (int k = 0; trim->d && k < trim->nd; k++) { mbd_dparams_destroy(trim->d[k]); }
  mbd_params_destroy(trim->own);
  free(trim->arena.base);
  free(trim);
}

double mbd_sim_found(const mbd_sim *s, int i) {
  const sim_steady *trim = steady_of(s);
  return trim && i >= 0 && i < trim->ninput ? mbd_first(trim->delta[i]) : NAN;
}

/* ---- records ---- */

size_t steady_state_reals(const mbd_sim *s) {
  return (size_t)s->m->nz + 3 + (size_t)s->c.nfound;
}

void steady_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  sim_steady *trim = steady_of(s);
  copy(at, trim->w, s->m->nz + 3);
  copy(at, trim->delta, trim->ninput);
  if (copy == sim_into_record) { return; }
  memcpy(trim->lam, s->now.lam, (size_t)s->m->nphi * sizeof *trim->lam);
  steady_take_inputs(s);
}

/* ---- the search ---- */

/* A steady motion needs a place to go on, if its speed is given. */
static mbd_status check_base(const mbd_sim *s, mbd_error *err) {
  const sim_steady *trim = steady_of(s);
  if (trim->speed >= 0 && trim->base < 0) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "steady.speed: no body has a place and a heading on the ground; expected one that a joint of type floating or "
        "planar connects to it");
  }
  if (trim->speed >= 0 && trim->place[1] < 0) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "steady.speed: nothing in [start] says where the mechanism is; expected two held quantities of its place, as "
        "hold.P.x and hold.P.y of a point P, whose speed it is");
  }
  return MBD_OK;
}

/* Drives rest, but for those of cyclic coordinates. */
static mbd_status check_drives(const mbd_sim *s, mbd_error *err) {
  const sim_steady *trim = steady_of(s);
  for (int i = 0, k = 0; i < s->velocity_row; i++) {
    while (k < trim->nmoving && trim->moving[k] < i) { k++; }
    if ((k < trim->nmoving && trim->moving[k] == i) || !(mbd_largest(trim->phi_t[i]) > 1e-9)) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "start = steady: '%s' moves at the start already, at a rate of %.3g, and what it moves is not the same at "
             "every place; expected a curve whose slope is zero there",
             s->m->phi_name[i], -mbd_first(trim->phi_t[i]));
  }
  return MBD_OK;
}

mbd_status steady_state(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const size_t rows = (size_t)start_rows(s);
  memset(trim->lam, 0, rows * sizeof *trim->lam);
  memset(trim->delta, 0, (size_t)trim->ninput * sizeof *trim->delta);
  trim->design = s->p, trim->given_d = s->d, trim->told = 0;
  steady_take_inputs(s);
  MBD_TRY(steady_find_symmetries(s, err));
  MBD_TRY(steady_find_phases(s, err));
  MBD_TRY(check_base(s, err));
  memset(trim->lam, 0, rows * sizeof *trim->lam);
  if (s->start->equilibrium) { memcpy(trim->lam, s->start->equilibrium->y, (size_t)s->m->nphi * sizeof *trim->lam); }
  MBD_TRY(steady_begin(s, err));
  if (analysis_integrates(s->analysis)) { MBD_TRY(check_drives(s, err)); }
  return MBD_OK;
}
