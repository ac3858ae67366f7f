/* Data for drawings of the mechanism. */
#include "mbd/picture.h"

#include <string.h>

#include "base/v3.h"
#include "model/beams.h"
#include "model/params.h"
#include "base/sized.h"

static void real_part(double x[3], const mbd_real *from) {
  for (int i = 0; i < 3; i++) { x[i] = mbd_first(from[i]); }
}

static void place_marker(const mbd_params *p, int marker, mbd_place *place) {
  place->body = p->model->marker[marker].body;
  real_part(place->x, p->local + 3 * marker);
}

/* Points come before vectors in the list of named markers. */
int mbd_model_npoint(const mbd_model *m) {
  int n = 0;
  while (n < m->nnamed && m->named[n].is_point) { n++; }
  return n;
}

int mbd_params_point(const mbd_params *p, int i, int k, mbd_place *place) {
  const mbd_named_marker *named = &p->model->named[i];
  if (k >= named->n) { return 0; }
  place->name = named->name;
  place_marker(p, named->marker[k], place);
  return 1;
}

void mbd_params_com(const mbd_params *p, int body, double x[3]) {
  real_part(x, p->theta + p->model->body[body].com);
}

void mbd_params_gravity(const mbd_params *p, double g[3]) {
  const mbd_real none[3] = {0, 0, 0};
  real_part(g, p->model->gravity >= 0 ? p->theta + p->model->gravity : none);
}

double mbd_params_curve(const mbd_params *p, int curve, double x) {
  const mbd_curve *k = &p->model->curve[curve];
  mbd_curve_value v;
  curve_eval(k, p->theta, p->aux, x, &v);
  return mbd_first(v.y);
}

/* A coefficient of a force by its key; 0 if its type has no such key. */
static double force_coef(const mbd_params *p, const mbd_force *f, const char *key) {
  const mbd_coef_info *c = f->ops->info.coefs;
  int at = f->coef;
  if (!key) { return 0; }
  while (c->key && strcmp(c->key, key) != 0) { at += c++->size; }
  return c->key ? mbd_first(p->theta[at]) : 0;
}

/* ---- places of arguments ---- */

/* The joint of a coordinate; -1: the user added it. */
static int joint_of(const mbd_model *m, int coordinate) {
  for (int i = 1; i < m->nb; i++) {
    if (coordinate >= m->body[i].z0 && coordinate < m->body[i].z0 + m->body[i].nz) { return m->body[i].joint; }
  }
  return -1;
}

static void place_joint(const mbd_params *p, int i, int side, mbd_place *place, double axis[3]) {
  const joint_params *joint = &p->joint[i];
  *place = (mbd_place){.body = p->model->joint[i].body[side]};
  if (p->model->joint[i].point[side] >= 0 || place->body == 0) {
    real_part(place->x, joint->s[side]);
  } else { /* the joint has no point, and the origin of the body frame may be anywhere */
    mbd_params_com(p, place->body, place->x);
  }
  for (int k = 0; k < 3; k++) { axis[k] = mbd_first(joint->F[side][3 * k + 2]); }
}

/* Adds an end to the picture. */
static void add_end(mbd_force_picture *picture, const mbd_place *at, const double axis[3]) {
  if (picture->nend == 2) { return; }
  if (picture->nend == 0) { memcpy(picture->axis, axis, sizeof picture->axis); }
  picture->end[picture->nend++] = *at;
}

static void add_marker(const mbd_params *p, int marker, mbd_force_picture *picture) {
  const double none[3] = {0, 0, 0};
  mbd_place at = {0};
  place_marker(p, marker, &at);
  add_end(picture, &at, none);
}

