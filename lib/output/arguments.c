/* Quantities that are functions of arguments: y(x, xd, xdd; c) of those of the output's own, or of those of its force. */
#include <string.h>

#include "output/output.h"

/* The norm of zero has no gradient; zero is its subgradient of least length. */
mbd_real component_of_argument(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const int order = at->o->ops->order, component = at->o->component;
  const mbd_real *y = order == 0 ? s->x[0] : order == 1 ? s->xd[0] : s->xdd[0];
  mbd_real *g_y = order == 0 ? g->x[0] : order == 1 ? g->xd[0] : g->xdd[0];
  if (component < 3) {
    g_y[component] = 1;
    return y[component];
  }
  const mbd_real norm = mbd_sqrt(v3_dot(y, y));
  if (mbd_re(norm) > 0) { v3_scale(g_y, 1 / norm, y); }
  return norm;
}

static const mbd_lift *lift_of(const output_at *at) {
  return at->o->ops->arguments ? &at->o->lift : &at->m->force[at->o->object].lift;
}

static mbd_real evaluate(const output_at *at, mbd_arg_state *s, output_gradient *g) {
  memset(g, 0, sizeof *g);
  lift_values(at->w, lift_of(at), 1, s);
  return at->o->ops->eval(at, s, g);
}

mbd_real arguments_value(const output_at *at) {
  mbd_arg_state s;
  output_gradient g;
  return evaluate(at, &s, &g);
}

/* y_z = y_x x_z + y_xd xd_z + y_xdd xdd_z,  y_zd = y_xd x_z + y_xdd xdd_zd,  y_zdd = y_xdd x_z */
void arguments_rows(const output_at *at, const output_row *g) {
  const mbd_lift *l = lift_of(at);
  const int second = at->o->ops->order == 2;
  mbd_work *w = at->w;
  mbd_arg_state s;
  output_gradient y;
  evaluate(at, &s, &y);
  lift_columns(w, l);
  lift_rate_columns(w, l, second);
  for (int a = 0; a < l->narg; a++) {
    for (int c = 0; c < l->ncol; c++) {
      const size_t k = lift_at(l, a, c);
      const int j = l->col[c];
      g->z[j] += v3_dot(y.x[a], w->dx + k) + v3_dot(y.xd[a], w->dxd + k);
      g->zd[j] += v3_dot(y.xd[a], w->dx + k);
      if (!second) { continue; }
      g->z[j] += v3_dot(y.xdd[a], w->dxdd + k);
      g->zd[j] += v3_dot(y.xdd[a], w->dxdd_zd + k);
      g->zdd[j] += v3_dot(y.xdd[a], w->dx + k);
    }
  }
}

static mbd_real sum_over(int narg, const mbd_real (*g)[3], const mbd_real (*dx)[3]) {
  mbd_real sum = 0;
  for (int a = 0; a < narg; a++) { sum += v3_dot(g[a], dx[a]); }
  return sum;
}

mbd_real arguments_direction(const output_at *at) {
  const mbd_lift *l = lift_of(at);
  const mbd_dparams *d = at->w->vary.d;
  const int own = d && at->o->ops->eval_c, n = l->narg;
  mbd_arg_state s, ds;
  output_gradient g;
  mbd_real dy = 0;
  const int moved = vary_arguments(at->w, l, 1, &ds);
  if (!moved && !own) { return 0; }
  evaluate(at, &s, &g);
  if (own) { dy = at->o->ops->eval_c(at, &s, d); }
  if (!moved) { return dy; }
  return dy + (sum_over(n, CONST3(g.x), CONST3(ds.x)) + sum_over(n, CONST3(g.xd), CONST3(ds.xd)) +
               sum_over(n, CONST3(g.xdd), CONST3(ds.xdd)));
}

void arguments_pull(const output_at *at, mbd_real s, const output_back *to) {
  const mbd_lift *l = lift_of(at);
  mbd_arg_state x;
  output_gradient y;
  arg_pull g = {0};
  evaluate(at, &x, &y);
  for (int a = 0; a < l->narg; a++) {
    v3_scale(g.x[a], s, y.x[a]);
    v3_scale(g.xd[a], s, y.xd[a]);
    v3_scale(g.xdd[a], s, y.xdd[a]);
  }
  pull_arguments(to->q, l, &g);
  if (at->o->ops->pull_c) { at->o->ops->pull_c(at, &x, s, to->q->theta); }
}
