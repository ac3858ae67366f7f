/* Models for tests: a file of the repository or a text, opened with its values and a list of outputs. Where that fails the
 * program ends with the reason. */
#ifndef MBOPT_TEST_MODEL_H
#define MBOPT_TEST_MODEL_H

#include <stdint.h>

#include "config/model_file.h"
#include "edited.h"
#include "mbd/output.h"
#include "mbd/params.h"
#include "mbd/simulate.h"

typedef struct test_model {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;  /* nominal values */
  mbd_outputs *o; /* none yet */
} test_model;

/* Takes over the file. */
static inline test_model model_from(mbo_model_file *file) {
  test_model q = {.file = file};
  mbd_error err = {0};
  must(mbd_model_create(mbo_model_file_spec(q.file), &q.m, &err), &err);
  must(mbd_params_create(q.m, NULL, &q.p, &err), &err);
  must(mbd_outputs_create(q.m, &q.o, &err), &err);
  return q;
}

/* A file by its path, with n of its scalars replaced. */
static inline test_model model_read(const char *path, int n, const char *const *scalar, const char *const *value) {
  mbo_model_file *file;
  mbd_error err = {0};
  must(read_model_file(path, n, scalar, value, &file, &err), &err);
  return model_from(file);
}

/* A file below the root of the repository. */
static inline test_model model_open_with(const char *file, int n, const char *const *scalar, const char *const *value) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  return model_read(path, n, scalar, value);
}
static inline test_model model_open(const char *file) {
  return model_open_with(file, 0, NULL, NULL);
}

/* Such a file with lines added at its end. */
static inline test_model model_open_more(const char *file, int n, const char *const *scalar, const char *const *value,
                                         const char *lines) {
  char path[] = "/tmp/mbopt_model_XXXXXX", from[512], text[8000], all[16000];
  snprintf(from, sizeof from, "%s/%s", MBOPT_SOURCE_DIR, file);
  FILE *in = fopen(from, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  CU_ASSERT_FATAL(feof(in));
  fclose(in);
  edit(all, sizeof all, text, "", lines);
  write_file(path, all);
  const test_model q = model_read(path, n, scalar, value);
  unlink(path);
  return q;
}

/* The text of a model file. */
static inline test_model model_open_text(const char *text) {
  mbo_model_file *file;
  mbd_error err = {0};
  must(read_model(text, &file, &err), &err);
  return model_from(file);
}

static inline test_model model_open_parts(const char *text, const char *more) {
  char all[8000];
  edit(all, sizeof all, text, "", more);
  return model_open_text(all);
}

/* What the compiler of models says of a well-formed model file in two parts. */
static inline mbd_status model_compile(const char *text, const char *more, mbd_error *err) {
  char all[8000];
  mbo_model_file *file;
  mbd_model *m = NULL;
  edit(all, sizeof all, text, "", more);
  must(read_model(all, &file, err), err);
  const mbd_status status = mbd_model_create(mbo_model_file_spec(file), &m, err);
  mbd_model_destroy(m), mbo_model_file_destroy(file);
  return status;
}

static inline void model_close(test_model *q) {
  mbd_outputs_destroy(q->o), mbd_params_destroy(q->p), mbd_model_destroy(q->m), mbo_model_file_destroy(q->file);
}

/* One more output; returns the number of its first value. */
static inline int model_output(const test_model *q, const char *name) {
  mbd_error err = {0};
  int first, count;
  must(mbd_outputs_add(q->o, name, &first, &count, &err), &err);
  return first;
}

/* A case of the model that is refused with that message. */
static inline void check_refused(const test_model *q, const mbd_case *c, const char *message) {
  mbd_error err = {0};
  mbd_sim *s;
  CU_ASSERT_EQUAL(mbd_sim_create(q->m, c, q->o, 0, NULL, 0, 0, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, message);
}

/* Outputs y [n], at most 16, at the end of a run; stats may be NULL. */
static inline void model_outputs_at_end(const test_model *q, int n, const char *const *name, double duration,
                                        double step, double *y, mbd_stats *stats) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  mbd_term t[16];
  for (int i = 0; i < n; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(q, name[i]), .form = "terminal", .weight = 1};
  }
  mbd_case_init(&c);
  c.duration = duration, c.step = step;
  must(mbd_sim_create(q->m, &c, q->o, n, t, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, y, NULL, NULL, NULL, NULL, &err), &err);
  if (stats) { *stats = *mbd_sim_stats(s); }
  mbd_sim_destroy(s);
}

/* ---- cases and directions ---- */

/* Forms of objectives in their table, of which tests keep room for so many. */
enum { MAX_FORMS = 16 };
static inline int form_count(void) {
  int n = 0;
  while (mbd_form_name(n)) { n++; }
  CU_ASSERT_FATAL(n <= MAX_FORMS);
  return n;
}

