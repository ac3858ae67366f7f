/* The tyre of tyre.c with derivatives of its own: every formula of tyre_law.h has its differential here, of the state of the tyre and, where
 * a direction dc of the coefficients is given, of these. A curve is evaluated once with its slopes; a direction then takes products and sums
 * alone. `wheel` and `state` hold differentials, too: d->load is the change of q->load.
 *
 * The plane road does not see where the centre is above it, and the tyre not the rate of its axis: ten directions in the place of fifteen. */
#include <stddef.h>

#include "tyre_law.h"

/* ---- pieces ---- */

static scalar d_onset(scalar x, scalar width, scalar dx, scalar dwidth) {
  if (s_re(x) <= 0) { return 0; }
  if (s_re(x) >= s_re(width)) { return dx; }
  const scalar s = x / width, slope = s * s * (18 - 32 * s + 15 * s * s);
  return slope * dx + (s * s * s * (6 - 8 * s + 3 * s * s) - s * slope) * dwidth;
}
static scalar d_fade(scalar x, scalar width, scalar dx, scalar dwidth) {
  if (s_re(x) <= 0 || s_re(x) >= s_re(width)) { return 0; }
  const scalar s = x / width;
  return 30 * square(s * (1 - s)) / width * (dx - s * dwidth);
}
static scalar d_sign(scalar x, scalar width, scalar dx, scalar dwidth) {
  if (s_re(x) >= s_re(width) || s_re(x) <= -s_re(width)) { return 0; }
  const scalar s = x / width;
  return 1.875 * square(1 - s * s) / width * (dx - s * dwidth);
}
static scalar d_at_most(scalar x, scalar top, scalar band, scalar dx, scalar dtop, scalar dband) {
  return s_re(x) <= s_re(top) ? dx : dtop + dband - d_onset(top + band - x, band, dtop + dband - dx, dband);
}
static scalar d_at_least(scalar x, scalar floor_, scalar dx, scalar dfloor) {
  return s_re(x) >= 2 * s_re(floor_) ? dx : dfloor + d_onset(x - floor_, floor_, dx - dfloor, dfloor);
}
static scalar d_curvature(scalar E, scalar dE) {
  return d_at_most(E, 0.9, 0.1, dE, 0, 0);
}

/* A curve with its slopes. */
typedef struct bend {
  scalar by_B, by_C, by_E, by_x, sine, cosine;
} bend;

static bend bend_of(const magic *m) {
  const scalar Bx = m->B * m->x, a = s_atan(Bx), u = Bx - m->E * (Bx - a), angle = s_atan(u);
  const scalar by_u = m->C / (1 + u * u), by_Bx = by_u * (1 - m->E + m->E / (1 + Bx * Bx));
  return (bend){by_Bx * m->x, angle, by_u * (a - Bx), by_Bx * m->B, s_sin(m->C * angle), s_cos(m->C * angle)};
}
static scalar d_phase(const bend *b, const magic *d) {
  return b->by_B * d->B + b->by_C * d->C + b->by_E * d->E + b->by_x * d->x;
}

/* ---- everything at one state ---- */

typedef struct tyre_at {
  const coefficient *c;
  wheel w;
  scalar V[3], arm[3], speed[3], turn[3]; /* contact point, from the centre to it, rates of the wheel */
  scalar axis_length, flat, u[3];
  state q;
  bend x, y, x_by_alpha, x_alone, y_by_kappa, y_alone, trail; /* _alone: at slip 0 */
  scalar F[3], M[3], f[3], overturning, rolling, aligning;
} tyre_at;

static bend bend_alone(const magic *m, scalar shift) {
  const magic at_zero = {m->B, m->C, m->E, shift};
  return bend_of(&at_zero);
}

