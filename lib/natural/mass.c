/* Constant mass matrix and weights of the natural model (theory.md §4.1 (4.8)). */
#include "natural/natural.h"

/* Variables of number k of the basis; -1: constant. */
static int basis_q(const natural *n, int r, int k) {
  return n->basic[natural_basis(n, r, k)].q;
}

/* The mass terms of coordinates, which stand for rotors: J n^2. */
static void rotors_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y) {
  const mbd_model *m = v->n->m;
  for (int i = 0; i < m->nrotor; i++) {
    const mbd_force *f = &m->force[m->rotor[i]];
    const int q = v->n->q_of[f->lift.arg[0].b];
    mbd_element_input in;
    params_force_input(v->p, f, 0, NULL, &in);
    y[q] += f->ops->inertia(&in) * x[q];
  }
}

void natural_mass_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y) {
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
  rotors_mul_add(v, x, y);
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
