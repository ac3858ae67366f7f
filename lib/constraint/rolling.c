/* A disc rolls without slip on a plane at rest: the material point of the disc at the contact has no velocity in the plane. With the centre
 * r, the axle a and the normal n of the plane, unit vectors, the angular velocity w and the radius R, the contact is at
 *   p = -R k/|k| from the centre,   k = n - (n . a) a
 * and the parts of rd + w x p along e = a x n/|a x n|, which rolls, and across it, n x e, are, with g = n . a and f = (1 - g^2)^(-1/2),
 *   Psi_x = f (a x n) . rd - R a . w,     w = 1/2 sum e_i x ed_i  with the axes e_i of the disc
 *   Psi_y = f (a - g n) . rd + R n . ad
 * The part along n is the rate of the height n . r - R |k| of the lowest point, which constraints of positions have to keep.
 *
 * A is evaluated in numbers with two independent infinitesimals, which give its first and second derivatives.
 * Psi is lifted to z, and differentiated by time, in theory.md §4 (4.14); the equations are (4.15). */
#include "base/v3.h"
#include "constraint/constraint.h"

enum { CENTRE, AXLE, NORMAL, AXES, ARGS = AXES + 3 };
enum { ALONG, ACROSS, ROWS };

/* v + a e1 + b e2 + ab e1 e2,  e1^2 = e2^2 = 0 */
typedef struct two_fold {
  mbd_real v, a, b, ab;
} two_fold;

static two_fold constant(mbd_real v) {
  return (two_fold){v, 0, 0, 0};
}

static two_fold sum(two_fold x, mbd_real s, two_fold y) { /* x + s y */
  return (two_fold){x.v + s * y.v, x.a + s * y.a, x.b + s * y.b, x.ab + s * y.ab};
}

static two_fold times(two_fold x, two_fold y) {
  return (two_fold){x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b,
                    x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab};
}

/* x^(-1/2) */
static two_fold inverse_root(two_fold x) {
  const mbd_real v = 1 / mbd_sqrt(x.v), first = -v / (2 * x.v), second = -3 * first / (2 * x.v);
  return (two_fold){v, first * x.a, first * x.b, first * x.ab + second * x.a * x.b};
}

static two_fold dot(const two_fold x[3], const two_fold y[3]) {
  return sum(sum(times(x[0], y[0]), 1, times(x[1], y[1])), 1, times(x[2], y[2]));
}

static void scaled(two_fold out[3], two_fold s, const two_fold x[3]) {
  for (int i = 0; i < 3; i++) { out[i] = times(s, x[i]); }
}

static void cross(const two_fold x[3], const two_fold y[3], two_fold out[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = sum(times(x[j], y[k]), -1, times(x[k], y[j]));
  }
}

/* A of both rows. */
typedef struct rolling_rows {
  two_fold A[ROWS][ARGS][3];
} rolling_rows;

/* The infinitesimal parts of the arguments and of R. */
typedef struct parts {
  mbd_real x[ARGS][2][3], R[2];
} parts;

static void evaluate(const mbd_element_input *in, const parts *p, rolling_rows *rows) {
  two_fold a[3], n[3], e[3];
  for (int i = 0; i < 3; i++) {
    a[i] = (two_fold){in->s->x[AXLE][i], p->x[AXLE][0][i], p->x[AXLE][1][i], 0};
    n[i] = (two_fold){in->s->x[NORMAL][i], p->x[NORMAL][0][i], p->x[NORMAL][1][i], 0};
  }
  const two_fold R = {in->c[0], p->R[0], p->R[1], 0};
  const two_fold by_length = inverse_root(dot(a, a));
  scaled(a, by_length, a);
  scaled(n, inverse_root(dot(n, n)), n);
  const two_fold g = dot(a, n), f = inverse_root(sum(constant(1), -1, times(g, g)));
  *rows = (rolling_rows){0};
  cross(a, n, e);
  scaled(rows->A[ALONG][CENTRE], f, e);
  for (int axis = 0; axis < 3; axis++) {
    for (int i = 0; i < 3; i++) {
      e[i] = (two_fold){in->s->x[AXES + axis][i], p->x[AXES + axis][0][i], p->x[AXES + axis][1][i], 0};
    }
    cross(a, e, rows->A[ALONG][AXES + axis]);
    scaled(rows->A[ALONG][AXES + axis], times(constant(-0.5), R), rows->A[ALONG][AXES + axis]);
  }
  for (int i = 0; i < 3; i++) { e[i] = sum(a[i], -1, times(g, n[i])); }
  scaled(rows->A[ACROSS][CENTRE], f, e);
  scaled(rows->A[ACROSS][AXLE], times(R, by_length), n);
}

static void rolling_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  const parts none = {0};
  rolling_rows rows;
  evaluate(in, &none, &rows);
  for (int r = 0; r < ROWS; r++) {
    for (int x = 0; x < ARGS; x++) {
      for (int i = 0; i < 3; i++) { J[r][x][i] = rows.A[r][x][i].v; }
    }
  }
}

