/* Quantities that are functions y(x, xd, xdd; c) of the arguments of the output, or of those of its force. */
#include <math.h>
#include <string.h>

#include "output/output.h"

mbd_real output_norm(const mbd_real y[3], mbd_real e[3]) {
  const mbd_real norm = mbd_sqrt(v3_dot(y, y));
  v3_set(e, 0, 0, 0);
  if (mbd_any(mbd_re(norm) > 0)) { v3_scale(e, mbd_select(mbd_re(norm) > 0, 1 / norm, 0), y); }
  return norm;
}

mbd_real component_of_argument(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const int order = at->o->ops->order, component = at->o->component;
  const mbd_real *y = order == 0 ? s->x[0] : order == 1 ? s->xd[0] : s->xdd[0];
  mbd_real *g_y = order == 0 ? g->x[0] : order == 1 ? g->xd[0] : g->xdd[0];
  if (component == 3) { return output_norm(y, g_y); }
  g_y[component] = 1;
  return y[component];
}

static const mbd_lift *lift_of(const output_at *at) {
  return at->o->ops->arguments ? &at->o->lift : &at->m->force[at->o->object].lift;
}

/* ---- seen from a body, theory.md §4 (4.3) ----
 *
 * With e_i the axes of that body's frame, a vector or the vector x from its origin to a point has the components
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

/* Converts the gradient by the relative components to one by the arguments. A rotation has no x. */
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

static void gradient_zero(int narg, output_gradient *g) {
  mbd_args_zero(narg, g->x), mbd_args_zero(narg, g->xd), mbd_args_zero(narg, g->xdd);
}

mbd_real arguments_value_at(const output_at *at, const mbd_arg_state *x, output_gradient *g) {
  const mbd_lift *l = lift_of(at);
  mbd_arg_state seen;
  output_gradient y;
  gradient_zero(l->narg, g);
  if (!at->o->from) { return at->o->ops->eval(at, x, g); }
  gradient_zero(l->narg, &y);
  see(l, x, &seen);
  const mbd_real value = at->o->ops->eval(at, &seen, &y);
  unsee(l, x, &y, g);
  return value;
}

static mbd_real evaluate(const output_at *at, mbd_arg_state *x, output_gradient *g) {
  lift_values(at->w, lift_of(at), 1, x);
  return arguments_value_at(at, x, g);
}

/* ---- values and derivatives ---- */

mbd_real arguments_value(const output_at *at) {
  mbd_arg_state s;
  output_gradient g;
  return evaluate(at, &s, &g);
}

mbd_real arguments_rate(int narg, const output_gradient *g, const mbd_arg_state *s) {
  mbd_real rate = 0;
  for (int a = 0; a < narg; a++) { rate += v3_dot(g->x[a], s->xd[a]); }
  return rate;
}

mbd_real arguments_value_rate(const output_at *at, mbd_real *rate) {
  mbd_arg_state s;
  output_gradient g;
  const mbd_real y = evaluate(at, &s, &g);
  *rate = arguments_rate(lift_of(at)->narg, &g, &s);
  return y;
}

/* ---- turns of angles, theory.md §6 (6.11) ---- */

mbd_value turns_predict(const mbd_real *turns, int turn, mbd_real t, mbd_value r, mbd_truth *agree) {
  static const double half_turn = 3.14159265358979;
  const double h = mbd_same(t) - mbd_same(turns[0]);
  const mbd_value before = mbd_re(turns[1 + 2 * turn]), rate = mbd_re(turns[2 + 2 * turn]);
  *agree = fabs(h) * mbd_abs(r - rate) <= half_turn; /* not where the angle has no rate */
  return isnan(h) ? before * 0 + h : before + mbd_select(*agree, h * (rate + r) / 2, 0);
}

mbd_real turns_add(const mbd_real *turns, int turn, mbd_real t, mbd_real y, mbd_real r) {
  mbd_truth agree;
  if (!turns || turn < 0) { return y; }
  const mbd_value near = turns_predict(turns, turn, t, mbd_re(r), &agree);
  return mbd_if(near != near) ? y : y + whole_turns(near - mbd_re(y));
}

mbd_real turned_value(const output_at *at) {
  mbd_real rate;
  const mbd_real y = arguments_value_rate(at, &rate);
  return turns_add(at->w->turns, at->o->turn, at->w->t, y, rate);
}

/* y_z = y_x x_z + y_xd xd_z + y_xdd xdd_z,  y_zd = y_xd x_z + y_xdd xdd_zd,  y_zdd = y_xdd x_z, with the columns of lift_columns */
static void add_rows(const output_at *at, const output_gradient *y, const output_row *row) {
  const mbd_lift *l = lift_of(at);
  const mbd_work *w = at->w;
  const int order = at->o->ops->order;
  for (int a = 0; a < l->narg; a++) {
    for (int c = 0; c < l->ncol; c++) {
      const size_t k = lift_at(l, a, c);
      const int j = l->col[c];
      row->z[j] += v3_dot(y->x[a], w->element.dx + k) + v3_dot(y->xd[a], w->element.dxd + k);
      row->zd[j] += v3_dot(y->xd[a], w->element.dx + k);
      if (order < 2) { continue; }
      row->z[j] += v3_dot(y->xdd[a], w->element.dxdd + k);
      row->zd[j] += v3_dot(y->xdd[a], w->element.dxdd_zd + k);
      row->zdd[j] += v3_dot(y->xdd[a], w->element.dx + k);
    }
  }
}

