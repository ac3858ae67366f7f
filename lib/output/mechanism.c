/* Mass, momentum and inertia of the whole mechanism: sums over its bodies, of mass m, inertia I, centre of mass r_G, motion V,
 * momentum p = I V and inertia wrench W = I Vd + V x* p less its weight (kinematics/work.h).
 *
 * A component along e is the power on one rigid velocity field U of all bodies: [e ; 0] of a force, [e x r ; e] of a moment about
 * the origin. U is the same everywhere and at all times, so that under the changes x, c, e of a body (kinematics/reverse.h; theory.md §4
 * (4.4))
 *   d(U . p) = -x . (U x* p) + c . (I U)
 *   d(U . W) = -x . (U x* W) + c . [V x* (I U) - U x* p - I (V x U)] + e . (I U) */
#include <string.h>

#include "kinematics/sweep.h"
#include "output/opening.h"
#include "output/sums.h"

static const char *name(const mbd_model *m, int i) {
  (void)m;
  return i == 0 ? "mechanism" : NULL;
}

/* ---- one component, along e ---- */

static void field_at(const output_at *at, int i, const mbd_real e[3], mbd_real U[6]) {
  v3_copy(U, e);
  v3_set(U + 3, 0, 0, 0);
  if (!at->o->ops->sum.about_origin) { return; }
  v3_copy(U + 3, e);
  v3_cross(U, e, at->w->body[i].r);
}

/* Derivatives of one body's contribution by x, c, e, and the products with its inertia: sum of s_k a_k . I b_k. */
typedef struct body_part {
  mbd_real X[6], C[6], E[6];
  int count;
  mbd_real a[2][6], b[2][6], s[2];
} body_part;

static void place_part(const output_at *at, int i, const mbd_real e[3], body_part *part) {
  const body_state *b = &at->w->body[i];
  mbd_real arm[3];
  v3_sub(arm, b->g, b->r);
  v3_scale(part->X, b->in.m, e);
  v3_cross(part->X + 3, arm, part->X);
}

static void momentum_part(const output_at *at, int i, const mbd_real e[3], body_part *part) {
  const body_state *b = &at->w->body[i];
  mbd_real U[6], Up[6] = {0};
  field_at(at, i, e, U);
  sv_cross_wrench_add(Up, U, b->p);
  sv_axpy(part->X, -1, Up);
  sv_inertia_mul(part->C, &b->in, U);
  part->count = 1, part->s[0] = 1;
  sv_copy(part->a[0], U), sv_copy(part->b[0], b->V);
}

static void inertia_part(const output_at *at, int i, const mbd_real e[3], body_part *part) {
  const body_state *b = &at->w->body[i];
  mbd_real U[6], VU[6], IVU[6], UW[6] = {0}, Up[6] = {0};
  field_at(at, i, e, U);
  sv_cross_wrench_add(UW, U, b->W);
  sv_axpy(part->X, -1, UW);
  sv_inertia_mul(part->E, &b->in, U);
  sv_cross(VU, b->V, U);
  sv_inertia_mul(IVU, &b->in, VU);
  sv_cross_wrench_add(Up, U, b->p);
  sv_cross_wrench_add(part->C, b->V, part->E);
  sv_axpy(part->C, -1, Up);
  sv_axpy(part->C, -1, IVU);
  part->count = 2, part->s[0] = 1, part->s[1] = -1;
  sv_copy(part->a[0], U), sv_copy(part->b[0], b->Vd);
  sv_copy(part->a[1], VU), sv_copy(part->b[1], b->V);
}

static void part_of(const output_at *at, int i, const mbd_real e[3], body_part *part) {
  static void (*const parts[])(const output_at *, int, const mbd_real *, body_part *) = {
      [MECHANISM_PLACE] = place_part, [MECHANISM_MOMENTUM] = momentum_part, [MECHANISM_INERTIA] = inertia_part};
  memset(part, 0, sizeof *part);
  parts[at->o->ops->sum.of](at, i, e, part);
}

/* ---- values ---- */

static mbd_real mass_of(const output_at *at) {
  mbd_real mass = 0;
  for (int i = 1; i < at->m->nb; i++) { mass += at->w->body[i].in.m; }
  return mass;
}

