#include "mechanism/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/v3.h"
#include "files/place_text.h"
#include "mbd/picture.h"
#include "files/memory.h"

static const double max_gravity = 100; /* [m/s^2] */
static const double longest = 50;      /* body under gravity [m] */
static const double factor = 30;       /* about the square root of 1000 */

typedef struct box {
  double min[3], max[3];
} box;

static const box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void widen(box *b, const double x[3]) {
  for (int i = 0; i < 3; i++) { b->min[i] = fmin(b->min[i], x[i]), b->max[i] = fmax(b->max[i], x[i]); }
}

/* ---- at a position ---- */

static void place_globally(const mbd_sim *s, int body, const double local[3], double x[3]) {
  double A[9];
  mbd_sim_pose(s, body, x, A);
  m3_vec_add(x, A, local);
}

static void add_points(const mechanism_case *load, box *all) {
  const mbd_model *model = load->v->model;
  mbd_place place;
  double x[3];
  for (int i = 0; i < mbd_model_npoint(model); i++) {
    for (int k = 0; mbd_params_point(load->v->params, i, k, &place); k++) {
      place_globally(load->sim, place.body, place.x, x);
      widen(all, x);
    }
  }
}

void measures_take(const mechanism_case *load, measures *m) {
  const mbd_params *p = load->v->params;
  box all = empty;
  *m = (measures){0};
  add_points(load, &all);
  for (int i = 1; i <= mbd_model_nbody(load->v->model); i++) {
    const double mass = mbd_params_mass(p, i);
    double local[3], x[3];
    mbd_params_com(p, i, local);
    place_globally(load->sim, i, local, x);
    widen(&all, x);
    m->mass += mass;
    v3_axpy(m->com, mass, x);
  }
  if (m->mass > 0) { v3_scale(m->com, 1 / m->mass, m->com); }
  if (all.min[0] <= all.max[0]) { v3_copy(m->min, all.min), v3_copy(m->max, all.max); }
}

void measures_joint(const mechanism_case *load, int joint, joint_measures *m) {
  mbd_params_joint(load->v->params, joint, &m->on_bodies);
  place_globally(load->sim, m->on_bodies.body[0], m->on_bodies.point[0], m->point);
  for (int k = 0; k < 2; k++) {
    double o[3], A[9];
    mbd_sim_pose(load->sim, m->on_bodies.body[k], o, A);
    m3_vec(m->axis[k], A, m->on_bodies.axis[k]);
  }
}

/* ---- as words ---- */

void measures_write_zero(FILE *out, const mbd_joint_report *j, const mbd_joint_place *place) {
  double turned = 0, apart = 0;
  char x[PLACE_TEXT], y[PLACE_TEXT];
  for (int i = 0; i < 9; i++) { turned = fmax(turned, fabs(place->zero[i] - (i % 4 == 0))); }
  for (int i = 0; i < 3; i++) { apart = fmax(apart, fabs(place->point[0][i] - place->point[1][i])); }
  if (turned < 1e-12) {
    fprintf(out, "zero where the frames %s", apart == 0 ? "coincide" : "are parallel");
    return;
  }
  const double *R = place->zero;
  fprintf(out, "zero where x and y of %s are along (%s) and (%s) of %s", j->body[1],
          place_text((double[]){R[0], R[3], R[6]}, 1, x), place_text((double[]){R[1], R[4], R[7]}, 1, y), j->body[0]);
}

/* ---- numbers that do not fit ---- */

static double diagonal(const box *b) {
  double d[3];
  v3_sub(d, b->max, b->min);
  return b->min[0] <= b->max[0] ? sqrt(v3_dot(d, d)) : 0;
}

/* sqrt(I/m) of the largest of the moments about the body's axes. 0: not to be judged. */
static double gyration(const mbd_params *p, int body) {
  double J[9];
  const double mass = mbd_params_mass(p, body);
  mbd_params_inertia(p, body, J);
  const double max = fmax(J[0], fmax(J[4], J[8]));
  return mass > 0 && max > 0 ? sqrt(max / mass) : 0;
}

