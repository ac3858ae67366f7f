/* Derivatives of every form of objectives against central differences. */
#include "objective/form.h"
#include "test.h"

static void test_derivatives(void) {
  const mbd_term term = {.smoothing = 0.2}, rough = {.smoothing = 0};
  const double h = 1e-5, q = 0.7;
  for (int i = 0; form_at(i); i++) {
    const form_ops *f = form_at(i);
    for (int k = -8; k <= 8; k++) {
      const double s = 0.125 * k;
      double at[2], after[2], before[2];
      const double plus = f->u(&term, q, s + h, after), minus = f->u(&term, q, s - h, before);
      f->u(&term, q, s, at);
      CHECK_CLOSE(f->info.name, at[0], (plus - minus) / (2 * h), 1e-9); /* largest seen: 4e-10 */
      if (f->info.is_square) { CHECK_CLOSE(f->info.name, at[1], (after[0] - before[0]) / (2 * h), 1e-8); }
    }
    double none[2];
    CU_ASSERT(isfinite(f->u(&rough, q, 0, none)) && isfinite(none[0]) && isfinite(none[1]));
  }
}

TEST_MAIN(TEST(test_derivatives))
