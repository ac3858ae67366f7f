/* Tangents of a time step compared: a mechanism of a run file, the ways to differentiate its residual, and time steps with them. */
#ifndef BENCH_TANGENTS_H
#define BENCH_TANGENTS_H

#include "ad.h"
#include "formulation/ali3p.h"
#include "mbo/model_file.h"
#include "opened.h"

enum { MAX_METHODS = 12 };

/* Places of a matrix, and colours of its columns: those of one colour have no row in common. */
typedef struct places {
  mbd_nonzeros at; /* [nz] rows */
  int ncolour;
  int *colour; /* [nz] */
  int *joint;  /* [2 nz] of {z, zd}: first those of z, then those of zd */
} places;

typedef struct tangents {
  opened run;
  const mechanism_case *c; /* the first */
  mbd_sim *own;            /* it by ALI3-P, with the work and the matrices of the comparison */
  ad_model *ad[2];         /* dual numbers; ADOL-C, NULL: not built */
  int nz, nphi;
  /* Where K and C can differ from zero: of the forces alone, as S3 takes them; with reactions too; those in use. */
  places of_forces, of_all, *use;
  int *each;                      /* [2 nz] every independent by itself */
  double *x, *y, *R[2], *B, *lam; /* scratch: [nz], [nz], [nz], [nz][2 nz], [nphi] zeros */
  int forces;                     /* 1: the residual has branches or the time in it, so that a tape serves once */
} tangents;

/* K = dR/dz and C = dR/dzd [nz][nz] of R = M zdd - Q + Phi_z' lam; the caller's, zero where they are at every motion. */
typedef struct method {
  const char *name;
  void (*jacobian)(tangents *q, const ad_point *at, double *K, double *C);
  int adolc; /* 1: needs it */
} method;

const method *method_at(int i); /* NULL past the end */

mbd_status tangents_open(const char *path, int n, const char *const *set, tangents *q, mbd_error *err);
void tangents_close(tangents *q);
/* Makes q->own anew for this step and duration, and runs it to the start. */
mbd_status tangents_start(tangents *q, double step, double duration, mbd_error *err);
/* The residual in each build against libmbd's, and its derivatives against analytic ones, for a model file; 0: it holds. */
int check_model(const char *path);
/* Prints what gradients of the first case of a run file take by each way but those whose names hold `without` (NULL: all), the fastest of some rounds; 0:
 * they agree. */
int manoeuvre_compare(const char *path, int nset, char **set, const char *without, int rounds);
/* [nz] of libmbd itself */
void tangents_residual(tangents *q, const ad_point *at, double *R);

/* What a simulation with one method has taken and done. */
typedef struct s3_result {
  double seconds, in_jacobians; /* of the core */
  long jacobians, iterations;
  double drift; /* [J] largest change of the total energy */
} s3_result;

/* Steps of S3 by each of n methods, side by side: MBD_OK or the first that failed. */
mbd_status s3_simulate(tangents *q, int n, const method *const *m, double step, double duration, s3_result *r,
                       mbd_error *err);

/* The same by the program's own steps of ALI3-P, one run for each method. */
mbd_status own_simulate(tangents *q, const method *m, double step, double duration, s3_result *r, mbd_error *err);

#endif
