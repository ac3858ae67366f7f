#include "import/robot_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/pose.h"
#include "import/robot_fill.h"

/* ---- motions of joints ---- */

static int directions_of(robot_type type) {
  switch (type) {
    case ROBOT_REVOLUTE:
    case ROBOT_PRISMATIC: return 1;
    case ROBOT_CYLINDRICAL: return 2;
    case ROBOT_SPHERICAL:
    case ROBOT_PLANAR: return 3;
    case ROBOT_FLOATING: return 6;
    case ROBOT_WELD: return 0;
  }
  return 0;
}

static void turn_about(double R[9], const double u[3], double angle) {
  memcpy(R, pose_turn(u, angle).R, 9 * sizeof *R);
}

/* Two directions across an axis: the first is the part of robot_across that is perpendicular to it, as x of a planar joint. */
static void plane_of(const double axis[3], double x[3], double y[3]) {
  double u[3], v[3];
  robot_unit(u, axis);
  robot_across(axis, v);
  v3_axpy(v, -v3_dot(v, u), u);
  robot_unit(x, v);
  v3_cross(y, u, x);
}

/* d and R of the sums q; free rotations are not sums, and change by steps. */
static void set_motion(const robot_joint *j, joint_motion *move) {
  double u[3], x[3], y[3];
  robot_unit(u, j->axis);
  switch (j->type) {
    case ROBOT_REVOLUTE: turn_about(move->R, u, move->q[0]); break;
    case ROBOT_PRISMATIC: v3_scale(move->d, move->q[0], u); break;
    case ROBOT_CYLINDRICAL:
      v3_scale(move->d, move->q[0], u);
      turn_about(move->R, u, move->q[1]);
      break;
    case ROBOT_PLANAR:
      plane_of(j->axis, x, y);
      v3_scale(move->d, move->q[0], x);
      v3_axpy(move->d, move->q[1], y);
      turn_about(move->R, u, move->q[2]);
      break;
    case ROBOT_FLOATING: v3_copy(move->d, move->q); break;
    case ROBOT_SPHERICAL:
    case ROBOT_WELD: break;
  }
}

/* Makes a step of a joint's coordinates. */
static void step_motion(const robot_joint *j, joint_motion *move, const double *dq) {
  double step[9], R[9];
  const int turn = j->type == ROBOT_FLOATING ? 3 : 0;
  if (move->n == 0) { return; } /* a weld, or a joint that closes a loop */
  for (int k = 0; k < move->n; k++) { move->q[k] += dq[move->first + k]; }
  if (j->type == ROBOT_SPHERICAL || j->type == ROBOT_FLOATING) {
    const double *v = dq + move->first + turn, angle = sqrt(v3_dot(v, v));
    double u[3] = {1, 0, 0};
    if (angle > 0) { v3_scale(u, 1 / angle, v); }
    memcpy(R, move->R, sizeof R);
    turn_about(step, u, angle);
    m3_mul(move->R, step, R);
  }
  set_motion(j, move);
}

/* ---- places ---- */

void placement_frame(const robot_placement *p, const robot_joint *j, int k, robot_pose *frame) {
  const robot_pose *link = &p->link[j->link[k]];
  m3_vec(frame->xyz, link->R, j->frame[k].xyz);
  v3_add(frame->xyz, frame->xyz, link->xyz);
  m3_mul(frame->R, link->R, j->frame[k].R);
}

