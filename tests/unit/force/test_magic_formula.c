/* The Magic Formula tyre against the published equations evaluated on their own, plainly and with absolute forces;
 * against the properties that the formulas must have; against published values of 1987; its derivatives where the law
 * changes its form. */
#include <jansson.h>

#include "config/shipped_parts.h"
#include "config/tir.h"
#include "force/force.h"
#include "test.h"

enum { MAX_COEFS = 160 };

/* ---- the element ---- */

static const mbd_force_ops *tyre;
static double from_file[MAX_COEFS]; /* coefficients of the public file */

static int coef_at(const char *key) {
  int at = 0;
  for (const mbd_coef_info *c = tyre->info.coefs; c->key; at += c->size, c++) {
    if (c->size && strcmp(c->key, key) == 0) { return at; }
  }
  printf("\n  no coefficient %s\n", key);
  exit(1);
}

static double *coef(double *c, const char *key) {
  return &c[coef_at(key)];
}

/* The coefficients of a file, or of the text of a tyre of mbopt. */
static void read_from(const char *path, const char *text, double *coefs) {
  tir_file file;
  mbd_error err = {0};
  int at = 0;
  if (tir_read(path, text, &file, &err) != MBD_OK) {
    printf("\n  %s\n", err.text);
    exit(1);
  }
  for (const mbd_coef_info *c = tyre->info.coefs; c->key; c++) {
    const tir_entry *e;
    if (c->size == 0) { continue; }
    coefs[at] = c->dflt;
    if (tir_number(&file, c->key, &coefs[at], &e, &err) != MBD_OK) { exit(1); }
    at++;
  }
  tir_free(&file);
  *coef(coefs, "touchdown") = 1e-9; /* loads are those of the spring */
}

static void read_coefs(void) {
  tyre = mbd_force_find("tyre_magic_formula");
  read_from(MBOPT_SOURCE_DIR "/problems/buggy/tyres/MagicFormula52_Parameters.tir", NULL, from_file);
}

static void zero(double *c, const char *const *keys) {
  for (; *keys; keys++) { *coef(c, *keys) = 0; }
}

/* Neither shifts nor differences between left and right, driving and braking. */
static void make_symmetric(double *c) {
  static const char *const keys[] = {"phx1", "phx2", "pvx1", "pvx2", "pex4", "rhx1", "phy1", "phy2", "phy3",
                                     "pvy1", "pvy2", "pvy3", "pvy4", "pey3", "pey4", "rhy1", "rhy2", "rby3",
                                     "rvy1", "rvy2", "rvy3", "qsx1", "qdz6", "qdz7", "qdz8", "qdz9", "qhz1",
                                     "qhz2", "qhz3", "qhz4", "qez4", "qez5", "ssz1", NULL};
  zero(c, keys);
}

/* How a wheel rolls on the plane z = 0, along x. */
typedef struct rolling {
  double Fz, kappa, alpha, gamma, vx;
} rolling;

typedef struct wrench {
  double F[3], M[3]; /* at the contact point: x forward, y left, z up */
} wrench;

/* The state of the wheel that rolls like this: load from the spring alone, slips by their definitions. */
static mbd_arg_state state_of(const double *coefs, const rolling *r) {
  double c[MAX_COEFS];
  memcpy(c, coefs, sizeof c);
  const double R0 = *coef(c, "unloaded_radius"), Cz = *coef(c, "vertical_stiffness"), Fz0 = *coef(c, "fnomin");
  const double e = r->Fz / Cz, rho = e * Cz / Fz0, s = hypot(r->vx, *coef(c, "vxlow"));
  const double Re = R0 - Fz0 / Cz * (*coef(c, "dreff") * atan(*coef(c, "breff") * rho) + *coef(c, "freff") * rho);
  const double spin = (r->kappa * s + r->vx) / Re;
  mbd_arg_state a = {0};
  a.x[0][2] = (R0 - e) * cos(r->gamma);
  a.x[1][1] = cos(r->gamma), a.x[1][2] = sin(r->gamma);
  a.xd[0][0] = r->vx, a.xd[0][1] = tan(r->alpha) * s;
  a.xd[2][1] = spin * cos(r->gamma), a.xd[2][2] = spin * sin(r->gamma);
  return a;
}

static wrench element(const double *c, const rolling *r) {
  mbd_arg_state a = state_of(c, r);
  const mbd_element_input in = {.s = &a, .c = c, .law = tyre->law};
  double f[ELEMENT_ARG_MAX][3];
  wrench w;
  tyre->f(&in, f);
  const double R_l = a.x[0][2] / cos(r->gamma), arm[3] = {0, R_l * sin(r->gamma), -R_l * cos(r->gamma)};
  memcpy(w.F, f[0], sizeof w.F);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    w.M[i] = f[2][i] - (arm[j] * f[0][k] - arm[k] * f[0][j]);
  }
  return w;
}

