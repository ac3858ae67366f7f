/* The law of tyre.c and tyre_own.c, and its tables: the tyre after Pacejka's Magic Formula (MF-Tyre 5.2) of `type = tyre_magic_formula`,
 * whose page in the manual tells its equations and keys, on the plane road z = 0.
 *
 * Arguments: the centre c of the wheel, its spin axis u (fixed in the wheel, to the left of travel), its rotation w. With n = e_z:
 *   t = u x n/|.| forward, l = n x t to the left, e = t x u/|u|, loaded radius R_l = c_z/e_z, V = v + w x (-R_l e) */
#ifndef TYRE_LAW_H
#define TYRE_LAW_H

#include "mbd/plugin.h"

#define COEFFICIENTS(X)                      \
  X(R0, "unloaded_radius", "m", NAN)         \
  X(CZ, "vertical_stiffness", "N/m", NAN)    \
  X(DAMPING, "vertical_damping", "N s/m", 0) \
  X(TOUCHDOWN, "touchdown", "m", 1e-3)       \
  X(FNOMIN, "fnomin", "N", NAN)              \
  X(FZMAX, "fzmax", "N", 1e300)              \
  X(VXLOW, "vxlow", "m/s", 1)                \
  X(LONGVL, "longvl", "m/s", 16.7)           \
  X(SIDE, "side", "-", 1)                    \
  X(BREFF, "breff", "-", 0)                  \
  X(DREFF, "dreff", "-", 0)                  \
  X(FREFF, "freff", "-", 0)                  \
  X(LMU, "lmu", "-", 1)                      \
  X(LFZO, "lfzo", "-", 1)                    \
  X(LCX, "lcx", "-", 1)                      \
  X(LMUX, "lmux", "-", 1)                    \
  X(LEX, "lex", "-", 1)                      \
  X(LKX, "lkx", "-", 1)                      \
  X(LHX, "lhx", "-", 1)                      \
  X(LVX, "lvx", "-", 1)                      \
  X(LGAX, "lgax", "-", 1)                    \
  X(LCY, "lcy", "-", 1)                      \
  X(LMUY, "lmuy", "-", 1)                    \
  X(LEY, "ley", "-", 1)                      \
  X(LKY, "lky", "-", 1)                      \
  X(LHY, "lhy", "-", 1)                      \
  X(LVY, "lvy", "-", 1)                      \
  X(LGAY, "lgay", "-", 1)                    \
  X(LTR, "ltr", "-", 1)                      \
  X(LRES, "lres", "-", 1)                    \
  X(LGAZ, "lgaz", "-", 1)                    \
  X(LXAL, "lxal", "-", 1)                    \
  X(LYKA, "lyka", "-", 1)                    \
  X(LVYKA, "lvyka", "-", 1)                  \
  X(LS, "ls", "-", 1)                        \
  X(LMX, "lmx", "-", 1)                      \
  X(LVMX, "lvmx", "-", 1)                    \
  X(LMY, "lmy", "-", 1)                      \
  X(PCX1, "pcx1", "-", NAN)                  \
  X(PDX1, "pdx1", "-", NAN)                  \
  X(PDX2, "pdx2", "-", 0)                    \
  X(PDX3, "pdx3", "-", 0)                    \
  X(PEX1, "pex1", "-", 0)                    \
  X(PEX2, "pex2", "-", 0)                    \
  X(PEX3, "pex3", "-", 0)                    \
  X(PEX4, "pex4", "-", 0)                    \
  X(PKX1, "pkx1", "-", NAN)                  \
  X(PKX2, "pkx2", "-", 0)                    \
  X(PKX3, "pkx3", "-", 0)                    \
  X(PHX1, "phx1", "-", 0)                    \
  X(PHX2, "phx2", "-", 0)                    \
  X(PVX1, "pvx1", "-", 0)                    \
  X(PVX2, "pvx2", "-", 0)                    \
  X(RBX1, "rbx1", "-", 0)                    \
  X(RBX2, "rbx2", "-", 0)                    \
  X(RCX1, "rcx1", "-", 0)                    \
  X(REX1, "rex1", "-", 0)                    \
  X(REX2, "rex2", "-", 0)                    \
  X(RHX1, "rhx1", "-", 0)                    \
  X(QSX1, "qsx1", "-", 0)                    \
  X(QSX2, "qsx2", "-", 0)                    \
  X(QSX3, "qsx3", "-", 0)                    \
  X(PCY1, "pcy1", "-", NAN)                  \
  X(PDY1, "pdy1", "-", NAN)                  \
  X(PDY2, "pdy2", "-", 0)                    \
  X(PDY3, "pdy3", "-", 0)                    \
  X(PEY1, "pey1", "-", 0)                    \
  X(PEY2, "pey2", "-", 0)                    \
  X(PEY3, "pey3", "-", 0)                    \
  X(PEY4, "pey4", "-", 0)                    \
  X(PKY1, "pky1", "-", NAN)                  \
  X(PKY2, "pky2", "-", NAN)                  \
  X(PKY3, "pky3", "-", 0)                    \
  X(PHY1, "phy1", "-", 0)                    \
  X(PHY2, "phy2", "-", 0)                    \
  X(PHY3, "phy3", "-", 0)                    \
  X(PVY1, "pvy1", "-", 0)                    \
  X(PVY2, "pvy2", "-", 0)                    \
  X(PVY3, "pvy3", "-", 0)                    \
  X(PVY4, "pvy4", "-", 0)                    \
  X(RBY1, "rby1", "-", 0)                    \
  X(RBY2, "rby2", "-", 0)                    \
  X(RBY3, "rby3", "-", 0)                    \
  X(RCY1, "rcy1", "-", 0)                    \
  X(REY1, "rey1", "-", 0)                    \
  X(REY2, "rey2", "-", 0)                    \
  X(RHY1, "rhy1", "-", 0)                    \
  X(RHY2, "rhy2", "-", 0)                    \
  X(RVY1, "rvy1", "-", 0)                    \
  X(RVY2, "rvy2", "-", 0)                    \
  X(RVY3, "rvy3", "-", 0)                    \
  X(RVY4, "rvy4", "-", 0)                    \
  X(RVY5, "rvy5", "-", 0)                    \
  X(RVY6, "rvy6", "-", 0)                    \
  X(QSY1, "qsy1", "-", 0)                    \
  X(QSY2, "qsy2", "-", 0)                    \
  X(QSY3, "qsy3", "-", 0)                    \
  X(QSY4, "qsy4", "-", 0)                    \
  X(QBZ1, "qbz1", "-", 0)                    \
  X(QBZ2, "qbz2", "-", 0)                    \
  X(QBZ3, "qbz3", "-", 0)                    \
  X(QBZ4, "qbz4", "-", 0)                    \
  X(QBZ5, "qbz5", "-", 0)                    \
  X(QBZ9, "qbz9", "-", 0)                    \
  X(QBZ10, "qbz10", "-", 0)                  \
  X(QCZ1, "qcz1", "-", 0)                    \
  X(QDZ1, "qdz1", "-", 0)                    \
  X(QDZ2, "qdz2", "-", 0)                    \
  X(QDZ3, "qdz3", "-", 0)                    \
  X(QDZ4, "qdz4", "-", 0)                    \
  X(QDZ6, "qdz6", "-", 0)                    \
  X(QDZ7, "qdz7", "-", 0)                    \
  X(QDZ8, "qdz8", "-", 0)                    \
  X(QDZ9, "qdz9", "-", 0)                    \
  X(QEZ1, "qez1", "-", 0)                    \
  X(QEZ2, "qez2", "-", 0)                    \
  X(QEZ3, "qez3", "-", 0)                    \
  X(QEZ4, "qez4", "-", 0)                    \
  X(QEZ5, "qez5", "-", 0)                    \
  X(QHZ1, "qhz1", "-", 0)                    \
  X(QHZ2, "qhz2", "-", 0)                    \
  X(QHZ3, "qhz3", "-", 0)                    \
  X(QHZ4, "qhz4", "-", 0)                    \
  X(SSZ1, "ssz1", "-", 0)                    \
  X(SSZ2, "ssz2", "-", 0)                    \
  X(SSZ3, "ssz3", "-", 0)                    \
  X(SSZ4, "ssz4", "-", 0)

