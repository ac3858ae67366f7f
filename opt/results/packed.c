#include "results/packed.h"

#include <stdlib.h>
#include <string.h>

#include "files/json.h"

/* The digit of the six bits of `three` above the lowest `shift` ones; '=' beyond the last byte. */
static char digit_of(unsigned three, int shift, int there) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!there) { return '='; }
  return digit[three >> shift & 63];
}

/* Encodes three bytes at a time as four digits of six bits; the last ones are padded with '='. */
json_t *packed_bytes(size_t n, unsigned char *bytes) {
  char *text = bytes ? mbd_zeros((n + 2) / 3 * 4, 1) : NULL, *to = text;
  for (size_t i = 0; text && i < n; i += 3) {
    const size_t left = n - i;
    const unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)bytes[i + 2] : 0);
    *to++ = digit_of(three, 18, 1), *to++ = digit_of(three, 12, 1);
    *to++ = digit_of(three, 6, left > 1), *to++ = digit_of(three, 0, left > 2);
  }
  free(bytes);
  return json_own_text(text);
}

void packed_put(unsigned char *to, uint64_t bits, int n) {
  for (int i = 0; i < n; i++) { to[i] = (unsigned char)(bits >> 8 * i); }
}

json_t *packed_doubles(int n, const double *v) {
  unsigned char *bytes = mbd_zeros(8 * (size_t)n, 1);
  for (int i = 0; bytes && i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &v[i], sizeof bits);
    packed_put(bytes + 8 * i, bits, 8);
  }
  return packed_bytes(8 * (size_t)n, bytes);
}

json_t *packed_ints(int n, const int *v) {
  unsigned char *bytes = mbd_zeros(4 * (size_t)n, 1);
  for (int i = 0; bytes && i < n; i++) { packed_put(bytes + 4 * i, (uint32_t)v[i], 4); }
  return packed_bytes(4 * (size_t)n, bytes);
}
