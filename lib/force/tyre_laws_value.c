/* The laws of the tyres without derivatives. Equations: tyre_contact.c and tyre_magic_formula.c; forces of theory.md §3 (3.1). */
#define DUAL_N 0
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

static void take(int nresult, const dual *r, mbd_real y[TYRE_RESULTS]) {
  for (int i = 0; i < nresult; i++) { y[i] = r[i].v; }
}

void tyre_contact_value(const mbd_element_input *in, int nresult, mbd_real y[TYRE_RESULTS]) {
  const law_input at = {in, NULL};
  dual r[TYRE_RESULTS];
  contact_results(&at, nresult, r);
  take(nresult, r, y);
}

void tyre_magic_formula_value(const mbd_element_input *in, int nresult, mbd_real y[TYRE_RESULTS]) {
  const law_input at = {in, NULL};
  dual r[TYRE_RESULTS];
  magic_results(&at, nresult, r);
  take(nresult, r, y);
}
