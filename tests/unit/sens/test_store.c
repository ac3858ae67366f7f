/* The trajectory store: steps visited backwards under every memory limit, with what a run without limit shows, and not
 * more of them taken again than must be. */
#include "sens/store.h"

#include <stdint.h>

#include "test.h"

/* A run that forgets nothing: the logistic map, chaotic, with a checksum over its past. */
typedef struct toy_state {
  double x;
  uint64_t past;
} toy_state;

enum { MAX_STEPS = 200, UNIT = 16 };

typedef struct toy {
  toy_state now;
  int k, nsteps;
  size_t state_size, record_size;
  int visited; /* the last one */
  long long steps;
  int fail_at;                    /* visit that fails; 0: none */
  int wrong;                      /* anything out of order, or other bytes than those of the first run */
  const unsigned char *requested; /* [nsteps][record_size] records of the first run; NULL: order only */
} toy;

static toy_state toy_step(toy_state q, int k) {
  q.x = 3.9 * q.x * (1 - q.x);
  uint64_t bits;
  memcpy(&bits, &q.x, sizeof bits);
  q.past = (q.past ^ bits) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)k;
  return q;
}

static void toy_fill(const toy_state *q, size_t size, unsigned char *to) {
  memcpy(to, q, sizeof *q);
  for (size_t i = sizeof *q; i < size; i++) { to[i] = (unsigned char)(q->past >> (i % 8 * 8)) ^ (unsigned char)i; }
}

static void toy_start(toy *t) {
  t->now = (toy_state){.x = 0.3};
  t->k = 0;
}

static void save_state(void *user, void *state) {
  toy *t = user;
  t->wrong |= (uintptr_t)state % _Alignof(max_align_t) != 0;
  toy_fill(&t->now, t->state_size, state);
}

static mbd_status save_record(void *user, void *record, mbd_error *err) {
  (void)err;
  toy *t = user;
  t->wrong |= t->k == 0 || (uintptr_t)record % _Alignof(max_align_t) != 0;
  toy_fill(&t->now, t->record_size, record);
  return MBD_OK;
}

static void restore(void *user, int k, const void *state) {
  toy *t = user;
  memcpy(&t->now, state, sizeof t->now);
  t->k = k;
}

static mbd_status advance(void *user, int k, mbd_error *err) {
  (void)err;
  toy *t = user;
  t->wrong |= k != t->k + 1;
  t->now = toy_step(t->now, k);
  t->k = k;
  t->steps++;
  return MBD_OK;
}

static mbd_status visit(void *user, int k, const void *record, mbd_error *err) {
  toy *t = user;
  if (k == t->fail_at) { MBD_FAIL(err, MBD_SINGULAR, "step %d", k); }
  t->wrong |= k != t->visited - 1;
  t->visited = k;
  if (t->requested) {
    t->wrong |= memcmp(record, t->requested + (size_t)(k - 1) * t->record_size, t->record_size) != 0;
  }
  return MBD_OK;
}

static const store_ops ops = {save_state, save_record, restore, advance, visit};

static store *create(toy *t, size_t limit) {
  mbd_error err = {0};
  store *st;
  must(store_create(t->nsteps, t->state_size, t->record_size, limit, &ops, t, &st, &err), &err);
  return st;
}

static void run_forward(toy *t, store *st) {
  mbd_error err = {0};
  toy_start(t);
  must(store_put(st, 0, &err), &err);
  for (int k = 1; k <= t->nsteps; k++) {
    t->now = toy_step(t->now, k);
    t->k = k;
    must(store_put(st, k, &err), &err);
  }
}

static void run_back(toy *t, store *st) {
  mbd_error err = {0};
  t->visited = t->nsteps + 1;
  t->steps = 0;
  must(store_reverse(st, &err), &err);
  t->wrong |= t->visited != 1 || t->k != 0;
  CU_ASSERT_EQUAL(store_get_stats(st)->recomputed, t->steps);
}

/* Steps taken again under a limit. */
static long long run(toy *t, size_t limit) {
  store *st = create(t, limit);
  CU_ASSERT(limit == 0 || store_get_stats(st)->bytes <= limit);
  run_forward(t, st);
  run_back(t, st);
  const long long n = store_get_stats(st)->recomputed;
  long long counted = -1;
  store_destroy(st);
  CU_ASSERT_EQUAL(store_count(t->nsteps, t->state_size, t->record_size, limit, &counted, NULL), MBD_OK);
  CU_ASSERT_EQUAL(counted, n);
  return n;
}

static size_t bytes_of_all(toy *t) {
  store *st = create(t, 0);
  const size_t bytes = store_get_stats(st)->bytes;
  store_destroy(st);
  return bytes;
}

