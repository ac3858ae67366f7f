/* The laws of tyres that have states, with fourteen derivatives, by the wheel's motion and by both transient slips (tyre.h): D of theory.md §3 (3.3)
 * and §4.3 (4.20). Equations: tyre_contact.c and tyre_magic_formula.c. */
#define DUAL_N 14
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

static void copy(const dual *r, mbd_real *y, mbd_real J[TYRE_TRANSIENT_INPUTS]) {
  *y = r->v;
  for (int k = 0; k < TYRE_TRANSIENT_INPUTS; k++) { J[k] = r->d[k]; }
}

#define LAW(NAME, RESULTS)                                                                                   \
  void tyre_##NAME##_transient(const mbd_element_input *in, int nresult, mbd_real y[TYRE_TRANSIENT_RESULTS], \
                               mbd_real J[TYRE_TRANSIENT_RESULTS][TYRE_TRANSIENT_INPUTS]) {                  \
    const law_input at = {in, NULL};                                                                         \
    dual r[TYRE_TRANSIENT_RESULTS];                                                                          \
    RESULTS(&at, nresult, r);                                                                                \
    TYRE_COPY(copy(&r[i], &y[i], J[i]))                                                                      \
  }

LAW(contact, contact_results)
LAW(magic_formula, magic_results)
