/* A force that the user defines by functions of arguments, rates, the time and coefficients (mbd/user_force.h).
 *
 * The complex build calls its complex functions, so that a perturbation passes through the author's own formulas. Of slopes that
 * the force has for real numbers alone it takes those at the real parts: a tangent matrix needs no more, since it only multiplies
 * the residual of an iteration. Second derivatives need more, and are refused before (mbd_user_force_second).
 * The force is lifted to z by theory.md §4 (4.1). With values of expressions among its arguments,
 *   df_a/dx_b = (df_a/dx_b)_u + sum_k df_a/du_k (du_k/dx_b)',   and so by rates, coefficients and the time      theory.md §4.2 (4.13) */
#include "force/user.h"

#include <string.h>

#include "base/v3.h"

enum { SLOPES = MBD_USER_RESULTS * 6 * MBD_ARG_MAX };

/* Variant of the input: 0 to 3, 1 + the axis of its mirror, and WITH_VALUES where in->law is an expression_law. */
enum { WITH_VALUES = 4 };

static const expression_law *values_of(const mbd_element_input *in) {
  return in->variant & WITH_VALUES ? in->law : NULL;
}

static const mbd_user_force *force_of(const mbd_element_input *in) {
  const expression_law *law = values_of(in);
  return law ? law->user : in->law;
}

/* ---- its mirror image:  f(x) = N f_u(N x),  with N = diag(1, -1, 1) of a mirror along y, and -N for rotations ---- */

static int mirror_of(const mbd_element_input *in) {
  return in->variant & ~WITH_VALUES;
}

/* The factor of number i of argument a, and of the force on it. */
static double sign_of(const mbd_element_input *in, int a, int i) {
  const int mirror = mirror_of(in);
  if (!mirror) { return 1; }
  switch (force_of(in)->arg[a].kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR: return i == mirror - 1 ? -1 : 1;
    case MBD_ARG_ROTATION: return i == mirror - 1 ? 1 : -1;
    case MBD_ARG_COORDINATE:
    case MBD_ARG_VALUE: break;
  }
  return 1;
}

/* ---- its arguments, and those of the element: the same without values ---- */

static int is_value(const mbd_user_force *u, int a) {
  return u->arg[a].kind == MBD_ARG_VALUE;
}

/* The number of the value in argument a: references count from the first key on. */
static int value_of(const mbd_user_force *u, int a) {
  int at = 0, k = 0;
  for (const mbd_ref_info *r = u->refs; at < u->arg[a].b; at += r++->count) {
    const int before = u->arg[a].b - at < r->count ? u->arg[a].b - at : r->count;
    k += r->kind == MBD_REF_VALUE ? before : 0;
  }
  return k;
}

int user_force_nvalue(const mbd_user_force *u) {
  int n = 0;
  for (const mbd_ref_info *r = u->refs; r->key; r++) { n += r->kind == MBD_REF_VALUE ? r->count : 0; }
  return n;
}

/* Derivatives of each value by the arguments of the element. */
typedef struct value_slopes {
  mbd_real x[EXPRESSION_VALUES][ELEMENT_ARG_MAX][3], xd[EXPRESSION_VALUES][ELEMENT_ARG_MAX][3];
} value_slopes;

/* The state [6 narg + 1]; g: with the slopes of its values, NULL: without. */
static void state_of(const mbd_user_force *u, const mbd_element_input *in, mbd_real *state, value_slopes *g) {
  const expression_law *law = values_of(in);
  const int n = u->narg;
  mbd_real value[EXPRESSION_VALUES];
  for (int k = 0; law && k < law->line->nvalue; k++) {
    if (g) { mbd_args_zero(law->ops.narg, g->x[k]), mbd_args_zero(law->ops.narg, g->xd[k]); }
    value[k] = law->value(law, k, in, g ? g->x[k] : NULL, g ? g->xd[k] : NULL);
  }
  for (int a = 0, e = 0; a < n; e += !is_value(u, a++)) {
    mbd_real *x = state + 3 * a, *xd = state + 3 * (n + a);
    for (int i = 0; i < 3; i++) {
      const double sign = sign_of(in, a, i);
      x[i] = !is_value(u, a) && mbd_user_force_is_number(u, 3 * a + i) ? sign * in->s->x[e][i] : 0;
      xd[i] = mbd_user_force_is_number(u, 3 * (n + a) + i) ? sign * in->s->xd[e][i] : 0;
    }
    if (is_value(u, a)) { x[0] = value[value_of(u, a)]; }
  }
  state[6 * n] = in->t;
}

void user_force_state(const mbd_user_force *u, const mbd_element_input *in, mbd_real *state) {
  state_of(u, in, state, NULL);
}

