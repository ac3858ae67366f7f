#include "results/scene.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "base/v3.h"
#include "mechanism/case_gradient.h"
#include "files/json.h"
#include "mbd/picture.h"
#include "results/hull.h"
#include "results/shapes.h"

enum { POSE = 7, ROAD_SAMPLES = 1000 };

/* Forces for arrows: a vector at a place, or the tension of a line. */
typedef struct watched {
  char *name;
  const char *kind;  /* of a vector: "reactions", "tyres", "bushings", "applied" */
  int moment;        /* 1: the vector is a moment [N m]; of an element the one on its body */
  int output, count; /* count 3: a vector; 1: a tension. output -1: the force of element `force` on its point */
  int force, wheel;  /* wheel: number in the description; -1: it is not a tyre */
  mbd_place at;      /* the point at which a vector acts */
  double *v;         /* [frames][count] */
} watched;

/* The largest stress of the sections of a beam at its stations, and the largest of all of the motion, between frames too. */
typedef struct beam_stress {
  int n;         /* stations; 0: its section does not tell stresses */
  double *v;     /* [frames][n] */
  double max, t; /* the largest, when */
  int station;   /* and where it is */
} beam_stress;

/* The recording of one case. */
typedef struct scene_recording {
  const mechanism_case *load;
  const mbd_model *model;
  const mbd_params *params;
  int nb;             /* bodies without the ground */
  int frames, filled; /* numbers of frames wanted and recorded */
  double *t;          /* [frames] */
  double *pose;       /* [nb][frames][POSE] centre of mass, quaternion w x y z */
  int by_content;     /* 1: as many frames as the motion needs are kept of them */
  int nwatched;
  watched *watched;    /* [nwatched] */
  unsigned char *seen; /* [outputs of load->shown] those that the next node needs */
  int nbeam;
  beam_stress *stress; /* [nbeam] */
} recording;

static const double *pose_at(const recording *r, int body, int frame) {
  return r->pose + ((size_t)(body - 1) * (size_t)r->frames + (size_t)frame) * POSE;
}

/* A place relative to the centre of mass of its body, or to the origin of the ground, in body axes. */
static void from_com(const recording *r, const mbd_place *place, double x[3]) {
  double com[3] = {0, 0, 0};
  if (place->body > 0) { mbd_params_com(r->params, place->body, com); }
  v3_sub(x, place->x, com);
}

/* ---- recording ---- */

/* Quaternion of a rotation matrix, from the largest of its four components. */
static void quaternion(const double A[9], double e[4]) {
  const double s[4] = {A[0] + A[4] + A[8], A[0] - A[4] - A[8], A[4] - A[0] - A[8], A[8] - A[0] - A[4]};
  int top = 0;
  for (int i = 1; i < 4; i++) {
    if (s[i] > s[top]) { top = i; }
  }
  /* 4 e_i e_j */
  const double x = A[7] - A[5], y = A[2] - A[6], z = A[3] - A[1];
  const double xy = A[1] + A[3], xz = A[2] + A[6], yz = A[5] + A[7];
  const double product[4][4] = {
      {1 + s[0], x, y, z}, {x, 1 + s[1], xy, xz}, {y, xy, 1 + s[2], yz}, {z, xz, yz, 1 + s[3]}};
  const double scale = 2 * sqrt(1 + s[top]);
  for (int i = 0; i < 4; i++) { e[i] = product[top][i] / scale; }
}

/* Records the poses of the bodies of a simulation as the next frame. */
static void record_poses(recording *r, const mbd_sim *sim) {
  for (int i = 1; i <= r->nb; i++) {
    double *p = r->pose + ((size_t)(i - 1) * (size_t)r->frames + (size_t)r->filled) * POSE, A[9], com[3];
    mbd_sim_pose(sim, i, p, A);
    mbd_params_com(r->params, i, com);
    m3_vec_add(p, A, com);
    quaternion(A, p + 3);
  }
}

static void record_stresses(recording *r, double t, const double *z, int is_frame) {
  for (int i = 0; i < r->nbeam; i++) {
    beam_stress *b = &r->stress[i];
    for (int k = 0; k < b->n; k++) {
      double v = 0;
      mbd_params_beam_stress(r->params, z, i, k, &v);
      if (v > b->max) { b->max = v, b->t = t, b->station = k; }
      if (is_frame) { b->v[b->n * r->filled + k] = v; }
    }
  }
}

/* Is node k the next frame? They are nearest to equal distances in time. */
static int is_frame(const recording *r, int k) {
  return k == lround((double)r->filled * mbd_sim_steps(r->load->sim) / (r->frames - 1));
}

/* Stores bodies and forces of the node, if it is a frame. */
static void store(recording *r, double t, const double *y) {
  const mbd_sim *sim = r->load->sim;
  record_poses(r, sim);
  for (int i = 0; i < r->nwatched; i++) {
    const watched *w = &r->watched[i];
    double *v = w->v + (size_t)w->count * (size_t)r->filled;
    if (w->output < 0) {
      (w->moment ? mbd_sim_torque : mbd_sim_point_force)(sim, w->force, v);
    } else {
      memcpy(v, y + w->output, (size_t)w->count * sizeof *y);
    }
  }
  r->t[r->filled++] = t;
}