enum {
#define X(name, key, unit, dflt) name,
  COEFFICIENTS(X)
#undef X
};

/* ---- pieces: all have two continuous derivatives ---- */

/* 0 below 0, x above the width, between them width (6 s^3 - 8 s^4 + 3 s^5), s = x/width */
static scalar onset(scalar x, scalar width) {
  if (s_re(x) <= 0) { return 0; }
  if (s_re(x) >= s_re(width)) { return x; }
  const scalar s = x / width;
  return width * s * s * s * (6 - 8 * s + 3 * s * s);
}
/* from 0 to 1 over [0, width] */
static scalar fade(scalar x, scalar width) {
  if (s_re(x) <= 0) { return 0; }
  if (s_re(x) >= s_re(width)) { return 1; }
  const scalar s = x / width;
  return s * s * s * (10 - 15 * s + 6 * s * s);
}
static scalar at_most(scalar x, scalar top, scalar band) {
  return s_re(x) <= s_re(top) ? x : top + band - onset(top + band - x, band);
}
static scalar at_least(scalar x, scalar floor_) {
  return s_re(x) >= 2 * s_re(floor_) ? x : floor_ + onset(x - floor_, floor_);
}
static scalar sign(scalar x, scalar width) {
  if (s_re(x) >= s_re(width)) { return 1; }
  if (s_re(x) <= -s_re(width)) { return -1; }
  const scalar s = x / width, s2 = s * s;
  return 0.125 * s * (15 - 10 * s2 + 3 * s2 * s2);
}
static scalar curvature(scalar E) {
  return at_most(E, 0.9, 0.1);
}
static double side_of(scalar x) {
  return (s_re(x) > 0) - (s_re(x) < 0);
}
static scalar square(scalar x) {
  return x * x;
}

