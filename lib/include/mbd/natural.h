/* A mechanism in natural coordinates: places of points and components of unit vectors that bodies share, and the joint coordinates that
 * a force or a constraint names (theory.md §4.1). */
#ifndef MBD_NATURAL_H
#define MBD_NATURAL_H

#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Variables, equations, and what they leave free at the start of a case. */
typedef struct mbd_natural_report {
  int npoint, nvector; /* that move: three variables each */
  int ncoordinate;     /* added coordinates: one variable each, */
  int nangle;          /* and how many of them are angles */
  int nvariable;
  const char **point, **vector, **coordinate; /* their names: of the model file, or of a body or joint */
  int nphi, rank;                             /* equations, and how many of them are independent at the start */
  int nredundant;                             /* nphi - rank */
  const char **redundant;                     /* their names; of dependent ones some are chosen */
  double
      difference; /* of the accelerations at the start from those by joint coordinates, relative to the largest or to 1;
                      * NaN: the case integrates no motion; infinite: they are not determined to working precision */
  void *own;      /* memory of all that */
} mbd_natural_report;

/* The natural model of the case of `s` at its start, after mbd_sim_start with the parameters p. Its accelerations, where the case
 * integrates a motion, follow from its own mass matrices, constraints and forces.
 * out      to be freed with mbd_natural_report_free; zeroed on failure
 * returns  MBD_UNSUPPORTED: a force or a constraint names an Euler parameter, which natural coordinates have not; MBD_OUT_OF_DOMAIN: at
 *          these parameters the points and vectors chosen for a body lie in a plane; MBD_NO_MEMORY */
mbd_status mbd_sim_natural(mbd_sim *s, const mbd_params *p, mbd_natural_report *out, mbd_error *err);
void mbd_natural_report_free(mbd_natural_report *r);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
