/* Bushing: three translational and three rotational spring-dampers between two bodies, along and about axes fixed in the
 * first. Arguments: d = p_2 - p_1; orthonormal axes e_1..e_3 of the first body and f_1..f_3 of the second, parallel
 * where the bushing is at rest. Six strains, each a sum of products of two arguments:
 *   y_i     = e_i . d                            displacements, i = 1..3
 *   y_{3+i} = (e_k . f_j - e_j . f_k)/2          (i, j, k) cyclic: the sines of small rotations about e_i
 *   N = k y + c yd,   force on argument a: -sum N y_a,   potential  sum k y^2/2
 * Every strain is unchanged when both bodies move as one: forces and moments balance exactly, in any position.
 * The force is lifted to z by theory.md §4 (4.1). */
#include <string.h>

#include "force/force.h"
#include "base/v3.h"

enum { STRAINS = 6 };

/* y = sum over pairs of parts of s x[arg] . x[with]; each product stands there from both sides, so y_arg = s x[with]. */
typedef struct strain {
  int n;
  struct {
    int arg, with;
    double s;
  } part[4];
} strain;

/* Arguments: 0 d, 1..3 e, 4..6 f */
#define TURN(ek, fj, ej, fk)                          \
  {                                                   \
    4, {                                              \
      {ek, fj, 0.5}, {fj, ek, 0.5}, {ej, fk, -0.5}, { \
        fk, ej, -0.5                                  \
      }                                               \
    }                                                 \
  }
static const strain strains[STRAINS] = {
    {2, {{1, 0, 1}, {0, 1, 1}}},
    {2, {{2, 0, 1}, {0, 2, 1}}},
    {2, {{3, 0, 1}, {0, 3, 1}}},
    TURN(3, 5, 2, 6),
    TURN(1, 6, 3, 4),
    TURN(2, 4, 1, 5),
};
#undef TURN

/* Coefficients: stiffness [3], damping [3], angular stiffness [3], angular damping [3]. */
static int stiffness(int j) {
  return j < 3 ? j : j + 3;
}

static int damping(int j) {
  return stiffness(j) + 3;
}

static void strain_values(const strain *sum, const mbd_arg_state *s, mbd_real *y, mbd_real *yd) {
  *y = *yd = 0;
  for (int p = 0; p < sum->n; p++) {
    const mbd_real *with = s->x[sum->part[p].with];
    if (p % 2 == 0) { *y += sum->part[p].s * v3_dot(s->x[sum->part[p].arg], with); }
    *yd += sum->part[p].s * v3_dot(s->xd[sum->part[p].arg], with);
  }
}

/* N, with stiffness and damping from c: the coefficients or a direction of them. */
static mbd_real tension(const mbd_element_input *in, int j, const mbd_real *c) {
  mbd_real y, yd;
  strain_values(&strains[j], in->s, &y, &yd);
  return c[stiffness(j)] * y + c[damping(j)] * yd;
}

/* Computes the forces. They are linear in the coefficients, so the function computes values and changes along directions alike. */
static void forces(const mbd_element_input *in, const mbd_real *c, mbd_real (*f)[3]) {
  memset(f, 0, 7 * sizeof *f);
  for (int j = 0; j < STRAINS; j++) {
    const strain *sum = &strains[j];
    mbd_real N = tension(in, j, c);
    for (int p = 0; p < sum->n; p++) { v3_axpy(f[sum->part[p].arg], -N * sum->part[p].s, in->s->x[sum->part[p].with]); }
  }
}

static void bushing_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  forces(in, in->c, f);
}

static void bushing_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  forces(in, d->dc, df);
}

