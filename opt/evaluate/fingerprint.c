#include "evaluate/fingerprint.h"

#include <string.h>

unsigned long long fingerprint_add(unsigned long long hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) { hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ULL; }
  return hash;
}

unsigned long long fingerprint_text(unsigned long long hash, const char *text) {
  return fingerprint_add(hash, text, strlen(text) + 1);
}