/* Outputs of arrows are computed where the node that follows is a frame. */
void scene_node(scene_recording *r, int k, double t, const double *z, const double *y) {
  const int own = mbd_outputs_count(r->load->outputs), arrows = mbd_outputs_count(r->load->shown) - own;
  if (k == 0) {
    r->filled = 0;
    for (int i = 0; i < r->nbeam; i++) { r->stress[i].max = 0; }
  }
  record_stresses(r, t, z, is_frame(r, k));
  if (is_frame(r, k)) { store(r, t, y); }
  if (arrows > 0) {
    memset(r->seen + own, is_frame(r, k + 1), (size_t)arrows);
    mbd_sim_watch_outputs(r->load->sim, r->seen);
  }
}

/* ---- frames by content ---- */

enum { FRAMES_MIN = 30, FRAMES_USUAL = 150, FRAMES_MAX = 400, BODIES_TIMES_FRAMES = 2700 };

static int frames_to_record(int nb) {
  const int capacity = BODIES_TIMES_FRAMES / (nb > 0 ? nb : 1);
  return capacity > FRAMES_MAX ? FRAMES_MAX : capacity < FRAMES_USUAL ? FRAMES_USUAL : capacity;
}

/* The frame of the recording that is number k of n at equal distances. */
static int kept(const recording *r, int k, int n) {
  return (int)lround((double)k * (r->filled - 1) / (n - 1));
}

/* How far the pose of a body in frame f is from what is shown of it between the frames a and b: 1 can be seen. The animation goes straight
 * from place to place, and turns by the quaternions between, of which both signs are the same orientation. */
static double deviation(const recording *r, int body, int a, int f, int b, double size) {
  static const double place_seen = 0.005, turn_seen = 0.02;
  const double *p = pose_at(r, body, a), *q = pose_at(r, body, b), *x = pose_at(r, body, f),
               s = (r->t[f] - r->t[a]) / (r->t[b] - r->t[a]);
  double away[3], e[4], same = 0, square = 0, along = 0;
  for (int k = 0; k < 3; k++) { away[k] = p[k] + s * (q[k] - p[k]) - x[k]; }
  for (int k = 3; k < POSE; k++) { same += p[k] * q[k]; }
  for (int k = 0; k < 4; k++) {
    e[k] = (1 - s) * p[3 + k] + (same < 0 ? -s : s) * q[3 + k];
    square += e[k] * e[k], along += e[k] * x[3 + k];
  }
  const double turn = 2 * acos(fmin(1, fabs(along) / sqrt(square)));
  return fmax(sqrt(v3_dot(away, away)) / (place_seen * size), turn / turn_seen);
}

/* Returns 1 if a body turns by more than a radian from one recorded frame to the next: no number of frames shows that. */
static int spins(const recording *r, int body) {
  for (int f = 1; f < r->filled; f++) {
    const double *p = pose_at(r, body, f - 1), *q = pose_at(r, body, f);
    double same = 0;
    for (int k = 3; k < POSE; k++) { same += p[k] * q[k]; }
    if (fabs(same) < cos(0.5)) { return 1; }
  }
  return 0;
}

/* The distance over which centres of mass lie in the first frame; of those of a single place over which they move. */
static double size_of(const recording *r) {
  double size = 0;
  for (int frames = 1; size == 0 && frames <= r->filled; frames += r->filled > 1 ? r->filled - 1 : 1) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 1; i <= r->nb; i++) {
      for (int f = 0; f < frames; f++) {
        for (int k = 0; k < 3; k++) {
          low[k] = fmin(low[k], pose_at(r, i, f)[k]), high[k] = fmax(high[k], pose_at(r, i, f)[k]);
        }
      }
    }
    for (int k = 0; r->nb > 0 && k < 3; k++) { size = hypot(size, high[k] - low[k]); }
  }
  return size;
}

/* The least number of frames, in steps of a fourth, whose animation cannot be told from that of all recorded ones. */
static int frames_needed(const recording *r) {
  const double size = size_of(r);
  for (int n = FRAMES_MIN; n < r->filled && size > 0; n += n / 4) {
    double worst = 0;
    for (int i = 1; i <= r->nb; i++) {
      for (int k = 0; worst <= 1 && k + 1 < n && !spins(r, i); k++) {
        const int a = kept(r, k, n), b = kept(r, k + 1, n);
        for (int f = a + 1; f < b; f++) { worst = fmax(worst, deviation(r, i, a, f, b, size)); }
      }
    }
    if (worst <= 1) { return n; }
  }
  return size > 0 || r->filled < FRAMES_MIN ? r->filled : FRAMES_MIN;
}

