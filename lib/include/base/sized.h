/* Structures of callers, which may be compiled with headers of an earlier or of a later version than the library. Functions that take such
 * a structure have a second form with its size, ..._sized; the first form is inline in the header and passes the sizeof of the caller. A later
 * version adds fields at the end, where zero means what was before; no field goes where there was padding, so that the size tells. */
#ifndef MBD_BASE_SIZED_H
#define MBD_BASE_SIZED_H

#include <string.h>

/* What a caller has filled in, `size` bytes, as the library's own structure: fields that the caller's headers do not have are zero. Returns 0
 * where the caller has set fields that the library does not know. */
static inline int sized_read(void *own, size_t own_size, const void *theirs, size_t size) {
  const unsigned char *bytes = (const unsigned char *)theirs;
  memset(own, 0, own_size);
  memcpy(own, theirs, size < own_size ? size : own_size);
  for (size_t i = own_size; i < size; i++) {
    if (bytes[i]) { return 0; }
  }
  return 1;
}

/* What the library tells, as far as the caller's structure of `size` bytes has fields for it; others are zero. */
static inline void sized_write(void *theirs, size_t size, const void *own, size_t own_size) {
  memset(theirs, 0, size);
  memcpy(theirs, own, size < own_size ? size : own_size);
}

/* sized_read of what the caller names `type`; else MBD_UNSUPPORTED. */
#define SIZED_READ(own, theirs, size, type, err)                                                                \
  do {                                                                                                          \
    if (!sized_read((own), sizeof *(own), (theirs), (size))) {                                                  \
      MBD_FAIL((err), MBD_UNSUPPORTED, "%s has fields that this library, which is older, does not know", type); \
    }                                                                                                           \
  } while (0)

#endif
