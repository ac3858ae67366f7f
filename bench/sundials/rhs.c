#include "rhs.h"

#include <string.h>

#include "formulation/state_space.h"
#include "objective/objectives.h"
#include "sens/adjoint.h"
#include "mechanism/case_gradient.h"

/* ---- memory ---- */

static mbd_status check_problem(const opened *of, mbd_error *err) {
  const mechanism *m = of->m;
  if (m->ncase != 1 || m->cases[0].npsi != 1 || m->nconstraint != 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "%s: expected one case and one objective", m->config->path);
  }
  return MBD_OK;
}

static mbd_status check_integrals(const mbd_sim *s, const char *path, mbd_error *err) {
  for (int i = 0; i < s->objectives->nterm; i++) {
    if (s->objectives->form[i]->over == FORM_INTEGRAL && !s->objectives->history_term[i]) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED, "%s: expected an objective that is an integral over time", path);
  }
  return MBD_OK;
}

/* Directions of all variables in the coefficients, at the start's design. */
static mbd_status set_directions(rhs *r, int directions, mbd_error *err) {
  mechanism_variant *v = r->load->v;
  if (directions < r->n || v->d) { return MBD_OK; }
  v->d = calloc((size_t)r->n + 1, sizeof(mbd_dparams *));
  for (int k = 0; k < r->n; k++) { MBD_TRY(mbd_dparams_create(v->model, &v->d[k], err)); }
  return MBD_OK;
}

mbd_status rhs_open(opened *of, int directions, rhs *r, mbd_error *err) {
  *r = (rhs){.m = of->m, .load = &of->m->cases[0], .n = of->m->n, .size = 1, .mu = 1, .t = NAN};
  MBD_TRY(check_problem(of, err));
  mechanism_case *load = r->load;
  const size_t nz2 = 2 * (size_t)mbd_model_nz(load->v->model) + 1;
  const int most = directions > (int)nz2 ? directions : (int)nz2;
  MBD_TRY(set_directions(r, directions, err));
  MBD_TRY(case_prepare(of->m, load, (case_request){.method = GRADIENT_DISCRETE_ADJOINT}, err));
  MBD_TRY(mechanism_set_design(of->m, of->m->start, 1, err));
  MBD_TRY(mbd_sim_create(load->v->model, &load->c, load->outputs, load->nterm, load->term, 1, most, &r->s, err));
  mbd_sim_watch(r->s, 0);
  MBD_TRY(check_integrals(r->s, of->m->config->path, err));
  if (!r->s->ops->space) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "%s: expected a state-space formulation", of->m->config->path);
  }
  /* An adjoint run leaves the memory for reverse sweeps. */
  const mbd_adjoint_options o = {.requested = load->v->requested};
  MBD_TRY(mbd_sim_adjoint(r->s, load->v->params, &o, load->psi, load->gtheta, NULL, NULL, err));
  r->a = r->s->adjoint, r->all = r->a->theta[0];
  MBD_TRY(params_reverse_create(load->v->model, &r->none, err));
  unsigned char *nothing = calloc((size_t)mbd_model_ncoef(load->v->model) + 1, 1);
  params_reverse_request(r->none, nothing);
  free(nothing);
  r->nf = ss_of(r->s)->indep->nf, r->ny = 2 * r->nf;
  r->T = load->c.duration;
  r->y = calloc(nz2, sizeof *r->y), r->y0 = calloc(nz2, sizeof *r->y0), r->dy = calloc(nz2, sizeof *r->dy);
  r->by_y = calloc(nz2, sizeof *r->by_y), r->by_rho = calloc((size_t)r->n + 1, sizeof *r->by_rho);
  r->still = calloc(nz2, sizeof(mbd_dparams *));
  MBD_TRY(mbd_dparams_create(load->v->model, &r->still[0], err));
  mbd_dparams_set(r->still[0], load->v->params, 0, NULL, NULL);
  for (int k = 1; k < r->ny; k++) { r->still[k] = r->still[0]; }
  return MBD_OK;
}

void rhs_close(rhs *r) {
  if (r->a) { r->a->theta[0] = r->all; }
  params_reverse_destroy(r->none);
  mbd_sim_destroy(r->s);
  if (r->still) { mbd_dparams_destroy(r->still[0]); }
  free(r->still), free(r->y), free(r->y0), free(r->dy), free(r->by_y), free(r->by_rho);
}