static void rows_of(const output_at *first, int count, const output_row *row) {
  const mbd_lift *l = lift_of(first);
  mbd_arg_state x;
  output_gradient y;
  lift_values(first->w, l, 1, &x);
  lift_columns(first->w, l);
  lift_rate_columns(first->w, l, first->o->ops->order == 2);
  for (int i = 0; i < count; i++) {
    output_at at = *first;
    at.o += i;
    arguments_value_at(&at, &x, &y);
    add_rows(&at, &y, &row[i]);
  }
}

void arguments_rows(const output_at *at, const output_row *row) {
  rows_of(at, 1, row);
}

static mbd_real sum_over(int narg, const mbd_real (*g)[3], const mbd_real (*dx)[3]) {
  mbd_real sum = 0;
  for (int a = 0; a < narg; a++) { sum += v3_dot(g[a], dx[a]); }
  return sum;
}

/* dy[i by] += the derivative of component i along the current direction */
static void directions_of(const output_at *first, int count, mbd_real *dy, int by) {
  const mbd_lift *l = lift_of(first);
  const mbd_dparams *d = first->w->variation.last.d;
  const int by_coefs = d && first->o->ops->eval_c, n = l->narg;
  mbd_arg_state s, ds;
  output_gradient g;
  const int moved = vary_arguments(first->w, l, 1, &ds);
  if (!moved && !by_coefs) { return; }
  lift_values(first->w, l, 1, &s);
  for (int i = 0; i < count; i++) {
    output_at at = *first;
    at.o += i;
    if (by_coefs) { dy[i * by] += at.o->ops->eval_c(&at, &s, d->dtheta); }
    if (!moved) { continue; }
    arguments_value_at(&at, &s, &g);
    dy[i * by] += sum_over(n, CONST3(g.x), CONST3(ds.x)) + sum_over(n, CONST3(g.xd), CONST3(ds.xd)) +
                  sum_over(n, CONST3(g.xdd), CONST3(ds.xdd));
  }
}

mbd_real arguments_direction(const output_at *at) {
  mbd_real dy = 0;
  directions_of(at, 1, &dy, 1);
  return dy;
}

/* ---- several components of one vector ---- */

/* Components may have different arguments: a velocity along the axes of its body has the axis as an argument. */
static int is_alike(const output *a, const output *b) {
  int alike = a->of == b->of && a->ops == b->ops && a->object == b->object && a->own_word == b->own_word &&
              a->from == b->from && memcmp(a->ref, b->ref, sizeof a->ref) == 0 && a->lift.narg == b->lift.narg;
  for (int i = 0; alike && i < a->lift.narg; i++) {
    const mbd_arg *one = &a->lift.arg[i], *other = &b->lift.arg[i];
    alike = one->kind == other->kind && one->b == other->b && one->a == other->a;
  }
  return alike;
}

int output_alike(const mbd_outputs *outputs, int i) {
  const output *first = &outputs->item[i];
  int n = 1;
  if (first->ops->rows != arguments_rows || first->ops->direction != arguments_direction) { return 1; }
  while (n < OUTPUT_ALIKE && i + n < outputs->n && is_alike(first, first + n)) { n++; }
  return n;
}

void output_rows_alike(mbd_work *w, const output *o, int count, const mbd_real *lam, const output_row *row) {
  const output_at at = {w, w->model, o, lam, NULL, w->p->theta};
  const size_t bytes = (size_t)w->model->nz * sizeof *row->z;
  for (int i = 0; i < count; i++) {
    memset(row[i].z, 0, bytes), memset(row[i].zd, 0, bytes), memset(row[i].zdd, 0, bytes);
    memset(row[i].lam, 0, (size_t)output_lam_size(w->model, o + i) * sizeof *row->lam);
  }
  if (count == 1) {
    o->ops->rows(&at, row);
  } else {
    rows_of(&at, count, row);
  }
}

void output_directions_alike(mbd_work *w, const output *o, int count, const mbd_real *lam, mbd_real *dy, int by) {
  const output_at at = {w, w->model, o, lam, NULL, w->p->theta};
  if (count == 1) {
    *dy += o->ops->direction(&at);
  } else {
    directions_of(&at, count, dy, by);
  }
}

void arguments_reverse(const output_at *at, mbd_real s, const output_back *to) {
  const mbd_lift *l = lift_of(at);
  mbd_arg_state x;
  output_gradient y;
  arg_reverse reverse;
  arg_reverse_zero(l->narg, &reverse);
  evaluate(at, &x, &y);
  for (int a = 0; a < l->narg; a++) {
    v3_scale(reverse.x[a], s, y.x[a]);
    v3_scale(reverse.xd[a], s, y.xd[a]);
    v3_scale(reverse.xdd[a], s, y.xdd[a]);
  }
  reverse_arguments(to->sweep, l, &reverse);
  if (at->o->ops->reverse_c) { at->o->ops->reverse_c(at, &x, s, to->sweep->theta); }
}
