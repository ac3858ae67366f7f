/* Rotors: inertias I of single coordinates, functions of coefficients alone. With kinetic energy I zd^2/2 each adds
 *   r_j += I zdd_j,    M_jj += I,    mu . r: mu_j I zdd_j,    mu . M x: mu_j I x_j
 * Equations: theory.md §3. */
#include "dynamics/parts.h"

static const mbd_force *rotor(const mbd_work *w, int i) {
  return &w->model->force[w->model->rotor[i]];
}

static int coordinate_of(const mbd_work *w, int i) {
  return rotor(w, i)->lift.arg[0].b;
}

static mbd_element_input rotor_input(const mbd_work *w, int i) {
  mbd_element_input in;
  params_force_input(w->p, rotor(w, i), w->t, NULL, NULL, &in);
  return in;
}

mbd_real motion_rotor(const mbd_work *w, int i, int *j) {
  const mbd_element_input in = rotor_input(w, i);
  *j = coordinate_of(w, i);
  return rotor(w, i)->ops->inertia(&in);
}

mbd_real motion_rotor_direction(const mbd_work *w, int i) {
  const mbd_dparams *d = w->variation.last.d;
  if (!d || !d->force_active[w->model->rotor[i]]) { return 0; }
  const mbd_element_input in = rotor_input(w, i);
  const mbd_element_direction e = params_direction(d, rotor(w, i)->coef, 0, 0);
  return rotor(w, i)->ops->inertia_c(&in, &e);
}

void motion_reverse_rotor(mbd_reverse *sweep, int i, mbd_real s) {
  if (!sweep->theta || !sweep->theta->force_requests[sweep->w->model->rotor[i]]) { return; }
  const mbd_element_input in = rotor_input(sweep->w, i);
  params_reverse_rotor(sweep->theta, sweep->w->p, rotor(sweep->w, i), &in, s);
}

void rotors_residual(const mbd_work *w, mbd_real *r) {
  for (int i = 0; i < w->model->nrotor; i++) {
    int j;
    const mbd_real I = motion_rotor(w, i, &j);
    r[j] += I * w->zdd[j];
  }
}

/* Adds the rotors to the diagonal. */
void rotors_mass(const mbd_work *w, mbd_real *M) {
  const mbd_model *m = w->model;
  for (int i = 0; i < m->nrotor; i++) {
    int j;
    const mbd_real I = motion_rotor(w, i, &j);
    M[mbd_entry(w->formed.M_at, m->nz, j, j)] += I;
  }
}

void rotors_direction(const mbd_work *w, mbd_real *dr) {
  for (int i = 0; i < w->model->nrotor; i++) {
    int j;
    const mbd_real I = motion_rotor(w, i, &j);
    dr[j] += motion_rotor_direction(w, i) * w->zdd[j];
    if (w->variation.last.dzdd) { dr[j] += I * w->variation.last.dzdd[j]; }
  }
}

void rotors_reverse(mbd_reverse *sweep, int mu) {
  for (int i = 0; i < sweep->w->model->nrotor; i++) {
    int j;
    const mbd_real I = motion_rotor(sweep->w, i, &j);
    sweep->zdd[j] += I * sweep->field[mu].mu[j];
  }
}

void rotors_reverse_own(mbd_reverse *sweep, int mu, const mbd_real *x) {
  for (int i = 0; i < sweep->w->model->nrotor; i++) {
    const int j = coordinate_of(sweep->w, i);
    motion_reverse_rotor(sweep, i, sweep->field[mu].mu[j] * x[j]);
  }
}