static void evaluate(tyre_at *a, const scalar x[][3], const scalar xd[][3], const coefficient c[]) {
  state *q = &a->q;
  a->c = c;
  a->w = stand(x[0], x[1], xd[0], xd[2]);
  const wheel *w = &a->w;
  a->axis_length = s_sqrt(dot(x[1], x[1]));
  for (int i = 0; i < 3; i++) {
    a->u[i] = x[1][i] / a->axis_length, a->arm[i] = -w->R_l * w->e[i];
    a->speed[i] = xd[0][i], a->turn[i] = xd[2][i];
  }
  a->flat = s_sqrt(a->u[0] * a->u[0] + a->u[1] * a->u[1]);
  cross(a->V, a->turn, a->arm);
  for (int i = 0; i < 3; i++) { a->V[i] += a->speed[i]; }
  touch(q, w, c);
  slips(q, w, c);
  combined(q, c);
  a->x = bend_of(&q->x), a->y = bend_of(&q->y);
  a->x_by_alpha = bend_of(&q->x_by_alpha), a->x_alone = bend_alone(&q->x_by_alpha, c[RHX1]);
  a->y_by_kappa = bend_of(&q->y_by_kappa), a->y_alone = bend_alone(&q->y_by_kappa, c[RHY1] + c[RHY2] * q->dfz);
  a->aligning = aligning(q, c), a->overturning = overturning(q, c), a->rolling = rolling(q, w, c);
  a->trail = bend_of(&q->trail);
  act(q, c, a->overturning, a->rolling, a->aligning, a->F, a->M);
  for (int i = 0; i < 3; i++) { a->f[i] = a->F[0] * w->t[i] + a->F[1] * w->l[i]; }
  a->f[2] += a->F[2];
}

/* ---- differentials: of the wheel on the road ---- */

/* Along a change of the centre's height, the axis, the velocity of the centre and the rate of the wheel. */
static wheel d_stand(const tyre_at *a, scalar height, const scalar axis[3], const scalar v[3], const scalar turn[3]) {
  const wheel *w = &a->w;
  const scalar along = dot(a->u, axis);
  scalar u[3], one[3], two[3], arm[3], V[3];
  wheel d;
  for (int i = 0; i < 3; i++) { u[i] = (axis[i] - along * a->u[i]) / a->axis_length; }
  const scalar flat = (a->u[0] * u[0] + a->u[1] * u[1]) / a->flat;
  d.t[0] = (u[1] - w->t[0] * flat) / a->flat, d.t[1] = (-u[0] - w->t[1] * flat) / a->flat, d.t[2] = 0;
  d.l[0] = -d.t[1], d.l[1] = d.t[0], d.l[2] = 0;
  cross(one, d.t, a->u), cross(two, w->t, u);
  for (int i = 0; i < 3; i++) { d.e[i] = one[i] + two[i]; }
  d.R_l = (height - w->R_l * d.e[2]) / w->e[2];
  d.sin_camber = u[2];
  for (int i = 0; i < 3; i++) { arm[i] = -d.R_l * w->e[i] - w->R_l * d.e[i]; }
  cross(one, turn, a->arm), cross(two, a->turn, arm);
  for (int i = 0; i < 3; i++) { V[i] = v[i] + one[i] + two[i]; }
  d.V_t = dot(V, w->t) + dot(a->V, d.t), d.V_l = dot(V, w->l) + dot(a->V, d.l), d.V_n = V[2];
  d.v_t = dot(v, w->t) + dot(a->speed, d.t);
  d.spin = dot(turn, a->u) + dot(a->turn, u);
  return d;
}

static void d_touch(const tyre_at *a, const wheel *dw, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar width = c[CZ] * c[TOUCHDOWN], top = c[FZMAX];
  const scalar in = onset(q->deflection, c[TOUCHDOWN]), on = fade(q->deflection, c[TOUCHDOWN]);
  const scalar sum = c[CZ] * in - c[DAMPING] * on * a->w.V_n;
  const scalar ddepth = dc ? dc[TOUCHDOWN] : 0, dtop = dc ? dc[FZMAX] : 0;
  d->deflection = (dc ? dc[R0] : 0) - dw->R_l;
  scalar dsum = c[CZ] * d_onset(q->deflection, c[TOUCHDOWN], d->deflection, ddepth) -
                c[DAMPING] * (d_fade(q->deflection, c[TOUCHDOWN], d->deflection, ddepth) * a->w.V_n + on * dw->V_n);
  if (dc) { dsum += dc[CZ] * in - dc[DAMPING] * on * a->w.V_n; }
  d->load = d_onset(sum, width, dsum, dc ? dc[CZ] * c[TOUCHDOWN] + c[CZ] * dc[TOUCHDOWN] : 0);
  d->z = d_at_most(q->load, top, 0.2 * top, d->load, dtop, 0.2 * dtop) / c[FNOMIN];
  if (dc) { d->z -= q->z * dc[FNOMIN] / c[FNOMIN]; }
  d->dfz = d->z / c[LFZO];
  if (dc) { d->dfz -= q->z * dc[LFZO] / (c[LFZO] * c[LFZO]); }
}

