/* Instantaneous centre of one body as seen from another, and roll centre of an axle, in a plane: of the motion that the
 * mechanism admits, so that they exist at rest, too (mobility.h). n: unit normal of the plane; velocities are those in
 * it.
 *
 *   A body with the angular velocity w and the velocity v at the place of a point P of the plane, both relative to the
 *   other body:
 *     C = P + n x v/(n . w),   as 0 = v + w n x (C - P)
 *   A point c of a wheel carrier moves about the carrier's centre: that is on the line through c normal to its velocity a. The lines
 *   of both contact points, (X - c_1) . a = 0 and (X - c_2) . b = 0, meet in the roll centre
 *     X = [(c_1 . a) b x n + (c_2 . b) n x a + (m . n) a x b]/(a . (b x n)),   m between the contact points
 *   (Dixon, Suspension Geometry and Computation, 2009; Milliken and Milliken, Race Car Vehicle Dynamics, 1995.)
 * Equations: theory.md §4 (4.5). */
#define DUAL_N 54 /* x and u of two motions, of six arguments */
#include "la/dual.h"
#include "output/mobility.h"

enum { ARGS = 6 };

typedef struct centre_at {
  dual x[ARGS][3], u[MOBILITY_MOTIONS][ARGS][3];
} centre_at;

static void seed(const mobility_at *s, centre_at *d) {
  for (int a = 0; a < ARGS; a++) {
    for (int i = 0; i < 3; i++) {
      d->x[a][i] = d_const(s->x[a][i]), d->x[a][i].d[3 * a + i] = 1;
      for (int k = 0; k < MOBILITY_MOTIONS; k++) {
        d->u[k][a][i] = d_const(s->u[k][a][i]), d->u[k][a][i].d[3 * ARGS * (k + 1) + 3 * a + i] = 1;
      }
    }
  }
}

static void read_result(const dual C[3], mbd_real y[3], mobility_at g[3]) {
  for (int r = 0; r < 3; r++) {
    y[r] = C[r].v;
    for (int a = 0; a < ARGS; a++) {
      for (int i = 0; i < 3; i++) {
        g[r].x[a][i] = C[r].d[3 * a + i];
        for (int k = 0; k < MOBILITY_MOTIONS; k++) { g[r].u[k][a][i] = C[r].d[3 * ARGS * (k + 1) + 3 * a + i]; }
      }
    }
  }
}

static void d3_sub(dual c[3], const dual a[3], const dual b[3]) {
  for (int i = 0; i < 3; i++) { c[i] = d_sub(a[i], b[i]); }
}

static void d3_add(dual c[3], const dual a[3], const dual b[3]) {
  for (int i = 0; i < 3; i++) { c[i] = d_add(a[i], b[i]); }
}

/* v = u_o + w x (p - o): velocity of the point of a body that is at p */
static void carried(dual v[3], const dual u_o[3], const dual w[3], const dual p[3], const dual o[3]) {
  dual arm[3], turn[3];
  d3_sub(arm, p, o);
  d3_cross(turn, w, arm);
  d3_add(v, u_o, turn);
}

static void unit(mbd_real n[3], const mbd_real x[3]) {
  v3_scale(n, 1 / mbd_sqrt(v3_dot(x, x)), x);
}

/* ---- instantaneous centre: P; origins of both bodies; their rotations; n ---- */

enum { P, ORIGIN, ORIGIN_FROM, TURN, TURN_FROM, NORMAL };

static void centre_arguments(const mbd_model *m, const output *o, mbd_lift *l) {
  l->narg = ARGS;
  l->arg[P] = (mbd_arg){MBD_ARG_POINT, o->ref[2], -1};
  for (int k = 0; k < 2; k++) {
    l->arg[ORIGIN + k] = (mbd_arg){MBD_ARG_POINT, model_origin_marker(m, o->ref[k]), -1};
    l->arg[TURN + k] = (mbd_arg){MBD_ARG_ROTATION, o->ref[k], -1};
  }
  l->arg[NORMAL] = (mbd_arg){MBD_ARG_VECTOR, o->ref[3], -1};
}

