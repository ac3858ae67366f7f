/* Structures of callers, which may be compiled with headers of an earlier or of a later version than the library. Functions that take such a
 * structure have a second form with its size, ..._sized; the first form is inline in the header and passes the sizeof of the caller. A later version
 * adds fields at the end, for which zero means the earlier behaviour. No field is placed where there was padding, so that the size identifies the
 * version. */
#ifndef MBD_BASE_SIZED_H
#define MBD_BASE_SIZED_H

#include <string.h>

/* Copies a structure of `size` bytes that a caller has filled in to the library's own structure; fields that the caller's headers do not have become
 * zero. Returns 0 if the caller has set fields that the library does not know. */
static inline int sized_read(void *ours, size_t our_size, const void *theirs, size_t size) {
  const unsigned char *bytes = (const unsigned char *)theirs;
  memset(ours, 0, our_size);
  memcpy(ours, theirs, size < our_size ? size : our_size);
  for (size_t i = our_size; i < size; i++) {
    if (bytes[i]) { return 0; }
  }
  return 1;
}

/* Copies the library's structure to a caller's structure of `size` bytes, as far as that has fields for it; its further fields become zero. */
static inline void sized_write(void *theirs, size_t size, const void *ours, size_t our_size) {
  memset(theirs, 0, size);
  memcpy(theirs, ours, size < our_size ? size : our_size);
}

/* Calls sized_read for a structure of the caller, which messages call `type`; returns MBD_UNSUPPORTED if it fails. */
#define SIZED_READ(ours, theirs, size, type, err)                                                               \
  do {                                                                                                          \
    if (!sized_read((ours), sizeof *(ours), (theirs), (size))) {                                                \
      MBD_FAIL((err), MBD_UNSUPPORTED, "%s has fields that this library, which is older, does not know", type); \
    }                                                                                                           \
  } while (0)

#endif