static void d_slips(const tyre_at *a, const wheel *dw, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const wheel *w = &a->w;
  const state *q = &a->q;
  const scalar depth = c[FNOMIN] / c[CZ], ddepth = dc ? (dc[FNOMIN] - depth * dc[CZ]) / c[CZ] : 0;
  const scalar r = onset(q->deflection, c[TOUCHDOWN]) / depth;
  const scalar dr = (d_onset(q->deflection, c[TOUCHDOWN], d->deflection, dc ? dc[TOUCHDOWN] : 0) - r * ddepth) / depth;
  const scalar slope = 1 / (1 + square(c[BREFF] * r)), sine = w->V_l / q->speed;
  d->radius = -depth * (c[DREFF] * c[BREFF] * slope + c[FREFF]) * dr;
  if (dc) {
    const scalar bend = s_atan(c[BREFF] * r);
    d->radius += dc[R0] - ddepth * (c[DREFF] * bend + c[FREFF] * r) -
                 depth * (dc[DREFF] * bend + c[DREFF] * slope * r * dc[BREFF] + dc[FREFF] * r);
  }
  d->speed = (w->v_t * dw->v_t + (dc ? c[VXLOW] * dc[VXLOW] : 0)) / q->speed;
  d->kappa = (d->radius * w->spin + q->radius * dw->spin - dw->v_t - q->kappa * d->speed) / q->speed;
  d->alpha = c[SIDE] * (dw->V_l - sine * d->speed) / (q->speed * (1 + sine * sine));
  d->gamma = c[SIDE] * dw->sin_camber / s_sqrt(1 - square(w->sin_camber));
  if (dc) { d->alpha += dc[SIDE] * s_atan(sine), d->gamma += dc[SIDE] * s_asin(w->sin_camber); }
  d->travel = d_sign(w->v_t, c[VXLOW], dw->v_t, dc ? dc[VXLOW] : 0);
  d->rolls = 2 * q->travel * d->travel;
}

/* ---- of the formulas ---- */

/* Of friction with coefficients p at camber g. */
static scalar d_friction(const tyre_at *a, int p, scalar g, const state *d, scalar dg, const coefficient *dc) {
  const coefficient *c = a->c + p;
  const scalar rise = c[0] + c[1] * a->q.dfz, fall = 1 - c[2] * g * g;
  scalar dx = c[1] * d->dfz * fall - rise * 2 * c[2] * g * dg;
  if (dc) { dx += (dc[p] + dc[p + 1] * a->q.dfz) * fall - rise * dc[p + 2] * g * g; }
  return d_at_least(rise * fall, 0.1 * c[0], dx, dc ? 0.1 * dc[p] : 0);
}

/* Of B = K/(C mu). */
static scalar d_stiffness(const magic *m, scalar mu, const magic *dm, scalar dK, scalar dmu) {
  return dK / (m->C * mu) - m->B * (dm->C / m->C + dmu / mu);
}

static void d_longitudinal(const tyre_at *a, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar f = q->dfz, df = d->dfz, g = q->gamma * c[LGAX];
  const scalar dg = d->gamma * c[LGAX] + (dc ? q->gamma * dc[LGAX] : 0);
  const scalar rise = s_exp(c[PKX3] * f) * c[LKX], E = c[PEX1] + c[PEX2] * f + c[PEX3] * f * f;
  const scalar side = 1 - side_of(q->x.x) * c[PEX4], shift = c[PHX1] + c[PHX2] * f;
  d->mu_x = c[LMU] * c[LMUX] * d_friction(a, PDX1, g, d, dg, dc);
  d->K_x = (c[PKX2] * rise + c[PKX3] * q->K_x) * df;
  d->SV_x = c[PVX2] * df * c[LVX] * c[LMUX] * c[LMU];
  d->x.C = 0;
  d->x.x = d->kappa + c[LHX] * (c[PHX2] * df * q->rolls + shift * d->rolls);
  scalar dE = (c[PEX2] + 2 * c[PEX3] * f) * df * side * c[LEX];
  if (dc) {
    const scalar SV = c[PVX1] + c[PVX2] * f;
    d->mu_x += q->mu_x * (dc[LMU] / c[LMU] + dc[LMUX] / c[LMUX]);
    d->K_x += (dc[PKX1] + dc[PKX2] * f) * rise + q->K_x * (f * dc[PKX3] + dc[LKX] / c[LKX]);
    d->SV_x += (dc[PVX1] + dc[PVX2] * f) * c[LVX] * c[LMUX] * c[LMU] +
               SV * (dc[LVX] * c[LMUX] * c[LMU] + c[LVX] * (dc[LMUX] * c[LMU] + c[LMUX] * dc[LMU]));
    d->x.C = dc[PCX1] * c[LCX] + c[PCX1] * dc[LCX];
    d->x.x += ((dc[PHX1] + dc[PHX2] * f) * c[LHX] + shift * dc[LHX]) * q->rolls;
    dE += (dc[PEX1] + dc[PEX2] * f + dc[PEX3] * f * f) * side * c[LEX] +
          E * (side * dc[LEX] - side_of(q->x.x) * dc[PEX4] * c[LEX]);
  }
  d->x.E = d_curvature(E * side * c[LEX], dE);
  d->x.B = d_stiffness(&q->x, q->mu_x, &d->x, d->K_x, d->mu_x);
  d->fx0 =
      d->mu_x * a->x.sine + q->mu_x * a->x.cosine * d_phase(&a->x, &d->x) + d->SV_x * q->rolls + q->SV_x * d->rolls;
}

