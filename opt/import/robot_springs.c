/* Springs and dampers by a time constant T and a damping ratio d (`springdamper` of MJCF): a coordinate, with all others free and in the
 * position of the file, has the inertia 1/(M^-1)_ii, of which
 *   stiffness = inertia/(T d)^2,   damping = 2 inertia/T
 * make that oscillator. Of a joint with several coordinates their mean of (M^-1)_ii counts. M is the mass matrix of the tree with rotors,
 *   M_ij = sum over links  m v_i . v_j + w_i . I w_j
 * with the velocities v of the centre of mass and w of the link by a unit rate of each coordinate. It is scaled to a diagonal of 1, C_ij = M_ij/(s_i s_j). */
#include <math.h>
#include <stdlib.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/robot_fill.h"
#include "import/robot_place.h"
#include "scatter/correlation.h"

enum { COORDINATES_MAX = 2000 };

/* Work on the mass matrix. */
typedef struct masses {
  robot_placement at;
  int *chain;              /* [n] coordinates that move a link */
  double (*v)[3], (*w)[3]; /* [n] by these */
  double *M, *L, *y, *s;   /* [n][n]: M, then C; the factor of C; [n]; [n] */
} masses;

/* Adds a link to the mass matrix. */
static void add_link(masses *work, const robot_link *link, const robot_pose *at) {
  const robot *r = work->at.r;
  double com[3], half[9], I[9], Iw[3];
  int n = 0;
  m3_vec(com, at->R, link->com);
  v3_add(com, com, at->xyz);
  m3_mul(half, at->R, link->inertia);
  m3_mulT(I, half, at->R);
  for (int joint = link->joint; joint >= 0; joint = r->link[r->joint[joint].link[0]].joint) {
    const joint_motion *move = &work->at.now[joint];
    for (int c = move->first; c < move->first + move->n; c++, n++) {
      work->chain[n] = c;
      direction_moves(&work->at.along[c], com, work->v[n], work->w[n]);
    }
  }
  for (int i = 0; i < n; i++) {
    m3_vec(Iw, I, work->w[i]);
    for (int j = 0; j < n; j++) {
      work->M[work->chain[i] * work->at.n + work->chain[j]] +=
          link->mass * v3_dot(work->v[i], work->v[j]) + v3_dot(Iw, work->w[j]);
    }
  }
}

/* Scales M to C, and factors that. Returns 0 if it is singular. */
static int factor(masses *work) {
  const int n = work->at.n;
  for (int i = 0; i < n; i++) {
    work->s[i] = sqrt(work->M[i * n + i]);
    if (!(work->s[i] > 0)) { return 0; }
  }
  for (int i = 0; i < n * n; i++) { work->M[i] /= work->s[i / n] * work->s[i % n]; }
  return correlation_factor(n, work->M, work->L) < 0;
}

/* (M^-1)_ii = (C^-1)_ii/s_i^2 = |y|^2/s_i^2 with L y = e_i */
static double inverse_at(const masses *work, int i) {
  const int n = work->at.n;
  double square = 0;
  for (int k = i; k < n; k++) {
    double sum = k == i;
    for (int j = i; j < k; j++) { sum -= work->L[k * n + j] * work->y[j]; }
    work->y[k] = sum / work->L[k * n + k];
    square += work->y[k] * work->y[k];
  }
  return square / (work->s[i] * work->s[i]);
}

static void set_spring(const masses *work, robot_joint *j, const joint_motion *move) {
  double sum = 0;
  for (int c = move->first; c < move->first + move->n; c++) { sum += inverse_at(work, c); }
  const double inertia = move->n / sum;
  j->stiffness = robot_coordinate(j) ? inertia / (j->time * j->time * j->ratio * j->ratio) : 0;
  j->damping = 2 * inertia / j->time;
}

static mbd_status set_all(masses *work, robot *r, mbd_error *err) {
  const size_t n = (size_t)work->at.n + 1;
  const int is_small = work->at.n <= COORDINATES_MAX;
  work->chain = mbd_zeros(n, sizeof *work->chain);
  work->v = mbd_zeros(n, sizeof *work->v);
  work->w = mbd_zeros(n, sizeof *work->w);
  work->y = mbd_zeros(2 * n, sizeof *work->y);
  work->s = work->y + n;
  work->M = mbd_zeros(is_small ? 2 * n * n : 1, sizeof *work->M);
  work->L = is_small ? work->M + n * n : NULL;
  MBD_TRY(MEMORY_WHOLE(err, "%s", r->path));
  placement_reset(&work->at, work->y);
  placement_place(&work->at);
  for (int i = 0; i < r->nlink && is_small; i++) { add_link(work, &r->link[i], &work->at.link[i]); }
  for (int c = 0; c < work->at.n && is_small; c++) {
    const robot_joint *j = &r->joint[work->at.along[c].joint];
    if (robot_coordinate(j)) { work->M[c * work->at.n + c] += j->rotor; }
  }
  const int is_regular = is_small && factor(work);
  for (int i = 0; i < r->njoint; i++) {
    robot_joint *j = &r->joint[i];
    char place[600];
    if (j->time == 0) { continue; }
    if (is_regular) {
      set_spring(work, j, &work->at.now[i]);
      continue;
    }
    snprintf(place, sizeof place, "%.300s:%d: joint '%.100s' ", r->path, j->line, j->name);
    MEMORY_TRY(robot_warn(r, place,
                          "attribute 'springdamper' is left out: some joint moves no mass, or the robot has more than "
                          "2000 coordinates"),
               err, "%s", r->path);
  }
  return MBD_OK;
}

mbd_status robot_set_springs(robot *r, mbd_error *err) {
  masses work = {.M = NULL};
  int any = 0;
  for (int i = 0; i < r->njoint; i++) { any |= r->joint[i].time > 0; }
  if (!any) { return MBD_OK; }
  mbd_status status = placement_create(&work.at, r, 0, err);
  if (status == MBD_OK) { status = set_all(&work, r, err); }
  placement_free(&work.at);
  free(work.chain), free(work.v), free(work.w), free(work.y), free(work.M);
  return status;
}