/* ---- the equations as published, in absolute forces ---- */

static double sgn(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static int near_limit; /* some curvature is between 0.9 and 1, where the element rounds the limit off */

static double limited(double E) {
  if (E > 0.9 && E < 1) { near_limit = 1; }
  return E < 1 ? E : 1;
}

static wrench published(double *c, const rolling *r) {
#define P(key) (*coef(c, #key))
  const double Fz = r->Fz, kappa = r->kappa, alpha = r->alpha, gamma = r->gamma;
  const double Fz0 = P(fnomin), Fz0s = Fz0 * P(lfzo), dfz = (Fz - Fz0s) / Fz0s, R0 = P(unloaded_radius);
  near_limit = 0;
  /* longitudinal, pure */
  const double SHx = (P(phx1) + P(phx2) * dfz) * P(lhx), kx = kappa + SHx, gx = gamma * P(lgax), Cx = P(pcx1) * P(lcx);
  const double mux = (P(pdx1) + P(pdx2) * dfz) * (1 - P(pdx3) * gx * gx) * P(lmux), Dx = mux * Fz;
  const double Ex = limited((P(pex1) + P(pex2) * dfz + P(pex3) * dfz * dfz) * (1 - P(pex4) * sgn(kx)) * P(lex));
  const double Kx = Fz * (P(pkx1) + P(pkx2) * dfz) * exp(P(pkx3) * dfz) * P(lkx), Bx = Kx / (Cx * Dx);
  const double SVx = Fz * (P(pvx1) + P(pvx2) * dfz) * P(lvx) * P(lmux);
  const double Fx0 = Dx * sin(Cx * atan(Bx * kx - Ex * (Bx * kx - atan(Bx * kx)))) + SVx;
  /* lateral, pure */
  const double gy = gamma * P(lgay), SHy = (P(phy1) + P(phy2) * dfz) * P(lhy) + P(phy3) * gy, ay = alpha + SHy;
  const double Cy = P(pcy1) * P(lcy), muy = (P(pdy1) + P(pdy2) * dfz) * (1 - P(pdy3) * gy * gy) * P(lmuy),
               Dy = muy * Fz;
  const double Ey = limited((P(pey1) + P(pey2) * dfz) * (1 - (P(pey3) + P(pey4) * gy) * sgn(ay)) * P(ley));
  const double Ky = P(pky1) * Fz0 * sin(2 * atan(Fz / (P(pky2) * Fz0s))) * (1 - P(pky3) * fabs(gy)) * P(lfzo) * P(lky);
  const double By = Ky / (Cy * Dy);
  const double SVy = Fz * ((P(pvy1) + P(pvy2) * dfz) * P(lvy) + (P(pvy3) + P(pvy4) * dfz) * gy) * P(lmuy);
  const double Fy0 = Dy * sin(Cy * atan(By * ay - Ey * (By * ay - atan(By * ay)))) + SVy;
  /* combined */
  const double Bxa = P(rbx1) * cos(atan(P(rbx2) * kappa)) * P(lxal), Exa = limited(P(rex1) + P(rex2) * dfz);
  const double as = Bxa * (alpha + P(rhx1)), a0 = Bxa * P(rhx1);
  const double Gxa = cos(P(rcx1) * atan(as - Exa * (as - atan(as)))) / cos(P(rcx1) * atan(a0 - Exa * (a0 - atan(a0))));
  const double Fx = Fx0 * Gxa;
  const double Byk = P(rby1) * cos(atan(P(rby2) * (alpha - P(rby3)))) * P(lyka), Eyk = limited(P(rey1) + P(rey2) * dfz);
  const double SHyk = P(rhy1) + P(rhy2) * dfz, ks = Byk * (kappa + SHyk), k0 = Byk * SHyk;
  const double Gyk = cos(P(rcy1) * atan(ks - Eyk * (ks - atan(ks)))) / cos(P(rcy1) * atan(k0 - Eyk * (k0 - atan(k0))));
  const double DVyk = muy * Fz * (P(rvy1) + P(rvy2) * dfz + P(rvy3) * gamma) * cos(atan(P(rvy4) * alpha));
  const double SVyk = DVyk * sin(P(rvy5) * atan(P(rvy6) * kappa)) * P(lvyka), Fy = Gyk * Fy0 + SVyk;
  /* aligning moment */
  const double gz = gamma * P(lgaz), SHt = P(qhz1) + P(qhz2) * dfz + (P(qhz3) + P(qhz4) * dfz) * gz, at = alpha + SHt;
  const double ar = alpha + SHy + SVy / Ky;
  const double ateq = atan(sqrt(pow(tan(at), 2) + pow(Kx / Ky * kappa, 2))) * sgn(at);
  const double areq = atan(sqrt(pow(tan(ar), 2) + pow(Kx / Ky * kappa, 2))) * sgn(ar);
  const double Bt =
      (P(qbz1) + P(qbz2) * dfz + P(qbz3) * dfz * dfz) * (1 + P(qbz4) * gz + P(qbz5) * fabs(gz)) * P(lky) / P(lmuy);
  const double Ct = P(qcz1);
  const double Dt = Fz * (P(qdz1) + P(qdz2) * dfz) * (1 + P(qdz3) * gz + P(qdz4) * gz * gz) * R0 / Fz0 * P(ltr);
  const double Et = limited((P(qez1) + P(qez2) * dfz + P(qez3) * dfz * dfz) *
                            (1 + (P(qez4) + P(qez5) * gz) * 2 / acos(-1) * atan(Bt * Ct * at)));
  const double t = Dt * cos(Ct * atan(Bt * ateq - Et * (Bt * ateq - atan(Bt * ateq)))) * cos(alpha);
  const double Br = P(qbz9) * P(lky) / P(lmuy) + P(qbz10) * By * Cy;
  const double Dr = Fz * ((P(qdz6) + P(qdz7) * dfz) * P(lres) + (P(qdz8) + P(qdz9) * dfz) * gz) * R0 * P(lmuy);
  const double Mzr = Dr * cos(atan(Br * areq)) * cos(alpha);
  const double s = (P(ssz1) + P(ssz2) * Fy / Fz0 + (P(ssz3) + P(ssz4) * dfz) * gamma) * R0 * P(ls);
  const double v = r->vx / P(longvl);
  return (wrench){{Fx, Fy, Fz},
                  {R0 * Fz * (P(qsx1) * P(lvmx) + (-P(qsx2) * gamma + P(qsx3) * Fy / Fz0) * P(lmx)),
                   -R0 * Fz * (P(qsy1) + P(qsy2) * Fx / Fz0 + P(qsy3) * fabs(v) + P(qsy4) * pow(v, 4)) * P(lmy),
                   -t * (Fy - SVyk) + Mzr + s * Fx}};
#undef P
}

static const double loads[] = {400, 2000, 5000, 9416.6, 14000, 20000};
static const double kappas[] = {-1, -0.3, -0.1, -0.02, 0, 0.01, 0.05, 0.2, 0.8};
static const double alphas[] = {-0.6, -0.15, -0.04, 0, 0.02, 0.08, 0.3, 1.2};
static const double gammas[] = {-0.2, -0.05, 0, 0.006, 0.1};
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static void test_published(void) {
  double c[MAX_COEFS];
  double worst = 0;
  int exact = 0, rounded = 0;
  for (int pass = 0; pass < 2; pass++) {
    memcpy(c, from_file, sizeof c);
    if (pass) { /* every scale away from 1, and what the file leaves at zero */
      static const char *const scales[] = {"lfzo", "lcx",  "lmux",  "lex", "lkx", "lhx",  "lvx", "lgax", "lcy",
                                           "lmuy", "ley",  "lky",   "lhy", "lvy", "lgay", "ltr", "lres", "lgaz",
                                           "lxal", "lyka", "lvyka", "ls",  "lmx", "lvmx", "lmy"};
      for (int i = 0; i < COUNT(scales); i++) { *coef(c, scales[i]) = 1 + 0.2 * sin(1.0 + 2.3 * i); }
      *coef(c, "qsy2") = 0.004, *coef(c, "qsy3") = 0.002, *coef(c, "qsy4") = 0.001;
      *coef(c, "qbz10") = 0.3, *coef(c, "qez3") = 0.1;
    }
    for (int i = 0; i < COUNT(loads) * COUNT(kappas) * COUNT(alphas) * COUNT(gammas); i++) {
      const rolling r = {loads[i % COUNT(loads)], kappas[i / COUNT(loads) % COUNT(kappas)],
                         alphas[i / COUNT(loads) / COUNT(kappas) % COUNT(alphas)],
                         gammas[i / COUNT(loads) / COUNT(kappas) / COUNT(alphas)], 20};
      const wrench got = element(c, &r), expected = published(c, &r);
      const double tol = near_limit ? 0.05 : 1e-12;
      exact += !near_limit, rounded += near_limit;
      for (int k = 0; k < 3; k++) {
        char name[100];
        snprintf(name, sizeof name, "Fz %g kappa %g alpha %g gamma %g [%d]", r.Fz, r.kappa, r.alpha, r.gamma, k);
        CHECK_NEAR(name, got.F[k], expected.F[k], r.Fz, tol);
        if (k == 1 && r.kappa == -1) { continue; } /* a locked wheel has no rolling resistance */
        CHECK_NEAR(name, got.M[k], expected.M[k], 0.4 * r.Fz, tol);
        if (!near_limit) { worst = fmax(worst, fabs(got.F[k] - expected.F[k]) / r.Fz); }
        if (!near_limit) { worst = fmax(worst, fabs(got.M[k] - expected.M[k]) / (0.4 * r.Fz)); }
      }
    }
  }
  CU_ASSERT(exact > 3000);
  printf("(%d points within %.1g, %d near a limit of curvature) ", exact, worst, rounded);
}

/* ---- what the formulas must do ---- */

static void test_nothing_without_slip(void) {
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  *coef(c, "qsy1") = 0;
  for (int i = 0; i < COUNT(loads); i++) {
    const wrench w = element(c, &(rolling){loads[i], 0, 0, 0, 15});
    const double all[] = {w.F[0], w.F[1], w.M[0], w.M[1], w.M[2]};
    for (int k = 0; k < 5; k++) { CHECK_NEAR("free rolling", all[k], 0, loads[i], 1e-14); }
    CHECK_NEAR("load", w.F[2], loads[i], loads[i], 1e-12);
  }
}

static void test_peak_and_slope(void) {
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  for (int i = 0; i < COUNT(loads); i++) {
    const double Fz = loads[i], dfz = Fz / *coef(c, "fnomin") - 1, h = 1e-5;
    const double mux = *coef(c, "pdx1") + *coef(c, "pdx2") * dfz, muy = *coef(c, "pdy1") + *coef(c, "pdy2") * dfz;
    double most_x = 0, most_y = 0;
    for (double x = 0; x < 1; x += 1e-4) {
      most_x = fmax(most_x, element(c, &(rolling){Fz, x, 0, 0, 15}).F[0]);
      most_y = fmax(most_y, -element(c, &(rolling){Fz, 0, x, 0, 15}).F[1]);
    }
    CHECK_NEAR("peak of Fx", most_x, mux * Fz, mux * Fz, 1e-5);
    CHECK_NEAR("peak of Fy", most_y, muy * Fz, muy * Fz, 1e-5);
    const double Kx = Fz * (*coef(c, "pkx1") + *coef(c, "pkx2") * dfz) * exp(*coef(c, "pkx3") * dfz);
    const double Ky =
        *coef(c, "pky1") * *coef(c, "fnomin") * sin(2 * atan(Fz / (*coef(c, "pky2") * *coef(c, "fnomin"))));
    const double sx =
        (element(c, &(rolling){Fz, h, 0, 0, 15}).F[0] - element(c, &(rolling){Fz, -h, 0, 0, 15}).F[0]) / (2 * h);
    const double sy =
        (element(c, &(rolling){Fz, 0, h, 0, 15}).F[1] - element(c, &(rolling){Fz, 0, -h, 0, 15}).F[1]) / (2 * h);
    CHECK_NEAR("slip stiffness", sx, Kx, Kx, 1e-6);
    CHECK_NEAR("cornering stiffness", sy, Ky, -Ky, 1e-6);
  }
}

static void test_combined_slip(void) {
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  for (int i = 0; i < COUNT(loads); i++) {
    const double Fz = loads[i], dfz = Fz / *coef(c, "fnomin") - 1;
    const double mu = fmax(*coef(c, "pdx1") + *coef(c, "pdx2") * dfz, *coef(c, "pdy1") + *coef(c, "pdy2") * dfz);
    for (double alpha = 0.02; alpha < 0.4; alpha += 0.06) {
      double before_y = 1e300;
      for (double kappa = 0; kappa < 1; kappa += 0.05) {
        const wrench w = element(c, &(rolling){Fz, kappa, alpha, 0, 15});
        const double pure_x = element(c, &(rolling){Fz, kappa, 0, 0, 15}).F[0];
        const double pure_y = element(c, &(rolling){Fz, 0, alpha, 0, 15}).F[1];
        CU_ASSERT(fabs(w.F[0]) <= fabs(pure_x) * (1 + 1e-12));
        CU_ASSERT(fabs(w.F[1]) <= fabs(pure_y) * (1 + 1e-12));
        CU_ASSERT(fabs(w.F[1]) < before_y);                 /* the more slip along, the less force across */
        CU_ASSERT(hypot(w.F[0], w.F[1]) <= 1.12 * mu * Fz); /* about an ellipse */
        before_y = fabs(w.F[1]);
      }
    }
  }
}

static void check_wrench(const char *name, const wrench *got, const wrench *expected, const double signs[6],
                         double Fz) {
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(name, got->F[k], signs[k] * expected->F[k], Fz, 1e-12);
    CHECK_NEAR(name, got->M[k], signs[3 + k] * expected->M[k], Fz, 1e-12);
  }
}