/* Of |g|, smooth near 0. */
static scalar d_size(scalar g, scalar dg) {
  return dg * sign(g, 0.005) + g * d_sign(g, 0.005, dg, 0);
}

static void d_lateral(const tyre_at *a, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar f = q->dfz, df = d->dfz, g = q->gamma * c[LGAY], size = g * sign(g, 0.005);
  const scalar dg = d->gamma * c[LGAY] + (dc ? q->gamma * dc[LGAY] : 0);
  const scalar r = q->z / (c[PKY2] * c[LFZO]), stiff = 2 * c[PKY1] / (c[PKY2] * (1 + r * r)) * c[LKY];
  const scalar lean = 1 - c[PKY3] * size, rest = at_least(lean, 0.1), mu = c[LMUY] * c[LMU];
  const scalar SH = (c[PHY1] + c[PHY2] * f) * c[LHY] + c[PHY3] * g, rise = c[PVY1] + c[PVY2] * f;
  const scalar SV = rise * c[LVY] + (c[PVY3] + c[PVY4] * f) * g;
  const scalar E = c[PEY1] + c[PEY2] * f, side = 1 - side_of(q->y.x) * (c[PEY3] + c[PEY4] * g);
  scalar dr = d->z / (c[PKY2] * c[LFZO]), dlean = -c[PKY3] * d_size(g, dg), dstiff = 0;
  scalar dSH = c[PHY2] * df * c[LHY] + c[PHY3] * dg;
  scalar dSV = c[PVY2] * df * c[LVY] + c[PVY4] * df * g + (c[PVY3] + c[PVY4] * f) * dg, dmu = 0;
  scalar dside = -side_of(q->y.x) * c[PEY4] * dg, dE = c[PEY2] * df;
  d->mu_y = mu * d_friction(a, PDY1, g, d, dg, dc);
  d->y.C = 0;
  if (dc) {
    dmu = dc[LMUY] * c[LMU] + c[LMUY] * dc[LMU];
    d->mu_y += q->mu_y * dmu / mu;
    dr -= r * (dc[PKY2] / c[PKY2] + dc[LFZO] / c[LFZO]);
    dlean -= dc[PKY3] * size;
    dstiff = 2 * (dc[PKY1] * c[LKY] + c[PKY1] * dc[LKY]) / (c[PKY2] * (1 + r * r)) - stiff * dc[PKY2] / c[PKY2];
    dSH += (dc[PHY1] + dc[PHY2] * f) * c[LHY] + (c[PHY1] + c[PHY2] * f) * dc[LHY] + dc[PHY3] * g;
    dSV += (dc[PVY1] + dc[PVY2] * f) * c[LVY] + rise * dc[LVY] + (dc[PVY3] + dc[PVY4] * f) * g;
    dside -= side_of(q->y.x) * (dc[PEY3] + dc[PEY4] * g);
    dE += dc[PEY1] + dc[PEY2] * f;
    d->y.C = dc[PCY1] * c[LCY] + c[PCY1] * dc[LCY];
  }
  dstiff -= stiff * 2 * r * dr / (1 + r * r);
  d->K_y = dstiff * rest + stiff * d_at_least(lean, 0.1, dlean, 0);
  d->SH_y = dSH * q->rolls + SH * d->rolls;
  d->SV_y = (dSV * q->rolls + SV * d->rolls) * mu + SV * q->rolls * dmu;
  d->y.x = d->alpha + d->SH_y;
  d->y.E = d_curvature(E * side * c[LEY], (dE * side + E * dside) * c[LEY] + (dc ? E * side * dc[LEY] : 0));
  d->y.B = d_stiffness(&q->y, q->mu_y, &d->y, d->K_y, d->mu_y);
  d->fy0 = d->mu_y * a->y.sine + q->mu_y * a->y.cosine * d_phase(&a->y, &d->y) + d->SV_y;
}

