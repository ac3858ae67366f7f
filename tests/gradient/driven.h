/* Models of motions as kinematic and static ones, so that every element of these models is met there. What their constraints leave free is
 * driven by curves that leave the start almost as the motion does; or but for one coordinate it is held by springs, against loads that
 * grow. */
#ifndef MBOPT_TESTS_DRIVEN_H
#define MBOPT_TESTS_DRIVEN_H

#include "config/model_file.h"
#include "dynamics/motion.h"
#include "la/dense.h"
#include "model.h"
#include "model/state.h"

/* The start of the motion, and which coordinates the constraints leave free there. */
typedef struct free_motion {
  test_model of;
  double *z, *zd, *zdd;
  int *row, *col, rank; /* col [nz]: from `rank` on, the free ones */
} free_motion;

static inline void free_motion_rank(free_motion *q) {
  const int n = q->of.m->nz, m = q->of.m->nphi;
  mbd_error err = {0};
  mbd_work *w;
  double *J = calloc((size_t)((n + 1) * m) + 1, sizeof *J);
  must(mbd_work_create(q->of.m, MBD_RTDYN1, &w, &err), &err);
  motion_place(w, q->of.p, 0, q->z);
  motion_phi(w, motion_constraints(q->of.m), NULL, J);
  q->rank = mbd_rank(m, n, J, 1e-9, q->row, q->col);
  mbd_work_destroy(w);
  free(J);
}

static inline free_motion free_motion_open(const char *file) {
  const mbd_case c = case_lasting(1e-3, 1e-3);
  mbd_error err = {0};
  mbd_sim *s;
  free_motion q = {.of = model_open(file)};
  const size_t n = (size_t)q.of.m->nz;
  q.z = calloc(3 * n + 1, sizeof *q.z), q.zd = q.z + n, q.zdd = q.zd + n;
  q.row = calloc((size_t)q.of.m->nphi + 1, sizeof *q.row), q.col = calloc(n + 1, sizeof *q.col);
  must(mbd_sim_create(q.of.m, &c, q.of.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.of.p, q.z, q.zd, q.zdd, NULL, &err), &err);
  mbd_sim_destroy(s);
  free_motion_rank(&q);
  return q;
}

static inline void free_motion_close(free_motion *q) {
  free(q->z), free(q->row), free(q->col);
  model_close(&q->of);
}

/* A coefficient called NAME.k of this value. */
static inline int number(mbo_model_file *f, const char *name, int k, double value) {
  mbd_error err = {0};
  char coef[320], text[40];
  int index;
  snprintf(coef, sizeof coef, "%s.%d", name, k), snprintf(text, sizeof text, "%.17g", value);
  must(model_file_coefficient(f, coef, text, &index, &err), &err);
  return index;
}

static inline void polynomial(mbo_model_file *f, const char *name, int n, const double *c) {
  mbd_error err = {0};
  int first = -1;
  for (int i = 0; i < n; i++) {
    const int index = number(f, name, i, c[i]);
    first = i == 0 ? index : first;
  }
  must(mbd_spec_curve(f->spec, name, "polynomial", n, first, 0, NULL, &err), &err);
}

/* "drive.COORDINATE" along z + (zd + a little) t + zdd t^2/2: sizes of rates have no derivative at rest. */
static inline void drive(mbo_model_file *f, const free_motion *q, int j) {
  mbd_error err = {0};
  const double c[3] = {q->z[j], q->zd[j] + 0.1 * sin(1 + j), q->zdd[j] / 2};
  char name[300];
  snprintf(name, sizeof name, "drive.%s", q->of.m->z_name[j]);
  polynomial(f, name, 3, c);
  mbd_element_desc d;
  mbd_element_desc_init(&d);
  d.name = name, d.type = "driven_coordinate", d.ref[0] = q->of.m->z_name[j], d.curve[0] = name;
  must(mbd_spec_constraint(f->spec, &d, &err), &err);
}

/* "spring.COORDINATE", and "load.COORDINATE", which pulls at it more and more. */
static inline void hold(mbo_model_file *f, const free_motion *q, int j) {
  mbd_error err = {0};
  const double reverse[2] = {0.3, 40 * cos(1 + j)}, spring[3] = {700 + 10 * j, 2, q->z[j]};
  char name[300];
  mbd_element_desc d;
  mbd_element_desc_init(&d);
  snprintf(name, sizeof name, "spring.%s", q->of.m->z_name[j]);
  d.name = name, d.type = "torsion_spring", d.ref[0] = q->of.m->z_name[j], d.coef = number(f, name, 0, spring[0]);
  number(f, name, 1, spring[1]), number(f, name, 2, spring[2]);
  must(mbd_spec_force(f->spec, &d, &err), &err);
  mbd_element_desc_init(&d);
  snprintf(name, sizeof name, "load.%s", q->of.m->z_name[j]);
  polynomial(f, name, 2, reverse);
  d.name = name, d.type = "coordinate_force", d.ref[0] = q->of.m->z_name[j], d.curve[0] = name;
  must(mbd_spec_force(f->spec, &d, &err), &err);
}

/* f is `file`, read anew. */
static inline void drive_all(mbo_model_file *f, const char *file) {
  free_motion q = free_motion_open(file);
  for (int i = q.rank; i < q.of.m->nz; i++) {
    if (!model_is_state(q.of.m, q.col[i])) { drive(f, &q, q.col[i]); }
  }
  free_motion_close(&q);
}

/* One is driven, if there are several. */
static inline void hold_all(mbo_model_file *f, const char *file) {
  free_motion q = free_motion_open(file);
  const int n = q.of.m->nz, several = n - q.of.m->nstate - q.rank > 1;
  int first = q.rank;
  while (first < n && model_is_state(q.of.m, q.col[first])) { first++; }
  if (several) { drive(f, &q, q.col[first]); }
  for (int i = first + several; i < n; i++) {
    if (!model_is_state(q.of.m, q.col[i])) { hold(f, &q, q.col[i]); }
  }
  free_motion_close(&q);
}

static inline int is_driven(const mbd_case *c) {
  return strcmp(c->analysis, "kinematic") == 0;
}

static inline int is_static(const mbd_case *c) {
  return strcmp(c->analysis, "static") == 0;
}

static inline int is_motion(const mbd_case *c) {
  return !is_driven(c) && !is_static(c);
}

/* What the analysis of a case needs. */
static inline void add_for_analysis(mbo_model_file *f, const char *file, const mbd_case *c) {
  if (is_driven(c)) { drive_all(f, file); }
  if (is_static(c)) { hold_all(f, file); }
}

/* The k-th drive of the model, in the order of their rows; NULL: there are fewer. */
static inline const char *drive_name(const mbd_model *m, int k) {
  for (int i = 0; i < m->nphi; i++) {
    const char *name = m->phi_name[i];
    if (strncmp(name, "drive.", 6) == 0 && k-- == 0) { return name; }
  }
  return NULL;
}

#endif