static void test_symmetry(void) {
  double c[MAX_COEFS], other[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  *coef(c, "qsy1") = 0;
  *coef(c, "ssz2") = 0; /* the arm of Fx grows with Fy: their product is even */
  static const double odd[6] = {-1, -1, 1, -1, 1, -1}, mirror[6] = {1, -1, 1, -1, 1, -1};
  memcpy(other, from_file, sizeof other);
  *coef(other, "side") = -1;
  for (int i = 0; i < COUNT(kappas) * COUNT(alphas); i++) {
    rolling r = {5000, kappas[i % COUNT(kappas)], alphas[i / COUNT(kappas)], 0, 20}, q = r;
    q.kappa = -r.kappa, q.alpha = -r.alpha;
    wrench a = element(c, &r), b = element(c, &q);
    check_wrench("opposite slips", &b, &a, odd, r.Fz);
    q = r, r.gamma = 0.07, q.gamma = -0.07, q.alpha = -r.alpha;
    a = element(from_file, &r), b = element(other, &q);
    check_wrench("other side of the car", &b, &a, mirror, r.Fz);
  }
}

/* Rolling backwards: forces still oppose the slips, the trail turns around, rolling resistance too. */
static void test_backwards(void) {
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  const wrench ahead = element(c, &(rolling){5000, 0, 0.05, 0, 20}),
               back = element(c, &(rolling){5000, 0, 0.05, 0, -20});
  CU_ASSERT(ahead.F[1] < -1000);
  CU_ASSERT(ahead.M[2] > 10);
  CU_ASSERT(ahead.M[1] < -1);
  CHECK_NEAR("Fy", back.F[1], ahead.F[1], 5000, 1e-12);
  CHECK_NEAR("Mz", back.M[2], -ahead.M[2], 5000, 1e-12);
  CHECK_NEAR("My", back.M[1], -ahead.M[1], 5000, 1e-12);
}

/* At rest on a level road nothing pushes: no shift, no trail, no rolling resistance. */
static void test_rest(void) {
  const wrench w = element(from_file, &(rolling){5000, 0, 0, 0.02, 0});
  const double all[] = {w.F[0], w.F[1], w.M[1], w.M[2]};
  for (int k = 0; k < 4; k++) { CHECK_NEAR("rest", all[k], 0, 5000, 1e-14); }
  CU_ASSERT(fabs(element(from_file, &(rolling){5000, 0, 0, 0.02, 2}).F[1]) > 50);
}

/* Friction of the road scales the greatest force, not the stiffness. */
static void test_friction_scale(void) {
  double c[MAX_COEFS], max[2] = {0}, slope[2];
  memcpy(c, from_file, sizeof c);
  make_symmetric(c);
  for (int i = 0; i < 2; i++) {
    const double h = 1e-5;
    *coef(c, "lmu") = i ? 0.3 : 1;
    for (double x = 0; x < 0.5; x += 1e-3) { max[i] = fmax(max[i], -element(c, &(rolling){5000, 0, x, 0, 15}).F[1]); }
    slope[i] = element(c, &(rolling){5000, 0, h, 0, 15}).F[1] - element(c, &(rolling){5000, 0, -h, 0, 15}).F[1];
  }
  CHECK_NEAR("greatest force", max[1] / max[0], 0.3, 1, 1e-3);
  CHECK_NEAR("stiffness", slope[1] / slope[0], 1, 1, 1e-5);
}

/* Beyond fzmax: friction does not turn around however hard the wheel lands; forces grow in proportion to the load. */
static void test_overload(void) {
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  for (double Fz = 1000; Fz < 200000; Fz += 500) {
    CU_ASSERT(-element(c, &(rolling){Fz, 0, 0.2, 0, 15}).F[1] > 0.35 * Fz);
    CU_ASSERT(element(c, &(rolling){Fz, 0.2, 0, 0, 15}).F[0] > 0.35 * Fz);
  }
  const double one = element(c, &(rolling){50000, 0.03, 0.05, 0.02, 15}).F[1];
  CHECK_NEAR("in proportion", element(c, &(rolling){100000, 0.03, 0.05, 0.02, 15}).F[1], 2 * one, fabs(one), 1e-12);
}

static void test_airborne(void) {
  mbd_arg_state a = state_of(from_file, &(rolling){5000, 0.1, 0.1, 0.05, 15});
  a.x[0][2] += 0.2;
  const mbd_element_input in = {.s = &a, .c = from_file, .law = tyre->law};
  double f[ELEMENT_ARG_MAX][3], K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9] = {{{0}}},
                                D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9] = {{{0}}};
  tyre->f_x(&in, f, K, D);
  for (int i = 0; i < 9; i++) { CU_ASSERT(f[i / 3][i % 3] == 0); }
  for (int i = 0; i < 81; i++) { CU_ASSERT(K[i / 27][i / 9 % 3][i % 9] == 0 && D[i / 27][i / 9 % 3][i % 9] == 0); }
  for (int k = 0; k < tyre->nscalar; k++) {
    double g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3];
    CU_ASSERT(isfinite(tyre->scalar(&in, k, g, gd)));
  }
}