/* Sizes with all that the store adds to them: of a state, a record, and once. */
typedef struct toy_sizes {
  size_t state, record, once;
} toy_sizes;

static toy_sizes sizes_of(toy *t) {
  toy two = *t, flat = *t;
  two.nsteps = 2 * t->nsteps;
  flat.record_size = t->state_size;
  const size_t all = bytes_of_all(t), n = (size_t)t->nsteps;
  const size_t record = (bytes_of_all(&two) - all) / n, once = all - n * record;
  two.record_size = t->state_size;
  const size_t state = (bytes_of_all(&two) - bytes_of_all(&flat)) / n;
  return (toy_sizes){.state = state, .record = record, .once = once - state};
}

/* `s` and `r` units with the store's additions. */
static toy toy_of(int nsteps, int s, int r) {
  toy t = {.nsteps = nsteps, .state_size = (size_t)(s - 1) * UNIT, .record_size = (size_t)(r - 1) * UNIT};
  const toy_sizes z = sizes_of(&t);
  CU_ASSERT_EQUAL_FATAL(z.state, (size_t)s * UNIT);
  CU_ASSERT_EQUAL_FATAL(z.record, (size_t)r * UNIT);
  return t;
}

/* Memory for the start's state and `capacity` bytes more. */
static size_t limit_for(toy *t, size_t capacity) {
  const toy_sizes z = sizes_of(t);
  return z.once + z.state + capacity;
}

/* Order and bytes, for all lengths of a run and limits from the least to all; sizes that need padding. */
static void test_every_limit(void) {
  static unsigned char requested[MAX_STEPS * 104];
  toy t = {.state_size = 20, .record_size = 104, .requested = requested};
  toy_state q = {.x = 0.3};
  for (int k = 1; k <= MAX_STEPS; k++) {
    q = toy_step(q, k);
    toy_fill(&q, t.record_size, requested + (size_t)(k - 1) * t.record_size);
  }
  for (t.nsteps = 1; t.nsteps <= MAX_STEPS; t.nsteps++) {
    const toy_sizes z = sizes_of(&t);
    const size_t min = z.once + z.state + z.record, all = bytes_of_all(&t);
    long long before = (long long)t.nsteps * t.nsteps;
    for (size_t limit = min; limit <= all; limit += 1 + (limit - min) / 6) {
      const long long n = run(&t, limit);
      CU_ASSERT(n <= before + before / 10);
      before = n;
    }
    CU_ASSERT_EQUAL(run(&t, min), (long long)t.nsteps * (t.nsteps - 1) / 2);
    CU_ASSERT(t.nsteps == 1 || run(&t, all - 1) > 0);
    CU_ASSERT_EQUAL(run(&t, all), 0);
    CU_ASSERT_EQUAL(run(&t, 2 * all), 0);
    CU_ASSERT_EQUAL(run(&t, 0), 0);
  }
  CU_ASSERT_FALSE(t.wrong);
}

/* C(n, k), small. */
static long long choose(int n, int k) {
  long long c = 1;
  if (k < 0) { return 0; }
  for (int i = 1; i <= k; i++) { c = c * (n - k + i) / i; }
  return c;
}

/* Room for one record and p states, s = p + 1 checkpoints with the start: Griewank and Walther's least number of
 * steps,  t(n, s) = i n - C(s + i, s + 1)  with  C(s + i - 1, s) < n <= C(s + i, s). */
static void test_states_alone(void) {
  for (int p = 0; p < 40; p++) {
    for (int n = 1; n <= MAX_STEPS; n += 1 + p / 4) {
      toy t = toy_of(n, 2, 100);
      const int s = p + 1;
      int i = 0;
      while (choose(s + i, s) < n) { i++; }
      const long long expected = (long long)i * n - choose(s + i, s + 1);
      CU_ASSERT_EQUAL(run(&t, limit_for(&t, 100 * UNIT + (size_t)p * 2 * UNIT)), expected);
    }
  }
}

/* The least number of steps that any choice of nodes and kinds gets by with, as in plan.h, for every number of steps up
 * to NDP and every room in units up to XDP: by trying all choices. */
enum { NDP = 60, XDP = 120 };

static void all_choices(int s, int r, int best[NDP + 1][XDP + 1]) {
  for (int x = 0; x <= XDP; x++) { best[0][x] = 0; }
  for (int n = 1; n <= NDP; n++) {
    for (int x = 0; x <= XDP; x++) {
      int b = INT32_MAX / 4;
      for (int j = 1; j <= n && x >= r; j++) {
        const int whole = j + best[n - j][x - r] + best[j - 1][x];
        const int state = j < n ? j + best[n - j][x - s] + best[j][x] : b;
        b = whole < b ? whole : b;
        b = state < b ? state : b;
      }
      best[n][x] = b;
    }
  }
}

