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
  params_force_input(at->w->p, force_of(at), at->w->t, at->w->turns, s, &in);
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

/* The rates of states are no forces. */
static int is_rate(const mbd_model *m, const mbd_force *f, int a) {
  const mbd_arg *arg = &f->lift.arg[a];
  return arg->kind == MBD_ARG_COORDINATE && model_is_state(m, arg->b);
}

/* ---- power, sum_a f_a . xd_a:  g_x[b] = sum_a K_ab' xd_a,  g_xd[b] = f_b + sum_a D_ab' xd_a ---- */

static mbd_real power(const mbd_model *m, const mbd_force *force, const mbd_element_input *in, mbd_real (*g_x)[3],
                      mbd_real (*g_xd)[3]) {
  mbd_real K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], f[ELEMENT_ARG_MAX][3],
      sum = 0;
  const int n = force->lift.narg;
  mbd_blocks_zero(n, K), mbd_blocks_zero(n, D);
  force->ops->f_x(in, f, K, D);
  /* The product rule on f_a . xd_a: by xd directly, and by x and xd through the slopes K, D of f. */
  for (int a = 0; a < n; a++) {
    const mbd_real *xd = in->s->xd[a];
    if (is_rate(m, force, a)) { continue; }
    sum += v3_dot(f[a], xd);
    v3_add(g_xd[a], g_xd[a], f[a]);
    for (int b = 0; b < n; b++) {
      mbd_real y[3];
      m3_Tvec(y, K[a][b], xd);
      v3_add(g_x[b], g_x[b], y);
      m3_Tvec(y, D[a][b], xd);
      v3_add(g_xd[b], g_xd[b], y);
    }
  }
  return sum;
}

static mbd_real power_along(const mbd_model *m, const mbd_force *f, const mbd_element_input *in,
                            const mbd_element_direction *d) {
  mbd_real df[ELEMENT_ARG_MAX][3] = {{0}}, sum = 0;
  f->ops->f_c(in, d, df);
  for (int a = 0; a < f->lift.narg; a++) { sum += is_rate(m, f, a) ? 0 : v3_dot(df[a], in->s->xd[a]); }
  return sum;
}

static void power_reverse(const mbd_params *p, const mbd_force *f, const mbd_element_input *in, mbd_real s,
                          params_reverse *theta) {
  mbd_real xd[ELEMENT_ARG_MAX][3];
  for (int a = 0; a < f->lift.narg; a++) { v3_scale(xd[a], is_rate(p->model, f, a) ? 0 : s, in->s->xd[a]); }
  params_reverse_force(theta, p, f, in, CONST3(xd));
}

/* ---- at the input of the force ---- */

mbd_real force_output(const mbd_model *m, const output *o, const mbd_element_input *in, mbd_real (*g_x)[3],
                      mbd_real (*g_xd)[3]) {
  const mbd_force *f = &m->force[o->object];
  return force_output_is_power(o) ? power(m, f, in, g_x, g_xd) : f->ops->scalar(in, o->own_word, g_x, g_xd);
}

mbd_real force_output_along(const mbd_model *m, const output *o, const mbd_element_input *in,
                            const mbd_element_direction *d) {
  const mbd_force *f = &m->force[o->object];
  return force_output_is_power(o) ? power_along(m, f, in, d) : f->ops->scalar_c(in, o->own_word, d);
}

void force_output_reverse(const mbd_params *p, const output *o, const mbd_element_input *in, mbd_real s,
                          params_reverse *theta) {
  const mbd_force *f = &p->model->force[o->object];
  if (force_output_is_power(o)) {
    power_reverse(p, f, in, s, theta);
  } else {
    params_reverse_force_scalar(theta, p, f, o->own_word, in, s);
  }
}

/* ---- at the motion in the work ---- */

static mbd_real eval(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const mbd_element_input in = input_of(at, s);
  return force_output(at->m, at->o, &in, g->x, g->xd);
}

static mbd_real eval_c(const output_at *at, const mbd_arg_state *s, const mbd_dparams *d) {
  (void)d;
  if (!motion_force_moves(at->w, at->o->object)) { return 0; }
  const mbd_element_input in = input_of(at, s);
  const mbd_element_direction e = motion_force_along(at->w, at->o->object);
  return force_output_along(at->m, at->o, &in, &e);
}

static void reverse_c(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *theta) {
  if (!theta->force_requests[at->o->object]) { return; }
  const mbd_element_input in = input_of(at, s);
  force_output_reverse(at->w->p, at->o, &in, scale, theta);
}

#define OF_FORCE .order = 1, OUTPUT_OF_ARGUMENTS, .eval = eval, .eval_c = eval_c, .reverse_c = reverse_c

static const output_ops rows[] = {
    {.quantity = NULL,
     .unit_of = unit_of,
     .doc = "what the force's type offers, such as `length` or `load`: see there",
     OF_FORCE},
    {.quantity = "power", .unit = "W", .doc = "power of the force on the mechanism", OF_FORCE},
    {0}};

const output_object output_forces = {
    .word = "FORCE", .noun = "force", .row = rows, .name = name, .own_word = scalar_word};