/* ---- 1987: pure slip with B C D, C, D, E as published ---- */

static void test_published_1987(void) {
  json_error_t e;
  json_t *file = json_load_file(MBOPT_SOURCE_DIR "/tests/golden/tyre_bnp87.json", 0, &e);
  const json_t *rows = json_object_get(file, "rows");
  CU_ASSERT_FATAL(json_array_size(rows) > 5);
  double worst = 0;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
#define ROW(key) json_number_value(json_object_get(row, key))
    const double Fz = 1000 * ROW("Fz_kN"), slip = ROW("slip"), degree = acos(-1) / 180;
    double c[MAX_COEFS];
    int at = 0;
    for (const mbd_coef_info *k = tyre->info.coefs; k->key; k++) {
      if (k->size) { c[at++] = k->dflt; }
    }
    *coef(c, "unloaded_radius") = 0.3, *coef(c, "vertical_stiffness") = 2e5, *coef(c, "fnomin") = Fz;
    *coef(c, "pcx1") = 1.65, *coef(c, "pdx1") = ROW("Dx") / Fz, *coef(c, "pex1") = ROW("Ex");
    *coef(c, "pkx1") = 100 * ROW("BCDx") / Fz;
    *coef(c, "pcy1") = 1.3, *coef(c, "pdy1") = ROW("Dy") / Fz, *coef(c, "pey1") = ROW("Ey");
    *coef(c, "pky1") = -ROW("BCDy") / degree / Fz, *coef(c, "pky2") = 1;
    const double Fx = element(c, &(rolling){Fz, slip / 100, 0, 0, 20}).F[0];
    const double Fy = -element(c, &(rolling){Fz, 0, slip * degree, 0, 20}).F[1];
    CHECK_NEAR("Fx", Fx, ROW("Fx"), ROW("Fx"), 1e-11);
    CHECK_NEAR("Fy", Fy, ROW("Fy"), ROW("Fy"), 1e-11);
    worst = fmax(worst, fmax(fabs(Fx / ROW("Fx") - 1), fabs(Fy / ROW("Fy") - 1)));
#undef ROW
  }
  printf("(%zu rows within %.1g) ", json_array_size(rows), worst);
  json_decref(file);
}

