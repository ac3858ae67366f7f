/* The table of formulations: a new one is one file and one word here. */
#include <string.h>

#include "simulate/sim.h"

#define MBD_FORMULATIONS(X) X(ali3p)

#define X(n) extern const mbd_formulation_ops mbd_formulation_##n;
MBD_FORMULATIONS(X)
#undef X

static const mbd_formulation_ops *const formulations[] = {
#define X(n) &mbd_formulation_##n,
    MBD_FORMULATIONS(X)
#undef X
};

enum { N_FORMULATIONS = sizeof formulations / sizeof formulations[0] };

const mbd_formulation_ops *mbd_formulation_at(int i) {
  return i >= 0 && i < N_FORMULATIONS ? formulations[i] : NULL;
}

const mbd_formulation_ops *mbd_formulation_find(const char *name) {
  for (int i = 0; i < N_FORMULATIONS; i++) {
    if (strcmp(formulations[i]->name, name) == 0) { return formulations[i]; }
  }
  return NULL;
}
