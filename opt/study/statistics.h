/* Statistics of a few numbers, without assumptions about their distribution. */
#ifndef MBO_STATISTICS_H
#define MBO_STATISTICS_H

/* Sorts v [n] and returns its quantile, 0 <= q <= 1, by linear interpolation between the numbers at the places (n - 1) q. INFINITY counts as
 * larger than every number. NaN: n = 0. */
double statistics_quantile(double *v, int n, double q);

/* The interval of 95 % of a share of which k of n were seen [Wilson 1927]:
 *   (k + z^2/2 +- z sqrt(k (n - k)/n + z^2/4))/(n + z^2),  z = 1.959964
 * which stays within 0 and 1 and is right for few trials too. n > 0. */
void statistics_wilson(int k, int n, double *low, double *high);

/* Two-sided p of the sign test: the probability that of n pairs without a difference one side is ahead in at least max(k, n - k),
 *   2 sum_{i >= max(k, n - k)} binomial(n, i)/2^n, at most 1,
 * computed exactly. n = 0: 1. */
double statistics_sign_test(int k, int n);

/* The number of pairs, n or more, for which the sign test gives p < level if the share k/n stays; 0: more than STATISTICS_PAIRS_MAX. */
enum { STATISTICS_PAIRS_MAX = 1000 };
int statistics_pairs_needed(int k, int n, double level);

#endif
