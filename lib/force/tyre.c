/* Makes a force element of a tyre law in dual numbers (tyre.h). The force is lifted to z by theory.md §4 (4.1). */
#include "force/tyre.h"

#include <string.h>

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

static void forces_of(const mbd_real y[TYRE_SCALARS], mbd_real (*f)[3]) {
  v3_copy(f[0], y + TYRE_FORCE);
  v3_set(f[1], 0, 0, 0); /* no force acts on the axis */
  v3_copy(f[2], y + TYRE_MOMENT);
}

void tyre_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  mbd_real y[TYRE_RESULTS];
  law_of(in)->value(in, TYRE_SCALARS, y);
  forces_of(y, f);
}

/* Copies the block of the derivatives of three results by three inputs. */
static void block(mbd_real out[9], mbd_real (*J)[TYRE_INPUTS], int result, int input) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { out[3 * i + j] = J[result + i][input + j]; }
  }
}

void tyre_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  mbd_real y[TYRE_RESULTS], J[TYRE_RESULTS][TYRE_INPUTS];
  law_of(in)->jacobian(in, TYRE_SCALARS, y, J);
  forces_of(y, f);
  for (int i = 0; i < 2; i++) { /* force on the centre, moment on the wheel */
    const int arg = 2 * i, result = i ? TYRE_MOMENT : TYRE_FORCE;
    block(K[arg][0], J, result, TYRE_CENTRE);
    block(K[arg][1], J, result, TYRE_AXIS);
    block(D[arg][0], J, result, TYRE_VELOCITY);
    block(D[arg][2], J, result, TYRE_SPIN);
  }
}

void tyre_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  mbd_real y[TYRE_RESULTS], dy[TYRE_RESULTS];
  law_of(in)->direction(in, d, TYRE_SCALARS, y, dy);
  forces_of(dy, df);
}

mbd_real tyre_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  mbd_real y[TYRE_RESULTS], J[TYRE_RESULTS][TYRE_INPUTS];
  law_of(in)->jacobian(in, TYRE_RESULTS, y, J);
  const mbd_real *row = J[TYRE_SCALARS + k];
  v3_copy(g_x[0], row + TYRE_CENTRE);
  v3_copy(g_x[1], row + TYRE_AXIS);
  v3_copy(g_xd[0], row + TYRE_VELOCITY);
  v3_copy(g_xd[2], row + TYRE_SPIN);
  return y[TYRE_SCALARS + k];
}

mbd_real tyre_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  mbd_real y[TYRE_RESULTS], dy[TYRE_RESULTS];
  law_of(in)->direction(in, d, TYRE_RESULTS, y, dy);
  return dy[TYRE_SCALARS + k];
}
