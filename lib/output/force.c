/* Outputs of forces: the quantities of their type, and their power, sum f . xd over the arguments of theory.md §4 (4.1). The rates of states,
 * which are the last forces, are no forces here. */
#include "model/state.h"
#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->nforce - m->nstate ? NULL : m->force[i].name;
}

static const mbd_force *force_of(const output_at *at) {
  return &at->m->force[at->o->object];
}

static mbd_element_input input_of(const output_at *at, const mbd_arg_state *s) {
  mbd_element_input in;
  params_force_input(at->w->p, force_of(at), at->w->t, s, &in);
  return in;
}

/* ---- quantities of its type ---- */

static const char *scalar_word(const mbd_model *m, int object, int k) {
  const mbd_force_ops *ops = m->force[object].ops;
  return k < ops->nscalar ? ops->scalar_name[k] : NULL;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return model_scalar_unit(m, &m->force[o->object], o->own_word);
}

static mbd_real scalar(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const mbd_element_input in = input_of(at, s);
  return force_of(at)->ops->scalar(&in, at->o->own_word, g->x, g->xd);
}

static mbd_real scalar_c(const output_at *at, const mbd_arg_state *s, const mbd_dparams *d) {
  (void)d;
  if (!motion_force_moves(at->w, at->o->object)) { return 0; }
  const mbd_element_input in = input_of(at, s);
  const mbd_element_direction e = motion_force_along(at->w, at->o->object);
  return force_of(at)->ops->scalar_c(&in, at->o->own_word, &e);
}

static void scalar_reverse(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *theta) {
  if (!theta->force_requests[at->o->object]) { return; }
  const mbd_element_input in = input_of(at, s);
  params_reverse_force_scalar(theta, at->w->p, force_of(at), at->o->own_word, &in, scale);
}

/* The rates of states are no forces. */
static int is_rate(const output_at *at, int a) {
  const mbd_arg *arg = &force_of(at)->lift.arg[a];
  return arg->kind == MBD_ARG_COORDINATE && model_is_state(at->m, arg->b);
}

/* ---- power, sum_a f_a . xd_a:  g_x[b] = sum_a K_ab' xd_a,  g_xd[b] = f_b + sum_a D_ab' xd_a ---- */

static mbd_real power(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  mbd_real K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], f[ELEMENT_ARG_MAX][3],
      sum = 0;
  const mbd_force *force = force_of(at);
  const mbd_element_input in = input_of(at, s);
  const int n = force->lift.narg;
  mbd_blocks_zero(n, K), mbd_blocks_zero(n, D);
  force->ops->f_x(&in, f, K, D);
  /* The product rule on f_a . xd_a: by xd directly, and by x and xd through the slopes K, D of f. */
  for (int a = 0; a < n; a++) {
    if (is_rate(at, a)) { continue; }
    sum += v3_dot(f[a], s->xd[a]);
    v3_add(g->xd[a], g->xd[a], f[a]);
    for (int b = 0; b < n; b++) {
      mbd_real y[3];
      m3_Tvec(y, K[a][b], s->xd[a]);
      v3_add(g->x[b], g->x[b], y);
      m3_Tvec(y, D[a][b], s->xd[a]);
      v3_add(g->xd[b], g->xd[b], y);
    }
  }
  return sum;
}

static mbd_real power_c(const output_at *at, const mbd_arg_state *s, const mbd_dparams *d) {
  const mbd_force *f = force_of(at);
  mbd_real df[ELEMENT_ARG_MAX][3] = {{0}}, sum = 0;
  (void)d;
  if (!motion_force_moves(at->w, at->o->object)) { return 0; }
  const mbd_element_input in = input_of(at, s);
  const mbd_element_direction e = motion_force_along(at->w, at->o->object);
  f->ops->f_c(&in, &e, df);
  for (int a = 0; a < f->lift.narg; a++) { sum += is_rate(at, a) ? 0 : v3_dot(df[a], s->xd[a]); }
  return sum;
}

static void power_reverse(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *theta) {
  const mbd_force *f = force_of(at);
  mbd_real xd[ELEMENT_ARG_MAX][3];
  if (!theta->force_requests[at->o->object]) { return; }
  const mbd_element_input in = input_of(at, s);
  for (int a = 0; a < f->lift.narg; a++) { v3_scale(xd[a], is_rate(at, a) ? 0 : scale, s->xd[a]); }
  params_reverse_force(theta, at->w->p, f, &in, CONST3(xd));
}

#define OF_FORCE(k) .order = 1, OUTPUT_OF_ARGUMENTS, .eval = k, .eval_c = k##_c, .reverse_c = k##_reverse

static const output_ops rows[] = {
    {.quantity = NULL,
     .unit_of = unit_of,
     .doc = "what the force's type offers, such as `length` or `load`: see there",
     OF_FORCE(scalar)},
    {.quantity = "power", .unit = "W", .doc = "power of the force on the mechanism", OF_FORCE(power)},
    {0}};

const output_object output_forces = {
    .word = "FORCE", .noun = "force", .row = rows, .name = name, .own_word = scalar_word};
