/* The standard normal distribution. */
#ifndef MBO_NORMAL_H
#define MBO_NORMAL_H

double normal_density(double z);
double normal_cdf(double z);

/* The z with normal_cdf(z) = p, 0 < p < 1, to rounding; infinite at the ends. */
double normal_quantile(double p);

#endif
