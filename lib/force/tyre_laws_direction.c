/* The laws of the tyres with one derivative, along a direction of coefficients at given inputs. Equations: tyre_contact.c and
 * tyre_magic_formula.c; the derivatives enter theory.md §3 (3.4). */
#define DUAL_N 1
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

#define LAW(NAME, RESULTS)                                                                                \
  void tyre_##NAME##_direction(const mbd_element_input *in, const mbd_element_direction *d, int nresult,  \
                               mbd_real y[TYRE_TRANSIENT_RESULTS], mbd_real dy[TYRE_TRANSIENT_RESULTS]) { \
    const law_input at = {in, d};                                                                         \
    dual r[TYRE_TRANSIENT_RESULTS];                                                                       \
    RESULTS(&at, nresult, r);                                                                             \
    TYRE_COPY((y[i] = r[i].v, dy[i] = r[i].d[0]))                                                         \
  }

LAW(contact, contact_results)
LAW(magic_formula, magic_results)
