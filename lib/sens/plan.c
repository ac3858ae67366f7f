/* Which nodes of a run to keep as checkpoints; plan.h derives the numbers N(c, x), (a), (b). The adjoint of theory.md §7.2 visits the steps
 * in the order of this plan. */
#include "sens/plan.h"

#include <stdint.h>

/* More steps than any run has: the upper bound of counts. */
static const int64_t many = INT64_C(1) << 31;

static int64_t min(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* The number of objects of `size` bytes in `capacity` bytes, at most `many`. */
static int64_t fits(size_t capacity, size_t size) {
  return (int64_t)(capacity / size < (size_t)many ? capacity / size : (size_t)many);
}

/* C(a, k) up to `many`, by C(a - k + i, i), i = 1..k. */
static int64_t binomial(int64_t a, int64_t k) {
  int64_t c = 1;
  k = min(k, a - k);
  for (int64_t i = 1; i <= k && c < many; i++) { c = c * (a - k + i) / i; }
  return min(c, many);
}

/* (a) */
static int64_t reach_states(const plan_sizes *size, int c, size_t capacity) {
  if (c == 0 || capacity < size->record) { return 0; }
  const int64_t q = fits(capacity, size->record);
  int64_t n = binomial(fits(capacity - size->record, size->state) + c, c - 1);
  for (int64_t t = 2; t <= q && n < many; t++) {
    n += binomial(fits(capacity - (size_t)t * size->record, size->state) + c - 1, c - 1);
  }
  return min(n, many);
}

/* (b) */
static int64_t reach_records(const plan_sizes *size, int c, size_t capacity) {
  return binomial(fits(capacity, size->record) + c, c) - 1;
}

static int64_t reach(const plan_sizes *size, int c, size_t capacity) {
  const int64_t a = reach_states(size, c, capacity), b = reach_records(size, c, capacity);
  return a > b ? a : b;
}

plan_choice plan_next(const plan_sizes *size, int n, size_t capacity) {
  int c = 1;
  while (reach_records(size, c, capacity) < n && reach_states(size, c, capacity) < n) { c++; }
  /* Records alone if with them no step is taken a third time; otherwise if they reverse as many steps as states do. */
  const int64_t by_records = reach_records(size, c, capacity);
  const int whole = n <= by_records && (c <= 2 || by_records >= reach_states(size, c, capacity));
  const int64_t left = reach(size, c - 1, capacity) + whole;
  const int64_t right = reach(size, c - 1, capacity - (whole ? size->record : size->state));
  return (plan_choice){.steps = (int)min(left, n - right), .whole = whole};
}
