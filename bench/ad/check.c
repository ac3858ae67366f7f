/* The residual of each build with a scalar class against libmbd's, at 1e-13 of its largest entry; derivatives of it, forward and in
 * reverse, against the analytic ones, at 1e-10. At states that no symmetry makes simple, with multipliers. */
#include <stdlib.h>
#include <string.h>

#include "model/params.h"
#include "tangents.h"

enum { STATES = 3 };

typedef struct checked {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_work *w;
  ad_model *ad;
  double *theta, *z, *zd, *zdd, *lam, *phi, *r, *got; /* [ncoef], [nz], [nphi] */
  double *K, *C, *J;                                  /* [nz][nz], [nz][2 nz] */
  int *each;                                          /* [2 nz] */
  mbd_arena arena;
} checked;

static void layout(checked *q, mbd_arena *a) {
  const size_t n = (size_t)q->m->nz + 1, m = (size_t)q->m->nphi + 1;
  q->theta = mbd_arena_real(a, (size_t)q->m->ncoef + 1);
  MBD_ARENA_REALS(a, n, &q->z, &q->zd, &q->zdd, &q->r, &q->got);
  MBD_ARENA_REALS(a, m, &q->lam, &q->phi);
  MBD_ARENA_REALS(a, n * n, &q->K, &q->C);
  q->J = mbd_arena_real(a, 2 * n * n);
  q->each = mbd_arena_take(a, 2 * n * sizeof *q->each);
}

static double wave(int i, int k, double phase) {
  return sin(phase + 1.7 * i + 0.9 * k);
}

static ad_point make_state(checked *q, int k) {
  for (int j = 0; j < q->m->nz; j++) {
    q->z[j] = 0.4 + 0.3 * wave(j, k, 0.2), q->zd[j] = wave(j, k, 1.1), q->zdd[j] = 2 * wave(j, k, 2.3);
  }
  for (int i = 0; i < q->m->nphi; i++) { q->lam[i] = 3 * wave(i, k, 0.7); }
  return (ad_point){0.1 + 0.05 * k, q->z, q->zd, q->zdd, q->lam};
}

/* Largest difference, of the largest entry. */
static double difference(int n, const double *got, const double *request) {
  double off = 0, size = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(got[i]) < INFINITY)) { return INFINITY; }
    off = fmax(off, fabs(got[i] - request[i])), size = fmax(size, fabs(request[i]));
  }
  return size > 0 ? off / size : off;
}

static double jacobian_difference(const checked *q, const double *J) {
  const int n = q->m->nz;
  double off = 0, size = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      off = fmax(off, fmax(fabs(J[2 * i * n + j] - q->K[i * n + j]), fabs(J[(2 * i + 1) * n + j] - q->C[i * n + j])));
      size = fmax(size, fmax(fabs(q->K[i * n + j]), fabs(q->C[i * n + j])));
    }
  }
  return size > 0 ? off / size : off;
}

/* Largest differences at all states: value, forward, reverse. */
static void compare(checked *q, const ad_ops *ops, double worst[3]) {
  const int n = q->m->nz;
  for (int k = 0; k < STATES; k++) {
    const ad_point at = make_state(q, k);
    const motion_rows rows = motion_constraints(q->m);
    const motion_terms e = motion_equations(rows, q->lam);
    motion_place(q->w, q->p, at.t, at.z);
    motion_move(q->w, at.zd, at.zdd, 1);
    motion_residual_held(q->w, rows, at.lam, q->phi, q->r);
    motion_jacobian(q->w, &e, NULL, q->K, q->C, NULL, NULL);
    ops->value(q->ad, &at, q->got);
    worst[0] = fmax(worst[0], difference(n, q->got, q->r));
    ops->forward(q->ad, &at, &(ad_seeds){2 * n, q->each}, q->J);
    worst[1] = fmax(worst[1], jacobian_difference(q, q->J));
    if (!ops->reverse) { continue; }
    ops->reverse(q->ad, &at, q->J);
    worst[2] = fmax(worst[2], jacobian_difference(q, q->J));
  }
}

static int check_scalar(checked *q, const ad_ops *ops, const char *path) {
  double worst[3] = {0};
  mbd_error err = {0};
  q->ad = ops->open(mbo_model_file_spec(q->file), q->theta, &err);
  if (!q->ad) {
    printf("%-50s %-13s %s\n", path, ops->name, err.text);
    return 1;
  }
  compare(q, ops, worst);
  ops->close(q->ad);
  const int bad = !(worst[0] <= 1e-13 && worst[1] <= 1e-10 && worst[2] <= 1e-10);
  printf("%-50s %-13s %9.1e %9.1e ", path, ops->name, worst[0], worst[1]);
  ops->reverse ? printf("%9.1e", worst[2]) : printf("%9s", "-");
  printf("%s\n", bad ? "   FAILED" : "");
  return bad;
}

int check_model(const char *path) {
  checked q = {0};
  mbd_error err = {0};
  if (mbo_model_file_read(path, 0, NULL, NULL, &q.file, &err) != MBD_OK) {
    printf("%-50s FAILED: %s\n", path, err.text);
    return 1;
  }
  bench_must(mbd_model_create(mbo_model_file_spec(q.file), &q.m, &err), &err);
  bench_must(mbd_params_create(q.m, NULL, &q.p, &err), &err);
  bench_must(mbd_work_create(q.m, MBD_RTDYN1, &q.w, &err), &err);
  while (mbd_arena_pass(&q.arena)) { layout(&q, &q.arena); }
  bench_must(mbd_arena_check(&q.arena, "a comparison", &err), &err);
  memcpy(q.theta, q.p->theta, (size_t)q.m->ncoef * sizeof *q.theta);
  for (int j = 0; j < 2 * q.m->nz; j++) { q.each[j] = j; }
  int bad = check_scalar(&q, ad_dual(), path);
#ifdef BENCH_HAVE_ADOLC
  bad += check_scalar(&q, ad_adolc(), path);
#endif
  mbd_work_destroy(q.w), mbd_params_destroy(q.p), mbd_model_destroy(q.m), mbo_model_file_destroy(q.file);
  free(q.arena.base);
  return bad;
}
