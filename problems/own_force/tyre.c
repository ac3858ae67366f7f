/* The tyre after Pacejka's Magic Formula (MF-Tyre 5.2) as a force of one's own: it shows how a long formula is written, and what its
 * derivatives cost that are made for it (bench/README.md). */
#include "tyre_law.h"

MBD_USER_FORCE("magic_tyre", "Tyre after Pacejka's Magic Formula, MF-Tyre 5.2, on the plane road z = 0.", references,
               arguments, coefficients, outputs, tyre)
