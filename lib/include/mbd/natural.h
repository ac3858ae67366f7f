/* A mechanism in natural coordinates (theory.md §4.1): places of points and components of unit vectors that bodies share, and the joint
 * coordinates that a force or a constraint names. */
#ifndef MBD_NATURAL_H
#define MBD_NATURAL_H

#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Variables, equations and their rank at the start of a case. */
typedef struct mbd_natural_report {
  int npoint, nvector; /* moving points and vectors, with three variables each */
  int ncoordinate;     /* added coordinates, with one variable each */
  int nangle;          /* number of these that are angles */
  int nvariable;
  const char **point, **vector,
      **coordinate;       /* their names, from the model file or made from those of a body or joint */
  int nphi, rank;         /* number of equations, and number of independent ones at the start */
  int nredundant;         /* nphi - rank */
  const char **redundant; /* names of the redundant ones; the choice among dependent equations is arbitrary */
  double
      difference; /* difference of the accelerations at the start from those of joint coordinates, relative to the largest or to 1;
                      * NaN: the case integrates no motion; infinite: they are not determined to working precision */
  void *own; /* of the library: the memory of the lists */
} mbd_natural_report;

/* The natural model of the case of `s` at its start, after mbd_sim_start with the parameters p. Its accelerations, where the case
 * integrates a motion, follow from its own mass matrices, constraints and forces.
 * out      to be freed with mbd_natural_report_free; zeroed on failure
 * returns  MBD_UNSUPPORTED: a force or a constraint names an Euler parameter, which is no natural coordinate; MBD_OUT_OF_DOMAIN: at
 *          these parameters the points and vectors chosen for a body lie in a plane; MBD_NO_MEMORY */
mbd_status mbd_sim_natural_sized(mbd_sim *s, const mbd_params *p, mbd_natural_report *out, size_t size, mbd_error *err);
void mbd_natural_report_free_sized(mbd_natural_report *r, size_t size);
static inline mbd_status mbd_sim_natural(mbd_sim *s, const mbd_params *p, mbd_natural_report *out, mbd_error *err) {
  return mbd_sim_natural_sized(s, p, out, sizeof *out, err);
}
static inline void mbd_natural_report_free(mbd_natural_report *r) {
  mbd_natural_report_free_sized(r, sizeof *r);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
