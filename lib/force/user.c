/* A force that the user defines by functions of arguments, rates, the time and coefficients (mbd/user_force.h).
 *
 * The complex build calls its complex functions, so that a perturbation passes through the author's own formulas. Of slopes that
 * the force has for real numbers alone it takes those at the real parts: a tangent matrix needs no more, since it only multiplies
 * the residual of an iteration. Second derivatives need more, and are refused before (mbd_user_force_second).
 * The force is lifted to z by theory.md §4 (4.1). */
#include "force/user.h"

#include <string.h>

#include "base/v3.h"

enum { SLOPES = MBD_USER_RESULTS * 6 * MBD_ARG_MAX };

static const mbd_user_force *force_of(const mbd_element_input *in) {
  return in->law;
}

void user_force_state(const mbd_user_force *u, const mbd_element_input *in, mbd_real *state) {
  const int n = u->narg;
  for (int a = 0; a < n; a++) {
    const mbd_arg_kind kind = u->arg[a].kind;
    mbd_real *x = state + 3 * a, *xd = state + 3 * (n + a);
    const int size = kind == MBD_ARG_COORDINATE ? 1 : 3;
    for (int i = 0; i < 3; i++) {
      x[i] = i < size && kind != MBD_ARG_ROTATION ? in->s->x[a][i] : 0;
      xd[i] = i < size ? in->s->xd[a][i] : 0;
    }
  }
  state[6 * n] = in->t;
}

/* ---- the functions of the force, over the scalar of this build ---- */

#ifdef MBD_COMPLEX

static int nresult(const mbd_user_force *u, int outputs) {
  return 3 * u->narg + (outputs ? mbd_user_force_noutput(u) : 0);
}

static void value(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *y) {
  memset(y, 0, (size_t)nresult(u, outputs) * sizeof *y);
  u->value_complex((const double *)state, (const double *)coef, outputs, (double *)y);
}

static void real_parts(int n, const mbd_real *v, double *out) {
  for (int i = 0; i < n; i++) { out[i] = mbd_re(v[i]); }
}

static void slopes(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *J) {
  const int n = nresult(u, outputs) * 6 * u->narg;
  double at[MBD_USER_STATE], c[MBD_USER_COEFS], real[SLOPES];
  if (u->slopes_complex) {
    memset(J, 0, (size_t)n * sizeof *J);
    u->slopes_complex((const double *)state, (const double *)coef, outputs, (double *)J);
    return;
  }
  real_parts(6 * u->narg + 1, state, at);
  real_parts(mbd_user_force_ncoef(u), coef, c);
  mbd_user_force_slopes(u, at, c, outputs, real);
  for (int i = 0; i < n; i++) { J[i] = real[i]; }
}

static void along(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, const mbd_real *direction,
                  int outputs, mbd_real *dy) {
  const int n = nresult(u, outputs), nc = mbd_user_force_ncoef(u);
  double at[MBD_USER_STATE], c[MBD_USER_COEFS], d[MBD_USER_COEFS + 1], real[MBD_USER_RESULTS];
  if (u->along_complex) {
    memset(dy, 0, (size_t)n * sizeof *dy);
    u->along_complex((const double *)state, (const double *)coef, nc, (const double *)direction, outputs, (double *)dy);
    return;
  }
  real_parts(6 * u->narg + 1, state, at);
  real_parts(nc, coef, c);
  real_parts(nc + 1, direction, d);
  mbd_user_force_along(u, at, c, d, outputs, real);
  for (int i = 0; i < n; i++) { dy[i] = real[i]; }
}

#else

#define value  mbd_user_force_value
#define slopes mbd_user_force_slopes
#define along  mbd_user_force_along

#endif

/* ---- operations of the element ---- */

static void forces_of(const mbd_user_force *u, const mbd_real *y, mbd_real (*f)[3]) {
  for (int a = 0; a < u->narg; a++) {
    const int alone = u->arg[a].kind == MBD_ARG_COORDINATE;
    v3_set(f[a], y[3 * a], alone ? 0 : y[3 * a + 1], alone ? 0 : y[3 * a + 2]);
  }
}