/* Keeps n of the recorded frames, at equal distances. */
static void keep_frames(recording *r, int n) {
  if (n >= r->filled) { return; }
  for (int k = 0; k < n; k++) {
    const int from = kept(r, k, n);
    r->t[k] = r->t[from];
    for (int i = 0; i < r->nb; i++) {
      double *pose = r->pose + (size_t)i * (size_t)r->frames * POSE;
      memmove(pose + (size_t)k * POSE, pose + (size_t)from * POSE, POSE * sizeof *pose);
    }
    for (int i = 0; i < r->nwatched; i++) {
      const size_t count = (size_t)r->watched[i].count;
      double *v = r->watched[i].v;
      memmove(v + (size_t)k * count, v + (size_t)from * count, count * sizeof *v);
    }
    for (int i = 0; i < r->nbeam; i++) {
      const beam_stress *b = &r->stress[i];
      if (b->n > 0) { memmove(b->v + k * b->n, b->v + from * b->n, (size_t)b->n * sizeof *b->v); }
    }
  }
  r->filled = n;
}

/* ---- forces ---- */

static watched *add_place(recording *r, const char *name, int output, int count) {
  watched *grown = mbd_list_grow(r->watched, r->nwatched, sizeof *grown);
  if (!grown) { return NULL; }
  r->watched = grown;
  watched *w = &grown[r->nwatched];
  *w = (watched){.name = mbd_strdup(name), .output = output, .count = count, .wheel = -1};
  w->v = mbd_zeros((size_t)count * (size_t)r->frames, sizeof *w->v);
  if (!w->name || !w->v) { /* frames would be written into it */
    free(w->name), free(w->v);
    return NULL;
  }
  r->nwatched++;
  return w;
}

/* An output of `count` numbers, if there is one of that name; its place is filled in by the caller. NULL: there is none, or no memory. */
static watched *add_watched(recording *r, const char *name, const char *quantity, int count) {
  mbd_error unknown = {0};
  int first, n;
  char *whole = mbd_sprintf_dup("%s.%s", name, quantity);
  const int there = whole && mbd_outputs_add(r->load->shown, whole, &first, &n, &unknown) == MBD_OK && n == count;
  if (unknown.code == MBD_NO_MEMORY) { mbd_memory_note(); }
  free(whole);
  return there ? add_place(r, name, first, count) : NULL;
}

/* The reaction of a joint or a guide at a place: a force and a moment, by the names of these outputs. */
static void watch_reaction(recording *r, const char *name, const char *force, const char *moment, const mbd_place *at) {
  const char *const quantity[] = {force, moment};
  for (int k = 0; k < 2; k++) {
    watched *w = add_watched(r, name, quantity[k], 3);
    if (w) { w->kind = "reactions", w->moment = k, w->at = *at; }
  }
}

/* Reactions of joints and guides, forces of tyres, bushings and of forces at points, tensions of rods, springs and stops. If memory runs out,
 * this is noted, and the page is not written. If two elements have the same name, the forces are those of the first
 * one. */
static void watch_forces(recording *r) {
  mbd_force_picture q;
  /* Reactions act at the joints; a floating joint has none. */
  for (int i = 0; i < mbd_model_njoint(r->model); i++) {
    mbd_joint_report joint;
    mbd_place at;
    double axis[3];
    mbd_model_joint(r->model, i, &joint);
    mbd_params_joint_place(r->params, i, &at, axis);
    if (strcmp(joint.type, "floating") != 0 && strcmp(joint.type, "modal") != 0) { /* nor what is within a beam */
      watch_reaction(r, joint.name, "reaction_force", "reaction_moment", &at);
    }
  }
  /* Constraints: tensions of rods, and reactions of guides, which act at their last end. */
  for (int i = 0; i < mbd_model_nconstraint(r->model); i++) {
    const char *name = mbd_model_constraint_name(r->model, i, NULL, NULL, NULL);
    mbd_params_constraint_picture(r->params, i, &q);
    if (q.look == MBD_LOOK_ROD) { add_watched(r, name, "tension", 1); }
    if (q.look == MBD_LOOK_GUIDE && q.nend > 0) { watch_reaction(r, name, "force", "moment", &q.end[q.nend - 1]); }
  }
  /* Tensions of springs and stops. Other forces are those of the element on its point: the centre of the wheel, the second end of the
   * bushing, or where a force is applied; torques on a body, whose picture has no axis, are at its centre of mass. */
  int nwheel = 0;
  for (int i = 0; i < mbd_model_nforce(r->model); i++) {
    const char *name = mbd_model_force_name(r->model, i, NULL);
    mbd_params_force_picture(r->params, i, &q);
    if (q.look == MBD_LOOK_SPRING || q.look == MBD_LOOK_STOP) { add_watched(r, name, "force", 1); }
    const int wheel = q.look == MBD_LOOK_WHEEL, bushing = q.look == MBD_LOOK_BUSHING && q.nend == 2;
    const int torque = q.look == MBD_LOOK_MOTOR && v3_dot(q.axis, q.axis) == 0;
    watched *w = wheel || bushing || torque || q.look == MBD_LOOK_PUSH ? add_place(r, name, -1, 3) : NULL;
    if (w) {
      w->moment = torque;
      w->kind = wheel ? "tyres" : bushing ? "bushings" : "applied";
      w->force = i, w->at = q.end[bushing], w->wheel = wheel ? nwheel : -1;
    }
    nwheel += wheel;
  }
}

