/* Makes a force element of a tyre law in dual numbers (tyre.h). The force is lifted to z by theory.md §4 (4.1). */
#include "force/tyre.h"

#include "base/v3.h"

const mbd_ref_info tyre_refs[] = {
    {"centre", MBD_REF_POINT, 1, "centre of the wheel, a point of the wheel on its axis"},
    {"axis", MBD_REF_VECTOR, 1, "spin axis, fixed in the wheel and pointing to the left of travel; any length"},
    {"wheel", MBD_REF_BODY, 1, "the body of the wheel"},
    {0}};

const mbd_curve_info tyre_curves[] = {
    {"road", 0, "height of the road [m] over the global x axis [m], z up; left out: the plane z = 0"}, {0}};

/* Force on the centre and moment on the wheel, by the centre, the axis and their rates (tyre_f_x). */
const mbd_force_slopes tyre_slopes = {
    .nK = 4, .nD = 4, .K = {{0, 0}, {0, 1}, {2, 0}, {2, 1}}, .D = {{0, 0}, {0, 2}, {2, 0}, {2, 2}}};

void tyre_inputs(const mbd_element_input *in, mbd_real x[TYRE_INPUTS]) {
  v3_copy(x + TYRE_CENTRE, in->s->x[0]);
  v3_copy(x + TYRE_AXIS, in->s->x[1]);
  v3_copy(x + TYRE_VELOCITY, in->s->xd[0]);
  v3_copy(x + TYRE_SPIN, in->s->xd[2]);
}

static const tyre_law *law_of(const mbd_element_input *in) {
  return in->law;
}

static void forces_on_wheel(const mbd_real y[TYRE_SCALARS], mbd_real (*f)[3]) {
  v3_copy(f[0], y + TYRE_FORCE);
  v3_set(f[1], 0, 0, 0); /* no force acts on the axis */
  v3_copy(f[2], y + TYRE_MOMENT);
}

/* Forces on all arguments: those on the states are their rates. */
static void forces_of(const mbd_element_input *in, const mbd_real y[TYRE_TRANSIENT_RESULTS], mbd_real (*f)[3]) {
  forces_on_wheel(y, f);
  for (int k = 0; in->variant && k < TYRE_SLIPS; k++) {
    const int state = tyre_argument(in, k);
    if (state >= 0) { v3_set(f[state], y[TYRE_RATES + k], 0, 0); }
  }
}

void tyre_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  mbd_real y[TYRE_TRANSIENT_RESULTS];
  law_of(in)->value(in, TYRE_SCALARS, y);
  forces_of(in, y, f);
}

/* Copies the derivatives of `rows` results by three inputs; a row of J has n. */
static void block(mbd_real out[9], const mbd_real *J, int n, int result, int rows, int input) {
  for (int i = 0; i < rows; i++) { v3_copy(out + 3 * i, J + (result + i) * n + input); }
}

/* Those by the inputs of the wheel's motion, of the force on argument `arg`. */
static void blocks(const mbd_real *J, int n, int arg, int result, int rows, mbd_real (*K)[ELEMENT_ARG_MAX][9],
                   mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  block(K[arg][0], J, n, result, rows, TYRE_CENTRE);
  block(K[arg][1], J, n, result, rows, TYRE_AXIS);
  block(D[arg][0], J, n, result, rows, TYRE_VELOCITY);
  block(D[arg][2], J, n, result, rows, TYRE_SPIN);
}

static void transient_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                          mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  mbd_real y[TYRE_TRANSIENT_RESULTS], J[TYRE_TRANSIENT_RESULTS][TYRE_TRANSIENT_INPUTS];
  law_of(in)->transient(in, TYRE_SCALARS, y, J);
  forces_of(in, y, f);
  blocks(J[0], TYRE_TRANSIENT_INPUTS, 0, TYRE_FORCE, 3, K, D);
  blocks(J[0], TYRE_TRANSIENT_INPUTS, 2, TYRE_MOMENT, 3, K, D);
  for (int k = 0; k < TYRE_SLIPS; k++) {
    const int state = tyre_argument(in, k);
    if (state < 0) { continue; }
    blocks(J[0], TYRE_TRANSIENT_INPUTS, state, TYRE_RATES + k, 1, K, D);
    D[state][state][0] = J[TYRE_RATES + k][TYRE_TRANSIENT + k];
    for (int i = 0; i < 3; i++) {
      D[0][state][3 * i] = J[TYRE_FORCE + i][TYRE_TRANSIENT + k];
      D[2][state][3 * i] = J[TYRE_MOMENT + i][TYRE_TRANSIENT + k];
    }
  }
}

void tyre_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  mbd_real y[TYRE_RESULTS], J[TYRE_RESULTS][TYRE_INPUTS];
  if (in->variant) {
    transient_f_x(in, f, K, D);
    return;
  }
  law_of(in)->jacobian(in, TYRE_SCALARS, y, J);
  forces_on_wheel(y, f);
  blocks(J[0], TYRE_INPUTS, 0, TYRE_FORCE, 3, K, D);
  blocks(J[0], TYRE_INPUTS, 2, TYRE_MOMENT, 3, K, D);
}

void tyre_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  mbd_real y[TYRE_TRANSIENT_RESULTS], dy[TYRE_TRANSIENT_RESULTS];
  law_of(in)->direction(in, d, TYRE_SCALARS, y, dy);
  forces_of(in, dy, df);
}

static void gradient_of(const mbd_real *row, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  v3_copy(g_x[0], row + TYRE_CENTRE);
  v3_copy(g_x[1], row + TYRE_AXIS);
  v3_copy(g_xd[0], row + TYRE_VELOCITY);
  v3_copy(g_xd[2], row + TYRE_SPIN);
}

static mbd_real transient_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  mbd_real y[TYRE_TRANSIENT_RESULTS], J[TYRE_TRANSIENT_RESULTS][TYRE_TRANSIENT_INPUTS];
  law_of(in)->transient(in, TYRE_RESULTS, y, J);
  gradient_of(J[TYRE_SCALARS + k], g_x, g_xd);
  for (int i = 0; i < TYRE_SLIPS; i++) {
    const int state = tyre_argument(in, i);
    if (state >= 0) { g_xd[state][0] = J[TYRE_SCALARS + k][TYRE_TRANSIENT + i]; }
  }
  return y[TYRE_SCALARS + k];
}

mbd_real tyre_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  mbd_real y[TYRE_RESULTS], J[TYRE_RESULTS][TYRE_INPUTS];
  if (in->variant) { return transient_scalar(in, k, g_x, g_xd); }
  law_of(in)->jacobian(in, TYRE_RESULTS, y, J);
  gradient_of(J[TYRE_SCALARS + k], g_x, g_xd);
  return y[TYRE_SCALARS + k];
}

mbd_real tyre_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  mbd_real y[TYRE_TRANSIENT_RESULTS], dy[TYRE_TRANSIENT_RESULTS];
  law_of(in)->direction(in, d, TYRE_RESULTS, y, dy);
  return dy[TYRE_SCALARS + k];
}
