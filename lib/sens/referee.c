/* Complex step of the whole simulation and of its adjoint; only in the complex library. Equations: theory.md §7.5 (7.9). */
#include "mbd/referee.h"

#include <stdlib.h>

#include "base/real.h"
#include "mbd/user_force.h"
#include "model/params.h"
#include "sens/adjoint.h"
#include "simulate/linearize.h"
#include "base/sized.h"

static const double step = 1e-30;

struct mbd_referee {
  mbd_model *model;
  mbd_outputs *outputs;
  mbd_params *params;
  mbd_sim *sim;
  int npsi;
  double *scaled; /* [ncoef] imaginary parts */
};

/* Adds the outputs of the names; place [nname] becomes their places. A name that occurs twice, alone and as a
 * component, is one output. */
static mbd_status add_outputs(mbd_referee *r, int nname, const char *const *name, int *place, mbd_error *err) {
  MBD_TRY(mbd_outputs_create(r->model, &r->outputs, err));
  for (int i = 0; i < nname; i++) {
    int count;
    MBD_TRY(mbd_outputs_add(r->outputs, name[i], &place[i], &count, err));
  }
  return MBD_OK;
}

/* Term i of a list with its outputs at their places. */
static mbd_status read_term(const mbd_term *term, size_t size, int i, const int *place, mbd_term *k, mbd_error *err) {
  mbd_moment *moment[] = {&k->from, &k->until, &k->at};
  SIZED_READ(k, (const char *)term + (size_t)i * size, size, "mbd_term", err);
  k->output = place[k->output];
  if (k->over) { k->over = 1 + place[k->over - 1]; }
  for (int j = 0; j < 3; j++) {
    if (moment[j]->kind > MBD_MOMENT_TIME) { moment[j]->output = place[moment[j]->output]; }
  }
  return MBD_OK;
}

static mbd_status create_sim(mbd_referee *r, const mbd_case *c, size_t case_size, int nname, const char *const *name,
                             int nterm, const mbd_term *term, size_t term_size, int npsi, mbd_error *err) {
  int *place = calloc((size_t)nname + 1, sizeof *place);
  mbd_term *terms = calloc((size_t)nterm + 1, sizeof *terms);
  mbd_status status = place && terms ? add_outputs(r, nname, name, place, err)
                                     : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the referee");
  for (int i = 0; i < nterm && status == MBD_OK; i++) { status = read_term(term, term_size, i, place, &terms[i], err); }
  if (status == MBD_OK) {
    status =
        mbd_sim_create_sized(r->model, c, case_size, r->outputs, nterm, terms, sizeof *terms, npsi, 0, &r->sim, err);
  }
  free(place), free(terms);
  return status;
}

static mbd_status create(mbd_referee *r, const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                         const char *const *name, int nterm, const mbd_term *term, size_t term_size, int npsi,
                         mbd_error *err) {
  MBD_TRY(mbd_model_create(s, &r->model, err));
  MBD_TRY(mbd_params_create(r->model, NULL, &r->params, err));
  MBD_TRY(create_sim(r, c, case_size, nname, name, nterm, term, term_size, npsi, err));
  r->npsi = npsi;
  r->scaled = calloc((size_t)mbd_model_ncoef(r->model) + 1, sizeof *r->scaled);
  if (!r->scaled) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  return MBD_OK;
}

mbd_status mbd_referee_create_sized(const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                                    const char *const *name, int nterm, const mbd_term *term, size_t term_size,
                                    int npsi, mbd_referee **out, mbd_error *err) {
  mbd_referee *r = calloc(1, sizeof *r);
  *out = NULL;
  if (!r) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  mbd_status status = create(r, s, c, case_size, nname, name, nterm, term, term_size, npsi, err);
  if (status != MBD_OK) { mbd_referee_destroy(r); }
  *out = status == MBD_OK ? r : NULL;
  return status;
}

void mbd_referee_destroy(mbd_referee *r) {
  if (!r) { return; }
  mbd_sim_destroy(r->sim);
  mbd_params_destroy(r->params);
  mbd_outputs_destroy(r->outputs);
  mbd_model_destroy(r->model);
  free(r->scaled);
  free(r);
}

