/* Numbers in JSON, which has none that are not finite: those become null. */
#ifndef MBO_JSON_NUMBER_H
#define MBO_JSON_NUMBER_H

#include <jansson.h>
#include <math.h>

static inline json_t *json_number(double v) {
  return isfinite(v) ? json_real(v) : json_null();
}

static inline json_t *json_numbers(const double *v, int n) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(a, json_number(v[i])); }
  return a;
}

#endif