/* K_ab = -[ y_a (k y_b + c yd_b)' + N y_ab ],   D_ab = -c y_a y_b' */
static void bushing_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                        mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  bushing_f(in, f);
  const mbd_arg_state *s = in->s;
  for (int j = 0; j < STRAINS; j++) {
    const strain *sum = &strains[j];
    mbd_real N = tension(in, j, in->c), k = in->c[stiffness(j)], c = in->c[damping(j)];
    for (int p = 0; p < sum->n; p++) {
      const int a = sum->part[p].arg;
      const mbd_real *ya = s->x[sum->part[p].with], sa = sum->part[p].s;
      for (int r = 0; r < sum->n; r++) {
        const int b = sum->part[r].arg, with = sum->part[r].with;
        const mbd_real ks = k * sa * sum->part[r].s, cs = c * sa * sum->part[r].s;
        for (int i = 0; i < 9; i++) {
          K[a][b][i] -= ya[i / 3] * (ks * s->x[with][i % 3] + cs * s->xd[with][i % 3]);
          D[a][b][i] -= ya[i / 3] * cs * s->x[with][i % 3];
        }
      }
      for (int i = 0; i < 3; i++) { K[a][sum->part[p].with][4 * i] -= N * sa; }
    }
  }
}

/* Computes the energy. It is linear in the stiffnesses, so the function computes the potential and its derivative by them alike. */
static mbd_real energy(const mbd_element_input *in, const mbd_real *c) {
  mbd_real U = 0, y, yd;
  for (int j = 0; j < STRAINS; j++) {
    strain_values(&strains[j], in->s, &y, &yd);
    U += c[stiffness(j)] * y * y / 2;
  }
  return U;
}

static mbd_real bushing_potential(const mbd_element_input *in) {
  return energy(in, in->c);
}

static mbd_real bushing_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  return energy(in, d->dc);
}

static mbd_real bushing_scalar(const mbd_element_input *in, int j, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const strain *sum = &strains[j];
  mbd_real k = in->c[stiffness(j)], c = in->c[damping(j)];
  for (int p = 0; p < sum->n; p++) {
    const int a = sum->part[p].arg, with = sum->part[p].with;
    v3_axpy(g_x[a], k * sum->part[p].s, in->s->x[with]);
    v3_axpy(g_x[a], c * sum->part[p].s, in->s->xd[with]);
    v3_axpy(g_xd[a], c * sum->part[p].s, in->s->x[with]);
  }
  return tension(in, j, in->c);
}

static mbd_real bushing_scalar_c(const mbd_element_input *in, int j, const mbd_element_direction *d) {
  return tension(in, j, d->dc);
}

static const mbd_ref_info refs[] = {
    {"points", MBD_REF_POINT, 2, "its centre on the first body and on the second, as in P@A, P@B"},
    {"axes", MBD_REF_FRAME, 2,
     "two vectors, each given on both bodies: the first axis, and the direction of the second, which is made "
     "perpendicular to it; the third completes them. Lengths do not matter; vectors parallel on both bodies mean rest"},
    {0}};
static const mbd_coef_info coefs[] = {
    {"stiffness", 3, "N/m", 0, MBD_ANY, "stiffnesses k along the three axes"},
    {"damping", 3, "N s/m", 0, MBD_ANY, "dampings c along them"},
    {"angular_stiffness", 3, "N m/rad", 0, MBD_ANY, "rotational stiffnesses kr about them"},
    {"angular_damping", 3, "N m s/rad", 0, MBD_ANY, "rotational dampings cr about them"},
    {0}};

const mbd_force_ops mbd_force_bushing = {
    .info =
        {"bushing",
         "Elastic joint between two bodies, with axes e1, e2, e3 fixed in the first and f1, f2, f3 in the second. "
         "Displacements x_i = e_i . (p2 - p1) make forces k x + c xd along e_i; rotations a_1 = (e3 . f2 - e2 . "
         "f3)/2 and cyclic, the sines of small angles (keep them well below 90 degrees), make moments kr a + cr ad. "
         "Bodies held together by a bushing get no joint from joints = found.",
         refs, coefs, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_BUSHING,
    .narg = 7,
    .arg = {{MBD_ARG_POINT, 1, 0},
            {MBD_ARG_VECTOR, 2, -1},
            {MBD_ARG_VECTOR, 3, -1},
            {MBD_ARG_VECTOR, 4, -1},
            {MBD_ARG_VECTOR, 5, -1},
            {MBD_ARG_VECTOR, 6, -1},
            {MBD_ARG_VECTOR, 7, -1}},
    .frame_free = 1,
    FORCE_F(bushing),
    FORCE_POTENTIAL(bushing),
    .nscalar = STRAINS,
    .scalar_name = {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"},
    .scalar_unit = {"N", "N", "N", "N m", "N m", "N m"},
    FORCE_SCALARS(bushing),
};
