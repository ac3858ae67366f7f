/* Products with Phi of a linear system with multipliers, from its packed copy if there is one. */
#include "la/saddle.h"

void mbd_saddle_add_Phi(const mbd_saddle *s, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (s->Phi_packed) {
    mbd_packed_mul_add(s->m, k, c, s->Phi_packed, x, y);
  } else {
    mbd_mul_add_at(s->m, s->n, k, c, s->Phi, s->Phi_at, x, y);
  }
  if (s->nextra > 0 && !s->transposed) {
    mbd_mul_add(s->nextra, s->n, k, c, s->extra, x, y + (size_t)(s->m - s->nextra) * (size_t)k);
  }
}

void mbd_saddle_add_Phi_T(const mbd_saddle *s, int k, mbd_real c, const mbd_real *y, mbd_real *x) {
  if (s->Phi_packed) {
    mbd_packed_mulT_add(s->m, k, c, s->Phi_packed, y, x);
  } else {
    mbd_mulT_add_at(s->m, s->n, k, c, s->Phi, s->Phi_at, y, x);
  }
  if (s->nextra > 0 && s->transposed) {
    mbd_mulT_add(s->nextra, s->n, k, c, s->extra, y + (size_t)(s->m - s->nextra) * (size_t)k, x);
  }
}