/* ---- the tyres of mbopt ---- */

static double slope_of(const double *c, double Fz, double kappa, double alpha, double gamma, int force) {
  const double h = 1e-4;
  const wrench p = element(c, &(rolling){Fz, kappa * h, alpha * h, gamma * h, 20}),
               m = element(c, &(rolling){Fz, -kappa * h, -alpha * h, -gamma * h, 20});
  return (p.F[force] - m.F[force]) / (2 * h);
}

/* Table A3.1 of Pacejka 2006 at 4000 N: Ky/Fz = -14.95 sin(2 atan(1/2.13)) = -11.502 and Kx/Fz = 21.51 of slips where shifts are zero, friction 1.21 and
 * 0.99, camber stiffness -0.92 Fz, deflection by Fz/Fz0 = 13.37 r + 14.35 r^2, r = deflection/R0; rolling resistance 0.01 R0 Fz. */
static void test_passenger_car(void) {
  double c[MAX_COEFS], most_x = 0, most_y = 0;
  read_from("passenger_car", shipped_tyre_text(0), c);
  CU_ASSERT_STRING_EQUAL(shipped_tyre_name(0), "passenger_car");
  const double r = 4000 / *coef(c, "vertical_stiffness") / 0.313;
  CHECK_NEAR("deflection", 13.37 * r + 14.35 * r * r, 1, 1, 1e-3);
  CHECK_NEAR("rolling resistance", element(c, &(rolling){4000, 0, 0, 0, 20}).M[1], -0.01 * 0.313 * 4000, 12, 1e-12);
  /* SHy moves the slope by camber off zero slip: without the shifts the camber stiffness is Ky PHY3 + PVY3 */
  make_symmetric(c);
  const double phy3 = 0.0337, pvy3 = -0.532, Ky = -14.95 * sin(2 * atan(1 / 2.13));
  CHECK_NEAR("slip stiffness", slope_of(c, 4000, 1, 0, 0, 0) / 4000, 21.51, 21.51, 1e-4);
  CHECK_NEAR("cornering stiffness", slope_of(c, 4000, 0, 1, 0, 1) / 4000, Ky, 11.5, 1e-4);
  *coef(c, "phy3") = phy3, *coef(c, "pvy3") = pvy3;
  CHECK_NEAR("camber stiffness", slope_of(c, 4000, 0, 0, 1, 1) / 4000, -0.92, 0.92, 1e-3);
  *coef(c, "phy3") = *coef(c, "pvy3") = 0;
  for (double x = 0; x < 1; x += 1e-3) {
    most_x = fmax(most_x, element(c, &(rolling){4000, x, 0, 0, 20}).F[0] / 4000);
    most_y = fmax(most_y, -element(c, &(rolling){4000, 0, x, 0, 20}).F[1] / 4000);
  }
  CHECK_NEAR("friction along", most_x, 1.21, 1.21, 1e-4);
  CHECK_NEAR("friction across", most_y, 0.99, 0.99, 1e-4);
}

