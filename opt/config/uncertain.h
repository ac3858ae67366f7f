/* Distributions of uncertain scalars as expressions: what [uncertain NAME] says, as texts of a scalar X with its mean X.mean and its deviate
 * X.deviate (theory.md §6 (6.30)). */
#ifndef MBO_UNCERTAIN_H
#define MBO_UNCERTAIN_H

#include "config/config.h"
#include "config/ini.h"

/* How X depends on its deviate in a scenario. */
typedef enum uncertain_scenario {
  UNCERTAIN_NOMINAL, /* X does not scatter */
  UNCERTAIN_SAMPLED, /* a sample of the distribution: normal and uniform ones linear in a deviate of mean 0 and deviation 1, triangular ones
                      * by their quantile at the deviate, a probability */
  UNCERTAIN_LINEAR /* mean + standard deviation times the deviate, whatever the distribution */
} uncertain_scenario;

/* Is the deviate of its samples a probability? */
int uncertain_is_triangular(const mbo_uncertain_config *u);

/* A text in new memory; NULL: no memory. */
char *uncertain_text(const mbo_uncertain_config *u, uncertain_scenario s);

/* Of one deviate in (0, 1), a number of a plan, that of X; of normal ones before they are correlated. */
double uncertain_deviate(const mbo_uncertain_config *u, double p);

/* The correlations C [n][n] of the deviates of all [uncertain ...] (of normal ones; others are independent) and their factor of Cholesky L [n][n].
 * MBD_BAD_INPUT: they are not positive definite. */
mbd_status uncertain_correlation(const mbo_run_config *c, double *C, double *L, mbd_error *err);

/* Checks all sections of a run file that say what scatters: [uncertain ...], [scenarios], `across` of objectives and constraints; fills in the
 * scalars that are left out. */
mbd_status uncertain_check(const ini_file *f, mbo_run_config *c, mbd_error *err);

#endif
