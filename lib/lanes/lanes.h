/* What a library of several lanes exports: one table of the functions of mbd/lanes.h, under the name mbd_lanes_table. Its objects are `lanes`. */
#ifndef MBD_LANES_TABLE_H
#define MBD_LANES_TABLE_H

#include "mbd/lanes.h"

/* The version of the program and a hash of its headers (cmake/lanes.cmake). A library reads descriptions that libmbd has made, by structures that both know. */
#ifndef MBD_LANES_HEADERS
#define MBD_LANES_HEADERS "unknown"
#endif

typedef struct lanes lanes;

typedef struct lanes_table {
  size_t size;         /* of this table */
  const char *headers; /* MBD_LANES_HEADERS */
  int width;
  mbd_status (*create)(const mbd_spec *s, const mbd_case *c, size_t case_size, int nname, const char *const *name,
                       int nterm, const mbd_term *term, size_t term_size, int npsi, int np, lanes **out,
                       mbd_error *err);
  void (*destroy)(lanes *l);
  mbd_status (*run)(lanes *l, const double *theta, const mbd_lanes_directions *d, double *psi, double *grad, double *gn,
                    mbd_lanes_observer observer, void *user, mbd_error *err);
  mbd_status (*adjoint)(lanes *l, const double *theta, const mbd_adjoint_options *o, size_t size, double *psi,
                        double *gtheta, mbd_lanes_observer observer, void *user, mbd_error *err);
  /* The simulation that mbd_sim_... read; lane: that whose numbers they hand out. */
  mbd_sim *(*look)(lanes *l, int lane);
  void (*watch)(mbd_sim *s, int all);
  void (*watch_outputs)(mbd_sim *s, const unsigned char *seen);
  void (*as_with_gradient)(mbd_sim *s, int on);
  const mbd_stats *(*stats)(const mbd_sim *s);
  const mbd_warning *(*warning)(const mbd_sim *s, int i);
  int (*warned_together)(const lanes *l);
  void (*check_directions)(lanes *l, int lane, int n, const char *const *name, const int *start, const int *index,
                           const double *value);
  int (*true_value)(const mbd_sim *s, int psi, double *value, double *time, double *range);
  const mbd_samples *(*measured)(const mbd_sim *s, int psi, double *y, double *yp);
  double (*growth)(const mbd_sim *s, double *time);
  int (*undetermined)(const mbd_sim *s, int o);
} lanes_table;

#endif