static mbd_status prepare_stresses(recording *r, mbd_error *err) {
  mbd_place at, straight;
  double none;
  while (mbd_params_beam_station(r->params, r->nbeam, 0, &at, &straight)) { r->nbeam++; }
  r->stress = mbd_zeros((size_t)r->nbeam, sizeof *r->stress);
  const double *z = mbd_zeros((size_t)mbd_model_nz(r->model), sizeof *z);
  int complete = r->stress && z;
  for (int i = 0; complete && i < r->nbeam; i++) {
    beam_stress *b = &r->stress[i];
    while (mbd_params_beam_stress(r->params, z, i, b->n, &none)) { b->n++; }
    b->v = mbd_zeros((size_t)b->n * (size_t)r->frames, sizeof *b->v);
    complete = b->v != NULL;
  }
  free((void *)z);
  return complete ? MBD_OK : MEMORY_NONE(err, "the animation");
}

/* ---- bodies ---- */

/* The points with which a body is drawn. */
typedef struct outline {
  int n;
  double x[HULL_POINTS][3];
  int corner[HULL_POINTS]; /* their numbers in the description */
} outline;

static void outline_add(outline *o, const double x[3], int corner) {
  for (int i = 0; i < o->n; i++) {
    double d[3];
    v3_sub(d, o->x[i], x);
    if (v3_dot(d, d) == 0) { return; }
  }
  if (o->n == HULL_POINTS) { return; }
  v3_copy(o->x[o->n], x);
  o->corner[o->n++] = corner;
}

/* The bar between the two points that are farthest from each other. */
static json_t *longest(const outline *o) {
  double max = 0;
  int a = 0, b = 0;
  for (int i = 0; i < o->n; i++) {
    for (int k = i + 1; k < o->n; k++) {
      double d[3];
      v3_sub(d, o->x[i], o->x[k]);
      if (v3_dot(d, d) > max) { max = v3_dot(d, d), a = i, b = k; }
    }
  }
  return max > 0 ? json_pack("[[i,i]]", o->corner[a], o->corner[b]) : json_array();
}

static json_t *faces(const outline *o) {
  hull_face face[HULL_FACES];
  const int n = hull_faces(o->n, (const double(*)[3])o->x, face);
  json_t *list = json_array();
  for (int f = 0; f < n; f++) {
    json_t *corners = json_array();
    for (int i = 0; i < face[f].n; i++) { json_array_append_new(corners, json_integer(o->corner[face[f].corner[i]])); }
    json_array_append_new(list, corners);
  }
  return list;
}

/* Returns 1 if a joint other than a floating one connects a body to the ground at the point. */
static int is_bearing(const recording *r, int point) {
  mbd_place place;
  for (int k = 0; mbd_params_point(r->params, point, k, &place); k++) {
    mbd_body_report body;
    if (place.body == 0) { continue; }
    mbd_model_body(r->model, place.body, &body);
    int floats = 0;
    for (int i = 0; i < mbd_model_njoint(r->model); i++) {
      mbd_joint_report j;
      mbd_model_joint(r->model, i, &j);
      const int here = strcmp(j.body[0], body.name) == 0 || strcmp(j.body[1], body.name) == 0;
      const int ground = strcmp(j.body[0], "ground") == 0 || strcmp(j.body[1], "ground") == 0;
      floats |= here && ground && strcmp(j.type, "floating") == 0;
    }
    if (!floats) { return 1; }
  }
  return 0;
}

/* Points of a body (0: those of the ground that bodies share, or from which they float). */
static json_t *points(const recording *r, int body, outline *o) {
  json_t *list = json_array();
  for (int i = 0; i < mbd_model_npoint(r->model); i++) {
    mbd_place place, other;
    for (int k = 0; mbd_params_point(r->params, i, k, &place); k++) {
      const int joint = mbd_params_point(r->params, i, 1, &other);
      double x[3];
      if (place.body != body || (body == 0 && !joint)) { continue; }
      from_com(r, &place, x);
      outline_add(o, x, (int)json_array_size(list));
      json_t *one = json_pack("{s:s, s:o, s:b}", "name", place.name, "at", json_numbers(x, 3), "joint", joint);
      if (body == 0) { json_object_set_new(one, "bearing", json_boolean(is_bearing(r, i))); }
      json_array_append_new(list, one);
    }
  }
  return list;
}

/* Poses with positions as integer multiples of `unit`, which are short and do not depend on the platform. */
static json_t *poses(const recording *r, int body, double unit) {
  json_t *list = json_array();
  for (int f = 0; f < r->filled; f++) {
    const double *p = pose_at(r, body, f);
    for (int i = 0; i < POSE; i++) { json_array_append_new(list, json_integer(llround(p[i] / (i < 3 ? unit : 1e-7)))); }
  }
  return list;
}