/* Boxes of what each body has, in its frame: [nbody + 1] in new memory; NULL: none. */
static box *body_boxes(const mechanism_variant *v) {
  const int n = mbd_model_nbody(v->model);
  box *b = malloc(((size_t)n + 1) * sizeof *b);
  mbd_place place;
  for (int i = 0; b && i <= n; i++) {
    b[i] = empty;
    if (i == 0) { continue; }
    mbd_params_com(v->params, i, place.x);
    widen(&b[i], place.x);
  }
  for (int i = 0; b && i < mbd_model_npoint(v->model); i++) {
    for (int k = 0; mbd_params_point(v->params, i, k, &place); k++) { widen(&b[place.body], place.x); }
  }
  return b;
}

/* The body that is farthest beyond a limit, and how many are beyond it. */
typedef struct worst {
  int body, n;
  double by, extent, gyration;
} worst;

static void consider(worst *w, int body, double by, double extent, double gyration) {
  if (!(by > 1)) { return; }
  w->n++;
  if (by > w->by) { w->body = body, w->by = by, w->extent = extent, w->gyration = gyration; }
}

static const char *others(int n, char text[40]) {
  if (n > 2) {
    snprintf(text, 40, " (and so with %d others)", n - 1);
  } else {
    snprintf(text, 40, "%s", n > 1 ? " (and so with another)" : "");
  }
  return text;
}

static const char units[] = "lengths are in m, masses in kg, inertias in kg m^2 (kg mm^2 times 1e-6)";

static const char *body_name(const mechanism_variant *v, int body) {
  mbd_body_report r;
  mbd_model_body(v->model, body, &r);
  return r.name;
}

static void tell_long(const mechanism_variant *v, const worst *w, char *text) {
  char more[40];
  snprintf(
      text, MEASURES_TEXT,
      "body '%.80s'%s: its points are %.3g m apart, expected at most %g m where there is gravity, so they look like "
      "millimetres; %s",
      body_name(v, w->body), others(w->n, more), w->extent, longest, units);
}

static void tell_gyration(const mechanism_variant *v, const worst *w, char *text) {
  char more[40];
  snprintf(text, MEASURES_TEXT,
           "body '%.80s'%s: mass and inertia have a radius of gyration of %.3g m, while its points are %.3g m apart; "
           "expected "
           "are these within a factor of %g, so one of them looks like millimetres; %s",
           body_name(v, w->body), others(w->n, more), w->gyration, w->extent, factor, units);
}

/* Compares gravity, the sizes of bodies, and the ratios of radius of gyration to size with limits that a model in metres rarely exceeds;
 * *n texts describe what exceeds them. */
mbd_status measures_doubts(const mechanism_variant *v, char text[MEASURES_DOUBTS][MEASURES_TEXT], int *n,
                           mbd_error *err) {
  double g[3];
  worst size = {0}, ratio = {0};
  box *b = body_boxes(v);
  *n = 0;
  MEMORY_TRY(b, err, "the sizes of bodies");
  /* Gravity, and how far each body is beyond the limits; sizes are judged only where there is gravity. */
  mbd_params_gravity(v->params, g);
  const double gravity = sqrt(v3_dot(g, g));
  for (int i = 1; i <= mbd_model_nbody(v->model); i++) {
    const double extent = diagonal(&b[i]), radius = gyration(v->params, i);
    if (gravity > 0) { consider(&size, i, extent / longest, extent, radius); }
    if (extent > 0 && radius > 0) {
      consider(&ratio, i, fmax(radius / extent, extent / radius) / factor, extent, radius);
    }
  }
  free(b);
  /* A text for each limit that is exceeded; of the bodies it names the one farthest beyond the limit. */
  if (gravity > max_gravity) {
    snprintf(text[(*n)++], MEASURES_TEXT,
             "gravity is %.4g m/s^2, expected at most %g, so it looks like millimetres; %s", gravity, max_gravity,
             units);
  }
  if (size.n) { tell_long(v, &size, text[(*n)++]); }
  if (ratio.n) { tell_gyration(v, &ratio, text[(*n)++]); }
  return MBD_OK;
}