/* The directions of a joint's coordinates, from its frame on the first link. */
static void place_directions(robot_placement *p, int joint, const robot_pose *first) {
  const robot_joint *j = &p->r->joint[joint];
  const joint_motion *move = &p->now[joint];
  double point[3], x[3], y[3], local[DIRECTIONS_MAX][3];
  int turns[DIRECTIONS_MAX] = {0};
  m3_vec(point, first->R, move->d);
  v3_add(point, point, first->xyz);
  for (int k = 0; k < move->n; k++) { robot_unit(local[k], j->axis), turns[k] = 1; }
  switch (j->type) {
    case ROBOT_PRISMATIC:
    case ROBOT_CYLINDRICAL: turns[0] = 0; break;
    case ROBOT_PLANAR:
      plane_of(j->axis, x, y);
      v3_copy(local[0], x), v3_copy(local[1], y);
      turns[0] = turns[1] = 0;
      break;
    case ROBOT_SPHERICAL:
    case ROBOT_FLOATING:
      for (int k = 0; k < move->n; k++) {
        v3_set(local[k], k % 3 == 0, k % 3 == 1, k % 3 == 2), turns[k] = k >= move->n - 3;
      }
      break;
    case ROBOT_REVOLUTE:
    case ROBOT_WELD: break;
  }
  for (int k = 0; k < move->n; k++) {
    joint_direction *a = &p->along[move->first + k];
    m3_vec(a->axis, first->R, local[k]);
    v3_copy(a->point, point);
    a->turns = turns[k];
  }
}

void placement_place(robot_placement *p) {
  for (int i = 0; i < p->r->nlink; i++) {
    const int link = p->r->order[i], joint = p->r->link[link].joint;
    robot_pose *at = &p->link[link], first;
    double half[9], x[3];
    *at = pose_identity();
    if (joint < 0) { continue; }
    const robot_joint *j = &p->r->joint[joint];
    placement_frame(p, j, 0, &first);
    place_directions(p, joint, &first);
    m3_mul(half, first.R, p->now[joint].R);
    m3_mulT(at->R, half, j->frame[1].R);
    m3_vec(at->xyz, first.R, p->now[joint].d);
    v3_add(at->xyz, at->xyz, first.xyz);
    m3_vec(x, at->R, j->frame[1].xyz);
    v3_sub(at->xyz, at->xyz, x);
  }
}

void direction_moves(const joint_direction *a, const double point[3], double v[3], double w[3]) {
  double arm[3];
  v3_set(w, 0, 0, 0);
  v3_copy(v, a->axis);
  if (!a->turns) { return; }
  v3_copy(w, a->axis);
  v3_sub(arm, point, a->point);
  v3_cross(v, a->axis, arm);
}

/* ---- all together ---- */

mbd_status placement_create(robot_placement *p, const robot *r, int only_bound, mbd_error *err) {
  *p = (robot_placement){.r = r};
  p->now = mbd_zeros((size_t)r->njoint + 1, sizeof *p->now);
  p->link = mbd_zeros((size_t)r->nlink + 1, sizeof *p->link);
  MEMORY_TRY(p->now && p->link, err, "%s", r->path);
  int number = 0;
  for (int i = 0; i < r->njoint; i++) {
    p->now[i].first = p->n;
    const int n = r->joint[i].closes ? 0 : directions_of(r->joint[i].type);
    p->now[i].number = number;
    number += n;
    p->n += p->now[i].n = only_bound && !r->joint[i].bound ? 0 : n;
  }
  p->along = mbd_zeros((size_t)p->n + 1, sizeof *p->along);
  MEMORY_TRY(p->along, err, "%s", r->path);
  for (int i = 0; i < r->njoint; i++) {
    for (int k = 0; k < p->now[i].n; k++) { p->along[p->now[i].first + k].joint = i; }
  }
  return MBD_OK;
}

void placement_free(robot_placement *p) {
  free(p->now), free(p->link), free(p->along);
}

void placement_step(robot_placement *p, const double *dq) {
  for (int i = 0; i < p->r->njoint; i++) { step_motion(&p->r->joint[i], &p->now[i], dq); }
}

void placement_reset(robot_placement *p, double *dq) {
  for (int i = 0; i < p->r->njoint; i++) {
    joint_motion *move = &p->now[i];
    v3_set(move->d, 0, 0, 0);
    m3_identity(move->R);
    memset(move->q, 0, sizeof move->q);
    if (move->n == 1 && !isnan(p->r->joint[i].start)) { dq[move->first] += p->r->joint[i].start; }
  }
  placement_step(p, dq);
}