/* The sum itself: of m r_G, of p or W at the origin. */
static void sum_of(const output_at *at, mbd_real y[3]) {
  const output_sum *sum = &at->o->ops->sum;
  mbd_real total[6] = {0};
  v3_set(y, 0, 0, 0);
  for (int i = 1; i < at->m->nb; i++) {
    const body_state *b = &at->w->body[i];
    if (sum->of == MECHANISM_PLACE) {
      v3_axpy(y, b->in.m, b->g);
    } else {
      sv_add_wrench_from(total, sum->of == MECHANISM_MOMENTUM ? b->p : b->W, b->r);
    }
  }
  if (sum->of != MECHANISM_PLACE) { v3_copy(y, total + (sum->about_origin ? 3 : 0)); }
}

/* The value, and the direction e of the sum in it, for a norm that of the vector; *scale: the factor of the sum in it. */
static mbd_real component_along(const output_at *at, mbd_real e[3], mbd_real *scale) {
  const output_sum *sum = &at->o->ops->sum;
  const int component = at->o->component;
  mbd_real y[3];
  sweep_light(at->w);
  *scale = sum->per_mass ? 1 / mass_of(at) : sum->sign;
  sum_of(at, y);
  v3_scale(y, *scale, y);
  if (sum->of == MECHANISM_INERTIA && sum->per_mass) { v3_add(y, y, at->w->gravity.g); } /* W is without the weights */
  if (component == 3) { return output_norm(y, e); }
  v3_set(e, component == 0, component == 1, component == 2);
  return y[component];
}

static mbd_real value(const output_at *at) {
  mbd_real e[3], scale;
  return component_along(at, e, &scale);
}

/* ---- derivatives ---- */

static void put_wrenches(const output_at *at, const mbd_real e[3], mbd_real scale, sum_kind kind) {
  for (int i = 1; i < at->m->nb; i++) {
    body_part q;
    part_of(at, i, e, &q);
    mbd_real *F = at->w->F + 6 * i;
    sv_zero(F);
    sv_axpy(F, scale, kind == SUM_PLACE ? q.X : kind == SUM_VELOCITY ? q.C : q.E);
  }
}

static void rows_of(const output_at *at, const output_row *g) {
  mbd_real e[3], scale;
  component_along(at, e, &scale);
  for (int kind = SUM_PLACE; kind <= (int)at->o->ops->sum.of; kind++) {
    put_wrenches(at, e, scale, (sum_kind)kind);
    sum_wrenches(at->w, (sum_kind)kind, g);
  }
}

/* Of y = N/mass by a mass m_i: (N_m - y)/mass. Accelerations are without the weights. */
static mbd_real per_mass(const output_at *at, const mbd_real e[3], mbd_real scale) {
  mbd_real y[3];
  if (!at->o->ops->sum.per_mass) { return 0; }
  sum_of(at, y);
  return scale * scale * v3_dot(e, y);
}

static int has_weights(const output_at *at) {
  return at->o->ops->sum.of == MECHANISM_INERTIA && !at->o->ops->sum.per_mass && at->w->gravity.on;
}

/* By the numbers of body i: mass, centre of mass, inertia, and of all bodies gravity. */
static mbd_real numbers_direction(const output_at *at, int i, const mbd_real e[3], const body_part *part,
                                  mbd_real by_mass) {
  const mbd_dparams *d = at->w->variation.last.d;
  const mbd_body *body = &at->m->body[i];
  const body_state *b = &at->w->body[i];
  mbd_real dy = 0;
  if (d->body_active[i] && at->o->ops->sum.of == MECHANISM_PLACE) {
    mbd_real dc[3];
    m3_vec(dc, b->A, d->dtheta + body->com);
    dy += d->dtheta[body->mass] * v3_dot(e, b->g) + b->in.m * v3_dot(e, dc);
  }
  for (int k = 0; d->body_active[i] && k < part->count; k++) {
    dy += part->s[k] * motion_vary_inertia(at->w, i, part->a[k], part->b[k]);
  }
  if (d->any_gravity && has_weights(at)) { dy -= v3_dot(d->dtheta + at->m->gravity, part->E); }
  return dy - by_mass * d->dtheta[body->mass];
}

static mbd_real direction(const output_at *at) {
  const mbd_dparams *d = at->w->variation.last.d;
  mbd_real e[3], scale, dy = 0;
  component_along(at, e, &scale);
  const mbd_real by_mass = per_mass(at, e, scale) / scale;
  for (int i = 1; i < at->m->nb; i++) {
    const body_variation *v = &at->w->variation.last.body[i];
    body_part q;
    if (!v->active && !d) { continue; }
    part_of(at, i, e, &q);
    if (v->active) { dy += sv_dot(v->x, q.X) + sv_dot(v->c, q.C) + sv_dot(v->e, q.E); }
    if (d) { dy += numbers_direction(at, i, e, &q, by_mass); }
  }
  return scale * dy;
}

