/* Which of several varied keys a quantity depends on, from the runs of a sweep: the parts of its variance (Sobol indices) that come from each key alone, and from
 * each key with all that it does together with others. docs/reading_results.md explains the numbers, theory.md §6 (6.53) and (6.54) has the equations.
 *
 * Runs that are a whole grid have an exact analysis of variance, in which every level of a key counts the same. Through other runs, of keys that vary
 * independently of each other, orthonormal polynomials are laid; how much of the variance these predict at runs that they have not seen is told,
 * and intervals follow from a bootstrap. The same numbers give the same result, to the last bit. */
#ifndef MBO_IMPORTANCE_H
#define MBO_IMPORTANCE_H

#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What is told of one key; each index with the ends of its interval of 95 %, which are equal for a grid. */
typedef struct mbo_importance_key {
  double first[3]; /* part of the variance by this key alone, low, high */
  double total[3]; /* part by this key alone and together with others, low, high */
  double bound;    /* an upper bound of `total` by derivatives; NaN: there are none */
} mbo_importance_key;

/* What is told of all keys together. */
typedef struct mbo_importance {
  int runs;          /* with a value */
  int exact;         /* 1: a whole grid; 0: polynomials through the runs */
  int degree, terms; /* of the polynomials: the highest degree of a term, and their number */
  double deviation;  /* standard deviation of the quantity over the runs */
  double
      explained; /* part of the variance that the polynomials predict at runs left out; 1: a grid; NaN: there are none */
  char reason[160]; /* why there are no indices; "": there are */
  int related[2];   /* keys that depend on each other, where that is the reason; else -1 */
  long reserved[8];
} mbo_importance;

/* x [nrun][nkey]: the keys of each run, in the coordinate in which they are spread evenly (logarithms of a key with equal ratios), words as numbers 0, 1,
 * ...; f [nrun]: the quantity, NaN where a run has none; slope [nrun][nkey]: its derivatives by x, NaN where there is none, or NULL. Sets *out and
 * key [nkey], whose indices are NaN where out->reason says why. MBD_NO_MEMORY. */
mbd_status mbo_importance_find(int nrun, int nkey, const double *x, const double *f, const double *slope,
                               mbo_importance *out, mbo_importance_key *key, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
