/* Rotations by Cayley's parameters, for closures of mechanisms that tests solve by themselves, in complex numbers for derivatives by the complex step. */
#ifndef MBOPT_TEST_CAYLEY_H
#define MBOPT_TEST_CAYLEY_H

#include <complex.h>

typedef double complex number;

/* R := I + 2/(1 + g'g) (G + G^2), G the matrix of g x */
static inline void cayley(const number g[3], number R[3][3]) {
  const number size = 1 + g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  const number G[3][3] = {{0, -g[2], g[1]}, {g[2], 0, -g[0]}, {-g[1], g[0], 0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      number square = 0;
      for (int k = 0; k < 3; k++) { square += G[i][k] * G[k][j]; }
      R[i][j] = (i == j) + 2 / size * (G[i][j] + square);
    }
  }
}

#endif
