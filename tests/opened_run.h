/* A run file, read and made ready to be evaluated. Where that fails the program ends with the reason. */
#ifndef MBOPT_TEST_OPENED_RUN_H
#define MBOPT_TEST_OPENED_RUN_H

#include "edited.h"
#include "mechanism/mechanism.h"

typedef struct opened_run {
  mbo_run_config *config;
  mechanism *m;
} opened_run;

/* A file by its path, with n settings SECTION.KEY=VALUE. */
static inline opened_run run_read(const char *path, int n, const char *const *set) {
  opened_run r;
  mbd_error err = {0};
  must(mbo_run_config_read(path, n, set, &r.config, &err), &err);
  must(mechanism_create(r.config, &r.m, &err), &err);
  return r;
}

/* A file below the root of the repository. */
static inline opened_run run_open(const char *file, int n, const char *const *set) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  return run_read(path, n, set);
}

static inline void run_close(opened_run *r) {
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
}

/* ---- texts: of a model file, and of a run file in which MODEL stands for its path; both files are gone afterwards ---- */

static inline void run_write_texts(const char *model, const char *run, char *model_path, char *run_path) {
  char whole[4000];
  strcpy(model_path, "/tmp/mbopt_model_XXXXXX"), strcpy(run_path, "/tmp/mbopt_run_XXXXXX");
  write_file(model_path, model);
  edit(whole, sizeof whole, run, "MODEL", model_path);
  write_file(run_path, whole);
}

static inline opened_run run_open_texts(const char *model, const char *run, int n, const char *const *set) {
  char model_path[40], run_path[40];
  run_write_texts(model, run, model_path, run_path);
  const opened_run r = run_read(run_path, n, set);
  unlink(run_path), unlink(model_path);
  return r;
}

/* The run file alone, with n settings. */
static inline mbd_status run_read_texts(const char *model, const char *run, int n, const char *const *set,
                                        mbo_run_config **c, mbd_error *err) {
  char model_path[40], run_path[40];
  run_write_texts(model, run, model_path, run_path);
  const mbd_status status = mbo_run_config_read(run_path, n, set, c, err);
  unlink(run_path), unlink(model_path);
  return status;
}

/* Each of the n edits of the run file is refused with its message, which names the file: as it is read, or where the mechanism is made. */
static inline void check_broken_runs(const char *model, const char *run, size_t n, const broken_case *cases) {
  for (size_t i = 0; i < n; i++) {
    char text[4000], model_path[40], run_path[40];
    opened_run r = {0};
    mbd_error err = {0};
    edit(text, sizeof text, run, cases[i].from, cases[i].to);
    run_write_texts(model, text, model_path, run_path);
    mbd_status status = mbo_run_config_read(run_path, 0, NULL, &r.config, &err);
    if (status == MBD_OK) { status = mechanism_create(r.config, &r.m, &err); }
    CU_ASSERT_EQUAL(status, MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, run_path);
    CHECK_CONTAINS(err.text, cases[i].message);
    run_close(&r);
    unlink(run_path), unlink(model_path);
  }
}

/* A run file in which the root of the repository takes the place of %s; it is gone afterwards. */
static inline opened_run run_open_rooted(const char *text) {
  char path[] = "/tmp/mbopt_run_XXXXXX", whole[4000];
  snprintf(whole, sizeof whole, text, MBOPT_SOURCE_DIR);
  write_file(path, whole);
  const opened_run r = run_read(path, 0, NULL);
  unlink(path);
  return r;
}

/* A mechanism with modes at x. 0: the build has no LAPACK, by which modes are computed. */
static inline int run_evaluate_modes(opened_run *r, const double *x, const char *method) {
  mbd_error err = {0};
  const mbd_status status = mechanism_evaluate(r->m, x, method, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
    return 0;
  }
  must(status, &err);
  return 1;
}

/* The problem at x, whose results belong to v. */
static inline void run_evaluate(const mbo_problem *p, const double *x, unsigned request, mbo_eval *v) {
  mbd_error err = {0};
  must(p->eval(p->user, x, request, v, &err), &err);
}

/* Outputs y [n] at the end of the run of a text without them, which has one design variable; at its start, with settings. */
static inline void run_to_end(const char *text, int n, const char *const *of, int nset, const char *const *set,
                              double *y) {
  enum { MAX = 16 };
  char path[] = "/tmp/mbopt_run_XXXXXX", whole[4000];
  size_t used = (size_t)snprintf(whole, sizeof whole, "%s", text);
  for (int i = 0; i < n && used < sizeof whole; i++) {
    used += (size_t)snprintf(whole + used, sizeof whole - used,
                             "[constraint c%d]\nof = %s\nform = terminal\nupper = 100\n", i, of[i]);
  }
  CU_ASSERT_FATAL(used < sizeof whole && n <= MAX);
  write_file(path, whole);
  opened_run r = run_read(path, nset, set);
  mbo_problem p;
  double g[1], jac[MAX];
  mbo_eval v = {.c = y, .g = g, .jac = jac};
  mechanism_problem(r.m, &p);
  CU_ASSERT_FATAL(p.n == 1 && p.nc == n);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE, &v);
  run_close(&r);
  unlink(path);
}

/* Direct differentiation and discrete adjoint against the complex step at the start of a run, every component by itself. Closes it and returns the
 * number of variables. */
static inline int run_check_gradients_of(opened_run *run) {
  static const char *const method[] = {"complex_step", "direct", "discrete_adjoint"};
  mbd_error err = {0};
  opened_run r = *run;
  const int nq = r.m->nobjective + r.m->nconstraint, n = r.m->n;
  double *exact = malloc((size_t)(nq * n) * sizeof *exact), worst = 0;
  for (int k = 0; k < 3; k++) {
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    if (k == 0) { memcpy(exact, r.m->grad, (size_t)(nq * n) * sizeof *exact); }
    for (int i = 0; i < nq * n; i++) {
      double scale = 0;
      for (int j = 0; j < n; j++) { scale = fmax(scale, fabs(exact[i / n * n + j] * r.m->scale[j])); }
      CU_ASSERT(scale > 1e-3 * fabs(r.m->psi[i / n])); /* it matters */
      CHECK_NEAR(r.m->name[i % n], r.m->grad[i] * r.m->scale[i % n], exact[i] * r.m->scale[i % n], scale, 1e-9);
      worst = fmax(worst, fabs(r.m->grad[i] - exact[i]) * r.m->scale[i % n] / scale);
    }
  }
  printf("(%.2g) ", worst);
  free(exact);
  run_close(&r);
  return n;
}

/* The same of a file below the root of the repository, with n settings. */
static inline int run_check_gradients(const char *file, int nset, const char *const *set) {
  opened_run r = run_open(file, nset, set);
  return run_check_gradients_of(&r);
}

#endif
