/* Relations between points and vectors: distances and angles, with their rates. Lengths of the vectors do not matter.
 *
 *   distance of two points              |d|,  d = x_1 - x_2           rate  d . dd/|d|
 *   of a point from a plane             d . n/|n|                     rate  (dd . n + d . nd)/|n|,  as n keeps its length
 *   angle between two vectors           atan2(|u x v|, u . v)
 *   angle from u to v about n, |n| = 1  atan2(n . (u x v), u . v - (u . n)(v . n))
 *   area of a triangle as seen along n  n . (u x v)/2,  u, v from its first point to the others
 *   of an angle atan2(a, b)                                           rate  (b ad - a bd)/(a^2 + b^2)
 * Arguments are lifted to z by theory.md §4 (4.1). */
#define DUAL_N 18 /* x and xd of three arguments */
#include "la/dual.h"
#include "output/output.h"

/* The arguments and their rates, with the derivatives by all of them. */
typedef struct related {
  dual x[3][3], xd[3][3];
} related;

static void seed(const mbd_arg_state *s, int narg, related *r) {
  for (int a = 0; a < narg; a++) {
    for (int i = 0; i < 3; i++) {
      r->x[a][i] = d_const(s->x[a][i]), r->x[a][i].d[3 * a + i] = 1;
      r->xd[a][i] = d_const(s->xd[a][i]), r->xd[a][i].d[9 + 3 * a + i] = 1;
    }
  }
}

static void read_gradient(dual y, int narg, output_gradient *g) {
  for (int a = 0; a < narg; a++) {
    for (int i = 0; i < 3; i++) { g->x[a][i] = y.d[3 * a + i], g->xd[a][i] = y.d[9 + 3 * a + i]; }
  }
}

/* eval of a relation, from the formulas of its value and its rate. */
#define RELATION(NAME)                                                                    \
  static mbd_real NAME(const output_at *at, const mbd_arg_state *s, output_gradient *g) { \
    const int narg = at->o->lift.narg;                                                    \
    related r;                                                                            \
    seed(s, narg, &r);                                                                    \
    const dual y = at->o->ops->order == 0 ? NAME##_value(&r) : NAME##_rate(&r);           \
    read_gradient(y, narg, g);                                                            \
    return y.v;                                                                           \
  }

/* ---- distances ---- */

/* The distance has no gradient where the points coincide; zero is taken there, as for a norm. */
static dual distance_value(const related *r) {
  const dual square = d3_dot(r->x[0], r->x[0]);
  return d_select(mbd_re(square.v) > 0, d_sqrt(square), d_const(0));
}

static dual distance_rate(const related *r) {
  return d_div(d3_dot(r->x[0], r->xd[0]), d_sqrt(d3_dot(r->x[0], r->x[0])));
}

static dual height_value(const related *r) {
  return d_div(d3_dot(r->x[0], r->x[1]), d_sqrt(d3_dot(r->x[1], r->x[1])));
}

static dual height_rate(const related *r) {
  const dual change = d_add(d3_dot(r->xd[0], r->x[1]), d3_dot(r->x[0], r->xd[1]));
  return d_div(change, d_sqrt(d3_dot(r->x[1], r->x[1])));
}

RELATION(distance)
RELATION(height)

/* ---- angles ---- */

static dual rate_of_atan2(dual a, dual b, dual ad, dual bd) {
  return d_div(d_sub(d_mul(b, ad), d_mul(a, bd)), d_add(d_square(a), d_square(b)));
}

/* Rates of u x v and u . v, for u = x_0, v = x_1. */
static void cross_rate(const related *r, dual cd[3]) {
  dual other[3];
  d3_cross(cd, r->xd[0], r->x[1]);
  d3_cross(other, r->x[0], r->xd[1]);
  for (int i = 0; i < 3; i++) { cd[i] = d_add(cd[i], other[i]); }
}

static dual dot_rate(const dual u[3], const dual v[3], const dual ud[3], const dual vd[3]) {
  return d_add(d3_dot(ud, v), d3_dot(u, vd));
}

/* The angle has no gradient where the vectors are parallel; zero is taken there. */
static dual angle_value(const related *r) {
  dual c[3];
  d3_cross(c, r->x[0], r->x[1]);
  const dual square = d3_dot(c, c), cosine = d3_dot(r->x[0], r->x[1]);
  return d_select(mbd_re(square.v) > 0, d_atan2(d_sqrt(square), cosine), d_const(mbd_atan2(0, cosine.v)));
}

static dual angle_rate(const related *r) {
  dual c[3], cd[3];
  d3_cross(c, r->x[0], r->x[1]);
  cross_rate(r, cd);
  const dual sine = d_sqrt(d3_dot(c, c)), sine_rate = d_div(d3_dot(c, cd), sine);
  return rate_of_atan2(sine, d3_dot(r->x[0], r->x[1]), sine_rate, dot_rate(r->x[0], r->x[1], r->xd[0], r->xd[1]));
}

/* a = n . (u x v),  b = u . v - (u . n)(v . n),  and their rates; n = x_2 is made a unit vector first. */
typedef struct turned {
  dual n[3], nd[3], a, b, ad, bd;
} turned;