/* ---- the functions of the force, over the scalar of this build ---- */

static int nresult(const mbd_user_force *u, int outputs) {
  return 3 * u->narg + (outputs ? mbd_user_force_noutput(u) : 0);
}

#ifdef MBD_COMPLEX

static void own_value(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *y) {
  memset(y, 0, (size_t)nresult(u, outputs) * sizeof *y);
  u->value_complex((const double *)state, (const double *)coef, outputs, (double *)y);
}

static void real_parts(int n, const mbd_real *v, double *out) {
  for (int i = 0; i < n; i++) { out[i] = mbd_re(v[i]); }
}

static void own_slopes(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *J) {
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

static void own_along(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, const mbd_real *direction,
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

#elif MBD_DESIGNS > 1 /* the force has no vectors of designs, and is asked for each of them */

/* The numbers of design i. */
static void numbers_of(int i, int n, const mbd_real *v, double *out) {
  for (int k = 0; k < n; k++) { out[k] = mbd_of(v[k], i); }
}

static void own_value(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *y) {
  double at[MBD_USER_STATE], c[MBD_USER_COEFS], one[MBD_USER_RESULTS];
  for (int i = 0; i < MBD_DESIGNS; i++) {
    numbers_of(i, 6 * u->narg + 1, state, at);
    numbers_of(i, mbd_user_force_ncoef(u), coef, c);
    mbd_user_force_value(u, at, c, outputs, one);
    for (int k = 0; k < nresult(u, outputs); k++) { y[k][i] = one[k]; }
  }
}

static void own_slopes(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, int outputs, mbd_real *J) {
  double at[MBD_USER_STATE], c[MBD_USER_COEFS], one[SLOPES];
  for (int i = 0; i < MBD_DESIGNS; i++) {
    numbers_of(i, 6 * u->narg + 1, state, at);
    numbers_of(i, mbd_user_force_ncoef(u), coef, c);
    mbd_user_force_slopes(u, at, c, outputs, one);
    for (int k = 0; k < nresult(u, outputs) * 6 * u->narg; k++) { J[k][i] = one[k]; }
  }
}

static void own_along(const mbd_user_force *u, const mbd_real *state, const mbd_real *coef, const mbd_real *direction,
                      int outputs, mbd_real *dy) {
  const int nc = mbd_user_force_ncoef(u);
  double at[MBD_USER_STATE], c[MBD_USER_COEFS], d[MBD_USER_COEFS + 1], one[MBD_USER_RESULTS];
  for (int i = 0; i < MBD_DESIGNS; i++) {
    numbers_of(i, 6 * u->narg + 1, state, at);
    numbers_of(i, nc, coef, c);
    numbers_of(i, nc + 1, direction, d);
    mbd_user_force_along(u, at, c, d, outputs, one);
    for (int k = 0; k < nresult(u, outputs); k++) { dy[k][i] = one[k]; }
  }
}

#else

#define own_value  mbd_user_force_value
#define own_slopes mbd_user_force_slopes
#define own_along  mbd_user_force_along

#endif

/* ---- the same of the image ---- */

static void results_at(const mbd_element_input *in, const mbd_real *state, int outputs, mbd_real *y) {
  const mbd_user_force *u = force_of(in);
  own_value(u, state, in->c, outputs, y);
  for (int r = 0; r < 3 * u->narg; r++) { y[r] *= sign_of(in, r / 3, r % 3); }
}

static void slopes_at(const mbd_element_input *in, const mbd_real *state, int outputs, mbd_real *J) {
  const mbd_user_force *u = force_of(in);
  const int n = 6 * u->narg, rows = nresult(u, outputs);
  own_slopes(u, state, in->c, outputs, J);
  if (!mirror_of(in)) { return; }
  for (int r = 0; r < rows; r++) {
    const double row = r < 3 * u->narg ? sign_of(in, r / 3, r % 3) : 1;
    for (int c = 0; c < n; c++) { J[r * n + c] *= row * sign_of(in, c / 3 % u->narg, c % 3); }
  }
}

/* The derivative of the result along a direction of the coefficients and the time, with the values held. */
static void results_along(const mbd_element_input *in, const mbd_element_direction *d, const mbd_real *state,
                          int outputs, mbd_real *dy) {
  const mbd_user_force *u = force_of(in);
  const int nc = mbd_user_force_ncoef(u);
  mbd_real direction[MBD_USER_COEFS + 1];
  for (int k = 0; k < nc; k++) { direction[k] = d->dc[k]; }
  direction[nc] = d->dt;
  own_along(u, state, in->c, direction, outputs, dy);
  for (int r = 0; r < 3 * u->narg; r++) { dy[r] *= sign_of(in, r / 3, r % 3); }
}

/* ---- operations of the element ---- */

/* The forces on the arguments of the element, from results y; there are none on those of its values alone. */
static void forces_of(const mbd_element_input *in, const mbd_real *y, mbd_real (*f)[3]) {
  const mbd_user_force *u = force_of(in);
  if (values_of(in)) { mbd_args_zero(values_of(in)->ops.narg, f); }
  for (int a = 0, e = 0; a < u->narg; e += !is_value(u, a++)) {
    const int alone = u->arg[a].kind == MBD_ARG_COORDINATE;
    if (!is_value(u, a)) { v3_set(f[e], y[3 * a], alone ? 0 : y[3 * a + 1], alone ? 0 : y[3 * a + 2]); }
  }
}

static void user_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  const mbd_user_force *u = force_of(in);
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS];
  user_force_state(u, in, state);
  results_at(in, state, 0, y);
  forces_of(in, y, f);
}

