/* Derivatives of every form of objectives against central differences. */
#include "objective/form.h"
#include "test.h"

static void test_derivatives(void) {
  const mbd_samples squares = {.sigma = 0.4};
  const mbd_term term = {.smoothing = 0.2, .samples = &squares}, rough = {.smoothing = 0, .samples = &squares};
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

/* A form that is summed during the run is not made of histories, and another one has slopes at points of a history; what takes the place of a form
 * over the first steps needs no time, no further number and no history. */
static void test_rows(void) {
  for (int i = 0; form_at(i); i++) {
    const form_ops *f = form_at(i);
    const int summed = f->over == FORM_INTEGRAL || f->over == FORM_MEAN || f->over == FORM_END || f->over == FORM_PEAK;
    CU_ASSERT_EQUAL(f->info.is_history, !summed);
    CU_ASSERT(f->sign != 0 || (f->over != FORM_PEAK && f->over != FORM_RANGE));
    CU_ASSERT(!f->info.needs || f->info.brief);
    if (!f->info.brief) { continue; }
    const mbd_form_info *brief = mbd_form_find(f->info.brief);
    CU_ASSERT(brief && !brief->is_history && !brief->needs);
  }
}

/* Of every loss, which is smooth but where it departs from squares; its weight is rho'/r. */
static void test_losses(void) {
  const double h = 1e-6;
  for (int i = 0; mbd_loss_at(i); i++) {
    const mbd_samples q = {.sigma = 1, .loss = i, .width = 1.25};
    for (int k = -20; k <= 20; k++) {
      const double r = 0.17 * k;
      double at[3], after[3], before[3], slopes[2];
      const double plus = loss_value(&q, r + h, after), minus = loss_value(&q, r - h, before);
      CU_ASSERT(loss_value(&q, r, at) <= r * r * (1 + 1e-15) && at[1] > 0);
      CHECK_CLOSE(mbd_loss_name(i), at[0], (plus - minus) / (2 * h), 2e-9); /* largest seen: 7e-10 */
      CHECK_CLOSE(mbd_loss_name(i), at[1] * r, at[0], 1e-14);
      CHECK_CLOSE(mbd_loss_name(i), at[2], (after[0] - before[0]) / (2 * h), 2e-9);
      CHECK_CLOSE(mbd_loss_name(i), mbd_loss(&q, r, slopes), loss_value(&q, r, at), 1e-15);
      CU_ASSERT(slopes[0] == at[0] && slopes[1] == at[2]);
    }
  }
}

TEST_MAIN(TEST(test_derivatives), TEST(test_rows), TEST(test_losses))