/* Of cos(m)/cos(alone), which differ by their slip. */
static scalar d_weight(const bend *m, const bend *alone, const magic *d, scalar dshift) {
  const magic at_zero = {d->B, d->C, d->E, dshift};
  return (m->cosine / alone->cosine * alone->sine * d_phase(alone, &at_zero) - m->sine * d_phase(m, d)) / alone->cosine;
}

/* Of b/sqrt(1 + (k s)^2), B its value. */
static scalar d_fading(scalar B, scalar b, scalar k, scalar s, scalar db, scalar dk, scalar ds) {
  const scalar root = 1 + square(k * s);
  return db * (s_re(b) != 0 ? B / b : 1 / s_sqrt(root)) - B * k * s * (dk * s + k * ds) / root;
}

static void d_combined(const tyre_at *a, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar f = q->dfz, df = d->dfz, spread = q->alpha - c[RBY3];
  const scalar V = c[RVY1] + c[RVY2] * f + c[RVY3] * q->gamma, turn = s_atan(c[RVY6] * q->kappa);
  const scalar wave = s_sin(c[RVY5] * turn), slope = s_cos(c[RVY5] * turn);
  scalar dSH = c[RHY2] * df, dV = c[RVY2] * df + c[RVY3] * d->gamma;
  scalar dturn = c[RVY6] * d->kappa, dEx = c[REX2] * df, dEy = c[REY2] * df;
  magic *dx = &d->x_by_alpha, *dy = &d->y_by_kappa;
  d_longitudinal(a, d, dc), d_lateral(a, d, dc);
  dx->C = 0, dy->C = 0;
  if (dc) {
    dSH += dc[RHY1] + dc[RHY2] * f;
    dV += dc[RVY1] + dc[RVY2] * f + dc[RVY3] * q->gamma;
    dturn += dc[RVY6] * q->kappa;
    dEx += dc[REX1] + dc[REX2] * f, dEy += dc[REY1] + dc[REY2] * f;
    dx->C = dc[RCX1], dy->C = dc[RCY1];
  }
  dturn /= 1 + square(c[RVY6] * q->kappa);
  dx->B = d_fading(q->x_by_alpha.B, c[RBX1] * c[LXAL], c[RBX2], q->kappa,
                   dc ? dc[RBX1] * c[LXAL] + c[RBX1] * dc[LXAL] : 0, dc ? dc[RBX2] : 0, d->kappa);
  dx->E = d_curvature(c[REX1] + c[REX2] * f, dEx);
  dx->x = d->alpha + (dc ? dc[RHX1] : 0);
  d->fx = d->fx0 * a->x_by_alpha.cosine / a->x_alone.cosine +
          q->fx0 * d_weight(&a->x_by_alpha, &a->x_alone, dx, dc ? dc[RHX1] : 0);
  dy->B = d_fading(q->y_by_kappa.B, c[RBY1] * c[LYKA], c[RBY2], spread,
                   dc ? dc[RBY1] * c[LYKA] + c[RBY1] * dc[LYKA] : 0, dc ? dc[RBY2] : 0, d->alpha - (dc ? dc[RBY3] : 0));
  dy->E = d_curvature(c[REY1] + c[REY2] * f, dEy);
  dy->x = d->kappa + dSH;
  d->fy_slip =
      d->fy0 * a->y_by_kappa.cosine / a->y_alone.cosine + q->fy0 * d_weight(&a->y_by_kappa, &a->y_alone, dy, dSH);
  d->D_V = d_fading(q->D_V, q->mu_y * V, c[RVY4], q->alpha, d->mu_y * V + q->mu_y * dV, dc ? dc[RVY4] : 0, d->alpha);
  d->fy = d->fy_slip + c[LVYKA] * (d->D_V * wave + q->D_V * slope * c[RVY5] * dturn);
  if (dc) { d->fy += q->D_V * (slope * dc[RVY5] * turn * c[LVYKA] + wave * dc[LVYKA]); }
}

