/* The libraries of several lanes, and the functions of mbd/lanes.h on their tables; only in libmbd. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lanes.h"

#ifdef MBD_LANES_FILE
#include <dlfcn.h>
#endif

struct mbd_lanes {
  void *library;
  const lanes_table *table;
  lanes *at;
};

/* The instructions of so many numbers, with which the library is built (cmake/lanes.cmake), if the processor lacks them; or NULL. */
static const char *instructions_missing(int width) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (width) {
    case 8:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl")
                 ? NULL
                 : "AVX-512";
    case 4: return __builtin_cpu_supports("avx2") ? NULL : "AVX2";
    default: return NULL;
  }
#else
  return width == 2 ? NULL : "vectors of that length";
#endif
}

/* Sets *table to that of the library, *library to its handle. Errors: MBD_BAD_INPUT: no such number; MBD_NOT_BUILT_IN: it cannot run here. */
static mbd_status open_library(int width, const lanes_table **table, void **library, mbd_error *err) {
  *library = NULL;
  if (width != 2 && width != 4 && width != 8) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%d lanes, expected 1, 2, 4 or 8", width);
  }
  const char *missing = instructions_missing(width);
  if (missing) { MBD_FAIL(err, MBD_NOT_BUILT_IN, "%d lanes: this processor lacks %s", width, missing); }
#ifdef MBD_LANES_FILE
  char name[sizeof MBD_LANES_FILE + 8];
  Dl_info file = {0};
  snprintf(name, sizeof name, MBD_LANES_FILE, width);
  *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (*library) {
    const lanes_table *t = *table = (const lanes_table *)dlsym(*library, "mbd_lanes_table");
    if (t && t->size == sizeof *t && strcmp(t->headers, MBD_LANES_HEADERS) == 0 && t->width == width) { return MBD_OK; }
    if (t) { dladdr(t, &file); }
    mbd_status status = MBD_FAILED(err, MBD_NOT_BUILT_IN,
                                   "%d lanes: %s is of another build than this program; install both from one package, "
                                   "or build the target mbd_lanes%d as well",
                                   width, file.dli_fname ? file.dli_fname : name, width);
    dlclose(*library);
    *library = NULL;
    return status;
  }
  const char *reason = dlerror();
#else
  (void)table;
  const char *reason = "this program was built without";
#endif
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "%d lanes: the library libmbd_lanes%d is missing, which is built where clang is installed (MBOPT_LANES): %s",
           width, width, reason);
}

static void close_library(void *library) {
#ifdef MBD_LANES_FILE
  if (library) { dlclose(library); }
#else
  (void)library;
#endif
}

mbd_status mbd_lanes_check(int width, mbd_error *err) {
  const lanes_table *table;
  void *library;
  MBD_TRY(open_library(width, &table, &library, err));
  close_library(library);
  return MBD_OK;
}

int mbd_lanes_width(int width_max) {
  for (int width = MBD_LANES_WIDTH_MAX; width > 1; width /= 2) {
    if ((width_max <= 0 || width <= width_max) && mbd_lanes_check(width, NULL) == MBD_OK) { return width; }
  }
  return 0;
}

mbd_status mbd_lanes_create_sized(int width, const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                                  const char *const *name, int nterm, const mbd_term *term, size_t term_size, int npsi,
                                  int np, mbd_lanes **out, mbd_error *err) {
  mbd_lanes *l = *out = (mbd_lanes *)calloc(1, sizeof *l);
  if (!l) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d lanes", width); }
  mbd_status status = open_library(width, &l->table, &l->library, err);
  if (status == MBD_OK) {
    status = l->table->create(s, c, case_size, nname, name, nterm, term, term_size, npsi, np, &l->at, err);
  }
  if (status != MBD_OK) {
    mbd_lanes_destroy(l);
    *out = NULL;
  }
  return status;
}

void mbd_lanes_destroy(mbd_lanes *l) {
  if (!l) { return; }
  if (l->at) { l->table->destroy(l->at); }
  close_library(l->library);
  free(l);
}

mbd_status mbd_lanes_run(mbd_lanes *l, const double *theta, const mbd_lanes_directions *d, double *psi, double *grad,
                         double *gn, mbd_lanes_observer observer, void *user, mbd_error *err) {
  return l->table->run(l->at, theta, d, psi, grad, gn, observer, user, err);
}

mbd_status mbd_lanes_adjoint_sized(mbd_lanes *l, const double *theta, const mbd_adjoint_options *o, size_t size,
                                   double *psi, double *gtheta, mbd_lanes_observer observer, void *user,
                                   mbd_error *err) {
  return l->table->adjoint(l->at, theta, o, size, psi, gtheta, observer, user, err);
}

void mbd_lanes_watch(mbd_lanes *l, int all) {
  l->table->watch(l->table->look(l->at, 0), all);
}

void mbd_lanes_watch_outputs(mbd_lanes *l, const unsigned char *seen) {
  l->table->watch_outputs(l->table->look(l->at, 0), seen);
}

void mbd_lanes_as_with_gradient(mbd_lanes *l, int on) {
  l->table->as_with_gradient(l->table->look(l->at, 0), on);
}

const mbd_stats *mbd_lanes_stats(const mbd_lanes *l) {
  return l->table->stats(l->table->look(l->at, 0));
}

const mbd_warning *mbd_lanes_warning(mbd_lanes *l, int lane, int i) {
  return l->table->warning(l->table->look(l->at, lane), i);
}

int mbd_lanes_warned_together(const mbd_lanes *l) {
  return l->table->warned_together(l->at);
}

void mbd_lanes_check_directions(mbd_lanes *l, int lane, int n, const char *const *name, const int *start,
                                const int *index, const double *value) {
  l->table->check_directions(l->at, lane, n, name, start, index, value);
}

int mbd_lanes_true_value(mbd_lanes *l, int lane, int psi, double *value, double *time, double *range) {
  return l->table->true_value(l->table->look(l->at, lane), psi, value, time, range);
}

const mbd_samples *mbd_lanes_measured(mbd_lanes *l, int lane, int psi, double *y, double *yp) {
  return l->table->measured(l->table->look(l->at, lane), psi, y, yp);
}

double mbd_lanes_growth(const mbd_lanes *l, double *time) {
  return l->table->growth(l->table->look(l->at, 0), time);
}

int mbd_lanes_undetermined(const mbd_lanes *l, int o) {
  return l->table->undetermined(l->table->look(l->at, 0), o);
}
