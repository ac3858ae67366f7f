/* Records of states, warnings, and the derivative of a node by the stretch of the time (sim.h).
 * Equations: theory.md §7.4 (7.8). */
#include "state/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void sim_into_record(mbd_real **at, mbd_real *x, int n) {
  memcpy(*at, x, (size_t)n * sizeof *x);
  *at += n;
}

void sim_from_record(mbd_real **at, mbd_real *x, int n) {
  memcpy(x, *at, (size_t)n * sizeof *x);
  *at += n;
}

void sim_warn(mbd_sim *s, const char *kind, double time, const char *format, ...) {
  va_list list;
  mbd_warning *warning = s->warning[s->design];
  int i = 0, *n = &s->nwarning[s->design]; /* each kind once */
  s->warned_together |= !s->each;
  while (i < *n && strcmp(warning[i].kind, kind) != 0) { i++; }
  if (i < *n || i == MBD_WARNINGS) { return; }
  warning += (*n)++;
  *warning = (mbd_warning){.kind = kind, .time = time};
  va_start(list, format);
  vsnprintf(warning->text, sizeof warning->text, format, list);
  va_end(list);
}

const mbd_warning *mbd_sim_warning(const mbd_sim *s, int i) {
  return i >= 0 && i < s->nwarning[s->design] ? &s->warning[s->design][i] : NULL;
}

double sim_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

mbd_status sim_at_time(mbd_status status, const mbd_sim *s, mbd_error *err) {
  if (status != MBD_OK && err) { err->time = mbd_first(s->t); }
  return status;
}

void sim_stretch_history(const mbd_sim *s, int n, const sim_state *before, const mbd_real *star_v,
                         const mbd_real *star_a, mbd_real *v, mbd_real *a) {
  const mbd_scheme *scheme = &s->scheme;
  const int np = s->np;
  for (int k = 0; k < np; k++) {
    const mbd_real stretch = s->stretch[k];
    for (int j = 0; mbd_any(stretch != 0) && j < n; j++) {
      mbd_real dv = scheme->v_zd * before->zd[j] + 2 * scheme->v_zdd * before->zdd[j] - star_v[j];
      mbd_real da = scheme->a_zd * before->zd[j] + 2 * (scheme->a_zdd * before->zdd[j] - star_a[j]);
      if (scheme->has_acc) { dv += 2 * scheme->v_acc * before->acc[j], da += 2 * scheme->a_acc * before->acc[j]; }
      v[j * np + k] += stretch * dv;
      a[j * np + k] += stretch * da;
    }
  }
}

/* A direction of the coordinates alone does not stretch the time. */
static void stretch_time(mbd_sim *s, int k) {
  motion_stretch(s->w, s->d[k] ? s->stretch[k] : 0);
}

void sim_vary(mbd_sim *s, int k) {
  motion_along(s->w, s->d[k], NULL, NULL, NULL);
  stretch_time(s, k);
}

void sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp) {
  const int n = s->m->nz, np = s->np;
  for (int j = 0; j < n; j++) { s->column_z[j] = zp[j * np + k]; }
  for (int j = 0; zdp && j < n; j++) { s->column_zd[j] = zdp[j * np + k]; }
  motion_along(s->w, s->d[k], s->column_z, zdp ? s->column_zd : NULL, NULL);
  stretch_time(s, k);
}