static void user_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  const mbd_user_force *u = force_of(in);
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS];
  user_force_state(u, in, state);
  value(u, state, in->c, 0, y);
  forces_of(u, y, f);
}

/* Copies the block of derivatives of the force on argument a by argument b, of which x begins at place `from` of the state. */
static void block(const mbd_user_force *u, const mbd_real *J, int a, int from, mbd_real out[9]) {
  const int n = 6 * u->narg, rows = u->arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
  for (int i = 0; i < rows; i++) { v3_copy(out + 3 * i, J + (3 * a + i) * n + from); }
}

static void user_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                     mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const mbd_user_force *u = force_of(in);
  const int n = u->narg;
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS], J[SLOPES];
  user_force_state(u, in, state);
  value(u, state, in->c, 0, y);
  forces_of(u, y, f);
  slopes(u, state, in->c, 0, J);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      block(u, J, a, 3 * b, K[a][b]);
      block(u, J, a, 3 * (n + b), D[a][b]);
    }
  }
}

/* Computes the derivative of the result along a direction of the coefficients and the time. */
static void result_along(const mbd_element_input *in, const mbd_element_direction *d, int outputs, mbd_real *dy) {
  const mbd_user_force *u = force_of(in);
  const int nc = mbd_user_force_ncoef(u);
  mbd_real state[MBD_USER_STATE], direction[MBD_USER_COEFS + 1];
  user_force_state(u, in, state);
  for (int k = 0; k < nc; k++) { direction[k] = d->dc[k]; }
  direction[nc] = d->dt;
  along(u, state, in->c, direction, outputs, dy);
}

static void user_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  mbd_real dy[MBD_USER_RESULTS];
  result_along(in, d, 0, dy);
  forces_of(force_of(in), dy, df);
}

static mbd_real user_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const mbd_user_force *u = force_of(in);
  const int n = u->narg;
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS], J[SLOPES];
  user_force_state(u, in, state);
  value(u, state, in->c, 1, y);
  slopes(u, state, in->c, 1, J);
  const mbd_real *row = J + (3 * n + k) * 6 * n;
  for (int b = 0; b < n; b++) {
    v3_copy(g_x[b], row + 3 * b);
    v3_copy(g_xd[b], row + 3 * (n + b));
  }
  return y[3 * n + k];
}

static mbd_real user_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  mbd_real dy[MBD_USER_RESULTS];
  result_along(in, d, 1, dy);
  return dy[3 * force_of(in)->narg + k];
}

static const mbd_ref_info refs[] = {
    {"plugin", MBD_REF_PLUGIN, 1, "which one: a section [plugin NAME] of the run file gives its file"}, {0}};

const mbd_force_ops mbd_force_user = {
    .info =
        {"user",
         "A user-defined force: a function of arguments, rates, time and coefficients, written in C and compiled by "
         "`mbopt plugin FILE.c`. Its other keys are those of its points, vectors, bodies, coordinates and "
         "coefficients, and its outputs are its own: `mbopt plugin` lists them. A model file alone loads nothing: the "
         "run file has to name the plugin. It has no potential energy, and no mirror image.",
         refs, NO_COEFS, NO_CURVES},
    .timed = 1,
    FORCE_F(user),
    FORCE_SCALARS(user),
};

void user_force_ops(const mbd_user_force *u, mbd_force_ops *ops) {
  *ops = mbd_force_user;
  ops->info.refs = u->refs, ops->info.coefs = u->coefs;
  ops->narg = u->narg;
  memcpy(ops->arg, u->arg, (size_t)u->narg * sizeof *u->arg);
  ops->law = u;
  for (int k = 0; u->output[k].name; k++) {
    ops->scalar_name[k] = u->output[k].name, ops->scalar_unit[k] = u->output[k].unit;
    ops->nscalar = k + 1;
  }
}
