/* Modes of a steady turn: those of the planar car against the equations of motion in its own frame, whose coefficients are constant,
 *   m (u' - v r) = D - F_f sin d,   m (v' + u r) = F_r + F_f cos d,   J r' = a F_f cos d - b F_r
 * and their derivatives, with those of the trim, against extrapolated differences; the shifts and the turn apart. */
#include <complex.h>

#include "la/dense.h"
#include "mbd/linearize.h"
#include "opened_run.h"

static const char run[] =
    "schema = 1\n[model]\nfile = %s/problems/planar_car/planar_car.ini\n"
    "[design C_front]\nscale = 80000\n[design front]\n[design mass]\n[design v]\n"
    "[case turn]\nduration = 1\nstep = 0.1\nstart = steady\nsteady.speed = v\nsteady.curvature = 0.25/20\nsteady.find "
    "= steer, drive\n"
    "[mode yaw]\nnear = 0.6\n[mode slow]\nnear = 0\n"
    "[objective r]\nvalue = yaw.real\n[objective f]\nvalue = yaw.frequency\n[objective s]\nvalue = slow.real\n";

/* u', v', r' of the car with the numbers of its model file. */
static void rates(const double x[3], double d, double D, double out[3]) {
  const double m = 1500, J = 2500, a = 1.2, b = 1.5, C_f = 80000, C_r = 100000, M_f = 8500, M_r = 7500;
  const double u = x[0], v = x[1], r = x[2];
  const double F_f = M_f * tanh(C_f / M_f * (d - atan((v + a * r) / u)));
  const double F_r = M_r * tanh(C_r / M_r * -atan((v - b * r) / u));
  out[0] = (D - F_f * sin(d)) / m + v * r, out[1] = (F_r + F_f * cos(d)) / m - u * r;
  out[2] = (a * F_f * cos(d) - b * F_r) / J;
}

/* Of u, v, d, D: no rates at 0.25 rad/s and 20 m/s. */
static void balance(const double y[4], double out[4]) {
  const double x[3] = {y[0], y[1], 0.25};
  rates(x, y[2], y[3], out);
  out[3] = hypot(y[0], y[1]) - 20;
}

static void trim(double y[4]) {
  for (int it = 0; it < 20; it++) {
    double A[16], b[4];
    int piv[4];
    balance(y, b);
    for (int j = 0; j < 4; j++) {
      const double h = 1e-6 * fmax(1, fabs(y[j]));
      double up[4], down[4], plus[4], minus[4];
      memcpy(up, y, sizeof up), memcpy(down, y, sizeof down);
      up[j] += h, down[j] -= h;
      balance(up, plus), balance(down, minus);
      for (int i = 0; i < 4; i++) { A[4 * i + j] = (plus[i] - minus[i]) / (2 * h); }
    }
    CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(4, A, piv), MBD_OK);
    mbd_lu_solve(4, A, piv, 1, b);
    for (int j = 0; j < 4; j++) { y[j] -= b[j]; }
  }
}

/* det(J - lam), J by differences of fourth order. */
static double complex characteristic(const double y[4], double complex lam) {
  const double x[3] = {y[0], y[1], 0.25}, h = 1e-3;
  double complex A[3][3];
  for (int j = 0; j < 3; j++) {
    double at[4][3];
    for (int k = 0; k < 4; k++) {
      static const double steps[] = {-2, -1, 1, 2};
      double moved[3];
      memcpy(moved, x, sizeof moved);
      moved[j] += steps[k] * h;
      rates(moved, y[2], y[3], at[k]);
    }
    for (int i = 0; i < 3; i++) {
      A[i][j] = (at[0][i] - 8 * at[1][i] + 8 * at[2][i] - at[3][i]) / (12 * h) - (i == j ? lam : 0);
    }
  }
  return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
         A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

static void test_in_its_own_frame(void) {
  opened_run r = run_open_rooted(run);
  double y[4] = {20, 0, 0.03, 100};
  trim(y);
  if (!run_evaluate_modes(&r, r.m->start, "none")) { return; }
  const double *psi = r.m->psi;
  const double complex lam[] = {psi[0] + 2 * acos(-1) * psi[1] * I, psi[2]};
  for (int i = 0; i < 2; i++) {
    const double h = 1e-4;
    const double complex slope = (characteristic(y, lam[i] + h) - characteristic(y, lam[i] - h)) / (2 * h);
    CHECK_CLOSE("eigenvalue", cabs(characteristic(y, lam[i]) / slope), 0, 1e-9);
  }
  CU_ASSERT(cimag(lam[0]) > 3);
  /* The system has these and the rigid motions: the shifts, which the frame turns at 0.25 rad/s, and the turn. */
  mbd_error err = {0};
  mbd_linear l;
  must(mbd_sim_linearize(r.m->cases[0].sim, r.m->cases[0].v->params, &l, &err), &err);
  int rigid = 0;
  for (int i = 0; i < l.n + l.nrate; i++) {
    rigid += l.rigid[i];
    if (l.rigid[i]) { CHECK_CLOSE("rigid", fabs(l.im[i]), l.im[i] == 0 ? 0 : 0.25, 1e-12); }
  }
  CU_ASSERT_EQUAL(rigid, 3);
  CU_ASSERT(l.acceleration < 1e-9 && l.jerk < 1e-9);
  mbd_linear_free(&l);
  run_close(&r);
}

/* Central differences of h, h/2, h/4, extrapolated twice. */
static void test_derivatives(void) {
  opened_run r = run_open_rooted(run);
  double g[12], x[4];
  if (!run_evaluate_modes(&r, r.m->start, "auto")) { return; }
  memcpy(g, r.m->grad, sizeof g);
  for (int j = 0; j < 4; j++) {
    double D[3][3], h = 0.02 * r.m->start[j];
    for (int k = 0; k < 3; k++, h /= 2) {
      double side[2][3];
      for (int s = 0; s < 2; s++) {
        memcpy(x, r.m->start, sizeof x);
        x[j] += s ? h : -h;
        if (!run_evaluate_modes(&r, x, "none")) { return; }
        memcpy(side[s], r.m->psi, sizeof side[s]);
      }
      for (int i = 0; i < 3; i++) { D[k][i] = (side[1][i] - side[0][i]) / (2 * h); }
    }
    for (int i = 0; i < 3; i++) {
      const double once[] = {(4 * D[1][i] - D[0][i]) / 3, (4 * D[2][i] - D[1][i]) / 3};
      CHECK_CLOSE(r.m->name[j], g[4 * i + j], (16 * once[1] - once[0]) / 15, 1e-7 * fabs(g[4 * i + j]) + 1e-12);
      CU_ASSERT(g[4 * i + j] != 0);
    }
  }
  if (!run_evaluate_modes(&r, r.m->start, "complex_step")) { return; }
  for (int i = 0; i < 12; i++) { CHECK_CLOSE("complex step", r.m->grad[i], g[i], 1e-12 * fabs(g[i])); }
  run_close(&r);
}

TEST_MAIN(TEST(test_in_its_own_frame), TEST(test_derivatives))