/* Of both_slips: with n = sqrt(sin^2 + even cos^2 + 1e-20), its value is atan2(n, cos). */
static scalar d_both_slips(scalar alpha, scalar even, scalar dalpha, scalar deven) {
  const scalar sine = s_sin(alpha), cosine = s_cos(alpha);
  const scalar n = s_sqrt(square(sine) + even * cosine * cosine + 1e-20);
  const scalar dn = (sine * cosine * (1 - even) * dalpha + 0.5 * cosine * cosine * deven) / n;
  return (cosine * dn + n * sine * dalpha) / (n * n + cosine * cosine);
}

static scalar d_aligning(const tyre_at *a, state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar f = q->dfz, df = d->dfz, g = q->gamma * c[LGAZ], size = g * sign(g, 0.005);
  const scalar dg = d->gamma * c[LGAZ] + (dc ? q->gamma * dc[LGAZ] : 0), dsize = d_size(g, dg);
  const scalar ratio = q->K_x / q->K_y * q->kappa, mu = c[LMUY] * c[LMU], scale = c[LKY] / mu;
  const scalar dratio = (d->K_x * q->kappa + q->K_x * d->kappa - ratio * d->K_y) / q->K_y;
  const scalar even = square(ratio), deven = 2 * ratio * dratio;
  scalar dscale = 0, dmu = 0;
  if (dc) { dmu = dc[LMUY] * c[LMU] + c[LMUY] * dc[LMU], dscale = (dc[LKY] - scale * dmu) / mu; }
  /* pneumatic trail */
  const scalar B = c[QBZ1] + c[QBZ2] * f + c[QBZ3] * f * f, tilt = 1 + c[QBZ4] * g + c[QBZ5] * size;
  const scalar a_t = q->alpha + c[QHZ1] + c[QHZ2] * f + (c[QHZ3] + c[QHZ4] * f) * g;
  const scalar bent = q->trail.B * c[QCZ1] * a_t, angle = 0.63661977236758134308 * s_atan(bent);
  const scalar turn = 1 + (c[QEZ4] + c[QEZ5] * g) * angle, E = c[QEZ1] + c[QEZ2] * f + c[QEZ3] * f * f;
  const scalar arm = c[QDZ1] + c[QDZ2] * f, lean = 1 + c[QDZ3] * g + c[QDZ4] * g * g, size_0 = c[R0] * c[LTR];
  scalar da_t = d->alpha + c[QHZ2] * df + c[QHZ4] * df * g + (c[QHZ3] + c[QHZ4] * f) * dg;
  scalar dB = (c[QBZ2] + 2 * c[QBZ3] * f) * df, dtilt = c[QBZ4] * dg + c[QBZ5] * dsize;
  scalar dE = (c[QEZ2] + 2 * c[QEZ3] * f) * df, dpull = c[QEZ5] * dg, darm = c[QDZ2] * df;
  scalar dlean = (c[QDZ3] + 2 * c[QDZ4] * g) * dg;
  d->trail.C = 0;
  if (dc) {
    da_t += dc[QHZ1] + dc[QHZ2] * f + (dc[QHZ3] + dc[QHZ4] * f) * g;
    dB += dc[QBZ1] + dc[QBZ2] * f + dc[QBZ3] * f * f;
    dtilt += dc[QBZ4] * g + dc[QBZ5] * size;
    dE += dc[QEZ1] + dc[QEZ2] * f + dc[QEZ3] * f * f;
    dpull += dc[QEZ4] + dc[QEZ5] * g;
    darm += dc[QDZ1] + dc[QDZ2] * f;
    dlean += dc[QDZ3] * g + dc[QDZ4] * g * g;
    d->trail.C = dc[QCZ1];
  }
  d->trail.B = (dB * tilt + B * dtilt) * scale + B * tilt * dscale;
  d->trail.x = d_both_slips(a_t, even, da_t, deven);
  const scalar dbent = d->trail.B * c[QCZ1] * a_t + q->trail.B * (c[QCZ1] * da_t + d->trail.C * a_t);
  const scalar dturn = dpull * angle + (c[QEZ4] + c[QEZ5] * g) * 0.63661977236758134308 * dbent / (1 + square(bent));
  d->trail.E = d_curvature(E * turn, dE * turn + E * dturn);
  d->D_t = (d->z * arm * lean + q->z * (darm * lean + arm * dlean)) * size_0;
  if (dc) { d->D_t += q->z * arm * lean * (dc[R0] * c[LTR] + c[R0] * dc[LTR]); }
  /* residual moment */
  const scalar a_r = q->alpha + q->SH_y + q->SV_y / q->K_y, slip = both_slips(a_r, even);
  const scalar da_r = d->alpha + d->SH_y + (d->SV_y - q->SV_y / q->K_y * d->K_y) / q->K_y;
  const scalar rest = c[QDZ6] + c[QDZ7] * f, rise = c[QDZ8] + c[QDZ9] * f, D_0 = rest * c[LRES] + rise * g;
  scalar dD_0 = c[QDZ7] * df * c[LRES] + c[QDZ9] * df * g + rise * dg;
  d->B_r = c[QBZ9] * dscale + c[QBZ10] * (d->y.B * q->y.C + q->y.B * d->y.C);
  if (dc) {
    d->B_r += dc[QBZ9] * scale + dc[QBZ10] * q->y.B * q->y.C;
    dD_0 += (dc[QDZ6] + dc[QDZ7] * f) * c[LRES] + rest * dc[LRES] + (dc[QDZ8] + dc[QDZ9] * f) * g;
  }
  d->D_r = dD_0 * c[R0] * mu + (dc ? D_0 * (dc[R0] * mu + c[R0] * dmu) : 0);
  const scalar M_r = q->D_r / s_sqrt(1 + square(q->B_r * slip));
  const scalar dM_r = d_fading(M_r, q->D_r, q->B_r, slip, d->D_r, d->B_r, d_both_slips(a_r, even, da_r, deven));
  /* arm of Fx */
  const scalar reach = c[SSZ1] + c[SSZ2] * q->z * q->fy + (c[SSZ3] + c[SSZ4] * f) * q->gamma;
  scalar dreach =
      c[SSZ2] * (d->z * q->fy + q->z * d->fy) + c[SSZ4] * df * q->gamma + (c[SSZ3] + c[SSZ4] * f) * d->gamma;
  if (dc) { dreach += dc[SSZ1] + dc[SSZ2] * q->z * q->fy + (dc[SSZ3] + dc[SSZ4] * f) * q->gamma; }
  d->arm = dreach * c[R0] * c[LS] + (dc ? reach * (dc[R0] * c[LS] + c[R0] * dc[LS]) : 0);
  /* all of them */
  const scalar moment = M_r - q->D_t * a->trail.cosine * q->fy_slip, cosine = s_cos(q->alpha);
  const scalar dmoment =
      dM_r - (d->D_t * a->trail.cosine - q->D_t * a->trail.sine * d_phase(&a->trail, &d->trail)) * q->fy_slip -
      q->D_t * a->trail.cosine * d->fy_slip;
  return (dmoment * cosine - moment * s_sin(q->alpha) * d->alpha) * q->travel + moment * cosine * d->travel +
         d->arm * q->fx + q->arm * d->fx;
}

