/* Lanes: several designs of one mechanism are simulated, and differentiated, in lockstep by the vector instructions of the processor.
 *
 * A library of its own for each number of lanes W = 2, 4, 8, libmbd_lanesW, holds the sources of libmbd built by clang with a scalar of W numbers
 * (base/designs.h). It is loaded where it is installed and the processor can run it:
 *   const int W = mbd_lanes_width(0);                                            0: one design at a time
 *   if (W) { status = mbd_lanes_create(W, spec, &case, nname, name, nterm, term, npsi, np, &lanes, err); }
 *   status = mbd_lanes_run(lanes, theta, NULL, psi, NULL, NULL, NULL, NULL, err);   theta [W][ncoef], psi [W][npsi]
 * The same design in all lanes has the bits of mbd_sim_run, of a case without sparse matrices and LAPACK. Different ones share what is decided once for all
 * of them: when Newton's iteration ends (the slowest decides, so that the others take further iterations; corrections are measured by the largest coordinates
 * among the designs), pivots, independent coordinates. So each agrees with mbd_sim_run within the tolerance of the case; a lane's place, 0 to W - 1, has no effect.
 * Linear systems with multipliers are solved until the solution of each design is exact by its own size, so that small derivatives keep their digits beside large ones.
 *
 * What does not go in lockstep is refused by mbd_lanes_create with MBD_UNSUPPORTED (the table in lib/lanes/lanes.c): go on with mbd_sim. A
 * run fails as a whole with the status of a design that fails, or with MBD_UNSUPPORTED where a decision of the algorithm is not alike in all designs: compute these W
 * designs one by one with mbd_sim, which tells what each of them does; the next designs may go in lanes again. */
#ifndef MBD_LANES_INTERFACE_H
#define MBD_LANES_INTERFACE_H

#include <stdio.h>

#include "mbd/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { MBD_LANES_WIDTH_MAX = 8 };

/* Returns the largest number of lanes, at most width_max (0: no bound), whose library is installed and runs on this processor; 0: there is none. */
int mbd_lanes_width(int width_max);

/* Can so many lanes be had? MBD_BAD_INPUT: there is no such number; MBD_NOT_BUILT_IN: the processor lacks instructions, or the library is missing or of another
 * build than libmbd; *err says which. */
mbd_status mbd_lanes_check(int width, mbd_error *err);

typedef struct mbd_lanes mbd_lanes;

/* Compiles the description and the outputs in the library of W = width lanes, with the memory for np directions; the caller destroys *out. name [nname]: the
 * names given to mbd_outputs_add, in the same order, so that terms have the same numbers of outputs. Errors: those of mbd_lanes_check; those of
 * mbd_model_create, mbd_outputs_add and mbd_sim_create; MBD_UNSUPPORTED also for what does not go in lockstep, with the reason. *out is NULL then. One thread at a
 * time may use it. */
mbd_status mbd_lanes_create_sized(int width, const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                                  const char *const *name, int nterm, const mbd_term *term, size_t term_size, int npsi,
                                  int np, mbd_lanes **out, mbd_error *err);
static inline mbd_status mbd_lanes_create(int width, const mbd_spec *s, const mbd_case *c, int nname,
                                          const char *const *name, int nterm, const mbd_term *term, int npsi, int np,
                                          mbd_lanes **out, mbd_error *err) {
  return mbd_lanes_create_sized(width, s, c, sizeof *c, nname, name, nterm, term, sizeof *term, npsi, np, out, err);
}
void mbd_lanes_destroy(mbd_lanes *l); /* NULL allowed */

/* Writes a text that two designs have in common if and only if they can go in lanes made from either: all of the description, the case and its terms except the nominal
 * values of coefficients; a force of the user by its functions and tables. The arguments are those of mbd_lanes_create. Returns 0 where designs are not compared, with measured series; what was
 * written then has no meaning. */
int mbd_lanes_describe(const mbd_spec *s, const mbd_case *c, int nname, const char *const *name, int nterm,
                       const mbd_term *term, FILE *out);

/* Directions of the coefficients: direction k < np has the entries first[k] <= i < first[k + 1] of index and value. */
typedef struct mbd_lanes_directions {
  int np;
  const int *first, *index; /* [np + 1], [first[np]] */
  const double *value;      /* [W][first[np]] */
} mbd_lanes_directions;

/* As mbd_observer, called for each lane in turn. */
typedef int (*mbd_lanes_observer)(void *user, int lane, int k, double t, const double *z, const double *zd,
                                  const double *zdd, const double *lam, const double *y);

/* mbd_sim_run of W designs. theta [W][ncoef]; d NULL: no directions. psi [W][npsi], grad [W][npsi][np], gn [W][npsi][np][np], each NULL: not wanted. On
 * failure they do not change. Fewer than W designs: repeat one of them. */
mbd_status mbd_lanes_run(mbd_lanes *l, const double *theta, const mbd_lanes_directions *d, double *psi, double *grad,
                         double *gn, mbd_lanes_observer observer, void *user, mbd_error *err);

/* mbd_sim_adjoint of W designs: psi [W][npsi], gtheta [W][npsi or nsum][ncoef]. */
mbd_status mbd_lanes_adjoint_sized(mbd_lanes *l, const double *theta, const mbd_adjoint_options *o, size_t size,
                                   double *psi, double *gtheta, mbd_lanes_observer observer, void *user,
                                   mbd_error *err);
static inline mbd_status mbd_lanes_adjoint(mbd_lanes *l, const double *theta, const mbd_adjoint_options *o, double *psi,
                                           double *gtheta, mbd_lanes_observer observer, void *user, mbd_error *err) {
  return mbd_lanes_adjoint_sized(l, theta, o, sizeof *o, psi, gtheta, observer, user, err);
}

/* mbd_sim_watch, mbd_sim_watch_outputs, mbd_sim_as_with_gradient for later runs. Runs in lanes do not look for singular positions on the way. */
void mbd_lanes_watch(mbd_lanes *l, int all);
void mbd_lanes_watch_outputs(mbd_lanes *l, const unsigned char *seen);
void mbd_lanes_as_with_gradient(mbd_lanes *l, int on);

/* After a run: the counts of all lanes together, which took the same steps; warning i = 0, 1, ... of one lane; *together: 1, there is a warning that does not say of
 * which lane it is, given for lane 0: designs computed one by one tell. */
const mbd_stats *mbd_lanes_stats(const mbd_lanes *l);
const mbd_warning *mbd_lanes_warning(mbd_lanes *l, int lane, int i);
int mbd_lanes_warned_together(const mbd_lanes *l);

/* mbd_sim_check_directions for one lane, after mbd_lanes_adjoint and before its warnings are read. */
void mbd_lanes_check_directions(mbd_lanes *l, int lane, int n, const char *const *name, const int *start,
                                const int *index, const double *value);

/* mbd_sim_true_value, mbd_sim_measured, mbd_sim_growth (of all lanes, the largest) and mbd_sim_undetermined (in one of them) after a run. */
int mbd_lanes_true_value(mbd_lanes *l, int lane, int psi, double *value, double *time, double *range);
const mbd_samples *mbd_lanes_measured(mbd_lanes *l, int lane, int psi, double *y, double *yp);
double mbd_lanes_growth(const mbd_lanes *l, double *time);
int mbd_lanes_undetermined(const mbd_lanes *l, int o);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
