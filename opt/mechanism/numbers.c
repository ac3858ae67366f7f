#include "mechanism/numbers.h"

/* What computes numbers of one kind of section. */
typedef struct number_source {
  const char *kind;
  mbd_status (*output)(mechanism *m, const char *name, int *output, mbd_error *err);
  int (*are_used)(const mechanism *m);
  mbd_status (*evaluate)(mechanism *m, const double *rho, int gradient, mbd_error *err);
  void (*along)(mechanism *m, const double *w);
  mbd_status (*otherwise)(mechanism *m, const double *w, mbd_error *err);
  double (*value)(const mechanism *m, int output);
  const double *(*gradient)(const mechanism *m, int output);
  double (*change)(const mechanism *m, int output);
} number_source;

static const number_source sources[] = {
    {
        .kind = "mode",
        .output = modes_output,
        .are_used = modes_are_used,
        .evaluate = modes_evaluate,
        .along = modes_along,
        .otherwise = modes_complex_step,
        .value = modes_value,
        .gradient = modes_gradient,
        .change = modes_change,
    },
    {
        .kind = "experiment",
        .output = experiments_output,
        .are_used = experiments_are_used,
        .evaluate = experiments_evaluate,
        .along = experiments_along,
        .otherwise = experiments_differences,
        .value = experiments_value,
        .gradient = experiments_gradient,
        .change = experiments_change,
    },
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* Number k of source i is i + SOURCES k. */
static const number_source *source_of(int number) {
  return &sources[number % SOURCES];
}

mbd_status numbers_find(mechanism *m, const char *name, int *number, mbd_error *err) {
  *number = -1;
  for (int i = 0; i < SOURCES && *number < 0; i++) {
    int output;
    MBD_TRY(sources[i].output(m, name, &output, err));
    if (output >= 0) { *number = i + SOURCES * output; }
  }
  return MBD_OK;
}

const char *numbers_are_used(const mechanism *m) {
  for (int i = 0; i < SOURCES; i++) {
    if (sources[i].are_used(m)) { return sources[i].kind; }
  }
  return NULL;
}

mbd_status numbers_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err) {
  for (int i = 0; i < SOURCES; i++) { MBD_TRY(sources[i].evaluate(m, rho, gradient, err)); }
  return MBD_OK;
}

void numbers_along(mechanism *m, const double *w) {
  for (int i = 0; i < SOURCES; i++) { sources[i].along(m, w); }
}

mbd_status numbers_otherwise(mechanism *m, const double *w, mbd_error *err) {
  for (int i = 0; i < SOURCES; i++) { MBD_TRY(sources[i].otherwise(m, w, err)); }
  return MBD_OK;
}

double numbers_value(const mechanism *m, int number) {
  return source_of(number)->value(m, number / SOURCES);
}

const double *numbers_gradient(const mechanism *m, int number) {
  return source_of(number)->gradient(m, number / SOURCES);
}

double numbers_change(const mechanism *m, int number) {
  return source_of(number)->change(m, number / SOURCES);
}