/* A body is drawn as the hull of its points; if these are few, its centre of mass is added. */
static json_t *body(const recording *r, int i, double unit) {
  mbd_body_report report;
  outline o = {0};
  const double com[3] = {0, 0, 0};
  json_t *p = points(r, i, &o);
  mbd_model_body(r->model, i, &report);
  if (o.n < 3) { outline_add(&o, com, (int)json_array_size(p)); }
  json_t *hull = faces(&o), *bar = json_array_size(hull) ? json_array() : longest(&o);
  return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", report.name, "points", p, "faces", hull, "bar", bar, "pose",
                   poses(r, i, unit));
}

/* ---- forces ---- */

static json_t *end_of(const recording *r, const mbd_place *place) {
  double x[3];
  from_com(r, place, x);
  return json_pack("[i,f,f,f]", place->body - 1, x[0], x[1], x[2]);
}

/* Elements that are lines between two points, and those that stand at the joints of coordinates with their axis. NULL: neither; tyres have a list
 * of their own. */
static const char *kind_of(const mbd_force_picture *picture, int *at_joints) {
  *at_joints = 0;
  switch (picture->look) {
    case MBD_LOOK_NONE:
    case MBD_LOOK_WHEEL: return NULL;
    case MBD_LOOK_STOP: return "stop";
    case MBD_LOOK_ROD: return "rod";
    case MBD_LOOK_GUIDE: return "guide";
    case MBD_LOOK_BUSHING: return "bushing";
    case MBD_LOOK_SPRING:
      if (picture->damping == 0) { return "spring"; }
      return picture->stiffness == 0 ? "damper" : "spring_damper";
    case MBD_LOOK_TORSION: *at_joints = 1; return "torsion";
    case MBD_LOOK_MOTOR: *at_joints = 1; return "motor";
    case MBD_LOOK_GEAR: *at_joints = 1; return "gear";
    case MBD_LOOK_PUSH: *at_joints = 1; return "push";
  }
  return NULL;
}

static json_t *wheel(const recording *r, const char *name, const mbd_force_picture *picture) {
  double centre[3];
  from_com(r, &picture->end[0], centre);
  return json_pack("{s:s, s:i, s:o, s:o, s:f}", "name", name, "body", picture->end[0].body - 1, "centre",
                   json_numbers(centre, 3), "axis", json_numbers(picture->axis, 3), "radius", picture->radius);
}

/* The numbers as integer multiples of `unit`, chosen such that the largest is `top`. */
static json_t *rounded(int n, const double *v, double top, double *unit) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, isfinite(v[i]) ? fabs(v[i]) : 0); }
  *unit = max > 0 ? max / top : 1;
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_integer(isfinite(v[i]) ? llround(v[i] / *unit) : 0)); }
  return list;
}

static void set_tension(const recording *r, const char *name, json_t *line) {
  for (int i = 0; i < r->nwatched; i++) {
    const watched *w = &r->watched[i];
    if (w->count != 1 || strcmp(w->name, name) != 0) { continue; }
    double unit;
    json_object_set_new(line, "tension", rounded(r->filled, w->v, 99999, &unit));
    json_object_set_new(line, "unit", json_real(unit));
    return;
  }
}

/* Adds the picture of an element to the lines between two points, or to the joints. */
static void add_element(const recording *r, const char *name, const mbd_force_picture *picture, json_t *lines,
                        json_t *joints) {
  int at_joints;
  const char *kind = kind_of(picture, &at_joints);
  if (!kind || (!at_joints && picture->nend < 2)) { return; }
  json_t *ends = json_array();
  for (int k = 0; k < picture->nend; k++) { json_array_append_new(ends, end_of(r, &picture->end[k])); }
  json_t *one = json_pack("{s:o, s:s, s:o}", "name", json_text(name), "kind", kind, "ends", ends);
  /* At a joint with the axis; as a line with the tension where it was recorded. */
  if (at_joints) {
    json_object_set_new(one, "axis", json_numbers(picture->axis, 3));
  } else {
    set_tension(r, name, one);
  }
  json_array_append_new(at_joints ? joints : lines, one);
}

static void forces(const recording *r, json_t *lines, json_t *joints, json_t *wheels) {
  mbd_force_picture q;
  for (int i = 0; i < mbd_model_nforce(r->model); i++) {
    const char *name = mbd_model_force_name(r->model, i, NULL);
    mbd_params_force_picture(r->params, i, &q);
    if (q.look == MBD_LOOK_WHEEL) { json_array_append_new(wheels, wheel(r, name, &q)); }
    add_element(r, name, &q, lines, joints);
  }
  for (int i = 0; i < mbd_model_nconstraint(r->model); i++) {
    mbd_params_constraint_picture(r->params, i, &q);
    add_element(r, mbd_model_constraint_name(r->model, i, NULL, NULL, NULL), &q, lines, joints);
  }
}

/* The largest component of a vector over the frames. */
static double largest(const recording *r, const watched *w) {
  double max = 0;
  for (int k = 0; k < w->count * r->filled; k++) { max = fmax(max, isfinite(w->v[k]) ? fabs(w->v[k]) : 0); }
  return max;
}

