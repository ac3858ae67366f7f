/* A double is m 2^e with an integer m. With s = 16 - floor(log10 v) its digits are those of v 10^s = m 5^s 2^(e + s), an integer that
 * is multiplied out without rounding and then divided by a power of two: what the division leaves decides how the last digit is
 * rounded, to the nearest, and to the even one of two that are as near, as printf does. */
#include "files/number_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17, MANTISSA = 53 };

static const uint64_t least = UINT64_C(10000000000000000); /* 10^16, with 17 digits */
static const double most = 1e17;

/* An integer of 32-bit words, the lowest first. The least double, 2^-1074, takes s = 340: m 5^340 has 53 + 790 bits. */
enum { WORD = 32, WORDS = 28 };

typedef struct integer {
  int words;
  uint32_t word[WORDS];
} integer;

static void multiply(integer *p, uint32_t by) {
  uint64_t carry = 0;
  for (int i = 0; i < p->words; i++) {
    carry += (uint64_t)p->word[i] * by;
    p->word[i] = (uint32_t)carry;
    carry >>= WORD;
  }
  if (carry) { p->word[p->words++] = (uint32_t)carry; }
}

/* m 5^s */
static void times_power_of_five(uint64_t m, int s, integer *p) {
  enum { AT_ONCE = 13 };
  static const uint32_t power[AT_ONCE + 1] = {1,     5,      25,      125,     625,      3125,      15625,
                                              78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};
  p->words = 2, p->word[0] = (uint32_t)m, p->word[1] = (uint32_t)(m >> WORD);
  for (; s > AT_ONCE; s -= AT_ONCE) { multiply(p, power[AT_ONCE]); }
  multiply(p, power[s]);
}

static uint32_t word_at(const integer *p, int i) {
  return i < p->words ? p->word[i] : 0;
}

static int has_bits_below(const integer *p, int bit) {
  const int words = bit / WORD;
  for (int i = 0; i < words; i++) {
    if (p->word[i]) { return 1; }
  }
  return (p->word[words] & ((UINT32_C(1) << bit % WORD) - 1)) != 0;
}

/* The quotient p/2^bits, less than 2^64, without its remainder; *up: the remainder rounds it to the next. */
static uint64_t divide(const integer *p, int bits, int *up) {
  *up = 0;
  if (bits <= 0) { return ((uint64_t)word_at(p, 1) << WORD | word_at(p, 0)) << -bits; }
  const int first = bits / WORD, shift = bits % WORD;
  uint64_t q = (uint64_t)word_at(p, first + 1) << WORD | word_at(p, first);
  if (shift) { q = q >> shift | (uint64_t)word_at(p, first + 2) << (2 * WORD - shift); }
  const int half = bits - 1;
  if (p->word[half / WORD] >> half % WORD & 1) { *up = (q & 1) || has_bits_below(p, half); }
  return q;
}

/* The 17 digits of v > 0 as an integer, and the power of ten of the first. */
static uint64_t digits_of(double v, int *exponent) {
  int e;
  const uint64_t m = (uint64_t)ldexp(frexp(v, &e), MANTISSA);
  integer p;
  int up;
  *exponent = (int)floor((e - 1) * 0.30102999566398119521); /* of 2^(e-1) <= v: that of v, or one less */
  for (;; ++*exponent) {
    const int s = DIGITS - 1 - *exponent;
    times_power_of_five(m, s, &p);
    uint64_t q = divide(&p, MANTISSA - e - s, &up);
    if (q >= 10 * least) { continue; }
    q += (uint64_t)up;
    if (q < 10 * least) { return q; }
    ++*exponent;
    return least;
  }
}

/* The digits of q, 17 of them; their number without zeros at the end. */
static int put_digits(uint64_t q, char *digit) {
  uint32_t high = (uint32_t)(q / 100000000), low = (uint32_t)(q % 100000000); /* 9 digits and 8 */
  for (int i = DIGITS - 1; i >= 9; i--, low /= 10) { digit[i] = (char)('0' + low % 10); }
  for (int i = 8; i >= 0; i--, high /= 10) { digit[i] = (char)('0' + high % 10); }
  int n = DIGITS;
  while (n > 1 && digit[n - 1] == '0') { n--; }
  return n;
}

static char *put(char *at, const char *digit, int n) {
  memcpy(at, digit, (size_t)n);
  return at + n;
}

static char *put_zeros(char *at, int n) {
  memset(at, '0', (size_t)n);
  return at + n;
}

/* With a fixed point. */
static char *put_fixed(char *at, const char *digit, int n, int exponent) {
  if (exponent < 0) {
    at = put(at, "0.", 2);
    at = put_zeros(at, -1 - exponent);
    return put(at, digit, n);
  }
  const int whole = exponent + 1;
  if (n <= whole) { return put_zeros(put(at, digit, n), whole - n); }
  at = put(at, digit, whole);
  *at++ = '.';
  return put(at, digit + whole, n - whole);
}

static char *put_with_exponent(char *at, const char *digit, int n, int exponent) {
  *at++ = digit[0];
  if (n > 1) {
    *at++ = '.';
    at = put(at, digit + 1, n - 1);
  }
  const int size = exponent < 0 ? -exponent : exponent;
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  if (size >= 100) { *at++ = (char)('0' + size / 100); }
  *at++ = (char)('0' + size / 10 % 10);
  *at++ = (char)('0' + size % 10);
  return at;
}

int number_text(double v, char text[NUMBER_TEXT]) {
  if (!(fabs(v) < most)) { return snprintf(text, NUMBER_TEXT, "%.17g", v); }
  char digit[DIGITS], *at = text;
  if (signbit(v)) { *at++ = '-'; }
  if (v == 0) {
    *at++ = '0';
  } else {
    int exponent;
    const uint64_t q = digits_of(fabs(v), &exponent);
    const int n = put_digits(q, digit);
    at = (exponent < -4 || exponent >= DIGITS ? put_with_exponent : put_fixed)(at, digit, n, exponent);
  }
  *at = '\0';
  return (int)(at - text);
}
