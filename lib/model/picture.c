/* Questions of those who draw the mechanism. */
#include "mbd/picture.h"

#include <string.h>

#include "base/v3.h"
#include "model/params.h"

static void real_part(double x[3], const mbd_real *from) {
  for (int i = 0; i < 3; i++) { x[i] = mbd_re(from[i]); }
}

static void place_marker(const mbd_params *p, int marker, mbd_place *q) {
  q->body = p->model->marker[marker].body;
  real_part(q->x, p->local + 3 * marker);
}

/* Points stand before vectors. */
int mbd_model_npoint(const mbd_model *m) {
  int n = 0;
  while (n < m->nnamed && m->named[n].is_point) { n++; }
  return n;
}

int mbd_params_point(const mbd_params *p, int i, int k, mbd_place *q) {
  const mbd_named_marker *named = &p->model->named[i];
  if (k >= named->n) { return 0; }
  q->name = named->name;
  place_marker(p, named->marker[k], q);
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
  return mbd_re(v.y);
}

/* A coefficient of a force by its key; 0 where its type has none of that key. */
static double force_coef(const mbd_params *p, const mbd_force *f, const char *key) {
  const mbd_coef_info *c = f->ops->info.coefs;
  int at = f->coef;
  if (!key) { return 0; }
  while (c->key && strcmp(c->key, key) != 0) { at += c++->size; }
  return c->key ? mbd_re(p->theta[at]) : 0;
}

static void draw_line(const mbd_params *p, const mbd_force *f, mbd_force_picture *q) {
  place_marker(p, f->lift.arg[0].a, &q->end[0]);
  place_marker(p, f->lift.arg[0].b, &q->end[1]);
  q->stiffness = force_coef(p, f, "stiffness");
  q->damping = force_coef(p, f, "damping");
}

static void draw_wheel(const mbd_params *p, const mbd_force *f, mbd_force_picture *q) {
  const mbd_real *u = p->local + 3 * f->lift.arg[1].b;
  const double length = mbd_re(mbd_sqrt(v3_dot(u, u)));
  place_marker(p, f->lift.arg[0].b, &q->end[0]);
  real_part(q->axis, u);
  for (int i = 0; i < 3 && length > 0; i++) { q->axis[i] /= length; }
  q->radius = force_coef(p, f, f->ops->radius);
  q->road = f->curve[0];
}

void mbd_params_force_picture(const mbd_params *p, int i, mbd_force_picture *q) {
  const mbd_force *f = &p->model->force[i];
  *q = (mbd_force_picture){.look = f->ops->look};
  if (q->look == MBD_LOOK_WHEEL) {
    draw_wheel(p, f, q);
  } else if (q->look != MBD_LOOK_NONE) {
    draw_line(p, f, q);
  }
}
