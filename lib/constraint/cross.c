/* Two directions stay parallel:  Phi = x1 x x2  (three equations, two of them independent). With vectors: parallel;
 * with differences of points: three points on a line.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "base/v3.h"
#include "constraint/constraint.h"

static void cross_phi(const mbd_element_input *in, mbd_real *phi) {
  v3_cross(phi, in->s->x[0], in->s->x[1]);
}

/* d(x1 x x2)_r/dx1 = (e_r . dx1 x x2) = x2 x e_r . dx1,   d/dx2 = e_r x x1 . dx2 */
static void cross_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  for (int r = 0; r < 3; r++) {
    const mbd_real e[3] = {r == 0, r == 1, r == 2};
    v3_cross(J[r][0], in->s->x[1], e);
    v3_cross(J[r][1], e, in->s->x[0]);
  }
}

/* s . (x1 x x2) = x1 . (x2 x s) = x1' (-s~) x2 */
static void cross_phi_xx(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  const mbd_real S[9] = {0, s[2], -s[1], -s[2], 0, s[0], s[1], -s[0], 0};
  (void)in;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      H[0][1][3 * i + j] += S[3 * i + j];
      H[1][0][3 * i + j] += S[3 * j + i];
    }
  }
}

static const mbd_ref_info two_vectors[] = {{"vectors", MBD_REF_VECTOR, 2, "the two vectors"}, {0}};
static const mbd_ref_info three_points[] = {{"points", MBD_REF_POINT, 3, "the three points"}, {0}};

const mbd_constraint_ops mbd_constraint_parallel = {
    .info = {"parallel", "Two vectors stay parallel: u1 x u2 = 0 (three equations, two independent).", two_vectors,
             NO_COEFS, NO_CURVES},
    .image = IMAGE({"vectors", MBD_IMAGE_NONE}),
    .narg = 2,
    .arg = {{MBD_ARG_VECTOR, 0, -1}, {MBD_ARG_VECTOR, 1, -1}},
    .nphi = 3,
    .lam_unit = "N m",
    PHI_QUADRATIC(cross),
};

const mbd_constraint_ops mbd_constraint_aligned = {
    .info = {"aligned", "Three points stay on one line: (r2 - r1) x (r3 - r1) = 0 (three equations, two independent).",
             three_points, NO_COEFS, NO_CURVES},
    .image = IMAGE_PLAIN,
    .look = MBD_LOOK_GUIDE,
    .narg = 2,
    .arg = {{MBD_ARG_POINT, 1, 0}, {MBD_ARG_POINT, 2, 0}},
    .nphi = 3,
    .lam_unit = "N/m",
    PHI_QUADRATIC(cross),
};