static scalar d_overturning(const tyre_at *a, const state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  scalar dM = c[R0] * c[LMX] * (c[QSX3] * (d->z * q->fy + q->z * d->fy) - c[QSX2] * d->gamma);
  if (dc) {
    const scalar lean = c[QSX3] * q->z * q->fy - c[QSX2] * q->gamma;
    dM += dc[R0] * (c[QSX1] * c[LVMX] + lean * c[LMX]) +
          c[R0] * (dc[QSX1] * c[LVMX] + c[QSX1] * dc[LVMX] + lean * dc[LMX] +
                   (dc[QSX3] * q->z * q->fy - dc[QSX2] * q->gamma) * c[LMX]);
  }
  return dM;
}

static scalar d_rolling(const tyre_at *a, const wheel *dw, const state *d, const coefficient *dc) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const scalar v = a->w.v_t / c[LONGVL], low = c[VXLOW] / c[LONGVL], onward = sign(v, low);
  const scalar size = c[QSY1] + c[QSY2] * q->z * q->fx + c[QSY3] * v * onward + c[QSY4] * square(v * v);
  const scalar rolls = q->radius * a->w.spin, turns = sign(rolls, c[VXLOW]),
               dv = (dw->v_t - (dc ? v * dc[LONGVL] : 0)) / c[LONGVL];
  const scalar dlow = dc ? (dc[VXLOW] - low * dc[LONGVL]) / c[LONGVL] : 0;
  const scalar drolls = d->radius * a->w.spin + q->radius * dw->spin;
  scalar dsize = c[QSY2] * (d->z * q->fx + q->z * d->fx) + c[QSY3] * (dv * onward + v * d_sign(v, low, dv, dlow)) +
                 4 * c[QSY4] * v * v * v * dv;
  if (dc) { dsize += dc[QSY1] + dc[QSY2] * q->z * q->fx + dc[QSY3] * v * onward + dc[QSY4] * square(v * v); }
  const scalar dM = -(dsize * turns + size * d_sign(rolls, c[VXLOW], drolls, dc ? dc[VXLOW] : 0)) * c[R0] * c[LMY];
  return dM - (dc ? size * turns * (dc[R0] * c[LMY] + c[R0] * dc[LMY]) : 0);
}