/* One curve of the formula at its slip x: C atan(B x - E (B x - atan(B x))). Forces take its sine, weights and the trail its cosine. */
typedef struct magic {
  scalar B, C, E, x;
} magic;

static scalar phase(const magic *m) {
  const scalar Bx = m->B * m->x;
  return m->C * s_atan(Bx - m->E * (Bx - s_atan(Bx)));
}
/* 1 at slip 0: m has the slip with its shift, which `shift` has alone. */
static scalar weight(const magic *m, scalar shift) {
  const magic at_zero = {m->B, m->C, m->E, shift};
  return s_cos(phase(m)) / s_cos(phase(&at_zero));
}

/* ---- the wheel on the road ---- */

typedef struct wheel {
  scalar t[3], l[3], e[3], R_l, sin_camber;
  scalar V_t, V_l, V_n, v_t, spin; /* of the contact point, of the centre, about the axis */
} wheel;

static void cross(scalar c[3], const scalar a[3], const scalar b[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static scalar dot(const scalar a[3], const scalar b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static wheel stand(const scalar c[3], const scalar axis[3], const scalar v[3], const scalar w[3]) {
  wheel q;
  scalar u[3], arm[3], V[3];
  const scalar length = s_sqrt(dot(axis, axis));
  for (int i = 0; i < 3; i++) { u[i] = axis[i] / length; }
  const scalar flat = s_sqrt(u[0] * u[0] + u[1] * u[1]);
  q.t[0] = u[1] / flat, q.t[1] = -u[0] / flat, q.t[2] = 0;
  q.l[0] = -q.t[1], q.l[1] = q.t[0], q.l[2] = 0;
  cross(q.e, q.t, u);
  q.R_l = c[2] / q.e[2];
  q.sin_camber = u[2];
  for (int i = 0; i < 3; i++) { arm[i] = -q.R_l * q.e[i]; }
  cross(V, w, arm);
  for (int i = 0; i < 3; i++) { V[i] += v[i]; }
  q.V_t = dot(V, q.t), q.V_l = dot(V, q.l), q.V_n = V[2];
  q.v_t = dot(v, q.t);
  q.spin = dot(w, u);
  return q;
}

/* ---- the formulas, per unit of load ---- */

typedef struct state {
  scalar deflection, load, z, dfz, kappa, alpha, gamma, rolls, travel, speed, radius;
  scalar mu_x, K_x, SV_x, mu_y, K_y, SH_y, SV_y, D_V, D_t, B_r, D_r, arm; /* of the curves and beside them */
  scalar fx0, fy0, fx, fy, fy_slip;
  magic x, y, x_by_alpha, y_by_kappa, trail;
} state;

static void slips(state *q, const wheel *w, const coefficient c[]) {
  const scalar depth = c[FNOMIN] / c[CZ], r = onset(q->deflection, c[TOUCHDOWN]) / depth;
  q->radius = c[R0] - depth * (c[DREFF] * s_atan(c[BREFF] * r) + c[FREFF] * r);
  q->speed = s_sqrt(square(w->v_t) + c[VXLOW] * c[VXLOW]);
  q->kappa = (q->radius * w->spin - w->v_t) / q->speed;
  q->alpha = c[SIDE] * s_atan(w->V_l / q->speed);
  q->gamma = c[SIDE] * s_asin(w->sin_camber);
  q->travel = sign(w->v_t, c[VXLOW]);
  q->rolls = square(q->travel);
}

static scalar friction(const state *q, scalar p1, scalar p2, scalar p3, scalar g) {
  return at_least((p1 + p2 * q->dfz) * (1 - p3 * g * g), 0.1 * p1);
}

static void longitudinal(state *q, const coefficient c[]) {
  const scalar f = q->dfz, g = q->gamma * c[LGAX];
  q->mu_x = c[LMU] * c[LMUX] * friction(q, c[PDX1], c[PDX2], c[PDX3], g);
  q->K_x = (c[PKX1] + c[PKX2] * f) * s_exp(c[PKX3] * f) * c[LKX];
  q->SV_x = (c[PVX1] + c[PVX2] * f) * c[LVX] * c[LMUX] * c[LMU];
  q->x.C = c[PCX1] * c[LCX];
  q->x.B = q->K_x / (q->x.C * q->mu_x);
  q->x.x = q->kappa + (c[PHX1] + c[PHX2] * f) * c[LHX] * q->rolls;
  q->x.E = curvature((c[PEX1] + c[PEX2] * f + c[PEX3] * f * f) * (1 - side_of(q->x.x) * c[PEX4]) * c[LEX]);
  q->fx0 = q->mu_x * s_sin(phase(&q->x)) + q->SV_x * q->rolls;
}

static void lateral(state *q, const coefficient c[]) {
  const scalar f = q->dfz, g = q->gamma * c[LGAY], size = g * sign(g, 0.005);
  const scalar r = q->z / (c[PKY2] * c[LFZO]);
  q->mu_y = c[LMU] * c[LMUY] * friction(q, c[PDY1], c[PDY2], c[PDY3], g);
  q->K_y = 2 * c[PKY1] / (c[PKY2] * (1 + r * r)) * c[LKY] * at_least(1 - c[PKY3] * size, 0.1);
  q->SH_y = ((c[PHY1] + c[PHY2] * f) * c[LHY] + c[PHY3] * g) * q->rolls;
  q->SV_y = ((c[PVY1] + c[PVY2] * f) * c[LVY] + (c[PVY3] + c[PVY4] * f) * g) * c[LMUY] * c[LMU] * q->rolls;
  q->y.C = c[PCY1] * c[LCY];
  q->y.B = q->K_y / (q->y.C * q->mu_y);
  q->y.x = q->alpha + q->SH_y;
  q->y.E = curvature((c[PEY1] + c[PEY2] * f) * (1 - side_of(q->y.x) * (c[PEY3] + c[PEY4] * g)) * c[LEY]);
  q->fy0 = q->mu_y * s_sin(phase(&q->y)) + q->SV_y;
}

static void combined(state *q, const coefficient c[]) {
  const scalar f = q->dfz, SH_x = c[RHX1], SH_y = c[RHY1] + c[RHY2] * f;
  longitudinal(q, c), lateral(q, c);
  q->x_by_alpha.B = c[RBX1] * c[LXAL] / s_sqrt(1 + square(c[RBX2] * q->kappa));
  q->x_by_alpha.C = c[RCX1], q->x_by_alpha.E = curvature(c[REX1] + c[REX2] * f), q->x_by_alpha.x = q->alpha + SH_x;
  q->fx = q->fx0 * weight(&q->x_by_alpha, SH_x);
  q->y_by_kappa.B = c[RBY1] * c[LYKA] / s_sqrt(1 + square(c[RBY2] * (q->alpha - c[RBY3])));
  q->y_by_kappa.C = c[RCY1], q->y_by_kappa.E = curvature(c[REY1] + c[REY2] * f), q->y_by_kappa.x = q->kappa + SH_y;
  q->fy_slip = q->fy0 * weight(&q->y_by_kappa, SH_y);
  q->D_V = q->mu_y * (c[RVY1] + c[RVY2] * f + c[RVY3] * q->gamma) / s_sqrt(1 + square(c[RVY4] * q->alpha));
  q->fy = q->fy_slip + q->D_V * s_sin(c[RVY5] * s_atan(c[RVY6] * q->kappa)) * c[LVYKA];
}

static scalar both_slips(scalar alpha, scalar even) {
  const scalar cosine = s_cos(alpha);
  return s_atan2(s_sqrt(square(s_sin(alpha)) + even * cosine * cosine + 1e-20), cosine);
}

static scalar aligning(state *q, const coefficient c[]) {
  const scalar f = q->dfz, g = q->gamma * c[LGAZ], size = g * sign(g, 0.005);
  const scalar even = square(q->K_x / q->K_y * q->kappa), scale = c[LKY] / (c[LMUY] * c[LMU]);
  /* pneumatic trail */
  const scalar a_t = q->alpha + c[QHZ1] + c[QHZ2] * f + (c[QHZ3] + c[QHZ4] * f) * g;
  q->trail.B = (c[QBZ1] + c[QBZ2] * f + c[QBZ3] * f * f) * (1 + c[QBZ4] * g + c[QBZ5] * size) * scale;
  q->trail.C = c[QCZ1], q->trail.x = both_slips(a_t, even);
  const scalar turn = 0.63661977236758134308 * (c[QEZ4] + c[QEZ5] * g) * s_atan(q->trail.B * c[QCZ1] * a_t);
  q->trail.E = curvature((c[QEZ1] + c[QEZ2] * f + c[QEZ3] * f * f) * (1 + turn));
  q->D_t = q->z * (c[QDZ1] + c[QDZ2] * f) * (1 + c[QDZ3] * g + c[QDZ4] * g * g) * c[R0] * c[LTR];
  /* residual moment */
  const scalar a_r = q->alpha + q->SH_y + q->SV_y / q->K_y;
  q->B_r = c[QBZ9] * scale + c[QBZ10] * q->y.B * q->y.C;
  q->D_r = ((c[QDZ6] + c[QDZ7] * f) * c[LRES] + (c[QDZ8] + c[QDZ9] * f) * g) * c[R0] * c[LMUY] * c[LMU];
  const scalar M_r = q->D_r / s_sqrt(1 + square(q->B_r * both_slips(a_r, even)));
  /* arm of Fx */
  q->arm = (c[SSZ1] + c[SSZ2] * q->z * q->fy + (c[SSZ3] + c[SSZ4] * f) * q->gamma) * c[R0] * c[LS];
  return (M_r - q->D_t * s_cos(phase(&q->trail)) * q->fy_slip) * s_cos(q->alpha) * q->travel + q->arm * q->fx;
}

static scalar overturning(const state *q, const coefficient c[]) {
  return c[R0] * (c[QSX1] * c[LVMX] + (c[QSX3] * q->z * q->fy - c[QSX2] * q->gamma) * c[LMX]);
}

static scalar rolling(const state *q, const wheel *w, const coefficient c[]) {
  const scalar v = w->v_t / c[LONGVL], low = c[VXLOW] / c[LONGVL];
  const scalar size = c[QSY1] + c[QSY2] * q->z * q->fx + c[QSY3] * v * sign(v, low) + c[QSY4] * square(v * v);
  return -size * sign(q->radius * w->spin, c[VXLOW]) * c[R0] * c[LMY];
}

/* ---- the force ---- */

static void touch(state *q, const wheel *w, const coefficient c[]) {
  q->deflection = c[R0] - w->R_l;
  q->load = onset(c[CZ] * onset(q->deflection, c[TOUCHDOWN]) - c[DAMPING] * fade(q->deflection, c[TOUCHDOWN]) * w->V_n,
                  c[CZ] * c[TOUCHDOWN]);
  q->z = at_most(q->load, c[FZMAX], 0.2 * c[FZMAX]) / c[FNOMIN];
  q->dfz = q->z / c[LFZO] - 1;
}

/* Force F on the contact point and moment M there, along t, l, n. */
static void act(const state *q, const coefficient c[], scalar overturns, scalar rolls, scalar aligns, scalar F[3],
                scalar M[3]) {
  const scalar sided = c[SIDE] * q->load;
  F[0] = q->load * q->fx, F[1] = sided * q->fy, F[2] = q->load;
  M[0] = sided * overturns, M[1] = q->load * rolls, M[2] = sided * aligns;
}

static void tyre(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3],
                 scalar output[]) {
  const wheel w = stand(x[0], x[1], xd[0], xd[2]);
  state q;
  scalar arm[3], F[3], M[3];
  (void)t;
  touch(&q, &w, c), slips(&q, &w, c), combined(&q, c);
  act(&q, c, overturning(&q, c), rolling(&q, &w, c), aligning(&q, c), F, M);
  for (int i = 0; i < 3; i++) { arm[i] = -w.R_l * w.e[i], f[0][i] = F[0] * w.t[i] + F[1] * w.l[i]; }
  f[0][2] += F[2];
  cross(f[2], arm, f[0]);
  for (int i = 0; i < 3; i++) { f[2][i] += M[0] * w.t[i] + M[1] * w.l[i]; }
  f[2][2] += M[2];
  if (!output) { return; }
  output[0] = q.deflection, output[1] = q.load, output[2] = F[0], output[3] = F[1], output[4] = q.kappa;
  output[5] = s_atan(w.V_l / q.speed), output[6] = s_asin(w.sin_camber), output[7] = M[2];
}

static const mbd_ref_info references[] = {
    {"centre", MBD_REF_POINT, 1, "centre of the wheel, a point of the wheel on its axis"},
    {"axis", MBD_REF_VECTOR, 1, "spin axis, fixed in the wheel and pointing to the left of travel; any length"},
    {"wheel", MBD_REF_BODY, 1, "the body of the wheel"},
    {0}};
static const mbd_arg_info arguments[] = {{MBD_ARG_POINT, 0, -1}, {MBD_ARG_VECTOR, 1, -1}, {MBD_ARG_ROTATION, 2, -1}};
static const mbd_coef_info coefficients[] = {
    {"tir", 0, "path", 0, 0, 0, "property file (.tir) of the coefficients; keys below override it"},
#define X(name, key, unit, dflt) {key, 1, unit, dflt, -1e300, 1e300, "as of tyre_magic_formula"},
    COEFFICIENTS(X)
#undef X
        {0}};
static const mbd_user_output outputs[] = {{"deflection", "m"}, {"load", "N"},       {"longitudinal", "N"},
                                          {"lateral", "N"},    {"slip", "-"},       {"slip_angle", "rad"},
                                          {"camber", "rad"},   {"aligning", "N m"}, {0}};

#endif
