/* Forces along a length (along.h), with their slopes by the arguments and their derivatives along a direction. The force is lifted to z by
 * theory.md §4 (4.1). */
#include "force/along.h"

#include "base/v3.h"

static const force_law *law_of(const mbd_element_input *in) {
  return in->law;
}

/* ---- between two points ---- */

typedef struct force_line {
  mbd_real s, sd, u[3], w[3];
} force_line;

static void line_evaluate(const mbd_element_input *in, force_line *line) {
  const mbd_real *x = in->s->x[0], *xd = in->s->xd[0];
  line->s = mbd_sqrt(v3_dot(x, x));
  v3_scale(line->u, 1 / line->s, x);
  line->sd = v3_dot(line->u, xd);
  for (int i = 0; i < 3; i++) { line->w[i] = (xd[i] - line->sd * line->u[i]) / line->s; }
}

static mbd_real line_length(const mbd_element_input *in) {
  return mbd_sqrt(v3_dot(in->s->x[0], in->s->x[0]));
}

void line_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  force_line q;
  tension T;
  line_evaluate(in, &q);
  law_of(in)->F(in, q.s, q.sd, &T);
  v3_scale(f[0], -T.F, q.u);
}

void line_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  force_line q;
  tension T;
  line_evaluate(in, &q);
  law_of(in)->F(in, q.s, q.sd, &T);
  v3_scale(f[0], -T.F, q.u);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const mbd_real uu = q.u[i] * q.u[j];
      K[0][0][3 * i + j] = -q.u[i] * (T.F_s * q.u[j] + T.F_sd * q.w[j]) - T.F / q.s * ((i == j) - uu);
      D[0][0][3 * i + j] = -T.F_sd * uu;
    }
  }
}

void line_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  force_line q;
  line_evaluate(in, &q);
  v3_scale(df[0], -law_of(in)->F_c(in, q.s, q.sd, d), q.u);
}

mbd_real line_potential(const mbd_element_input *in) {
  return law_of(in)->energy(in, line_length(in));
}

mbd_real line_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  return law_of(in)->energy_c(in, line_length(in), d);
}

enum { LENGTH, SPEED, FORCE }; /* as named in along.h */

mbd_real line_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  force_line q;
  tension T;
  line_evaluate(in, &q);
  law_of(in)->F(in, q.s, q.sd, &T);
  const tension of[] = {[LENGTH] = {q.s, 1, 0}, [SPEED] = {q.sd, 0, 1}, [FORCE] = T};
  for (int i = 0; i < 3; i++) {
    g_x[0][i] = of[k].F_s * q.u[i] + of[k].F_sd * q.w[i];
    g_xd[0][i] = of[k].F_sd * q.u[i];
  }
  return of[k].F;
}

mbd_real line_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  force_line q;
  if (k != FORCE) { return 0; }
  line_evaluate(in, &q);
  return law_of(in)->F_c(in, q.s, q.sd, d);
}

const mbd_ref_info line_refs[] = {{"points", MBD_REF_POINT, 2, "its two ends"}, {0}};

/* ---- along coordinates: as many as in->variant ---- */

static mbd_real difference(const mbd_element_input *in, const mbd_real (*z)[3]) {
  return in->variant == 1 ? z[0][0] : z[0][0] - z[1][0];
}

static mbd_real coordinate_length(const mbd_element_input *in) {
  return difference(in, CONST3(in->s->x));
}

static mbd_real coordinate_speed(const mbd_element_input *in) {
  return difference(in, CONST3(in->s->xd));
}

static tension coordinate_tension(const mbd_element_input *in) {
  tension T;
  law_of(in)->F(in, coordinate_length(in), coordinate_speed(in), &T);
  return T;
}

/* f_1 = -F, f_2 = F */
static void put_force(const mbd_element_input *in, mbd_real F, mbd_real (*f)[3]) {
  v3_set(f[0], -F, 0, 0);
  if (in->variant == 2) { v3_set(f[1], F, 0, 0); }
}

void coordinate_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  put_force(in, coordinate_tension(in).F, f);
}

void coordinate_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                    mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  coordinate_f(in, f);
  const tension T = coordinate_tension(in);
  for (int a = 0; a < in->variant; a++) {
    for (int b = 0; b < in->variant; b++) {
      K[a][b][0] = a == b ? -T.F_s : T.F_s;
      D[a][b][0] = a == b ? -T.F_sd : T.F_sd;
    }
  }
}

void coordinate_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  put_force(in, law_of(in)->F_c(in, coordinate_length(in), coordinate_speed(in), d), df);
}

mbd_real coordinate_potential(const mbd_element_input *in) {
  return law_of(in)->energy(in, coordinate_length(in));
}

mbd_real coordinate_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  return law_of(in)->energy_c(in, coordinate_length(in), d);
}

mbd_real coordinate_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const tension T = coordinate_tension(in);
  (void)k;
  for (int a = 0; a < in->variant; a++) {
    g_x[a][0] = a == 0 ? T.F_s : -T.F_s;
    g_xd[a][0] = a == 0 ? T.F_sd : -T.F_sd;
  }
  return T.F;
}

mbd_real coordinate_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  (void)k;
  return law_of(in)->F_c(in, coordinate_length(in), coordinate_speed(in), d);
}
