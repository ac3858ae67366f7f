/* Lists of numbers in the data of a page: their bytes, the lowest first on every machine, in base64 [RFC 4648, section
 * 4]. All return new references; NULL: no memory, which mbd_memory_lost counts. */
#ifndef MBO_PACKED_H
#define MBO_PACKED_H

#include <jansson.h>
#include <stdint.h>

/* n bytes, which this call frees; NULL: the caller found no memory for them. */
json_t *packed_bytes(size_t n, unsigned char *bytes);

/* Writes the n lowest bytes of `bits`. */
void packed_put(unsigned char *to, uint64_t bits, int n);

json_t *packed_doubles(int n, const double *v); /* Float64 */
json_t *packed_ints(int n, const int *v);       /* Int32 */

#endif
