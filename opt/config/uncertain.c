#include "config/uncertain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int is(const mbo_uncertain_config *u, const char *distribution) {
  return strcmp(u->distribution, distribution) == 0;
}

int uncertain_is_triangular(const mbo_uncertain_config *u) {
  return is(u, "triangular");
}

/* The mean of the distribution, an expression of X (not X.mean) and others. */
static char *mean_text(const mbo_uncertain_config *u) {
  const char *a = u->lower, *b = u->upper, *x = u->scalar;
  return is(u, "normal")    ? mbd_strdup(x)
         : is(u, "uniform") ? mbd_sprintf_dup("((%s) + (%s))/2", a, b)
                            : mbd_sprintf_dup("((%s) + (%s) + %s)/3", a, b, x);
}

/* Its standard deviation, likewise. Of a triangle with the base p = b - a and its top at q = x - a from the lower end it is the root of
 * (p^2 - p q + q^2)/18. */
static char *deviation_text(const mbo_uncertain_config *u) {
  const char *a = u->lower, *b = u->upper, *x = u->scalar;
  if (is(u, "normal")) { return mbd_sprintf_dup("(%s)", u->deviation); }
  if (is(u, "uniform")) { return mbd_sprintf_dup("((%s) - (%s))/sqrt(12)", b, a); }
  return mbd_sprintf_dup("sqrt((((%s) - (%s))^2 - ((%s) - (%s))*(%s - (%s)) + (%s - (%s))^2)/18)", b, a, b, a, x, a, x,
                         a);
}

/* The quantile at p: below the top a + sqrt(p (b - a) (x - a)), which is more than x above it; above it b - sqrt((1 - p) (b - a) (b - x)). */
static char *triangular_text(const mbo_uncertain_config *u) {
  const char *a = u->lower, *b = u->upper, *x = u->scalar;
  return mbd_sprintf_dup(
      "min((%s) + sqrt(%s.deviate*((%s) - (%s))*(%s - (%s))), %s) + "
      "max((%s) - sqrt((1 - %s.deviate)*((%s) - (%s))*((%s) - %s)), %s) - %s",
      a, x, b, a, x, a, x, b, x, b, a, b, x, x, x);
}

char *uncertain_text(const mbo_uncertain_config *u, uncertain_scenario s) {
  if (s == UNCERTAIN_SAMPLED && uncertain_is_triangular(u)) { return triangular_text(u); }
  char *mean = mean_text(u), *deviation = deviation_text(u);
  char *text = mean && deviation ? mbd_sprintf_dup("%s + %s*%s.deviate", mean, deviation, u->scalar) : NULL;
  free(mean), free(deviation);
  return text;
}
