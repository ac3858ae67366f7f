/* Legendre polynomials between 0 and 1, their integrals, and the points of Gauss. With u = 2 x - 1, Q_n(u) of degree n, and I the integral
 * over x,
 *   (n + 1) Q_n+1 = (2 n + 1) u Q_n - n Q_n-1,    I Q_n = (Q_n+1 - Q_n-1)/(2 (2 n + 1)),    I Q_0 = (Q_1 + Q_0)/2
 * (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964, chapter 22.) */
#include "flexible/legendre.h"

#include <math.h>

/* to_n = (from_n+1 - from_n-1)/(2 (2 n + 1)), to_0 = (from_1 + from_0)/2 */
static void integrate(int n, const double *from, double *to) {
  to[0] = (from[1] + from[0]) / 2;
  for (int k = 1; k < n; k++) { to[k] = (from[k + 1] - from[k - 1]) / (2 * (2 * k + 1)); }
}

void legendre_integrals(int n, double x, double P[3][LEGENDRE_MAX]) {
  double Q[3][LEGENDRE_MAX + 2]; /* two more for two integrals */
  const double u = 2 * x - 1;
  Q[0][0] = 1, Q[0][1] = u;
  for (int k = 1; k < n + 1; k++) { Q[0][k + 1] = ((2 * k + 1) * u * Q[0][k] - k * Q[0][k - 1]) / (k + 1); }
  integrate(n + 1, Q[0], Q[1]);
  integrate(n, Q[1], Q[2]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < n; k++) { P[i][k] = Q[i][k]; }
  }
}

/* Newton's iteration from Tricomi's approximation of the roots of Q_n. */
void gauss_points(int n, double *x, double *w) {
  const double pi = acos(-1);
  for (int i = 0; i < n; i++) {
    double u = -cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 8; iteration++) {
      double before = 0, q = 1;
      for (int k = 0; k < n; k++) {
        const double next = ((2 * k + 1) * u * q - k * before) / (k + 1);
        before = q, q = next;
      }
      slope = n * (before - u * q) / (1 - u * u);
      u -= q / slope;
    }
    x[i] = (1 + u) / 2, w[i] = 1 / ((1 - u * u) * slope * slope);
  }
}
