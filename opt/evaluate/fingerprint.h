/* What tells problems apart: a hash of everything that determines the result of an evaluation. */
#ifndef MBO_FINGERPRINT_H
#define MBO_FINGERPRINT_H

#include <stddef.h>

#include "mechanism/mechanism.h"

/* FNV-1a over `size` bytes, going on from `hash`; FINGERPRINT_NONE to begin with. Not for secrets. */
#define FINGERPRINT_NONE 1469598103934665603ULL
unsigned long long fingerprint_add(unsigned long long hash, const void *bytes, size_t size);
unsigned long long fingerprint_text(unsigned long long hash, const char *text);

/* Of a mechanism: the configuration from its [scalars] to its [optimizer], what the model file holds (not where it is), and
 * the numbers of all coefficients, which files named there (roads, tyres) may hold. 16 hexadecimal digits in new memory; NULL: no memory. */
char *mechanism_fingerprint(const mechanism *m);

#endif