static void add_argument(const mbd_params *p, const mbd_arg *a, mbd_force_picture *picture) {
  mbd_place at = {0};
  double axis[3] = {0, 0, 0};
  switch (a->kind) {
    case MBD_ARG_COORDINATE: {
      const int joint = joint_of(p->model, a->b);
      if (joint < 0) { return; }
      place_joint(p, joint, 1, &at, axis);
      add_end(picture, &at, axis);
      break;
    }
    case MBD_ARG_ROTATION:
      at.body = a->b;
      if (at.body > 0) { mbd_params_com(p, at.body, at.x); }
      add_end(picture, &at, axis);
      break;
    case MBD_ARG_POINT:
      if (a->a >= 0) { add_marker(p, a->a, picture); }
      add_marker(p, a->b, picture);
      break;
    case MBD_ARG_VECTOR:       /* a vector has no place */
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
}

/* Draws the first narg arguments that have a place; a force without one is not drawn. */
static void draw_arguments(const mbd_params *p, const mbd_lift *lift, int narg, mbd_force_picture *picture) {
  for (int i = 0; i < narg; i++) { add_argument(p, &lift->arg[i], picture); }
  if (picture->nend == 0) { picture->look = MBD_LOOK_NONE; }
}

static void draw_wheel(const mbd_params *p, const mbd_force *f, mbd_force_picture *picture) {
  const mbd_real *u = p->local + 3 * f->lift.arg[1].b;
  const double length = mbd_first(mbd_sqrt(v3_dot(u, u)));
  picture->nend = 1;
  place_marker(p, f->lift.arg[0].b, &picture->end[0]);
  real_part(picture->axis, u);
  for (int i = 0; i < 3 && length > 0; i++) { picture->axis[i] /= length; }
  picture->radius = force_coef(p, f, f->ops->radius);
  picture->road = f->curve[0];
}

void mbd_params_force_picture_sized(const mbd_params *p, int i, mbd_force_picture *theirs, size_t size) {
  const mbd_force *f = &p->model->force[i];
  mbd_force_picture ours = {.look = f->ops->look};
  if (ours.look == MBD_LOOK_WHEEL) {
    draw_wheel(p, f, &ours);
  } else if (ours.look == MBD_LOOK_SPRING || ours.look == MBD_LOOK_STOP) { /* a line between two points */
    ours.nend = 2;
    place_marker(p, f->lift.arg[0].a, &ours.end[0]);
    place_marker(p, f->lift.arg[0].b, &ours.end[1]);
    ours.stiffness = force_coef(p, f, "stiffness");
    ours.damping = force_coef(p, f, "damping");
  } else if (ours.look != MBD_LOOK_NONE) {
    draw_arguments(p, &f->lift, f->expression ? f->expression->line->ops.narg : f->lift.narg, &ours);
  }
  sized_write(theirs, size, &ours, sizeof ours);
}

/* ---- constraints and joints ---- */

static int closes_a_joint(const mbd_model *m, int constraint) {
  for (int i = 0; i < m->njoint; i++) {
    const mbd_joint *j = &m->joint[i];
    if (j->cut && constraint >= j->closure && constraint < j->closure + j->ops->nclosure) { return 1; }
  }
  return 0;
}

void mbd_params_constraint_picture_sized(const mbd_params *p, int i, mbd_force_picture *theirs, size_t size) {
  const mbd_constraint *constraint = &p->model->constraint[i];
  mbd_force_picture ours = {.look = closes_a_joint(p->model, i) ? MBD_LOOK_NONE : constraint->ops->look};
  if (ours.look != MBD_LOOK_NONE) { draw_arguments(p, &constraint->lift, constraint->lift.narg, &ours); }
  sized_write(theirs, size, &ours, sizeof ours);
}

void mbd_params_joint_place(const mbd_params *p, int i, mbd_place *place, double axis[3]) {
  place_joint(p, i, !p->model->joint[i].reversed, place, axis);
}

/* The point of the joint of a node; the body of a point of inertia of a beam has its origin there. */
static void place_node(const mbd_params *p, int body, mbd_place *at) {
  at->name = p->model->body[body].name, at->body = body;
  real_part(at->x, p->joint[p->model->body[body].joint].s[1]);
}

int mbd_params_beam_station(const mbd_params *p, int i, int k, mbd_place *at, mbd_place *undeformed) {
  const mbd_model *m = p->model;
  int station;
  const mbd_beam *b = beams_station(m, i, k, &station);
  if (!b) { return 0; }
  const double x = beam_station_x(&b->layout, station);
  *undeformed = (mbd_place){.name = b->name, .body = b->body};
  for (int c = 0; c < 3; c++) {
    undeformed->x[c] = (1 - x) * mbd_first(p->theta[b->from + c]) + x * mbd_first(p->theta[b->to + c]);
  }
  *at = *undeformed;
  if (station > 0) { place_node(p, b->node[station - 1], at); }
  return 1;
}

int mbd_params_modal_place(const mbd_params *p, int i, int k, mbd_place *at, mbd_place *undeformed) {
  const mbd_model *m = p->model;
  const mbd_beam *b = m->beam, *end = m->beam + m->nbeam;
  while (b < end && (!b->layout.data || i-- > 0)) { b++; }
  if (b == end || k >= b->layout.nnode + b->layout.npoint) { return 0; }
  place_node(p, b->node[k], at);
  *undeformed = *at; /* the frames of both bodies agree */
  undeformed->name = b->name, undeformed->body = b->body;
  return 1;
}
