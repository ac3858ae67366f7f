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

/* ---- seen from a body, theory.md §4 (4.3) ----
 *
 * With e_i the axes of that body's frame, a vector or the way x from its origin to a point has the components
 *   y_i = e_i . x,   yd_i = e_i . xd + ed_i . x,   ydd_i = e_i . xdd + 2 ed_i . xd + edd_i . x
 * there, and these are the rates that an observer on the body sees. Of a relative angular velocity w = xd it sees
 *   yd_i = e_i . w,   ydd_i = e_i . wd + ed_i . w */

mbd_status arguments_create(const mbd_model *m, output *o, mbd_error *err) {
  mbd_lift *l = &o->lift;
  o->ops->arguments(m, o, l);
  for (int a = 0; o->from && a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_POINT) { l->arg[a].a = model_origin_marker(m, o->from); }
    if (l->arg[a].kind == MBD_ARG_ROTATION) { l->arg[a].a = o->from; }
  }
  for (int i = 0; o->from && i < 3; i++) {
    l->arg[l->narg++] = (mbd_arg){MBD_ARG_VECTOR, model_axis_marker(m, o->from, i), -1};
  }
  const int sees_no_common_motion =
      o->from || (o->of->relation && o->ops->shape == OUTPUT_NUMBER); /* distances, angles */
  return lift_create(m, l, sees_no_common_motion, err);
}

static void see(const mbd_lift *l, const mbd_arg_state *s, mbd_arg_state *seen) {
  for (int a = 0, e = l->narg - 3; a < e; a++) {
    const int turns = l->arg[a].kind == MBD_ARG_ROTATION;
    const mbd_real *x = s->x[a], *xd = s->xd[a], *xdd = s->xdd[a];
    for (int i = 0; i < 3; i++) {
      seen->x[a][i] = v3_dot(s->x[e + i], x);
      seen->xd[a][i] = v3_dot(s->x[e + i], xd) + v3_dot(s->xd[e + i], x);
      seen->xdd[a][i] =
          v3_dot(s->x[e + i], xdd) + (turns ? 1 : 2) * v3_dot(s->xd[e + i], xd) + v3_dot(s->xdd[e + i], x);
    }
  }
}

/* The gradient in what is seen, to one in the arguments. A rotation has no x. */
static void unsee(const mbd_lift *l, const mbd_arg_state *s, const output_gradient *y, output_gradient *g) {
  for (int a = 0, e = l->narg - 3; a < e; a++) {
    const int turns = l->arg[a].kind == MBD_ARG_ROTATION, twice = turns ? 1 : 2;
    for (int i = 0; i < 3; i++) {
      const mbd_real by_x = y->x[a][i], by_xd = y->xd[a][i], by_xdd = y->xdd[a][i];
      v3_axpy(g->xd[a], by_xd, s->x[e + i]), v3_axpy(g->x[e + i], by_xd, s->xd[a]);
      v3_axpy(g->xdd[a], by_xdd, s->x[e + i]), v3_axpy(g->x[e + i], by_xdd, s->xdd[a]);
      v3_axpy(g->xd[a], twice * by_xdd, s->xd[e + i]), v3_axpy(g->xd[e + i], twice * by_xdd, s->xd[a]);
      if (turns) { continue; }
      v3_axpy(g->x[a], by_x, s->x[e + i]), v3_axpy(g->x[e + i], by_x, s->x[a]);
      v3_axpy(g->x[a], by_xd, s->xd[e + i]), v3_axpy(g->xd[e + i], by_xd, s->x[a]);
      v3_axpy(g->x[a], by_xdd, s->xdd[e + i]), v3_axpy(g->xdd[e + i], by_xdd, s->x[a]);
    }
  }
}

static mbd_real evaluate(const output_at *at, mbd_arg_state *s, output_gradient *g) {
  const mbd_lift *l = lift_of(at);
  mbd_arg_state seen;
  output_gradient y = {0};
  memset(g, 0, sizeof *g);
  lift_values(at->w, l, 1, s);
  if (!at->o->from) { return at->o->ops->eval(at, s, g); }
  see(l, s, &seen);
  const mbd_real value = at->o->ops->eval(at, &seen, &y);
  unsee(l, s, &y, g);
  return value;
}

/* ---- values and derivatives ---- */

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