/* What moments of reactions stay below that are zero but for the tolerance of the motion, as those of mechanisms in a plane about directions in
 * it: no arc of them would be seen. */
static double unseen_moment(const recording *r) {
  double force = 0;
  for (int i = 0; i < r->nwatched; i++) {
    if (r->watched[i].count == 3 && !r->watched[i].moment) { force = fmax(force, largest(r, &r->watched[i])); }
  }
  return 1e-5 * force * size_of(r);
}

static json_t *arrows(const recording *r) {
  json_t *list = json_array();
  const double unseen = unseen_moment(r);
  for (int i = 0; i < r->nwatched; i++) {
    const watched *w = &r->watched[i];
    double unit;
    if (w->count != 3 || (w->moment && largest(r, w) <= unseen)) { continue; }
    json_t *v = rounded(3 * r->filled, w->v, 9999, &unit);
    json_t *one = json_pack("{s:o, s:s, s:o, s:f, s:o}", "name", json_text(w->name), "kind", w->kind, "end",
                            end_of(r, &w->at), "unit", unit, w->moment ? "moment" : "force", v);
    if (w->wheel >= 0) { json_object_set_new(one, "wheel", json_integer(w->wheel)); }
    json_array_append_new(list, one);
  }
  return list;
}

/* ---- rails ---- */

/* The body of a joint that is not the one of the place; -1: the ground. */
static int other_body(const recording *r, int joint, const mbd_place *place) {
  mbd_joint_report report;
  mbd_body_report body;
  mbd_model_joint(r->model, joint, &report);
  for (int i = 1; i <= r->nb; i++) {
    mbd_model_body(r->model, i, &body);
    const int is_one = strcmp(body.name, report.body[0]) == 0 || strcmp(body.name, report.body[1]) == 0;
    if (is_one && i != place->body) { return i - 1; }
  }
  return -1;
}

static json_t *rails(const recording *r) {
  json_t *list = json_array();
  for (int i = 0; i < mbd_model_njoint(r->model); i++) {
    mbd_joint_report joint;
    mbd_place place;
    double axis[3];
    mbd_model_joint(r->model, i, &joint);
    if (strcmp(joint.type, "prismatic") != 0) { continue; }
    mbd_params_joint_place(r->params, i, &place, axis);
    json_array_append_new(
        list, json_pack("{s:o, s:i, s:o, s:o}", "name", json_text(joint.name), "body", other_body(r, i, &place),
                        "slider", end_of(r, &place), "axis", json_numbers(axis, 3)));
  }
  return list;
}

/* ---- beams ---- */

static json_t *stresses(const recording *r, const beam_stress *b) {
  double unit;
  json_t *v = rounded(b->n * r->filled, b->v, 255, &unit);
  return json_pack("{s:f, s:o, s:f, s:f, s:i}", "unit", unit, "values", v, "largest", b->max, "time", b->t, "station",
                   b->station);
}

/* Bodies with data from outside by their nodes and points, the origin of their file behind them, and the lines that join them. */
static void add_modal_bodies(const recording *r, json_t *list) {
  const mbo_model_file *f = r->load->v->file;
  mbd_place at, straight;
  for (int i = 0; mbd_params_modal_place(r->params, i, 0, &at, &straight); i++) {
    json_t *stations = json_array(), *undeformed = json_array(), *pairs = json_array();
    for (int k = 0; mbd_params_modal_place(r->params, i, k, &at, &straight); k++) {
      json_array_append_new(stations, end_of(r, &at));
      json_array_append_new(undeformed, end_of(r, &straight));
    }
    for (int k = 0; k < f->nlines; k++) {
      const model_lines *lines = &f->lines[k];
      if (strcmp(lines->body, straight.name) != 0) { continue; }
      if (lines->origin >= 0) {
        v3_copy(straight.x, r->load->v->theta + lines->origin);
        json_array_append_new(stations, end_of(r, &straight));
        json_array_append_new(undeformed, end_of(r, &straight));
      }
      for (int p = 0; p < lines->n; p++) {
        json_array_append_new(pairs, json_pack("[i,i]", lines->pair[2 * p], lines->pair[2 * p + 1]));
      }
    }
    json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:o, s:o}", "name", straight.name, "body", straight.body - 1,
                                          "stations", stations, "undeformed", undeformed, "lines", pairs));
  }
}

/* Beams by the places along them, which are on bodies of their own, and by where these are on the beam's body while it is undeformed. */
static json_t *beams(const recording *r) {
  json_t *list = json_array();
  mbd_place at, straight;
  for (int i = 0; mbd_params_beam_station(r->params, i, 0, &at, &straight); i++) {
    json_t *stations = json_array(), *undeformed = json_array();
    for (int k = 0; mbd_params_beam_station(r->params, i, k, &at, &straight); k++) {
      json_array_append_new(stations, end_of(r, &at));
      json_array_append_new(undeformed, end_of(r, &straight));
    }
    json_t *one = json_pack("{s:s, s:i, s:o, s:o}", "name", straight.name, "body", straight.body - 1, "stations",
                            stations, "undeformed", undeformed);
    if (i < r->nbeam && r->stress[i].n > 0) { json_object_set_new(one, "stress", stresses(r, &r->stress[i])); }
    json_array_append_new(list, one);
  }
  add_modal_bodies(r, list);
  return list;
}

