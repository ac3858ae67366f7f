#include "mechanism/criteria.h"

#include <math.h>
#include <string.h>

#include "mechanism/information.h"

static double deviation(int n, const double *C, int i, double *G) {
  const double phi = sqrt(C[i * n + i]);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { G[a * n + b] = -C[a * n + i] * C[i * n + b] / (2 * phi); }
  }
  return phi;
}

/* The block of the parameters that count, C_ss, into S [s][s]; returns s. */
static int take_block(int n, const double *C, const unsigned char *counts, double *S) {
  int s = 0;
  for (int a = 0; a < n; a++) { s += counts[a]; }
  for (int a = 0; a < n; a++) {
    for (int b = 0; counts[a] && b < n; b++) {
      if (counts[b]) { *S++ = C[a * n + b]; }
    }
  }
  return s;
}

/* G = C_s S C_s' */
static void spread(int n, const double *C, const unsigned char *counts, const double *S, double *G) {
  memset(G, 0, (size_t)(n * n) * sizeof *G);
  for (int p = 0; p < n; p++) {
    for (int q = 0; counts[p] && q < n; q++) {
      if (!counts[q]) { continue; }
      const double part = *S++;
      for (int a = 0; part != 0 && a < n; a++) {
        for (int b = 0; b < n; b++) { G[a * n + b] += part * C[a * n + p] * C[q * n + b]; }
      }
    }
  }
}

double criterion_evaluate(criterion which, int n, const double *C, const unsigned char *counts, int i, double *G,
                          double *S) {
  if (which == CRITERION_DEVIATION) { return deviation(n, C, i, G); }
  const int s = take_block(n, C, counts, S);
  double phi = 0;
  if (which == CRITERION_INFORMATION) {
    phi = -information_invert(s, S);
  } else { /* S := -1 */
    for (int k = 0; k < s; k++) { phi += S[k * s + k]; }
    for (int k = 0; k < s * s; k++) { S[k] = k % (s + 1) == 0 ? -1 : 0; }
  }
  spread(n, C, counts, S, G);
  return phi;
}
