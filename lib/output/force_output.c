/* Values and derivatives of what forces offer, at the input of the force: the quantities of their type, and their power,
 *   sum_a f_a . xd_a   over the arguments of theory.md §4 (4.1),   with the slopes  g_x[b] = sum_a K_ab' xd_a,  g_xd[b] = f_b + sum_a D_ab' xd_a */
#include "model/state.h"
#include "output/output.h"

/* The rates of states are no forces. */
static int is_rate(const mbd_model *m, const mbd_force *f, int a) {
  const mbd_arg *arg = &f->lift.arg[a];
  return arg->kind == MBD_ARG_COORDINATE && model_is_state(m, arg->b);
}

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