/* The numbers to which truck.tir is fitted: slope, peak, its slip, the force at a large slip, over the load; the rows of Fx and Fy at both loads. */
static void test_truck(void) {
  static const double wanted[2][2][5] = {
      {{17.6866, 0.88468, 0.12, 0.54397, 0.9}, {13.8046, 0.7479, 0.15, 0.50365, 0.95}},
      {{5.948, 0.77253, 0.38786, 0.71139, 0.82534}, {5.506, 0.73048, 0.38786, 0.66823, 0.91309}}};
  double c[MAX_COEFS];
  read_from("truck", shipped_tyre_text(1), c);
  CU_ASSERT_STRING_EQUAL(shipped_tyre_name(1), "truck");
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < 2; k++) {
      const double *row = wanted[side][k], Fz = 19620 * (1 + k), sign = side ? -1 : 1;
      double most = 0, at = 0;
#define FORCE(x) \
  (sign * element(c, side ? &(rolling){Fz, 0, atan(x), 0, 20} : &(rolling){Fz, (x), 0, 0, 20}).F[side] / Fz)
      for (double x = 0.05; x < 0.6; x += 1e-3) {
        if (FORCE(x) > most) { most = FORCE(x), at = x; }
      }
      CHECK_NEAR("slope", (FORCE(1e-5) - FORCE(-1e-5)) / 2e-5, row[0], row[0], 1e-4);
      CHECK_NEAR("peak", most, row[1], row[1], 1e-4);
      CHECK_NEAR("slip of the peak", at, row[2], 1, 2e-3);
      CHECK_NEAR("sliding", FORCE(row[4]), row[3], row[3], 0.025);
#undef FORCE
    }
  }
}