static void rolling_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  for (int by = AXLE; by < ARGS; by++) {
    for (int k = 0; k < 3; k++) {
      parts p = {0};
      rolling_rows rows;
      p.x[by][0][k] = 1;
      evaluate(in, &p, &rows);
      for (int x = 0; x < ARGS; x++) {
        for (int i = 0; i < 3; i++) {
          for (int r = 0; r < ROWS; r++) { H[x][by][3 * i + k] += s[r] * rows.A[r][x][i].a; }
        }
      }
    }
  }
}

/* The part e1 e2 of A . xd of a row, where that of e1 is xd itself: a derivative of xd' H xd. */
static mbd_real second_of_row(const mbd_element_input *in, const rolling_rows *rows, int r) {
  mbd_real q = 0;
  for (int x = 0; x < ARGS; x++) {
    for (int i = 0; i < 3; i++) { q += rows->A[r][x][i].ab * in->s->xd[x][i]; }
  }
  return q;
}

static void along_rates(const mbd_element_input *in, parts *p) {
  *p = (parts){0};
  for (int x = AXLE; x < ARGS; x++) { v3_copy(p->x[x][0], in->s->xd[x]); }
}

static void rolling_phi_xxx(const mbd_element_input *in, const mbd_real *s, mbd_real (*g)[3]) {
  for (int by = AXLE; by < ARGS; by++) {
    for (int k = 0; k < 3; k++) {
      parts p;
      rolling_rows rows;
      along_rates(in, &p);
      p.x[by][1][k] = 1;
      evaluate(in, &p, &rows);
      for (int r = 0; r < ROWS; r++) { g[by][k] += s[r] * second_of_row(in, &rows, r); }
    }
  }
}

/* There is no b that depends on R. */
static void rolling_phi_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *db,
                          mbd_real *dbd) {
  (void)in, (void)d;
  for (int r = 0; r < ROWS; r++) { dphi[r] = db[r] = dbd[r] = 0; }
}

static void rolling_phi_xc(const mbd_element_input *in, const mbd_element_direction *d,
                           mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]) {
  parts p = {0};
  rolling_rows rows;
  p.R[0] = d->dc[0];
  evaluate(in, &p, &rows);
  for (int r = 0; r < ROWS; r++) {
    for (int x = 0; x < ARGS; x++) {
      for (int i = 0; i < 3; i++) { dJ[r][x][i] = rows.A[r][x][i].a; }
    }
  }
}

static void rolling_phi_xxc(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dq) {
  parts p;
  rolling_rows rows;
  along_rates(in, &p);
  p.R[1] = d->dc[0];
  evaluate(in, &p, &rows);
  for (int r = 0; r < ROWS; r++) { dq[r] = second_of_row(in, &rows, r); }
}

static const mbd_ref_info refs[] = {
    {"disc", MBD_REF_BODY, 1, "the body that rolls"},
    {"centre", MBD_REF_POINT, 1, "the centre of the disc, a point of any body"},
    {"axle", MBD_REF_VECTOR, 1, "its axle, a vector of any body; its length does not matter"},
    {"normal", MBD_REF_VECTOR, 1,
     "the normal of the plane, a vector of the ground towards the disc; its length does not matter"},
    {0}};
static const mbd_coef_info radius[] = {{"radius", 1, "m", NAN, MBD_POSITIVE, "radius of the disc"}, {0}};

const mbd_constraint_ops mbd_constraint_rolling = {
    .info =
        {"rolling",
         "A disc or a thin wheel rolls without slip on a plane at rest: the point of the disc at the contact has no "
         "velocity along the disc (.x) and across it (.y), in the plane. A constraint of velocities; other constraints "
         "or joints keep "
         "the height n . r = R |n - (n . a) a| of the centre over the plane.",
         refs, radius, NO_CURVES},
    .image = IMAGE({"axle", MBD_IMAGE_NONE}),
    .look = MBD_LOOK_GUIDE,
    .narg = ARGS,
    .arg = {[CENTRE] = {MBD_ARG_POINT, 1, -1},
            [AXLE] = {MBD_ARG_VECTOR, 2, -1},
            [NORMAL] = {MBD_ARG_VECTOR, 3, -1},
            [AXES] = {MBD_ARG_VECTOR, 0, BODY_AXIS(0)},
            [AXES + 1] = {MBD_ARG_VECTOR, 0, BODY_AXIS(1)},
            [AXES + 2] = {MBD_ARG_VECTOR, 0, BODY_AXIS(2)}},
    .nphi = ROWS,
    .lam_unit = "N",
    .velocity = 1,
    .of_ground = 1 + NORMAL,
    .phi_x = rolling_phi_x,
    .phi_xx = rolling_phi_xx,
    .phi_xxx = rolling_phi_xxx,
    .phi_c = rolling_phi_c,
    .phi_xc = rolling_phi_xc,
    .phi_xxc = rolling_phi_xxc,
};