/* ---- road ---- */

/* The global x of a wheel's centre: of r + e x e* it takes the first row. */
static double centre_x(const recording *r, const mbd_place *c, int frame) {
  const double *p = pose_at(r, c->body, frame), *e = p + 3;
  double x[3];
  from_com(r, c, x);
  return p[0] + (1 - 2 * (e[2] * e[2] + e[3] * e[3])) * x[0] + 2 * (e[1] * e[2] - e[0] * e[3]) * x[1] +
         2 * (e[1] * e[3] + e[0] * e[2]) * x[2];
}

/* Finds the road of the first wheel that has one, and the range in which wheels roll, extended at both ends. */
static int travelled(const recording *r, double *from, double *to) {
  int road = -1;
  *from = INFINITY, *to = -INFINITY;
  for (int i = 0; i < mbd_model_nforce(r->model); i++) {
    mbd_force_picture q;
    mbd_params_force_picture(r->params, i, &q);
    if (q.look != MBD_LOOK_WHEEL) { continue; }
    if (road < 0) { road = q.road; }
    for (int f = 0; f < r->filled && q.end[0].body > 0; f++) {
      const double x = centre_x(r, &q.end[0], f), reach = 15 * q.radius;
      *from = fmin(*from, x - reach), *to = fmax(*to, x + reach);
    }
  }
  return *from < *to ? road : -1;
}

/* The road as straight pieces, which follow the curve to two millionths of its length. */
static json_t *road_profile(const recording *r) {
  double from, to, h[ROAD_SAMPLES + 1];
  const int curve = travelled(r, &from, &to);
  if (curve < 0) { return json_null(); }
  json_t *list = json_array();
  const double step = (to - from) / ROAD_SAMPLES, small = 2e-6 * (to - from);
  for (int i = 0; i <= ROAD_SAMPLES; i++) { h[i] = mbd_params_curve(r->params, curve, from + i * step); }
  for (int i = 0; i < ROAD_SAMPLES;) {
    int next = i + 1, straight = 1;
    json_array_append_new(list, json_pack("[f,f]", from + i * step, h[i]));
    while (straight && next < ROAD_SAMPLES) {
      const double slope = (h[next + 1] - h[i]) / (next + 1 - i);
      for (int k = i + 1; k <= next; k++) { straight &= fabs(h[i] + slope * (k - i) - h[k]) <= small; }
      next += straight;
    }
    i = next;
  }
  json_array_append_new(list, json_pack("[f,f]", to, h[ROAD_SAMPLES]));
  return list;
}

/* ---- all together ---- */

/* The unit of positions: a millionth of the power of ten below the largest distance from the origin. */
static double unit_of(const recording *r) {
  double max = 1e-6;
  for (int i = 1; i <= r->nb; i++) {
    for (int f = 0; f < r->filled; f++) {
      const double *p = pose_at(r, i, f);
      max = fmax(max, sqrt(v3_dot(p, p)));
    }
  }
  return pow(10, floor(log10(max)) - 6);
}

static json_t *describe(const recording *r) {
  const double unit = unit_of(r);
  json_t *times = json_array(), *bodies = json_array(), *lines = json_array(), *joints = json_array(),
         *wheels = json_array();
  outline unused = {0};
  for (int f = 0; f < r->filled; f++) { json_array_append_new(times, json_real(r->t[f])); }
  for (int i = 1; i <= r->nb; i++) { json_array_append_new(bodies, body(r, i, unit)); }
  forces(r, lines, joints, wheels);
  return json_pack(
      "{s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", r->load->config->name,
      "duration", r->load->c.free_duration ? r->t[r->filled - 1] : r->load->c.duration, "length", unit, "times", times,
      "ground", points(r, 0, &unused), "bodies", bodies, "lines", lines, "joints", joints, "arrows", arrows(r),
      "wheels", wheels, "shapes", shapes_describe(r->load->v->file, r->load->v->theta, r->params, r->model), "missing",
      shapes_missing(r->load->v->file), "rails", rails(r), "beams", beams(r), "road", road_profile(r));
}

static recording recording_new(const mechanism_case *load, int frames) {
  const mbd_model *model = load->v->model;
  return (recording){
      .load = load, .model = model, .params = load->v->params, .nb = mbd_model_nbody(model), .frames = frames};
}