/* Copies the block of derivatives of the force on argument a by argument b, of which x begins at place `from` of the state. */
static void block(const mbd_user_force *u, const mbd_real *J, int a, int from, mbd_real out[9]) {
  const int n = 6 * u->narg, rows = u->arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
  for (int i = 0; i < rows; i++) { v3_copy(out + 3 * i, J + (3 * a + i) * n + from); }
}

/* d[k][e] := df_e/du_k, the derivative of the force on argument e of the element by value k. */
static void by_value(const mbd_user_force *u, const mbd_real *J, line_direction *d) {
  const int n = 6 * u->narg;
  memset(d, 0, (size_t)user_force_nvalue(u) * sizeof *d);
  for (int b = 0; b < u->narg; b++) {
    if (!is_value(u, b)) { continue; }
    for (int a = 0, e = 0; a < u->narg; e += !is_value(u, a++)) {
      const int rows = is_value(u, a) ? 0 : u->arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
      for (int i = 0; i < rows; i++) { d[value_of(u, b)][e][i] += J[(3 * a + i) * n + 3 * b]; }
    }
  }
}

/* slope[k]: the derivative of output k by each value. */
static void output_by_value(const mbd_user_force *u, const mbd_real *J, int k, mbd_real *slope) {
  const mbd_real *row = J + (3 * u->narg + k) * 6 * u->narg;
  memset(slope, 0, (size_t)user_force_nvalue(u) * sizeof *slope);
  for (int b = 0; b < u->narg; b++) {
    if (is_value(u, b)) { slope[value_of(u, b)] += row[3 * b]; }
  }
}

/* K[e] += df_e/du_k du_k/dx, and so D. */
static void add_slopes_of_values(const mbd_element_input *in, const mbd_real *J, const value_slopes *g,
                                 mbd_real (*K)[ELEMENT_ARG_MAX][9], mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const expression_law *law = values_of(in);
  line_direction d[EXPRESSION_VALUES];
  by_value(law->user, J, d);
  for (int k = 0; k < law->line->nvalue; k++) {
    expression_add_slopes(law, CONST3(d[k]), CONST3(g->x[k]), CONST3(g->xd[k]), K, D);
  }
}

static void user_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                     mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const mbd_user_force *u = force_of(in);
  const int n = u->narg;
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS], J[SLOPES];
  value_slopes g;
  state_of(u, in, state, &g);
  results_at(in, state, 0, y);
  forces_of(in, y, f);
  slopes_at(in, state, 0, J);
  for (int a = 0, e = 0; a < n; e += !is_value(u, a++)) {
    for (int b = 0, to = 0; b < n && !is_value(u, a); to += !is_value(u, b++)) {
      if (is_value(u, b)) { continue; }
      block(u, J, a, 3 * b, K[e][to]);
      block(u, J, a, 3 * (n + b), D[e][to]);
    }
  }
  if (values_of(in)) { add_slopes_of_values(in, J, &g, K, D); }
}

/* A direction that asks for the force's own coefficients and time leaves the values alone: they have a transpose of their own (params_reverse.c). */
static int values_change(const mbd_element_input *in, const mbd_element_direction *d) {
  return values_of(in) && !d->probe;
}

static void user_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  const mbd_user_force *u = force_of(in);
  mbd_real state[MBD_USER_STATE], dy[MBD_USER_RESULTS], J[SLOPES];
  user_force_state(u, in, state);
  results_along(in, d, state, 0, dy);
  forces_of(in, dy, df);
  if (!values_change(in, d)) { return; }
  const expression_law *law = values_of(in);
  line_direction direction[EXPRESSION_VALUES];
  slopes_at(in, state, 0, J);
  by_value(u, J, direction);
  for (int k = 0; k < law->line->nvalue; k++) {
    const mbd_real du = law->along(law, k, in, d);
    for (int e = 0; e < law->line->npushed; e++) { v3_axpy(df[e], du, direction[k][e]); }
  }
}

