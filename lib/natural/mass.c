/* The equations of motion in natural coordinates: constant mass matrix and weights (theory.md §4.1 (4.8)), forces. */
#include "natural/natural.h"

/* The first variable of point or vector k of the basis; -1: constant. */
static int basis_q(const natural *n, int r, int k) {
  return n->basic[natural_basis(n, r, k)].q;
}

/* The mass term J n^2 of a rotor. */
mbd_real natural_rotor(const natural_params *v, int i, int *variable) {
  const mbd_force *force = &v->n->m->force[v->n->m->rotor[i]];
  mbd_element_input in;
  params_force_input(v->p, force, 0, NULL, NULL, &in);
  *variable = v->n->q_of[force->lift.arg[0].b];
  return force->ops->inertia(&in);
}

void natural_bodies_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y) {
  const natural *n = v->n;
  for (int r = 1; r < n->nrigid; r++) {
    for (int i = 0; i < 4; i++) {
      const int to = basis_q(n, r, i);
      for (int k = 0; k < 4 && to >= 0; k++) {
        const int from = basis_q(n, r, k);
        if (from >= 0) { v3_axpy(y + to, v->mass[r][4 * i + k], x + from); }
      }
    }
  }
}

void natural_mass_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y) {
  natural_bodies_mul_add(v, x, y);
  for (int i = 0; i < v->n->m->nrotor; i++) {
    int q;
    const mbd_real J = natural_rotor(v, i, &q);
    y[q] += J * x[q];
  }
}

void natural_weight_add(const natural_params *v, mbd_real *Q) {
  const natural *n = v->n;
  for (int r = 1; r < n->nrigid && n->m->gravity >= 0; r++) {
    for (int k = 0; k < 4; k++) {
      const int q = basis_q(n, r, k);
      if (q >= 0) { v3_axpy(Q + q, v->moment[r][k], v->p->theta + n->m->gravity); }
    }
  }
}

void natural_forces_add(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, mbd_real *Q) {
  const mbd_model *m = v->n->m;
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *force = &m->force[i];
    mbd_arg_state s;
    mbd_element_input in;
    mbd_real f[ELEMENT_ARG_MAX][3];
    mbd_arg arg[ELEMENT_ARG_MAX];
    for (int a = 0; a < force->lift.narg; a++) {
      arg[a] = natural_arg_of(v->n, &force->lift.arg[a]);
      natural_argument(v, &arg[a], q, qd, NULL, a, &s);
    }
    natural_force_input(v, force, t, &s, &in);
    force->ops->f(&in, f);
    for (int a = 0; a < force->lift.narg; a++) { natural_on_argument(v, &arg[a], q, f[a], Q); }
  }
}
