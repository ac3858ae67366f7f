/* Independent coordinates: chosen, kept while they serve, chosen anew, and the motion goes on through the change; positions
 * where the constraints lose their rank are said to be singular. */
#include "formulation/state_space.h"
#include "kinematics/sweep.h"
#include "model.h"

enum { MOST_Z = 32 };

typedef struct motion {
  int n;
  double h;
  double z[MOST_Z], zd[MOST_Z], zdd[MOST_Z];
  double jump, size; /* largest remainder of the trapezoidal rule between two nodes; largest rate of zdd */
} motion;

/* z_k - z_(k-1) = h (zd_k + zd_(k-1))/2 - h^3/12 zd'', and likewise of zd: a jump of any coordinate or rate would show. */
static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  motion *q = user;
  (void)t, (void)lam, (void)y;
  for (int j = 0; j < q->n; j++) {
    if (k > 20) { /* generalized-alpha begins with an acceleration of its own that is h too early */
      const double of_z = z[j] - q->z[j] - q->h / 2 * (zd[j] + q->zd[j]);
      const double of_zd = zd[j] - q->zd[j] - q->h / 2 * (zdd[j] + q->zdd[j]);
      q->jump = fmax(q->jump, fmax(fabs(of_z), fabs(of_zd)));
    }
    q->z[j] = z[j], q->zd[j] = zd[j], q->zdd[j] = zdd[j];
  }
  return 0;
}

/* Simulates; jump at a step, number of changes. */
static mbd_status run(const char *model, const char *integrator, double duration, double step, double *jump,
                      long *choices, double *drift, mbd_error *err) {
  mbd_sim *s;
  mbd_case c;
  double psi[2];
  test_model f = model_open(model);
  const int first = model_output(&f, "energy.total");
  const mbd_term term[] = {{.psi = 0, .output = first, .form = MBD_TERMINAL, .weight = 1},
                           {.psi = 1, .output = first, .form = MBD_INTEGRAL, .weight = 1 / duration}};
  mbd_case_init(&c);
  c.formulation = "matrix_r", c.integrator = integrator, c.duration = duration, c.step = step;
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(f.m, &c, f.o, 2, term, 2, 0, &s, err), MBD_OK);
  motion q = {.n = f.m->nz, .h = step};
  CU_ASSERT_FATAL(f.m->nz <= MOST_Z);
  const mbd_status status = mbd_sim_run(s, f.p, 0, NULL, psi, NULL, NULL, watch, &q, err);
  *jump = q.jump, *choices = mbd_sim_stats(s)->choices, *drift = fabs(psi[0] - psi[1]);
  mbd_sim_destroy(s), model_close(&f);
  return status;
}

/* The Euler parameters of a spinning top take turns. Halving the step, the remainders fall by 8, as those of a smooth motion
 * do; a jump would stay. */
static void test_goes_on(void) {
  static const char *const integrators[] = {"runge_kutta_4", "newmark", "generalized_alpha"};
  for (int i = 0; i < 3; i++) {
    double jump[2], drift[2];
    long choices[2];
    mbd_error err = {0};
    for (int half = 0; half < 2; half++) {
      CU_ASSERT_EQUAL(run("problems/heavy_top/heavy_top.ini", integrators[i], 0.4, half ? 2.5e-4 : 5e-4, &jump[half],
                          &choices[half], &drift[half], &err),
                      MBD_OK);
    }
    printf("(%s: %ld changes, largest remainder %.2g, then %.2g) ", integrators[i], choices[1], jump[0], jump[1]);
    CU_ASSERT(choices[0] > 3 && choices[1] > 3);
    CU_ASSERT(jump[1] < jump[0] / 6);
  }
}

/* The windows of a four-bar chain stay parallelograms, so that all angles turn evenly: by a right angle from the start all bars
 * are in line. A run comes as near as its steps have it. */
static void test_singular_position(void) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  double z[MOST_Z], zd[MOST_Z], fastest = 0;
  test_model f = model_open("problems/n_four_bar/n_four_bar.ini");
  mbd_case_init(&c);
  c.formulation = "matrix_r";
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(f.m, &c, f.o, 0, NULL, 0, 0, &s, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_sim_start(s, f.p, z, zd, NULL, NULL, &err), MBD_OK);
  sweep_position(s->p, s->w, z);
  CU_ASSERT_EQUAL(independent_choose(ss_of(s)->kin, s, &err), MBD_OK);
  for (int j = 0; j < f.m->nz; j++) { fastest = fmax(fastest, fabs(zd[j])); }
  for (int near = 0; near < 2; near++) {
    for (int j = 0; j < f.m->nz; j++) { s->now.z[j] = z[j] + (acos(-1) / 2 - (near ? 1e-7 : 1e-2)) * zd[j] / fastest; }
    sweep_position(s->p, s->w, s->now.z);
    CU_ASSERT_EQUAL(independent_factor(ss_of(s)->kin, s, &err), near ? MBD_SINGULAR : MBD_OK);
  }
  CHECK_CONTAINS(err.text, "singular position");
  CHECK_CONTAINS(err.text, "formulation = ali3p");
  mbd_sim_destroy(s), model_close(&f);
}

/* All that a choice consists of comes back from its numbers, the spread among it, which decides when the next one is due. */
static void test_save_and_restore(void) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  test_model f = model_open("tests/conformance/models/constraints.ini");
  mbd_case_init(&c);
  c.formulation = "matrix_r";
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(f.m, &c, f.o, 0, NULL, 0, 0, &s, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_sim_start(s, f.p, NULL, NULL, NULL, NULL, &err), MBD_OK);
  independent *q = ss_of(s)->kin;
  CU_ASSERT_EQUAL_FATAL(independent_choose(q, s, &err), MBD_OK);
  const int nf = q->nf;
  mbd_real *saved = calloc(independent_reals(q) + 1, sizeof *saved),
           *again = calloc(independent_reals(q) + 1, sizeof *again);
  CU_ASSERT_FATAL(q->nblock > 1);
  for (int i = 0; i < q->nblock; i++) { q->block[i].spread = 1.5 + i; }
  independent_save(q, saved);
  for (int i = 0; i < q->nblock; i++) {
    kin_block *b = &q->block[i];
    b->spread = 0;
    for (int k = 0; k < b->nrow; k++) { b->use[k] = b->nrow - 1 - k; }
    for (int k = 0; k < b->ncol; k++) { b->order[k] = b->ncol - 1 - k; }
  }
  independent_restore(q, saved);
  for (int i = 0; i < q->nblock; i++) { CU_ASSERT_EQUAL(q->block[i].spread, 1.5 + i); }
  independent_save(q, again);
  CU_ASSERT_EQUAL(memcmp(again, saved, independent_reals(q) * sizeof *saved), 0);
  CU_ASSERT_EQUAL(q->nf, nf);
  free(saved), free(again);
  mbd_sim_destroy(s), model_close(&f);
}

TEST_MAIN(TEST(test_goes_on), TEST(test_singular_position), TEST(test_save_and_restore))