/* ---- the start ---- */

static int stop(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  (void)user, (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return 1;
}

mbd_status rhs_begin(rhs *r, int np, double *const *yS, mbd_error *err) {
  mbd_sim *s = r->s;
  const mbd_status status =
      mbd_sim_run(s, r->load->v->params, np, r->load->v->d, r->load->psi, NULL, NULL, stop, NULL, err);
  if (status != MBD_INTERRUPTED) { return status; }
  rhs_read(r, s->now.z, s->now.zd, r->y0);
  for (int f = 0; f < r->nf; f++) {
    const int j = ss_of(s)->indep->free[f];
    for (int k = 0; k < np; k++) { yS[k][f] = s->sens.z[j * np + k], yS[k][r->nf + f] = s->sens.zd[j * np + k]; }
  }
  r->t = NAN;
  r->evaluations = r->jacobians = r->sens = r->backs = 0;
  return MBD_OK;
}

void rhs_read(const rhs *r, const double *z, const double *zd, double *y) {
  independent_read(ss_of(r->s)->indep, 1, z, y);
  independent_read(ss_of(r->s)->indep, 1, zd, y + r->nf);
}

/* ---- the function ---- */

/* The evaluation at (t, y), unless it is the last one; the guess of dependent coordinates: the last ones along R dy. */
static int evaluate(rhs *r, double t, const double *y) {
  mbd_sim *s = r->s;
  state_space *space = ss_of(s);
  const size_t half = (size_t)r->nf * sizeof *y;
  if (t == r->t && memcmp(y, r->y, 2 * half) == 0) { return 0; }
  if (!isnan(r->t)) {
    for (int f = 0; f < r->nf; f++) { r->dy[f] = y[f] - r->y[f]; }
    independent_solve(space->indep, 1, NULL, r->dy, s->now.zdd);
    for (int j = 0; j < space->n; j++) { s->now.z[j] += s->now.zdd[j]; }
  }
  r->t = NAN;
  s->t = t, s->np = 0;
  memcpy(space->xi, y, half), memcpy(space->eta, y + r->nf, half);
  r->evaluations++;
  if (ss_evaluate(s, &r->err) != MBD_OK) { return 1; }
  r->t = t;
  memcpy(r->y, y, 2 * half);
  return 0;
}

int rhs_f(rhs *r, double t, const double *y, double *yd) {
  if (evaluate(r, t, y)) { return 1; }
  memcpy(yd, y + r->nf, (size_t)r->nf * sizeof *y);
  for (int f = 0; f < r->nf; f++) { yd[r->nf + f] = r->s->now.zdd[ss_of(r->s)->indep->free[f]]; }
  return 0;
}

/* s->sens from space->sens.xi, eta along np directions d */
static int along(rhs *r, int np, mbd_dparams *const *d) {
  mbd_sim *s = r->s;
  s->np = np, s->d = d;
  for (int k = 0; k < np; k++) { s->stretch[k] = 0; }
  return ss_evaluate_sens(s, 0, &s->sens, &r->err) != MBD_OK;
}

int rhs_jacobian(rhs *r, double t, const double *y, int transposed, double *J) {
  state_space *space = ss_of(r->s);
  const int nf = r->nf, ny = r->ny;
  if (evaluate(r, t, y)) { return 1; }
  r->jacobians++;
  memset(space->sens.xi, 0, (size_t)(nf * ny) * sizeof *J), memset(space->sens.eta, 0, (size_t)(nf * ny) * sizeof *J);
  for (int f = 0; f < nf; f++) { space->sens.xi[f * ny + f] = space->sens.eta[f * ny + nf + f] = 1; }
  if (along(r, ny, r->still)) { return 1; }
  const int row = transposed ? ny : 1, column = transposed ? 1 : ny;
  for (int k = 0; k < ny; k++) {
    for (int f = 0; f < nf; f++) {
      J[f * row + k * column] = k == nf + f;
      J[(nf + f) * row + k * column] = r->s->sens.zdd[space->indep->free[f] * ny + k];
    }
  }
  return 0;
}

int rhs_sens(rhs *r, double t, const double *y, int np, double *const *yS, double *const *ySd) {
  state_space *space = ss_of(r->s);
  const int nf = r->nf;
  if (evaluate(r, t, y)) { return 1; }
  r->sens++;
  for (int k = 0; k < np; k++) {
    for (int f = 0; f < nf; f++) {
      space->sens.xi[f * np + k] = yS[k][f];
      space->sens.eta[f * np + k] = ySd[k][f] = yS[k][nf + f];
    }
  }
  if (along(r, np, r->load->v->d)) { return 1; }
  for (int k = 0; k < np; k++) {
    for (int f = 0; f < nf; f++) { ySd[k][nf + f] = r->s->sens.zdd[space->indep->free[f] * np + k]; }
  }
  return 0;
}

/* ---- the objective, and reverse sweeps ---- */

static int show(rhs *r, double t, const double *y, int outputs) {
  mbd_sim *s = r->s;
  if (evaluate(r, t, y)) { return 1; }
  ss_of(s)->mech->move(s, s->now.zd, s->now.zdd, 1);
  if (outputs) { quadrature_outputs(s); }
  return 0;
}

int rhs_g(rhs *r, double t, const double *y, double *g) {
  const sim_objectives *o = r->s->objectives;
  if (show(r, t, y, 1)) { return 1; }
  *g = 0;
  for (int i = 0; i < o->nterm; i++) {
    double u_s[2];
    mbd_curve_value v = {0, 0, 0};
    if (o->target[i]) { curve_eval(o->target[i], r->s->p->theta, r->s->p->aux, t, &v); }
    *g += o->term[i].weight * o->form[i]->u(&o->term[i], 1, o->y[o->term[i].output] - o->term[i].target - v.y, u_s);
  }
  return 0;
}

static void add_variables(const rhs *r, double *by_rho) {
  params_reverse_finish(r->all, r->s->p);
  for (int k = 0; k < r->n; k++) { by_rho[k] += case_to_variable(r->load->v, k, r->all->theta); }
}

int rhs_back(rhs *r, double t, const double *y, const double *mu, int of_g, double *by_y, double *by_rho) {
  mbd_sim *s = r->s;
  state_space *space = ss_of(s);
  sim_adjoint *a = r->a;
  const size_t half = (size_t)r->nf * sizeof *by_y;
  if (show(r, t, y, of_g)) { return 1; }
  r->backs++;
  a->theta[0] = by_rho ? r->all : r->none;
  if (by_rho) { params_reverse_clear(a->theta[0]); }
  ss_clear_back(s, a);
  if (of_g) {
    quadrature_weights(s, -1, 1, 0);
    if (space->mech->outputs_back(s, a, &r->err) != MBD_OK) { return 1; }
  }
  for (int f = 0; mu && f < r->nf; f++) {
    a->zd[space->indep->free[f]] += mu[f], a->zdd[space->indep->free[f]] += mu[r->nf + f];
  }
  if (ss_evaluate_back(s, a, &r->err) != MBD_OK) { return 1; }
  if (by_y) { memcpy(by_y, space->back.by_xi, half), memcpy(by_y + r->nf, space->back.by_eta, half); }
  if (by_rho) {
    memset(by_rho, 0, (size_t)r->n * sizeof *by_rho);
    add_variables(r, by_rho);
  }
  return 0;
}

int rhs_g_sens(rhs *r, double t, const double *y, int np, double *const *yS, double *const *gS) {
  if (rhs_back(r, t, y, NULL, 1, r->by_y, r->by_rho)) { return 1; }
  for (int k = 0; k < np; k++) {
    *gS[k] = r->by_rho[k];
    for (int i = 0; i < r->ny; i++) { *gS[k] += r->by_y[i] * yS[k][i]; }
  }
  return 0;
}

void rhs_tolerances(const rhs *r, double relative, double *absolute) {
  for (int k = 0; k < r->n; k++) { absolute[k] = relative * r->size / r->m->scale[k]; }
}

int rhs_start_back(rhs *r, const double *mu, double *by_rho) {
  mbd_sim *s = r->s;
  sim_adjoint *a = r->a;
  if (show(r, 0, r->y0, 0)) { return 1; }
  a->theta[0] = r->all;
  params_reverse_clear(r->all);
  work_sweep_all_markers(s->w);
  ss_clear_back(s, a);
  independent_add(ss_of(s)->indep, 1, mu, a->z), independent_add(ss_of(s)->indep, 1, mu + r->nf, a->zd);
  if (adjoint_start_motion(s, a, &r->err) != MBD_OK) { return 1; }
  r->t = NAN;
  add_variables(r, by_rho);
  return 0;
}