/* ---- derivatives where the law changes its form ---- */

static double *input(mbd_arg_state *a, int k) { /* centre, axis, velocity of the centre, spin */
  return k < 6 ? &a->x[k / 3][k % 3] : &a->xd[k < 9 ? 0 : 2][k % 3];
}

static void against_differences(const char *where, const double *coefs, const rolling *r, double Vz) {
  mbd_arg_state a = state_of(coefs, r);
  double c[MAX_COEFS], fp[ELEMENT_ARG_MAX][3], fm[ELEMENT_ARG_MAX][3];
  memcpy(c, coefs, sizeof c);
  a.xd[0][2] = Vz;
  const mbd_element_input in = {.s = &a, .c = c, .law = tyre->law};
  double K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9] = {{{0}}}, D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9] = {{{0}}};
  tyre->f_x(&in, fp, K, D);
  for (int k = 0; k < 12; k++) {
    const double h = k < 6 ? 1e-7 : 1e-6, at = *input(&a, k);
    *input(&a, k) = at + h;
    tyre->f(&in, fp);
    *input(&a, k) = at - h;
    tyre->f(&in, fm);
    *input(&a, k) = at;
    for (int i = 0; i < 6; i++) {
      const int result = i < 3 ? 0 : 2;
      double(*J)[ELEMENT_ARG_MAX][9] = k < 6 ? K : D;
      const double exact = J[result][k < 6 ? k / 3 : k < 9 ? 0 : 2][3 * (i % 3) + k % 3];
      const double difference = (fp[result][i % 3] - fm[result][i % 3]) / (2 * h);
      char name[200];
      snprintf(name, sizeof name, "%s: d result %d / d input %d", where, i, k);
      CU_ASSERT(isfinite(exact));
      CHECK_NEAR(name, exact, difference, 5e5 + fabs(exact), 2e-6);
    }
  }
  double dc[MAX_COEFS] = {0};
  const mbd_element_direction d = {.dc = dc};
  int moved = 0, n = 0;
  for (const mbd_coef_info *k = tyre->info.coefs; k->key; k++) {
    if (k->size == 0) { continue; }
    double df[ELEMENT_ARG_MAX][3];
    const double at = c[n], h = 1e-6 * fmax(fabs(at), 0.1);
    dc[n] = 1;
    tyre->f_c(&in, &d, df);
    dc[n] = 0;
    c[n] = at + h;
    tyre->f(&in, fp);
    c[n] = at - h;
    tyre->f(&in, fm);
    c[n] = at;
    double size = 0;
    for (int i = 0; i < 6; i++) {
      const int result = i < 3 ? 0 : 2;
      const double difference = (fp[result][i % 3] - fm[result][i % 3]) / (2 * h), scale = 1e5 / fmax(fabs(at), 0.1);
      char name[200];
      snprintf(name, sizeof name, "%s: d result %d / d %s", where, i, k->key);
      CHECK_NEAR(name, df[result][i % 3], difference, scale + fabs(difference), 2e-6);
      size += fabs(df[result][i % 3]);
    }
    moved += size > 0;
    n++;
  }
  if (strcmp(where, "ordinary") == 0) {
    printf("(%d of %d coefficients move the force) ", moved, n);
    CU_ASSERT(moved ==
              n - 2 - 12); /* all but fzmax, the touchdown depth and what states need, of which this tyre has none */
  }
}

