#include "files/sort.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sort_values(int n, double *list) {
  qsort(list, (size_t)n, sizeof *list, by_value);
}