/* The memory of the frames, and what is watched for the arrows, of which the simulation is to have the outputs. */
static mbd_status prepare(recording *r, mechanism_case *load, mbd_error *err) {
  r->t = calloc((size_t)r->frames, sizeof *r->t);
  r->pose = calloc((size_t)(r->nb + 1) * (size_t)r->frames, POSE * sizeof *r->pose);
  MEMORY_TRY(r->t && r->pose, err, "the animation");
  const int had = load->shown ? mbd_outputs_count(load->shown) : 0;
  if (!load->shown) { MBD_TRY(mbd_outputs_copy(load->outputs, &load->shown, err)); }
  watch_forces(r);
  MBD_TRY(prepare_stresses(r, err));
  const size_t outputs = (size_t)mbd_outputs_count(load->shown);
  r->seen = malloc(outputs + 1);
  MEMORY_TRY(r->seen, err, "the animation");
  memset(r->seen, 1, outputs);
  const mbd_status status = (int)outputs > had ? case_renew(load, load->directions, err) : MBD_OK;
  if (status != MBD_OK) { /* the simulation is that of `outputs` */
    mbd_outputs_destroy(load->shown);
    load->shown = NULL;
  }
  return status;
}

mbd_status scene_record(mechanism_case *load, int frames, scene_recording **out, mbd_error *err) {
  const int by_content = frames == SCENE_BY_CONTENT, nodes = mbd_sim_steps(load->sim) + 1;
  *out = NULL;
  if (frames < 2 && !by_content) {
    MBD_FAIL(err, MBD_BAD_INPUT, "an animation of %d frames, expected 2 or more", frames);
  }
  const int count = by_content ? frames_to_record(mbd_model_nbody(load->v->model)) : frames;
  recording *r = calloc(1, sizeof *r);
  MEMORY_TRY(r, err, "the animation");
  *r = recording_new(load, count < nodes ? count : nodes);
  r->by_content = by_content;
  const mbd_status status = prepare(r, load, err);
  if (status != MBD_OK) {
    scene_recording_destroy(r);
    return status;
  }
  *out = r;
  return MBD_OK;
}

void scene_recording_destroy(scene_recording *r) {
  if (!r) { return; }
  for (int i = 0; i < r->nwatched; i++) { free(r->watched[i].name), free(r->watched[i].v); }
  for (int i = 0; r->stress && i < r->nbeam; i++) { free(r->stress[i].v); }
  free(r->watched), free(r->seen), free(r->stress), free(r->t), free(r->pose), free(r);
}

/* The direction against gravity; z without gravity. */
static json_t *up(const mechanism *m) {
  double g[3];
  mbd_params_gravity(m->variant[0].params, g);
  const double length = sqrt(v3_dot(g, g));
  if (length == 0) { return json_pack("[i,i,i]", 0, 0, 1); }
  for (int i = 0; i < 3; i++) { g[i] = 0 - g[i] / length; } /* no -0 */
  return json_numbers(g, 3);
}

json_t *scene_describe(const mechanism *m, scene_recording *const *recorded) {
  json_t *cases = json_array();
  for (int i = 0; i < m->ncase; i++) {
    if (recorded[i]->by_content) { keep_frames(recorded[i], frames_needed(recorded[i])); }
    json_array_append_new(cases, describe(recorded[i]));
  }
  return json_pack("{s:o, s:o, s:o}", "up", up(m), "cases", cases, "meshes", shapes_meshes(m->variant[0].file));
}

static json_t *of_one_case(const mechanism *m, const recording *r) {
  return json_pack("{s:o, s:o, s:o}", "up", up(m), "case", describe(r), "meshes", shapes_meshes(r->load->v->file));
}

/* Observer: every node is a frame. */
static int record_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                       const double *lam, const double *y) {
  recording *r = user;
  (void)k, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  record_poses(r, r->load->sim);
  r->t[r->filled++] = t;
  return 0;
}

mbd_status scene_as_far(const mechanism *m, const mechanism_case *load, json_t **out, mbd_error *err) {
  recording r = recording_new(load, mbd_sim_steps(load->sim) + 1);
  mbd_status status = MBD_OK;
  *out = NULL;
  r.t = calloc((size_t)r.frames, sizeof *r.t);
  r.pose = calloc((size_t)(r.nb + 1) * (size_t)r.frames, POSE * sizeof *r.pose);
  if (r.t && r.pose) {
    mbd_sim_watch(load->sim, 0);
    status = mechanism_name_case(
        mbd_sim_run(load->sim, load->v->params, 0, NULL, NULL, NULL, NULL, record_node, &r, err), load, err);
  }
  if (r.filled > 0) { *out = of_one_case(m, &r); }
  const int whole = r.t && r.pose && (r.filled == 0 || *out);
  free(r.t), free(r.pose);
  return whole ? status : MEMORY_NONE(err, "the picture of a mechanism");
}

mbd_status scene_at_start(const mechanism *m, const mechanism_case *load, mbd_sim *sim, json_t **out, mbd_error *err) {
  double t = 0;
  recording r = recording_new(load, 1);
  r.t = &t;
  r.pose = calloc((size_t)r.nb + 1, POSE * sizeof *r.pose);
  if (r.pose) {
    record_poses(&r, sim);
    r.filled = 1;
  }
  *out = r.pose ? of_one_case(m, &r) : NULL;
  free(r.pose);
  MEMORY_TRY(*out, err, "the picture of a mechanism");
  return MBD_OK;
}
