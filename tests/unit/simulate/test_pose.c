/* Where the bodies are, for observers: points computed from poses are the outputs, with every formulation. */
#include "mbd/picture.h"
#include "mbo/model_file.h"
#include "formulation/formulation.h"
#include "test.h"

typedef struct watcher {
  const mbd_sim *s;
  mbd_place point; /* P2 */
  int calls;
  double worst, moved;
  double first[3];
} watcher;

static int compare(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  watcher *w = user;
  double o[3], A[9];
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  CU_ASSERT_EQUAL(k, w->calls);
  mbd_sim_pose(w->s, w->point.body, o, A);
  for (int i = 0; i < 3; i++) {
    const double x = o[i] + A[3 * i] * w->point.x[0] + A[3 * i + 1] * w->point.x[1] + A[3 * i + 2] * w->point.x[2];
    if (k == 0) { w->first[i] = x; }
    w->worst = fmax(w->worst, fabs(x - y[i]));
    w->moved = fmax(w->moved, fabs(x - w->first[i]));
  }
  w->calls++;
  return 0;
}

static void run(const mbd_model *m, const mbd_params *p, const mbd_outputs *o, const char *formulation, int *runs) {
  watcher w = {0};
  mbd_case c;
  mbd_sim *s;
  mbd_error err = {0};
  mbd_case_init(&c);
  c.duration = 0.5, c.step = 0.01, c.formulation = formulation;
  if (mbd_sim_create(m, &c, o, 0, NULL, 0, 0, &s, &err) == MBD_UNSUPPORTED) { return; } /* of closed loops */
  CU_ASSERT_PTR_NOT_NULL_FATAL(s);
  for (int i = 0; i < mbd_model_npoint(m); i++) {
    CU_ASSERT(mbd_params_point(p, i, 0, &w.point));
    if (strcmp(w.point.name, "P2") == 0) { break; }
  }
  w.s = s;
  must(mbd_sim_run(s, p, 0, NULL, NULL, NULL, NULL, compare, &w, &err), &err);
  CU_ASSERT_EQUAL(mbd_sim_steps(s), 50);
  CU_ASSERT_EQUAL(w.calls, 51);
  CHECK_CLOSE(formulation, w.worst, 0, 1e-14);
  CU_ASSERT(w.moved > 0.1);
  mbd_sim_destroy(s);
  ++*runs;
}

static void test_every_formulation(void) {
  mbo_model_file *f;
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_error err = {0};
  int first, count, runs = 0;
  must(mbo_model_file_read(MBOPT_SOURCE_DIR "/problems/five_bar/five_bar.ini", 0, NULL, NULL, &f, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(f), &m, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  must(mbd_outputs_create(m, &o, &err), &err);
  must(mbd_outputs_add(o, "P2.position", &first, &count, &err), &err);
  for (int i = 0; mbd_formulation_at(i); i++) { run(m, p, o, mbd_formulation_at(i)->name, &runs); }
  CU_ASSERT(runs >= 3);
  mbd_outputs_destroy(o), mbd_params_destroy(p), mbd_model_destroy(m), mbo_model_file_destroy(f);
}

static void test_ground(void) {
  mbo_model_file *f;
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_sim *s;
  mbd_case c;
  mbd_error err = {0};
  double x[3], A[9];
  mbd_case_init(&c);
  must(mbo_model_file_read(MBOPT_SOURCE_DIR "/problems/pendulum/pendulum.ini", 0, NULL, NULL, &f, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(f), &m, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  must(mbd_outputs_create(m, &o, &err), &err);
  must(mbd_sim_create(m, &c, o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, p, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_pose(s, 0, x, A);
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("ground", A[i] + (i < 3 ? x[i] : 0), i % 4 == 0, 0); }
  mbd_sim_destroy(s), mbd_outputs_destroy(o), mbd_params_destroy(p), mbd_model_destroy(m), mbo_model_file_destroy(f);
}

TEST_MAIN(TEST(test_every_formulation), TEST(test_ground))