static mbd_real user_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const mbd_user_force *u = force_of(in);
  const expression_law *law = values_of(in);
  const int n = u->narg;
  mbd_real state[MBD_USER_STATE], y[MBD_USER_RESULTS], J[SLOPES], slope[EXPRESSION_VALUES];
  value_slopes g;
  state_of(u, in, state, &g);
  results_at(in, state, 1, y);
  slopes_at(in, state, 1, J);
  const mbd_real *row = J + (3 * n + k) * 6 * n;
  for (int b = 0, e = 0; b < n; e += !is_value(u, b++)) {
    if (is_value(u, b)) { continue; }
    v3_copy(g_x[e], row + 3 * b);
    v3_copy(g_xd[e], row + 3 * (n + b));
  }
  output_by_value(u, J, k, slope);
  for (int i = 0; law && i < law->line->nvalue; i++) {
    for (int b = 0; b < law->ops.narg; b++) {
      v3_axpy(g_x[b], slope[i], g.x[i][b]), v3_axpy(g_xd[b], slope[i], g.xd[i][b]);
    }
  }
  return y[3 * n + k];
}

static mbd_real user_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  const mbd_user_force *u = force_of(in);
  mbd_real state[MBD_USER_STATE], dy[MBD_USER_RESULTS], J[SLOPES], slope[EXPRESSION_VALUES];
  user_force_state(u, in, state);
  results_along(in, d, state, 1, dy);
  mbd_real change = dy[3 * u->narg + k];
  if (!values_change(in, d)) { return change; }
  const expression_law *law = values_of(in);
  slopes_at(in, state, 1, J);
  output_by_value(u, J, k, slope);
  for (int i = 0; i < law->line->nvalue; i++) { change += slope[i] * law->along(law, i, in, d); }
  return change;
}

/* ---- the line of a force with values ---- */

static void direct(const mbd_element_input *in, line_direction *d) {
  mbd_real state[MBD_USER_STATE], J[SLOPES];
  user_force_state(force_of(in), in, state);
  slopes_at(in, state, 0, J);
  by_value(force_of(in), J, d);
}

static void by_values(const mbd_element_input *in, int k, mbd_real *slope) {
  mbd_real state[MBD_USER_STATE], J[SLOPES];
  user_force_state(force_of(in), in, state);
  slopes_at(in, state, 1, J);
  output_by_value(force_of(in), J, k, slope);
}

expression_law *user_law_create(const mbd_force_ops *ops) {
  const mbd_user_force *u = ops->law;
  expression_line line = {.ops = *ops,
                          .nvalue = user_force_nvalue(u),
                          .frame = -1,
                          .npushed = ops->narg,
                          .direct = direct,
                          .by_values = by_values};
  line.ops.variant |= WITH_VALUES;
  expression_law *law = expression_law_create(&line);
  if (!law) { return NULL; }
  law->user = u, law->own = line;
  law->line = &law->own;
  return law;
}

/* ---- the type ---- */

static const mbd_ref_info refs[] = {
    {"plugin", MBD_REF_PLUGIN, 1, "which one: a section [plugin NAME] of the run file gives its file"}, {0}};

const mbd_force_ops mbd_force_user = {
    .info =
        {"user",
         "A user-defined force: a function of arguments, rates, time and coefficients, written in C and compiled by "
         "`mbopt plugin FILE.c`. Its other keys are those of its points, vectors, bodies, coordinates and "
         "coefficients, and its outputs are its own: `mbopt plugin` lists them. A model file alone loads nothing: the "
         "run file has to name the plugin. It has no potential energy. In a mirrored part it is the mirror image of "
         "the function.",
         refs, NO_COEFS, NO_CURVES},
    .timed = 1,
    FORCE_F(user),
    FORCE_SCALARS(user),
};

void user_force_ops(const mbd_user_force *u, int mirror, mbd_force_ops *ops) {
  *ops = mbd_force_user;
  ops->variant = mirror;
  ops->info.refs = u->refs, ops->info.coefs = u->coefs;
  ops->narg = 0;
  for (int a = 0; a < u->narg; a++) {
    if (!is_value(u, a)) { ops->arg[ops->narg++] = u->arg[a]; }
  }
  ops->law = u;
  for (int k = 0; u->output[k].name; k++) {
    ops->scalar_name[k] = u->output[k].name, ops->scalar_unit[k] = u->output[k].unit;
    ops->nscalar = k + 1;
  }
}
