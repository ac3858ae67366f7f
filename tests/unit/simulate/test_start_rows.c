/* The start of large models: a chain of 1000 bodies in memory proportional to its length, rows in blocks of its joints. */
#include "dynamics/motion.h"
#include "mbd/params.h"
#include "mbd/linearize.h"
#include "simulate/start.h"
#include "simulate/start_rows.h"
#include "test.h"

enum { BODIES = 1000 };

static int vector(mbd_spec *s, double x, double y, double z) {
  const int first = mbd_spec_coef(s, "x", x);
  mbd_spec_coef(s, "y", y), mbd_spec_coef(s, "z", z);
  return first;
}

/* Joints in turn spherical (with a normalization) and revolute; the angles of the latter are held, those of every tenth
 * are not. rod: from this body to the last goes a
 * rod; 0: none. */
static mbd_model *chain(int n, int rod) {
  mbd_error err = {0};
  mbd_spec *s = mbd_spec_create();
  mbd_model *m = NULL;
  const int origin = vector(s, 0, 0, 0), end = vector(s, 1, 0, 0), axis = vector(s, 0, 1, 0);
  const int mass = mbd_spec_coef(s, "mass", 1), value = mbd_spec_coef(s, "angle", 0.1), inertia = vector(s, 1, 1, 1);
  vector(s, 0, 0, 0);
  mbd_spec_gravity(s, vector(s, 0, 1, -9.81));
  char body[32], before[32] = "ground", point[32], axis_name[32], held[80];
  for (int i = 1; i <= n; i++) {
    snprintf(body, sizeof body, "B%d", i), snprintf(point, sizeof point, "P%d", i);
    must(mbd_spec_body(s, body, mass, end, inertia, &err), &err);
    must(mbd_spec_point(s, point, &err), &err);
    must(mbd_spec_point_on(s, point, before, i > 1 ? end : origin, &err), &err);
    must(mbd_spec_point_on(s, point, body, origin, &err), &err);
    if (i % 2 == 0) {
      snprintf(axis_name, sizeof axis_name, "u%d", i);
      must(mbd_spec_vector(s, axis_name, &err), &err);
      must(mbd_spec_vector_on(s, axis_name, before, axis, &err), &err);
      must(mbd_spec_vector_on(s, axis_name, body, axis, &err), &err);
      snprintf(held, sizeof held, "%s-%s.angle", before, body);
      if (i % 10) { must(mbd_spec_hold(s, held, value, value, &err), &err); }
    }
    memcpy(before, body, sizeof before);
  }
  if (rod) {
    mbd_element_desc d;
    char first[32], last[32];
    mbd_element_desc_init(&d);
    snprintf(first, sizeof first, "P%d@B%d", rod, rod), snprintf(last, sizeof last, "P%d@B%d", n, n);
    d.name = "rod", d.type = "distance", d.ref[0] = first, d.ref[1] = last, d.coef = mass;
    must(mbd_spec_constraint(s, &d, &err), &err);
  }
  must(mbd_model_create(s, &m, &err), &err);
  mbd_spec_destroy(s);
  return m;
}

static void test_chain(void) {
  mbd_error err = {0};
  mbd_model *m = chain(BODIES, 0);
  mbd_blocks *q = NULL;
  must(start_rows_create(motion_with_holds(m, m->nhold), 1, &q, &err), &err);
  const int half = BODIES / 2;
  CU_ASSERT_EQUAL(m->nz, half * 5);
  CU_ASSERT_EQUAL(q->n, half * 2); /* Euler parameters, angles */
  CU_ASSERT_EQUAL(q->nrow, half + half * 4 / 5);
  int largest = 0;
  size_t entries = 0;
  for (int i = 0; i < q->n; i++) {
    const mbd_block *b = &q->block[i];
    largest = b->ncol > largest ? b->ncol : largest;
    entries += (size_t)(b->nrow + b->ncol) * (size_t)b->ncol;
  }
  CU_ASSERT_EQUAL(largest, 4);
  CU_ASSERT(entries <= (size_t)(half * (4 * 5 + 2)));
  CU_ASSERT(q->arena.cap <= 500 * BODIES); /* bytes; one matrix [nz][nz] has 50 million */
  mbd_blocks_destroy(q);
  mbd_model_destroy(m);
}

