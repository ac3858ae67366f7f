/* Is what a least-squares problem cannot fit the noise of data? */
#ifndef MBO_NOISE_TEST_H
#define MBO_NOISE_TEST_H

#include "mechanism/mechanism.h"

/* How many data all objectives of the run together compare with; 0: one of them compares with none, or they are not a sum. Data are
 *   - the samples of a [measurement] that is not held out,
 *   - for integral_square and mean_square of an output without window, less a target curve whose values are those of a file: the nodes.
 * The first say themselves that they are data; of the second that is asked, by noise_test_is_noise. */
long noise_test_samples(const mechanism *m);
int noise_test_is_measured(const mechanism *m); /* all of them are samples of measurements */

/* mbo_problem.is_noise with user = the mechanism: does what is left of the target curves look like noise? *yes: of every term the residuals
 * r_k at the nodes of the run have a correlation of neighbours, sum r_k r_(k+1)/sum r_k^2, of at most 1/2, and there are ten times as many
 * nodes as variables. What a model or a mechanism cannot follow changes slowly from node to node, with a correlation near 1, likewise data that are sparser than the
 * nodes. Cost: a simulation, without derivatives. */
mbd_status noise_test_is_noise(void *user, const double *x, int *yes, mbd_error *err);

#endif