static turned turn_of(const related *r) {
  const dual length = d_sqrt(d3_dot(r->x[2], r->x[2])), *u = r->x[0], *v = r->x[1];
  turned t;
  dual c[3], cd[3];
  d3_scale(t.n, d_div(d_const(1), length), r->x[2]);
  d3_scale(t.nd, d_div(d_const(1), length), r->xd[2]);
  d3_cross(c, u, v);
  cross_rate(r, cd);
  const dual un = d3_dot(u, t.n), vn = d3_dot(v, t.n);
  const dual und = dot_rate(u, t.n, r->xd[0], t.nd), vnd = dot_rate(v, t.n, r->xd[1], t.nd);
  t.a = d3_dot(t.n, c);
  t.b = d_sub(d3_dot(u, v), d_mul(un, vn));
  t.ad = dot_rate(t.n, c, t.nd, cd);
  t.bd = d_sub(dot_rate(u, v, r->xd[0], r->xd[1]), d_add(d_mul(und, vn), d_mul(un, vnd)));
  return t;
}

static dual turn_value(const related *r) {
  const turned t = turn_of(r);
  return d_atan2(t.a, t.b);
}

static dual turn_rate(const related *r) {
  const turned t = turn_of(r);
  return rate_of_atan2(t.a, t.b, t.ad, t.bd);
}

static dual area_value(const related *r) {
  return d_mul(d_const(0.5), turn_of(r).a);
}

static dual area_rate(const related *r) {
  return d_mul(d_const(0.5), turn_of(r).ad);
}

RELATION(angle)
RELATION(turn)
RELATION(area)

/* ---- the table ---- */

/* d = x_1 - x_2, and the vector of a plane behind it. */
static void difference(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = o->of->takes[2] ? 2 : 1;
  l->arg[0] = (mbd_arg){MBD_ARG_POINT, o->ref[0], o->ref[1]};
  l->arg[1] = (mbd_arg){MBD_ARG_VECTOR, o->ref[2], -1};
}

static void vectors(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = o->of->takes[2] ? 3 : 2;
  for (int a = 0; a < l->narg; a++) { l->arg[a] = (mbd_arg){MBD_ARG_VECTOR, o->ref[a], -1}; }
}

static void sides(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = 3;
  for (int a = 0; a < 2; a++) { l->arg[a] = (mbd_arg){MBD_ARG_POINT, o->ref[1 + a], o->ref[0]}; }
  l->arg[2] = (mbd_arg){MBD_ARG_VECTOR, o->ref[3], -1};
}

#define ROWS(UNIT, VALUE, ARGUMENTS, EVAL, DOC, RATE_DOC)                                    \
  (const output_ops[]) {                                                                     \
    {.quantity = "", .unit = UNIT, .doc = DOC, VALUE, .arguments = ARGUMENTS, .eval = EVAL}, \
        {.quantity = "rate",                                                                 \
         .unit = UNIT "/s",                                                                  \
         .doc = RATE_DOC,                                                                    \
         .order = 1,                                                                         \
         OUTPUT_OF_ARGUMENTS,                                                                \
         .arguments = ARGUMENTS,                                                             \
         .eval = EVAL},                                                                      \
    {                                                                                        \
      0                                                                                      \
    }                                                                                        \
  }

/* The objects are made by their names in the parentheses of the word. */
#define OF(WORD, KIND, TAKES) .word = WORD, .relation = KIND, .takes = TAKES, .noun = KIND

const output_object output_distances = {
    OF("distance(POINT, POINT)", "distance", "PP"),
    .row = ROWS("m", OUTPUT_OF_ARGUMENTS, difference, distance,
                "distance of two points. A point is POINT, POINT@BODY, or the centre of mass BODY.com",
                "its rate; not defined for points at one place")};

const output_object output_heights = {
    OF("distance(POINT, POINT, VECTOR)", "distance", "PPV"),
    .row = ROWS(
        "m", OUTPUT_OF_ARGUMENTS, difference, height,
        "distance of the first point from the plane through the second one that is normal to the vector, positive on "
        "the side that it points to. A vector is VECTOR, VECTOR@BODY, or an axis BODY.x, BODY.y, BODY.z of a "
        "body's frame",
        "its rate")};

const output_object output_angles = {
    OF("angle(VECTOR, VECTOR)", "angle", "VV"),
    .row = ROWS("rad", OUTPUT_OF_ARGUMENTS, vectors, angle, "angle between two vectors, from 0 to pi",
                "its rate; not defined for parallel vectors")};

const output_object output_turns = {
    OF("angle(VECTOR, VECTOR, VECTOR)", "angle", "VVV"),
    .row = ROWS("rad", OUTPUT_OF_ANGLE, vectors, turn,
                "angle from the first vector to the second about the third, in the plane normal to it, with its turns "
                "since the start",
                "its rate")};

const output_object output_areas = {
    OF("area(POINT, POINT, POINT, VECTOR)", "area", "PPPV"),
    .row = ROWS("m^2", OUTPUT_OF_ARGUMENTS, sides, area,
                "area of a triangle as it is seen against the vector, positive where its corners follow each other "
                "counterclockwise, zero where they lie in line: which way a pair of bars is bent",
                "its rate")};