/* n . (w - w_from) */
static void centre_covector(const mobility_at *s, int k, int which, mbd_real (*f)[3]) {
  (void)k, (void)which;
  unit(f[TURN], s->x[NORMAL]);
  v3_scale(f[TURN_FROM], -1, f[TURN]);
}

static int centre_eval(const mobility_at *s, mbd_real y[3], mobility_at g[3]) {
  centre_at d;
  dual n[3], v[3], from[3], w[3], to_centre[3];
  seed(s, &d);
  d3_unit(n, d.x[NORMAL]);
  carried(v, d.u[0][ORIGIN], d.u[0][TURN], d.x[P], d.x[ORIGIN]);
  carried(from, d.u[0][ORIGIN_FROM], d.u[0][TURN_FROM], d.x[P], d.x[ORIGIN_FROM]);
  d3_sub(v, v, from);
  d3_sub(w, d.u[0][TURN], d.u[0][TURN_FROM]);
  d3_cross(to_centre, n, v);
  d3_scale(to_centre, d_div(d_const(1), d3_dot(n, w)), to_centre);
  d3_add(to_centre, to_centre, d.x[P]);
  read_result(to_centre, y, g);
  return 1;
}

/* ---- roll centre: both contact points; origin and rotation of the chassis; n ---- */

enum { CONTACT, OTHER_CONTACT, CHASSIS, CHASSIS_TURN, FORWARD };

static void roll_arguments(const mbd_model *m, const output *o, mbd_lift *l) {
  l->narg = 5;
  l->arg[CONTACT] = (mbd_arg){MBD_ARG_POINT, o->ref[0], -1};
  l->arg[OTHER_CONTACT] = (mbd_arg){MBD_ARG_POINT, o->ref[1], -1};
  l->arg[CHASSIS] = (mbd_arg){MBD_ARG_POINT, model_origin_marker(m, o->ref[2]), -1};
  l->arg[CHASSIS_TURN] = (mbd_arg){MBD_ARG_ROTATION, o->ref[2], -1};
  l->arg[FORWARD] = (mbd_arg){MBD_ARG_VECTOR, o->ref[3], -1};
}

/* e . (u_c - u_o - w x (c - o)) with one of two directions e in the plane */
static void roll_covector(const mobility_at *s, int k, int which, mbd_real (*f)[3]) {
  mbd_real n[3], first[3], second[3], arm[3], *e = f[CONTACT + k];
  unit(n, s->x[FORWARD]);
  const int axis = mbd_if(mbd_abs(mbd_re(n[0])) < 0.6) ? 0 : 1;
  const mbd_real along[3] = {axis == 0, axis == 1, 0};
  v3_cross(first, n, along);
  v3_cross(second, n, first);
  v3_copy(e, which ? second : first);
  v3_scale(f[CHASSIS], -1, e);
  v3_sub(arm, s->x[CONTACT + k], s->x[CHASSIS]);
  v3_cross(f[CHASSIS_TURN], e, arm);
}

/* Velocity of contact point k in its motion, in the plane. */
static void contact_velocity(const centre_at *d, int k, const dual n[3], dual a[3]) {
  dual from[3], out[3];
  carried(from, d->u[k][CHASSIS], d->u[k][CHASSIS_TURN], d->x[CONTACT + k], d->x[CHASSIS]);
  d3_sub(a, d->u[k][CONTACT + k], from);
  d3_scale(out, d3_dot(a, n), n);
  d3_sub(a, a, out);
}

/* Lines at a smaller angle [rad] are parallel, or one and the same, but for rounding. */
static const double parallel = 1e-8;

