/* Masses of a design, and places of its joints (S0 Table 11). */
#include "mbd/measures.h"

#include "base/v3.h"
#include "model/params.h"
#include "base/sized.h"

double mbd_params_mass(const mbd_params *p, int body) {
  return mbd_first(p->theta[p->model->body[body].mass]);
}

void mbd_params_inertia(const mbd_params *p, int body, double inertia[9]) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; /* coefficients are xx yy zz xy xz yz */
  const mbd_real *J = p->theta + p->model->body[body].inertia;
  for (int i = 0; i < 9; i++) { inertia[i] = mbd_first(J[at[i]]); }
}

/* The child's frame where all coordinates are zero, relative to the parent: A = F_P R(0) F_C'   (joint.h) */
static void child_at_zero(const mbd_joint *j, const joint_params *joint, mbd_real A[9]) {
  mbd_real z[MBD_NZ_MAX] = {0}, R[9], d[3], FR[9];
  if (j->ops->euler >= 0) { z[j->ops->euler] = 1; }
  j->ops->pose(z, joint->own, R, d);
  m3_mul(FR, joint->F[0], R);
  m3_mulT(A, FR, joint->F[1]);
}

/* The tree may have the two bodies in the opposite order; the axis then has a minus sign there, which is undone here. */
void mbd_params_joint_sized(const mbd_params *p, int joint, mbd_joint_place *theirs, size_t size) {
  const mbd_joint *j = &p->model->joint[joint];
  const joint_params *values = &p->joint[joint];
  const double sign = j->reversed ? -1 : 1;
  mbd_real A[9];
  mbd_joint_place ours = {.nz = j->ops->nz, .has_point = j->ops->info.npoint, .naxis = j->ops->info.naxis};
  for (int k = 0; k < 2; k++) {
    const int side = j->reversed ? !k : k;
    ours.body[k] = j->body[side];
    for (int i = 0; i < 3; i++) {
      ours.point[k][i] = mbd_first(values->s[side][i]);
      ours.axis[k][i] = ours.naxis ? sign * mbd_first(values->F[side][3 * i + 2]) : 0;
    }
  }
  child_at_zero(j, values, A);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { ours.zero[3 * i + k] = mbd_first(j->reversed ? A[3 * k + i] : A[3 * i + k]); }
  }
  sized_write(theirs, size, &ours, sizeof ours);
}