/* ---- of the force ---- */

/* The change of the results where the wheel moves by dw and the coefficients by dc (NULL: not at all). */
static void differential(const tyre_at *a, const wheel *dw, const coefficient *dc, scalar df[3], scalar dm[3],
                         scalar doutput[]) {
  const coefficient *c = a->c;
  const state *q = &a->q;
  const wheel *w = &a->w;
  state d;
  d_touch(a, dw, &d, dc), d_slips(a, dw, &d, dc), d_combined(a, &d, dc);
  const scalar aligns = d_aligning(a, &d, dc), leans = d_overturning(a, &d, dc), rolls = d_rolling(a, dw, &d, dc);
  const scalar load = c[SIDE] * q->load, dload = c[SIDE] * d.load + (dc ? dc[SIDE] * q->load : 0);
  const scalar dF[3] = {d.load * q->fx + q->load * d.fx, dload * q->fy + load * d.fy, d.load};
  const scalar dM[3] = {dload * a->overturning + load * leans, d.load * a->rolling + q->load * rolls,
                        dload * a->aligning + load * aligns};
  scalar arm[3], one[3], two[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = -dw->R_l * w->e[i] - w->R_l * dw->e[i];
    df[i] = dF[0] * w->t[i] + a->F[0] * dw->t[i] + dF[1] * w->l[i] + a->F[1] * dw->l[i];
  }
  df[2] += dF[2];
  cross(one, arm, a->f), cross(two, a->arm, df);
  for (int i = 0; i < 3; i++) {
    dm[i] = one[i] + two[i] + dM[0] * w->t[i] + a->M[0] * dw->t[i] + dM[1] * w->l[i] + a->M[1] * dw->l[i];
  }
  dm[2] += dM[2];
  if (!doutput) { return; }
  const scalar sine = w->V_l / q->speed;
  doutput[0] = d.deflection, doutput[1] = d.load, doutput[2] = dF[0], doutput[3] = dF[1], doutput[4] = d.kappa;
  doutput[5] = (dw->V_l - sine * d.speed) / (q->speed * (1 + sine * sine));
  doutput[6] = dw->sin_camber / s_sqrt(1 - square(w->sin_camber)), doutput[7] = dM[2];
}

static void slopes(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], const mbd_slopes *J) {
  static const scalar none[3];
  tyre_at a;
  (void)t;
  evaluate(&a, x, xd, c);
  for (int k = 0; k < 10; k++) { /* height, axis, velocity, rate of the wheel */
    const int argument = k == 0 ? 0 : (k - 1) / 3, j = k == 0 ? 2 : (k - 1) % 3;
    scalar unit[3] = {0, 0, 0}, r[14];
    unit[j] = 1;
    const wheel dw =
        d_stand(&a, k == 0, k && argument == 0 ? unit : none, argument == 1 ? unit : none, argument == 2 ? unit : none);
    differential(&a, &dw, NULL, r, r + 3, J->outputs ? r + 6 : NULL);
    for (int i = 0; i < (J->outputs ? 14 : 6); i++) {
      const int result = i < 3 ? i : i + 3; /* those of the axis are zero */
      if (k == 0) { *by_x(J, result, 0, 2) = r[i]; }
      if (k && argument == 0) { *by_x(J, result, 1, j) = r[i]; }
      if (argument == 1) { *by_xd(J, result, 0, j) = r[i]; }
      if (argument == 2) { *by_xd(J, result, 2, j) = r[i]; }
    }
  }
}

static void along(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar dt,
                  const coefficient dc[], scalar df[][3], scalar doutput[]) {
  static const wheel still;
  tyre_at a;
  (void)t, (void)dt;
  evaluate(&a, x, xd, c);
  differential(&a, &still, dc, df[0], df[2], doutput);
}

MBD_USER_FORCE_OWN("magic_tyre", "Tyre after Pacejka's Magic Formula, MF-Tyre 5.2, on the plane road z = 0.",
                   references, arguments, coefficients, outputs, tyre, slopes, along)
