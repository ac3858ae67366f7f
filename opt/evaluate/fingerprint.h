/* A hash that identifies a file, a problem or a line. It is not suited for secrets. */
#ifndef MBO_FINGERPRINT_H
#define MBO_FINGERPRINT_H

#include <stddef.h>

/* FNV-1a over `size` bytes, going on from `hash`; FINGERPRINT_NONE to begin with. */
#define FINGERPRINT_NONE 1469598103934665603ULL
unsigned long long fingerprint_add(unsigned long long hash, const void *bytes, size_t size);
unsigned long long fingerprint_text(unsigned long long hash, const char *text); /* with its end */

#endif