static void test_derivatives(void) {
  static const struct {
    const char *where;
    rolling r;
    double Vz;
  } at[] = {{"ordinary", {5000, 0.05, 0.06, 0.03, 12}, -0.1},
            {"rest", {5000, 0, 0, 0, 0}, 0},
            {"creeping", {5000, 0.01, 0.02, 0.001, 0.3}, 0},
            {"backwards", {5000, -0.05, 0.06, -0.03, -12}, 0},
            {"creeping backwards", {5000, 0.05, -0.3, 0.002, -0.4}, 0.05},
            {"touchdown", {200, 0.05, 0.06, 0.03, 12}, -0.1},
            {"first touch", {1e-3, 0.05, 0.06, 0.03, 12}, -0.1},
            {"rounded load limit", {22000, 0.05, 0.06, 0.03, 12}, -0.1},
            {"overload", {60000, 0.05, 0.06, 0.03, 12}, -0.1},
            {"light and leaning", {600, 0.3, 0.06, 0.25, 12}, 0},
            {"leaning the other way", {1500, -0.3, -0.4, -0.5, 12}, 0},
            {"lying down", {1500, -0.3, -0.4, 1.2, 12}, 0},
            {"sideways", {5000, 0, 1.5, 0.01, 12}, 0},
            {"locked", {5000, -1, 0.4, 0.01, 12}, 0},
            {"spinning", {5000, 8, 0.1, 0.01, 12}, 0}};
  double c[MAX_COEFS];
  memcpy(c, from_file, sizeof c);
  *coef(c, "touchdown") = 1e-3, *coef(c, "lmu") = 0.9, *coef(c, "qsy2") = 0.002, *coef(c, "qsy3") = 0.003,
           *coef(c, "qsy4") = 0.001;
  for (int i = 0; i < COUNT(at); i++) { against_differences(at[i].where, c, &at[i].r, at[i].Vz); }
}

int main(void) {
  read_coefs();
  const test_entry entries[] = {TEST(test_published),      TEST(test_nothing_without_slip),
                                TEST(test_peak_and_slope), TEST(test_combined_slip),
                                TEST(test_symmetry),       TEST(test_backwards),
                                TEST(test_rest),           TEST(test_friction_scale),
                                TEST(test_overload),       TEST(test_airborne),
                                TEST(test_published_1987), TEST(test_passenger_car),
                                TEST(test_truck),          TEST(test_derivatives)};
  return test_run(__FILE__, entries, COUNT(entries));
}