static int roll_eval(const mobility_at *s, mbd_real y[3], mobility_at g[3]) {
  centre_at d;
  dual n[3], a[3], b[3], bn[3], na[3], ab[3], X[3], part[3], middle[3];
  seed(s, &d);
  d3_unit(n, d.x[FORWARD]);
  contact_velocity(&d, 0, n, a);
  contact_velocity(&d, 1, n, b);
  d3_cross(bn, b, n), d3_cross(na, n, a), d3_cross(ab, a, b);
  const double size = sqrt(mbd_largest(d3_dot(a, a).v) * mbd_largest(d3_dot(b, b).v));
  if (!(mbd_min(d3_dot(a, bn).v) > parallel * size)) { return 0; }
  d3_add(middle, d.x[CONTACT], d.x[OTHER_CONTACT]);
  d3_scale(X, d3_dot(d.x[CONTACT], a), bn);
  d3_scale(part, d3_dot(d.x[OTHER_CONTACT], b), na);
  d3_add(X, X, part);
  d3_scale(part, d_scale(0.5, d3_dot(middle, n)), ab);
  d3_add(X, X, part);
  d3_scale(X, d_div(d_const(1), d3_dot(a, bn)), X);
  read_result(X, y, g);
  return 1;
}

/* ---- the table ---- */

static const mobility_formula centre = {
    .motions = 1, .candidates = 1, .covector = centre_covector, .eval = centre_eval};
static const mobility_formula roll = {.motions = 2,
                                      .candidates = 2,
                                      .covector = roll_covector,
                                      .eval = roll_eval,
                                      .no_place =
                                          "the lines from the contact points to the instantaneous centres of their "
                                          "carriers are parallel or coincide, as those of "
                                          "trailing arms: every point of their line is a roll centre, or none is"};

#define ROW(FORMULA, DOC)               \
  (const output_ops[]) {                \
    {.quantity = "",                    \
     .unit = "m",                       \
     .doc = DOC,                        \
     .shape = OUTPUT_VECTOR,            \
     .value = mobility_value,           \
     .rows = mobility_rows,             \
     .direction = mobility_direction,   \
     .reverse = mobility_reverse,       \
     .formula = &FORMULA,               \
     .make = mobility_create,           \
     .arguments = FORMULA##_arguments}, \
    {                                   \
      0                                 \
    }                                   \
  }
#define CENTRE(TAKES, WORD, FORMULA, RELATION, DOC) \
  { .word = WORD, .relation = RELATION, .takes = TAKES, .noun = "centre", .row = ROW(FORMULA, DOC) }

const output_object output_centres = CENTRE(
    "BBPV", "instant_centre(BODY, BODY, POINT, VECTOR)", centre, "instant_centre",
    "instantaneous centre of the first body as seen from the second one, in the plane through the point that is normal "
    "to the vector: of the motion that joints and constraints allow it there, whether it moves or not. It is not "
    "defined "
    "where they allow no motion, no rotation, or motions about different centres (steering that nothing holds), nor "
    "where "
    "constraints are violated (a soft penalty)");
const output_object output_driven_centres =
    CENTRE("BBPVC", "instant_centre(BODY, BODY, POINT, VECTOR, CONSTRAINT)", centre, "instant_centre",
           "the same without a constraint, such as one that drives the wheel's travel");
const output_object output_roll_centres = CENTRE(
    "PPBV", "roll_centre(POINT, POINT, BODY, VECTOR)", roll, "roll_centre",
    "roll centre of an axle: contact points as points of the left and the right wheel carrier, the chassis, and the "
    "vector forward (`chassis.x`). In the plane across it, where the lines from each contact point to the "
    "instantaneous "
    "centre of its carrier meet, at the place of the middle between the contact points along the vector. It is not "
    "defined where these lines "
    "are parallel or coincide (trailing arms), nor where constraints leave a carrier several motions (bushings in "
    "place of joints): a message "
    "says which");
const output_object output_driven_roll_centres =
    CENTRE("PPBVCC", "roll_centre(POINT, POINT, BODY, VECTOR, CONSTRAINT, CONSTRAINT)", roll, "roll_centre",
           "the same without two constraints, such as those that drive the travel of both wheels");
