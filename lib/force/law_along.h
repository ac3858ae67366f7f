/* Forces along a length (along.h) whose law is one formula in dual numbers. For a force `k`, its file defines
 *   static dual k_tension(const law_input *law, dual s, dual sd)    F(s, sd), positive if it resists lengthening
 *   static dual k_elastic(const law_input *law, dual s)             potential energy of the elastic part, where it has one
 * and LAW_TENSION(k), LAW_ELASTIC(k) make the functions of its force_law: k_F, k_F_c; k_energy, k_energy_c. */
#ifndef MBD_FORCE_LAW_ALONG_H
#define MBD_FORCE_LAW_ALONG_H

#define DUAL_N 2 /* by s, sd */
#include "force/along.h"
#include "force/law.h"

#define LAW_TENSION(k)                                                                                            \
  static void k##_F(const mbd_element_input *in, mbd_real s, mbd_real sd, tension *T) {                           \
    const law_input q = {in, NULL};                                                                               \
    const dual F = k##_tension(&q, (dual){.v = s, .d = {1, 0}}, (dual){.v = sd, .d = {0, 1}});                    \
    *T = (tension){F.v, F.d[0], F.d[1]};                                                                          \
  }                                                                                                               \
  static mbd_real k##_F_c(const mbd_element_input *in, mbd_real s, mbd_real sd, const mbd_element_direction *d) { \
    const law_input q = {in, d};                                                                                  \
    return k##_tension(&q, d_const(s), d_const(sd)).d[0];                                                         \
  }
#define LAW_ELASTIC(k)                                                                                    \
  static mbd_real k##_energy(const mbd_element_input *in, mbd_real s) {                                   \
    const law_input q = {in, NULL};                                                                       \
    return k##_elastic(&q, d_const(s)).v;                                                                 \
  }                                                                                                       \
  static mbd_real k##_energy_c(const mbd_element_input *in, mbd_real s, const mbd_element_direction *d) { \
    const law_input q = {in, d};                                                                          \
    return k##_elastic(&q, d_const(s)).d[0];                                                              \
  }

#endif
