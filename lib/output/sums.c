/* Gradients of sums over all bodies (sums.h): wrenches, summed towards the ground, times the columns of the coordinates.
 * Equations: theory.md §4 (4.4). */
#include "output/sums.h"

#include "kinematics/sweep.h"

/* A coordinate moves all bodies beyond it:
 *   in z:  x = b,  c,  e       in zd:  c = b,  e = c + bd       in zdd:  e = b */
static void read_column(const column_state *c, const mbd_real F[6], sum_kind kind, int j, const output_row *g) {
  const mbd_real by_b = sv_dot(c->b, F);
  switch (kind) {
    case SUM_PLACE: g->z[j] += by_b; break;
    case SUM_VELOCITY:
      g->z[j] += sv_dot(c->c, F);
      g->zd[j] += by_b;
      break;
    case SUM_ACCELERATION:
      g->z[j] += sv_dot(c->e, F);
      g->zd[j] += sv_dot(c->c, F) + sv_dot(c->bd, F);
      g->zdd[j] += by_b;
      break;
  }
}

void sum_wrenches(mbd_work *w, sum_kind kind, const output_row *g) {
  const mbd_model *m = w->model;
  if (kind == SUM_PLACE) {
    sweep_light(w);
  } else {
    sweep_all_columns(w);
  }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *body = &m->body[i];
    mbd_real arm[3];
    for (int k = 0; k < body->nz; k++) { read_column(&w->col[body->c0 + k], w->F + 6 * i, kind, body->z0 + k, g); }
    if (body->parent == 0) { continue; }
    v3_sub(arm, w->body[i].r, w->body[body->parent].r);
    sv_add_wrench_from(w->F + 6 * body->parent, w->F + 6 * i, arm);
  }
}
