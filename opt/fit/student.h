/* Quantiles of Student's distribution. */
#ifndef MBO_STUDENT_H
#define MBO_STUDENT_H

/* t > 0 such that -t < T < t with probability `level`, 0 < level < 1, of `freedom` > 0 degrees of freedom; INFINITY: of the normal
 * distribution. To 1e-12 relative. */
double student_quantile(double level, double freedom);

#endif