static void numbers_reverse(const output_at *at, int i, const mbd_real e[3], mbd_real s, const body_part *part,
                            params_reverse *theta) {
  const mbd_body *body = &at->m->body[i];
  const body_state *b = &at->w->body[i];
  if (at->o->ops->sum.of == MECHANISM_PLACE) {
    mbd_real local[3];
    m3_Tvec(local, b->A, e);
    theta->theta[body->mass] += s * v3_dot(e, b->g);
    v3_axpy(theta->theta + body->com, s * b->in.m, local);
  }
  if (has_weights(at)) { v3_axpy(theta->theta + at->m->gravity, -s, part->E); }
}

static void reverse(const output_at *at, mbd_real s, const output_back *to) {
  params_reverse *theta = to->sweep->theta;
  mbd_real e[3], scale;
  component_along(at, e, &scale);
  const mbd_real by_mass = per_mass(at, e, scale) / scale, weight = s * scale;
  to->sweep->moving |= at->o->ops->sum.of != MECHANISM_PLACE;
  for (int i = 1; i < at->m->nb; i++) {
    body_reverse *body = &to->sweep->body[i];
    body_part q;
    part_of(at, i, e, &q);
    /* Derivatives by the motion of the body are wrenches on it. */
    sv_axpy(body->X, weight, q.X);
    sv_axpy(body->C, weight, q.C);
    sv_axpy(body->E, weight, q.E);
    /* Derivatives by its own mass, centre of mass and inertia; the mass also divides an average over all bodies. */
    if (!theta) { continue; }
    numbers_reverse(at, i, e, weight, &q, theta);
    theta->theta[at->m->body[i].mass] -= weight * by_mass;
    for (int k = 0; theta->body_requested[i] && k < q.count; k++) {
      motion_reverse_inertia(to->sweep, i, q.a[k], q.b[k], weight * q.s[k]);
    }
  }
}

/* ---- the table ---- */

static mbd_status has_mass(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  double mass = 0;
  for (int i = 1; i < m->nb; i++) { mass += m->nominal[m->body[i].mass]; }
  if (!o->ops->sum.per_mass || mass > 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': no body of the mechanism has a mass", asked);
}

#define SUM(WORD, UNIT, DOC, ...)                                                                          \
  {                                                                                                        \
    .quantity = WORD, .unit = UNIT, .doc = DOC, .shape = OUTPUT_VECTOR, .check = has_mass, .value = value, \
    .rows = rows_of, .direction = direction, .reverse = reverse, .sum = {                                  \
      __VA_ARGS__                                                                                          \
    }                                                                                                      \
  }

static const output_ops rows[] = {
    SUM("com", "m", "place of the centre of mass of all bodies", .of = MECHANISM_PLACE, .per_mass = 1),
    SUM("com_velocity", "m/s", "its velocity", .of = MECHANISM_MOMENTUM, .per_mass = 1),
    SUM("com_acceleration", "m/s^2", "its acceleration", .of = MECHANISM_INERTIA, .per_mass = 1),
    SUM("momentum", "kg m/s", "momentum of all bodies, the sum of mass times velocity", .of = MECHANISM_MOMENTUM,
        .sign = 1),
    SUM("angular_momentum", "kg m^2/s",
        "angular momentum of all bodies about the origin; the rotors of `rotor_inertia` have no part in it",
        .of = MECHANISM_MOMENTUM, .sign = 1, .about_origin = 1),
    SUM("shaking_force", "N",
        "force of the mechanism on the ground, by all its joints, constraints, springs and tyres together: its weight "
        "less the rate of its momentum; at rest it is the weight",
        .of = MECHANISM_INERTIA, .sign = -1),
    SUM("shaking_moment", "N m", "moment of the mechanism on the ground about the origin, likewise",
        .of = MECHANISM_INERTIA, .sign = -1, .about_origin = 1),
    {.quantity = "opening",
     .unit = "",
     .doc = "how far constraints and drives are from being met: the length of the vector of what their equations leave "
            "[m, and rad of directions and angles]; zero but for rounding, except where analysis = closing",
     .value = opening_value,
     .rows = opening_rows,
     .direction = opening_direction,
     .reverse = opening_reverse},
    {0}};

const output_object output_mechanism = {.word = "mechanism", .noun = "mechanism", .row = rows, .name = name};
