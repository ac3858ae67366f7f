/* Gradients by integrators of others, of the initial value problem of a run file (rhs.h). */
#ifndef MBD_BENCH_PEERS_H
#define MBD_BENCH_PEERS_H

#include "rhs.h"

typedef struct peer_settings {
  double
      rtol; /* relative tolerance; the absolute ones are the same number times 1, or the size of the gradient, of adjoints (rhs) */
  int stiff;       /* 1: BDF with Newton's iteration and the exact Jacobian; 0: Adams with fixed-point iteration */
  int error_test;  /* of forward sensitivities: 1: they take part in the error test */
  long checkpoint; /* steps between checkpoints of an adjoint */
} peer_settings;

typedef struct peer_result {
  double psi, *g; /* [n] */
  double *y;      /* [ny] the state at the end */
  double seconds; /* of the start, the integration and the assembly of the gradient; not of creating memory */
  long steps, steps_back;
} peer_result;

/* Each returns 0, or 1 after a message on the error stream. */
int cvodes_forward(rhs *r, const peer_settings *set, peer_result *out);
int cvodes_adjoint(rhs *r, const peer_settings *set, peer_result *out);
int idas_forward(rhs *r, const peer_settings *set, peer_result *out);
int idas_adjoint(rhs *r, const peer_settings *set, peer_result *out);

#endif
