/* Rough roads. ISO 8608 describes a road by the spectral density of its height over the spatial frequency n [cycles/m],
 *   Gd(n) = Gd(n0) (n/n0)^-w,   n0 = 0.1 cycles/m,   w the waviness,
 * and has classes A to H of Gd(n0), each with four times the mean of the one before. On a length L, waves of all frequencies n_k = k/L in the
 * band have that density in each part of it:
 *   z(x) = sum_k sqrt(2 Gd(n_k)/L) cos(2 pi n_k x + phi_k),   phi_k uniform in [0, 2 pi)
 * since a wave with amplitude a has the mean square a^2/2. The mean of z over L is zero. The phases are those of the seed, on every machine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "config/load_model.h"
#include "files/text_list.h"

static const double n0 = 0.1, pi = 3.14159265358979323846, class_A = 16e-6; /* [cycles/m], -, [m^3] */

enum { POINTS_PER_WAVE = 4, PRODUCT_MAX = 200000000 };

/* A rough road while it is read; w: its waviness. */
typedef struct road {
  double roughness, w, length; /* Gd(n0) [m^3], -, [m] */
  int first, last;             /* numbers of waves on the length, of the longest and the shortest wave */
  uint64_t seed;
} road;

/* The roughness of a class, or as a number. */
static mbd_status read_roughness(loader *l, const ini_section *s, const ini_entry *class, const ini_entry *number,
                                 double *roughness) {
  if (class) {
    const char *letter = class->value;
    if (!strchr("ABCDEFGH", letter[0]) || strlen(letter) != 1) {
      return load_fail(l, s, class, "'%s', expected a class of ISO 8608: A, B, C, D, E, F, G or H", letter);
    }
    *roughness = class_A * pow(4, letter[0] - 'A');
    return MBD_OK;
  }
  MBD_TRY(load_fixed_number(l, s, number, number->value, roughness));
  if (*roughness > 0) { return MBD_OK; }
  return load_fail(l, s, number, "the value is %g, expected > 0 [m^3], as 256e-6 of class C", *roughness);
}

static mbd_status read_seed(loader *l, const ini_section *s, const ini_entry *e, uint64_t *seed) {
  double value = 1;
  if (e) { MBD_TRY(load_fixed_number(l, s, e, e->value, &value)); }
  if (value != floor(value) || value < 0 || value > 1e15) {
    return load_fail(l, s, e, "the value is %g, expected a whole number from 0 to 1e15", value);
  }
  *seed = (uint64_t)value;
  return MBD_OK;
}

static mbd_status read_band(loader *l, const ini_section *s, const ini_entry *e, double band[2]) {
  char **end;
  MBD_TRY(load_names(l, s, e, 2, "frequencies", "lowest and highest [cycles/m]", &end));
  mbd_status status = load_fixed_number(l, s, e, end[0], &band[0]);
  if (status == MBD_OK) { status = load_fixed_number(l, s, e, end[1], &band[1]); }
  text_list_free(end, 2);
  MBD_TRY(status);
  if (band[0] > 0 && band[1] > band[0]) { return MBD_OK; }
  return load_fail(l, s, e, "from %g to %g, expected two frequencies > 0 [cycles/m], the lower one first", band[0],
                   band[1]);
}

/* Determines which numbers of waves on the length are in the band, and that n points resolve them. e: where the band is, or the points. */
static mbd_status count_waves(loader *l, const ini_section *s, const ini_entry *e, int n, const double band[2],
                              road *r) {
  /* A frequency of k/L but for rounding counts. */
  const double lowest = ceil(band[0] * r->length * (1 - 1e-12)), highest = floor(band[1] * r->length * (1 + 1e-12));
  if (highest < fmax(lowest, 1)) {
    return load_fail(l, s, e,
                     "no wave of %g to %g cycles/m is %g m long a whole number of times, expected a longer "
                     "road",
                     band[0], band[1], r->length);
  }
  if (POINTS_PER_WAVE * highest > n - 1) {
    return load_fail(l, s, e,
                     "points are %g m apart, and the shortest wave is %g m long; expected %d points a wave, at least "
                     "points = %.0f, or a lower second frequency",
                     r->length / (n - 1), r->length / highest, POINTS_PER_WAVE, POINTS_PER_WAVE * highest + 1);
  }
  if (highest * n > PRODUCT_MAX) {
    return load_fail(l, s, e, "%.0f waves at %d points, expected at most %d of both multiplied: a shorter road",
                     highest, n, PRODUCT_MAX);
  }
  r->first = (int)fmax(lowest, 1), r->last = (int)highest;
  return MBD_OK;
}

/* Sums the waves at n points. The angle of wave k at point i is that of point k i modulo the n - 1 intervals, plus its phase. */
static mbd_status sum_waves(loader *l, const road *r, int n, double *height) {
  const int intervals = n - 1;
  double *circle = calloc(2 * (size_t)intervals, sizeof *circle);
  uint64_t random = r->seed;
  if (!circle) { return load_no_memory(l); }
  double *co = circle, *si = circle + intervals;
  for (int i = 0; i < intervals; i++) { co[i] = cos(2 * pi * i / intervals), si[i] = sin(2 * pi * i / intervals); }
  for (int k = r->first; k <= r->last; k++) {
    const double density = r->roughness * pow(k / r->length / n0, -r->w);
    const double amplitude = sqrt(2 * density / r->length), phase = 2 * pi * random_unit(&random);
    const double a = amplitude * cos(phase), b = amplitude * sin(phase);
    for (int i = 0, at = 0; i < n; i++) {
      height[i] += a * co[at] - b * si[at];
      at = at + k < intervals ? at + k : at + k - intervals;
    }
  }
  free(circle);
  return MBD_OK;
}

mbd_status load_road(loader *l, ini_section *s, int n, const double *knot, double **height) {
  const ini_entry *class = ini_get(s, "road_class"), *number = ini_get(s, "roughness");
  const ini_entry *waviness = ini_get(s, "waviness"), *seed = ini_get(s, "seed"), *band = ini_get(s, "band");
  const ini_entry *more = waviness ? waviness : seed ? seed : band, *what = class ? class : number;
  road r = {.w = 2, .length = knot[n - 1] - knot[0]};
  double ends[2] = {0.011, 2.83};
  /* Keys of a rough road stand together, in a file in metres. */
  if (!what) {
    return more ? load_fail(l, s, more, "belongs to a rough road, expected 'road_class' or 'roughness' with it")
                : MBD_OK;
  }
  if (class && number) { return load_fail(l, s, number, "expected either 'road_class' or 'roughness', not both"); }
  if (l->p->length != 1) {
    return load_fail(l, s, what, "a rough road is in metres; expected its curve in a file with units = m");
  }
  MBD_TRY(read_roughness(l, s, class, number, &r.roughness));
  if (waviness) { MBD_TRY(load_fixed_number(l, s, waviness, waviness->value, &r.w)); }
  MBD_TRY(read_seed(l, s, seed, &r.seed));
  if (!(r.length > 0)) { return load_fail(l, s, what, "the road is %g m long, expected 'to' above 'from'", r.length); }
  if (band) { MBD_TRY(read_band(l, s, band, ends)); }
  MBD_TRY(count_waves(l, s, band ? band : ini_get(s, "points"), n, ends, &r));
  *height = calloc((size_t)n, sizeof **height);
  return *height ? sum_waves(l, &r, n, *height) : load_no_memory(l);
}