static void compare_with_all_choices(int s, int r, double max) {
  static int best[NDP + 1][XDP + 1];
  all_choices(s, r, best);
  for (int n = 1; n <= NDP; n++) {
    toy t = toy_of(n, s, r);
    for (int x = r; x <= XDP; x++) {
      const long long taken = n + run(&t, limit_for(&t, (size_t)x * UNIT));
      CU_ASSERT(taken >= best[n][x]);
      CHECK_NEAR("steps taken", (double)taken, best[n][x], best[n][x], max);
    }
  }
}

/* States as large as records: the least. Otherwise up to 1/11 more, and less than that where records are larger. */
static void test_least_steps(void) {
  compare_with_all_choices(2, 2, 0);
  compare_with_all_choices(7, 7, 0);
  compare_with_all_choices(5, 6, 0.0910);
  compare_with_all_choices(2, 3, 0.0910);
  compare_with_all_choices(2, 4, 0.0910);
  compare_with_all_choices(2, 6, 0.0445);
  compare_with_all_choices(2, 11, 0.0371);
  compare_with_all_choices(2, 20, 0.0271);
  compare_with_all_choices(2, 40, 0.0176);
}

/* A second visit of the same run, a second run, and a run after a failure, in the same memory. */
static void test_again(void) {
  toy t = {.nsteps = 100, .state_size = 16, .record_size = 160};
  mbd_error err = {0};
  const size_t limit = bytes_of_all(&t) / 8;
  const long long once = run(&t, limit);
  store *st = create(&t, limit);
  run_forward(&t, st);
  run_back(&t, st);
  run_back(&t, st);
  CU_ASSERT_EQUAL(store_get_stats(st)->recomputed, once + t.nsteps);
  t.fail_at = 37;
  run_forward(&t, st);
  t.visited = t.nsteps + 1;
  CU_ASSERT_EQUAL(store_reverse(st, &err), MBD_SINGULAR);
  CU_ASSERT_STRING_EQUAL(err.text, "step 37");
  CU_ASSERT_EQUAL(t.visited, 38);
  t.fail_at = 0;
  run_forward(&t, st);
  run_back(&t, st);
  CU_ASSERT_EQUAL(store_get_stats(st)->recomputed, once);
  CU_ASSERT_FALSE(t.wrong);
  store_destroy(st);
}

static void test_too_small(void) {
  toy t = {.nsteps = 100, .state_size = 16, .record_size = 160};
  mbd_error err = {0};
  store *st;
  char min[64], all[64];
  const toy_sizes z = sizes_of(&t);
  const size_t enough = z.once + z.state + z.record;
  CU_ASSERT_EQUAL(store_create(100, 16, 160, enough - 1, &ops, &t, &st, &err), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(st);
  snprintf(min, sizeof min, "%zu bytes for the trajectory of 100 steps, expected at least %zu", enough - 1, enough);
  snprintf(all, sizeof all, "%zu bytes keep all of it", bytes_of_all(&t));
  CHECK_CONTAINS(err.text, min);
  CHECK_CONTAINS(err.text, all);
  CU_ASSERT_EQUAL(store_create(100, 16, 160, enough, &ops, &t, &st, &err), MBD_OK);
  store_destroy(st);
  store_destroy(NULL);
  CU_ASSERT_EQUAL(store_create(1000000000, 16, SIZE_MAX / 1000, 0, &ops, &t, &st, &err), MBD_NO_MEMORY);
  CHECK_CONTAINS(err.text, "no memory for a trajectory");
}

/* A long run in the memory of 20 states and a record: no step taken more than 6 times again. */
static void test_long_run(void) {
  toy t = {.nsteps = 100000, .state_size = 16, .record_size = 1264};
  const long long n = run(&t, limit_for(&t, 1280 + 20 * 32));
  CU_ASSERT_EQUAL(n, 6LL * t.nsteps - choose(21 + 6, 22));
  CU_ASSERT_FALSE(t.wrong);
}

/* The table in store.h. */
static void test_price(void) {
  static const double part[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
  static const double price[] = {0, 0.50, 0.80, 0.90, 0.95, 0.98, 0.99, 1.00, 1.25, 1.83};
  toy t = toy_of(10000, 2, 80);
  const size_t all = bytes_of_all(&t);
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
    const double again = (double)run(&t, (size_t)(part[i] * (double)all)) / t.nsteps;
    CHECK_CLOSE("price", again, price[i], 0.005);
  }
}

TEST_MAIN(TEST(test_every_limit), TEST(test_states_alone), TEST(test_least_steps), TEST(test_again),
          TEST(test_too_small), TEST(test_long_run), TEST(test_price))