static inline mbd_case case_lasting(double duration, double step) {
  mbd_case c;
  mbd_case_init(&c);
  c.duration = duration, c.step = step;
  return c;
}

/* Evenly between -1 and 1, the same in every run. */
static inline double any(void) {
  static uint64_t x = 88172645463325252U;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return (double)(x >> 11) / 4503599627370496.0 - 1;
}

/* Size of n errors, each relative to 1 + |want|: root of the mean square. */
static inline double size_of_errors(int n, const double *y, const double *expected) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += pow((y[i] - expected[i]) / (1 + fabs(expected[i])), 2); }
  return sqrt(sum / n);
}

/* Every scalar of the model that can vary, or every coefficient, as a direction of its own in the coefficients. */
typedef struct test_directions {
  int n;
  const char **name; /* [n] */
  double *at;        /* [n] its value */
  double *theta;     /* [ncoef] */
  /* Direction k moves the coefficients index[start[k] .. start[k+1]-1] by value[...]. */
  const int *start, *index;
  const double *value;
  int *numbers; /* what start, index and value are in where the file does not have them */
  double *ones;
} test_directions;

static inline test_directions directions_of_coefficients(const test_model *q) {
  const int n = mbd_model_ncoef(q->m);
  test_directions d = {.n = n, .name = calloc((size_t)n + 1, sizeof *d.name)};
  d.at = calloc((size_t)n + 1, sizeof *d.at), d.theta = calloc((size_t)n + 1, sizeof *d.theta);
  d.start = d.index = d.numbers = calloc((size_t)n + 1, sizeof *d.numbers);
  d.value = d.ones = calloc((size_t)n + 1, sizeof *d.ones);
  for (int k = 0; k <= n; k++) { d.numbers[k] = k, d.ones[k] = 1; }
  for (int k = 0; k < n; k++) {
    d.name[k] = mbd_model_coef_name(q->m, k);
    d.at[k] = d.theta[k] = mbd_model_nominal(q->m, k);
  }
  return d;
}

/* From now on the scalars are what varies, but for those that number what is repeated. */
static inline test_directions directions_of_scalars(const test_model *q) {
  const int all = mbo_model_file_nscalar(q->file);
  mbd_error err = {0};
  test_directions d = {.name = calloc((size_t)all + 1, sizeof *d.name)};
  d.at = calloc((size_t)all + 1, sizeof *d.at);
  d.theta = calloc((size_t)mbd_model_ncoef(q->m) + 1, sizeof *d.theta);
  for (int k = 0; k < all; k++) {
    if (q->file->scalar[k].fixed) { continue; }
    d.name[d.n] = mbo_model_file_scalar(q->file, k, &d.at[d.n]);
    d.n++;
  }
  must(mbo_model_file_vary(q->file, d.n, d.name, &err), &err);
  must(mbo_model_file_eval(q->file, d.at, d.theta, &d.start, &d.index, &d.value, &err), &err);
  return d;
}

static inline void directions_free(test_directions *d) {
  free(d->name), free(d->at), free(d->theta), free(d->numbers), free(d->ones);
}

/* dtheta [ncoef] := any change of all of them, in proportion to their sizes */
static inline void directions_any(const test_directions *d, double *dtheta) {
  for (int k = 0; k < d->n; k++) {
    const double change = any() * fmax(0.1, fabs(d->at[k]));
    for (int i = d->start[k]; i < d->start[k + 1]; i++) { dtheta[d->index[i]] += change * d->value[i]; }
  }
}

/* An observer that lets a run go on. So the run is one that is shown: some warnings are given there alone. */
static inline int observe(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                          const double *lam, const double *y) {
  (void)user, (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return 0;
}

/* The warning of that kind of the last run; NULL: there is none. */
static inline const mbd_warning *warning_of(const mbd_sim *s, const char *kind) {
  const mbd_warning *w;
  for (int i = 0; (w = mbd_sim_warning(s, i)) != NULL; i++) {
    if (strcmp(w->kind, kind) == 0) { return w; }
  }
  return NULL;
}

/* All coefficients along dtheta [ncoef]; NULL: none of them. */
static inline mbd_dparams *direction_along(const test_model *q, const double *dtheta) {
  const int n = mbd_model_ncoef(q->m);
  mbd_error err = {0};
  mbd_dparams *d;
  int *index = calloc((size_t)n + 1, sizeof *index);
  for (int i = 0; i < n; i++) { index[i] = i; }
  must(mbd_dparams_create(q->m, &d, &err), &err);
  mbd_dparams_set(d, q->p, dtheta ? n : 0, index, dtheta);
  free(index);
  return d;
}

#endif
