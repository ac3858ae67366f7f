#include "import/pose.h"

#include <math.h>

#include "base/v3.h"

robot_pose pose_identity(void) {
  return (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

robot_pose pose_shift(const double v[3]) {
  robot_pose pose = pose_identity();
  v3_copy(pose.xyz, v);
  return pose;
}

void pose_tidy(double R[9]) {
  for (int i = 0; i < 9; i++) {
    if (fabs(R[i]) < 1e-15) { R[i] = 0; }
  }
}

/* R = cos 1 + sin u~ + (1 - cos) u u' */
robot_pose pose_turn(const double axis[3], double angle) {
  robot_pose pose = pose_identity();
  const double *u = axis, c = cos(angle), s = sin(angle);
  double *R = pose.R;
  for (int i = 0; i < 9; i++) { R[i] = (1 - c) * u[i / 3] * u[i % 3] + (i % 4 == 0 ? c : 0); }
  R[1] -= s * u[2], R[2] += s * u[1], R[3] += s * u[2], R[5] -= s * u[0], R[6] -= s * u[1], R[7] += s * u[0];
  pose_tidy(R);
  return pose;
}

robot_pose pose_product(const robot_pose *first, const robot_pose *next) {
  robot_pose pose;
  m3_mul(pose.R, first->R, next->R);
  pose_tidy(pose.R);
  m3_vec(pose.xyz, first->R, next->xyz);
  v3_add(pose.xyz, first->xyz, pose.xyz);
  /* cppcheck-suppress uninitvar ; these write it */
  return pose;
}

/* x = -R' r, and R' */
robot_pose pose_inverse(const robot_pose *pose) {
  robot_pose inverse;
  m3_Tvec(inverse.xyz, pose->R, pose->xyz);
  v3_scale(inverse.xyz, -1, inverse.xyz);
  for (int i = 0; i < 9; i++) { inverse.R[i] = pose->R[3 * (i % 3) + i / 3]; }
  return inverse;
}

/* R = 1 + 2 (e0 e~ + e~ e~)/(e0^2 + e'e) */
void pose_quaternion(const double quaternion[4], double R[9]) {
  const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const double k = 2 / (w * w + x * x + y * y + z * z);
  R[0] = 1 - k * (y * y + z * z), R[1] = k * (x * y - w * z), R[2] = k * (x * z + w * y);
  R[3] = k * (x * y + w * z), R[4] = 1 - k * (x * x + z * z), R[5] = k * (y * z - w * x);
  R[6] = k * (x * z - w * y), R[7] = k * (y * z + w * x), R[8] = 1 - k * (x * x + y * y);
  pose_tidy(R);
}
