/* The order in which the equations of a time step are tried. */
#include "formulation/newton.h"

/* The motion goes on with the accelerations of the node before. */
static void predict(mbd_sim *s, const newton_ops *o) {
  const sim_state *b = &s->before;
  const double h = s->h;
  for (int j = 0; j < s->m->nz; j++) {
    s->moved[j] = h * b->zd[j] + h * h / 2 * b->zdd[j];
    s->now.z[j] = b->z[j] + s->moved[j];
  }
  o->predict(s);
  o->begin(s);
}

mbd_status newton_solve(mbd_sim *s, const newton_ops *o, mbd_error *err) {
  predict(s, o);
  mbd_status status = o->newton(s, err);
  if (status <= 0) { return status; }
  o->show(s);
  newton_advise(s);
  predict(s, o);
  status = newton_damped(s, o, err);
  if (status > 0) { status = newton_in_parts(s, o, err); }
  if (status <= 0) { return status; }
  o->show(s);
  return newton_stuck(s, status, err);
}