/* The blocks say the same as the whole matrix. */
static void test_values(void) {
  mbd_error err = {0};
  mbd_model *m = chain(30, 10);
  mbd_params *p = NULL;
  mbd_work *w = NULL;
  mbd_blocks *q = NULL;
  must(mbd_params_create(m, NULL, &p, &err), &err);
  must(work_create(m, MBD_RTDYN1, 0, &w, &err), &err);
  must(start_rows_create(motion_with_holds(m, m->nhold), 1, &q, &err), &err);
  const int n = m->nz, rows = m->nphi + m->nhold_row;
  double *z = calloc((size_t)n, sizeof *z), *J = calloc((size_t)(rows * n), sizeof *J);
  double *phi = calloc((size_t)rows, sizeof *phi), *same = calloc((size_t)rows, sizeof *same);
  int *row = calloc((size_t)rows, sizeof *row), *col = calloc((size_t)n, sizeof *col), outside = 0;
  for (int j = 0; j < n; j++) { z[j] = 0.5 + 0.4 * sin(j); }
  motion_place(w, p, 0, z);
  motion_phi(w, motion_with_holds(m, m->nhold), phi, J);
  mbd_blocks_clear(q);
  motion_phi_scattered(w, motion_with_holds(m, m->nhold), same, q->row, q->at, q->packed);
  CU_ASSERT_EQUAL(q->n, 11); /* ten before the loop that the rod closes */
  for (int i = 0; i < rows; i++) { CHECK_CLOSE("row", same[i], phi[i], 0); }
  for (int b = 0; b < q->n; b++) {
    for (int i = 0; i < q->block[b].nrow; i++) {
      for (int j = 0; j < q->block[b].ncol; j++) {
        double *entry = &J[q->block[b].row[i] * n + q->block[b].col[j]];
        CHECK_CLOSE("entry", q->block[b].J[i * q->block[b].ncol + j], *entry, 0);
        *entry = 0;
      }
    }
  }
  for (int i = 0; i < rows * n; i++) { outside += J[i] != 0; }
  CU_ASSERT_EQUAL(outside, 0);
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, m->nphi, 1e-9, MBD_RANK_BOTH, row, col), m->nphi);
  free(z), free(J), free(phi), free(same), free(row), free(col);
  mbd_blocks_destroy(q);
  mbd_work_destroy(w);
  mbd_params_destroy(p);
  mbd_model_destroy(m);
}

/* A start with derivatives along the mass of all bodies and the held angle. */
typedef struct begun {
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_dparams *d[2];
  mbd_sim *s;
} begun;

static void begin(begun *q, const char *formulation, const char *integrator, int n) {
  static const char *const along[2] = {"mass", "angle"};
  const double one = 1;
  mbd_error err = {0};
  mbd_case c;
  mbd_case_init(&c);
  c.formulation = formulation, c.integrator = integrator;
  q->m = chain(n, 0);
  must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
  must(mbd_outputs_create(q->m, &q->o, &err), &err);
  for (int k = 0; k < 2; k++) {
    int index = 0;
    while (strcmp(q->m->coef_name[index], along[k]) != 0) { index++; }
    must(mbd_dparams_create(q->m, &q->d[k], &err), &err);
    mbd_dparams_set(q->d[k], q->p, 1, &index, &one);
  }
  must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 2, &q->s, &err), &err);
  must(mbd_sim_start(q->s, q->p, NULL, NULL, NULL, NULL, &err), &err);
  q->s->np = 2, q->s->d = q->d;
  must(start_sens(q->s, &err), &err);
}

static void end(begun *q) {
  mbd_sim_destroy(q->s);
  for (int k = 0; k < 2; k++) { mbd_dparams_destroy(q->d[k]); }
  mbd_outputs_destroy(q->o);
  mbd_params_destroy(q->p);
  mbd_model_destroy(q->m);
}

static void compare(const char *what, int n, const double *a, const double *b) {
  const double size = 1 + mbd_norm_inf(n, a);
  for (int i = 0; i < n; i++) { CHECK_NEAR(what, b[i], a[i], size, 1e-11); }
}

/* Accelerations and their derivatives by joint recursion are those of the mass matrix. */
static void test_recursive(void) {
  begun dense, recursive;
  mbd_error err = {0};
  mbd_linear linear;
  begin(&dense, "ali3p", "newmark", 12);
  begin(&recursive, "fully_recursive", "runge_kutta_4", 12);
  const int n = dense.m->nz;
  compare("zdd", n, dense.s->now.zdd, recursive.s->now.zdd);
  compare("lam", dense.m->nphi, dense.s->now.lam, recursive.s->now.lam);
  compare("z'", 2 * n, dense.s->sens.z, recursive.s->sens.z);
  compare("zdd'", 2 * n, dense.s->sens.zdd, recursive.s->sens.zdd);
  CU_ASSERT(mbd_norm_inf(2 * n, dense.s->sens.zdd) > 1e-3);
  CU_ASSERT_EQUAL(mbd_sim_linearize(recursive.s, recursive.p, &linear, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "formulation 'fully_recursive' does without");
  end(&dense);
  end(&recursive);
}

static void test_memory(void) {
  begun q;
  begin(&q, "fully_recursive", "runge_kutta_4", BODIES);
  const size_t bytes = q.s->arena.cap + q.s->w->arena.cap + q.s->start->rows->arena.cap;
  CHECK_CLOSE("bytes of a body", (double)bytes / BODIES, 0, 8000); /* 6443 */
  end(&q);
}

TEST_MAIN(TEST(test_chain), TEST(test_values), TEST(test_recursive), TEST(test_memory))
