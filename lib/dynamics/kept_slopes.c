/* Slopes of forces that cost far more to evaluate than to keep (mbd_force_ops.keep): a Jacobian at the solution of a step leaves them for the
 * adjoint, which is at the same motion when it reads them. For each such force the memory holds f on its arguments, then the entries of the blocks K,
 * D = df/dx, df/dxd that can differ from zero. Equations: theory.md §3 (3.3), (3.5). */
#include <string.h>

#include "dynamics/parts.h"

static size_t reals_of(const mbd_force *f) {
  const mbd_force_slopes *at = f->ops->keep;
  return at ? 3 * (size_t)f->lift.narg + 9 * (size_t)(at->nK + at->nD) : 0;
}

size_t motion_kept_reals(const mbd_model *m) {
  size_t n = 0;
  for (int i = 0; i < m->nforce; i++) { n += reals_of(&m->force[i]); }
  return n;
}

void force_keep(const mbd_force *f, const mbd_real (*value)[3], const mbd_real (*K)[ELEMENT_ARG_MAX][9],
                const mbd_real (*D)[ELEMENT_ARG_MAX][9], mbd_real **kept) {
  const mbd_force_slopes *at = f->ops->keep;
  mbd_real *to = *kept;
  if (!at) { return; }
  memcpy(to, value, (size_t)f->lift.narg * sizeof *value), to += 3 * f->lift.narg;
  for (int i = 0; i < at->nK; i++, to += 9) { memcpy(to, K[at->K[i].a][at->K[i].b], sizeof **K); }
  for (int i = 0; i < at->nD; i++, to += 9) { memcpy(to, D[at->D[i].a][at->D[i].b], sizeof **D); }
  *kept = to;
}

void force_read_kept(const mbd_force *f, const mbd_real **kept, mbd_real (*value)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                     mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const mbd_force_slopes *at = f->ops->keep;
  const mbd_real *from = *kept;
  memcpy(value, from, (size_t)f->lift.narg * sizeof *value), from += 3 * f->lift.narg;
  for (int i = 0; i < at->nK; i++, from += 9) { memcpy(K[at->K[i].a][at->K[i].b], from, sizeof **K); }
  for (int i = 0; i < at->nD; i++, from += 9) { memcpy(D[at->D[i].a][at->D[i].b], from, sizeof **D); }
  *kept = from;
}
