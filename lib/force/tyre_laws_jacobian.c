/* The laws of the tyres with twelve derivatives, by the inputs (TYRE_INPUTS): K and C of theory.md §3 (3.3) for tyres. Equations:
 * tyre_contact.c and tyre_magic_formula.c. */
#define DUAL_N 12
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

#define LAW(NAME, RESULTS)                                                                        \
  void tyre_##NAME##_jacobian(const mbd_element_input *in, int nresult, mbd_real y[TYRE_RESULTS], \
                              mbd_real J[TYRE_RESULTS][TYRE_INPUTS]) {                            \
    const law_input at = {in, NULL};                                                              \
    dual r[TYRE_TRANSIENT_RESULTS];                                                               \
    RESULTS(&at, nresult, r);                                                                     \
    for (int i = 0; i < nresult; i++) {                                                           \
      y[i] = r[i].v;                                                                              \
      for (int k = 0; k < TYRE_INPUTS; k++) { J[i][k] = r[i].d[k]; }                              \
    }                                                                                             \
  }

LAW(contact, contact_results)
LAW(magic_formula, magic_results)
