/* The laws of the tyres with one derivative, along a direction of coefficients at given inputs. Equations: tyre_contact.c and
 * tyre_magic_formula.c; the derivatives enter theory.md §3 (3.4). */
#define DUAL_N 1
#include "force/magic_formula_law.h"
#include "force/tyre_contact_law.h"

static void take(int nresult, const dual *r, mbd_real y[TYRE_RESULTS], mbd_real dy[TYRE_RESULTS]) {
  for (int i = 0; i < nresult; i++) { y[i] = r[i].v, dy[i] = r[i].d[0]; }
}

void tyre_contact_direction(const mbd_element_input *in, const mbd_element_direction *d, int nresult,
                            mbd_real y[TYRE_RESULTS], mbd_real dy[TYRE_RESULTS]) {
  const law_input at = {in, d};
  dual r[TYRE_RESULTS];
  contact_results(&at, nresult, r);
  take(nresult, r, y, dy);
}

void tyre_magic_formula_direction(const mbd_element_input *in, const mbd_element_direction *d, int nresult,
                                  mbd_real y[TYRE_RESULTS], mbd_real dy[TYRE_RESULTS]) {
  const law_input at = {in, d};
  dual r[TYRE_RESULTS];
  magic_results(&at, nresult, r);
  take(nresult, r, y, dy);
}