/* theta + i step value[k] at index[k] */
static mbd_status set_numbers(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                              mbd_error *err) {
  MBD_TRY(mbd_params_set(r->params, theta, err));
  for (int k = 0; k < n; k++) { r->scaled[k] = step * value[k]; }
  params_set_imaginary(r->params, n, index, r->scaled);
  return MBD_OK;
}

mbd_status mbd_referee_derivative(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                  double *psi, double *dpsi, mbd_error *err) {
  MBD_TRY(set_numbers(r, theta, n, index, value, err));
  MBD_TRY(mbd_sim_run(r->sim, r->params, 0, NULL, psi, dpsi, NULL, NULL, NULL, err));
  for (int i = 0; i < r->npsi; i++) { dpsi[i] /= step; }
  return MBD_OK;
}

/* Second derivatives are derivatives of the slopes that the forces compute. */
static mbd_status check_second(const mbd_model *m, mbd_error *err) {
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    const mbd_user_force *u = f->user.law;
    if (!u || mbd_user_force_second(u)) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "force '%s': '%s' has no second derivatives, as it has its first ones by %s; expected a plugin with dual "
             "numbers (`mbopt plugin` with a C++ compiler) or derivatives of its terms",
             f->name, u->name, mbd_user_force_derivatives(u));
  }
  return MBD_OK;
}

mbd_status mbd_referee_second_sized(mbd_referee *r, const double *theta, const mbd_adjoint_options *o, size_t size,
                                    int n, const int *index, const double *value, double *psi, double *gtheta,
                                    double *dgtheta, mbd_error *err) {
  const int nc = mbd_model_ncoef(r->model);
  MBD_TRY(check_second(r->model, err));
  MBD_TRY(set_numbers(r, theta, n, index, value, err));
  MBD_TRY(mbd_sim_adjoint_sized(r->sim, r->params, o, size, psi, gtheta, NULL, NULL, err));
  for (int k = 0; k < r->sim->adjoint->npsi; k++) { /* mbd_sim_adjoint returns real parts only */
    const mbd_real *g = r->sim->adjoint->theta[k]->theta;
    for (int i = 0; i < nc; i++) { dgtheta[(size_t)k * (size_t)nc + (size_t)i] = cimag(g[i]) / step; }
  }
  return MBD_OK;
}

mbd_status mbd_referee_linearize(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                 int *order, double **A, double **dA, mbd_error *err) {
  const size_t room = 4 * (size_t)mbd_model_nz(r->model) * (size_t)mbd_model_nz(r->model) + 1;
  mbd_linear l = {0};
  *A = *dA = NULL;
  MBD_TRY(check_second(r->model, err));
  MBD_TRY(set_numbers(r, theta, n, index, value, err));
  mbd_real *exact = calloc(room, sizeof *exact);
  *A = calloc(room, sizeof **A), *dA = calloc(room, sizeof **dA);
  mbd_status status = exact && *A && *dA ? linearize_exact(r->sim, r->params, &l, exact, err)
                                         : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a linearization");
  *order = l.n + l.nrate + l.nstate;
  for (int i = 0; status == MBD_OK && i < *order * *order; i++) {
    (*A)[i] = creal(exact[i]), (*dA)[i] = cimag(exact[i]) / step;
  }
  mbd_linear_free(&l);
  free(exact);
  if (status != MBD_OK) {
    free(*A), free(*dA);
    *A = *dA = NULL;
  }
  return status;
}

mbd_status mbd_referee_modes(mbd_referee *r, const double *theta, int ncolumn, int nmode, const double *const *vectors,
                             const double *weight, const unsigned char *requested, double *gtheta, mbd_error *err) {
  MBD_TRY(check_second(r->model, err));
  MBD_TRY(set_numbers(r, theta, 0, NULL, NULL, err));
  MBD_TRY(mbd_sim_start(r->sim, r->params, NULL, NULL, NULL, NULL, err));
  return adjoint_modes(r->sim, ncolumn, nmode, vectors, weight, requested, gtheta, err);
}
