/* The laws of the tyres without derivatives. Equations: tyre_contact.c and tyre_magic_formula.c; forces of theory.md §3 (3.1). */
#define DUAL_N 0
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

#define LAW(NAME, RESULTS)                                                                                 \
  void tyre_##NAME##_value(const mbd_element_input *in, int nresult, mbd_real y[TYRE_TRANSIENT_RESULTS]) { \
    const law_input at = {in, NULL};                                                                       \
    dual r[TYRE_TRANSIENT_RESULTS];                                                                        \
    RESULTS(&at, nresult, r);                                                                              \
    TYRE_COPY(y[i] = r[i].v)                                                                               \
  }

LAW(contact, contact_results)
LAW(magic_formula, magic_results)
