/* Units: a table of symbols, and a reader of their products. */
#include "base/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *symbol;
  mbd_unit unit;
} table[] = {
    {"m", {1, {1, 0, 0}, 1}},
    {"mm", {1e-3, {1, 0, 0}, 1}},
    {"cm", {1e-2, {1, 0, 0}, 1}},
    {"km", {1e3, {1, 0, 0}, 1}},
    {"kg", {1, {0, 1, 0}, 0}},
    {"g", {1e-3, {0, 1, 0}, 0}},
    {"t", {1e3, {0, 1, 0}, 0}},
    {"s", {1, {0, 0, 1}, 0}},
    {"ms", {1e-3, {0, 0, 1}, 0}},
    {"min", {60, {0, 0, 1}, 0}},
    {"h", {3600, {0, 0, 1}, 0}},
    {"N", {1, {1, 1, -2}, 0}},
    {"kN", {1e3, {1, 1, -2}, 0}},
    {"MN", {1e6, {1, 1, -2}, 0}},
    {"J", {1, {2, 1, -2}, 1}},
    {"kJ", {1e3, {2, 1, -2}, 1}},
    {"W", {1, {2, 1, -3}, 1}},
    {"kW", {1e3, {2, 1, -3}, 1}},
    {"Pa", {1, {-1, 1, -2}, -2}},
    {"kPa", {1e3, {-1, 1, -2}, -2}},
    {"bar", {1e5, {-1, 1, -2}, -2}},
    {"MPa", {1e6, {-1, 1, -2}, -2}},
    {"Hz", {1, {0, 0, -1}, 0}},
    {"rad", {1, {0, 0, 0}, 0}},
    {"deg", {0.017453292519943295, {0, 0, 0}, 0}},
    {"1", {1, {0, 0, 0}, 0}},
    {"-", {1, {0, 0, 0}, 0}},
    {"%", {1e-2, {0, 0, 0}, 0}},
};
enum { N_SYMBOLS = sizeof table / sizeof table[0] };

static void multiply(mbd_unit *u, const mbd_unit *by, double power) {
  u->factor *= pow(by->factor, power);
  u->lengths += power * by->lengths;
  for (int k = 0; k < MBD_UNIT_POWERS; k++) { u->power[k] += power * by->power[k]; }
}

static const char *spaces(const char *at) {
  while (isspace((unsigned char)*at)) { at++; }
  return at;
}

/* Reads one symbol at *at; returns 0 if none is known. */
static int symbol(const char **at, mbd_unit *u) {
  const size_t n =
      isalpha((unsigned char)**at) ? strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") : **at != '\0';
  for (int i = 0; i < N_SYMBOLS; i++) {
    if (strlen(table[i].symbol) != n || strncmp(table[i].symbol, *at, n) != 0) { continue; }
    *u = table[i].unit;
    *at += n;
    return n > 0;
  }
  return 0;
}

static int product(const char **at, mbd_unit *u, int depth);

/* Reads a symbol, or a product in parentheses, with its power. */
static int factor(const char **at, mbd_unit *u, int depth) {
  mbd_unit one = {.factor = 1};
  double power = 1;
  if (**at == '(') {
    (*at)++;
    if (depth > 8 || !product(at, &one, depth + 1) || **at != ')') { return 0; }
    (*at)++;
  } else if (!symbol(at, &one)) {
    return 0;
  }
  if (**at == '^') {
    char *end;
    power = (double)strtol(*at + 1, &end, 10);
    if (end == *at + 1 || fabs(power) > 9) { return 0; }
    *at = end;
  }
  multiply(u, &one, power);
  return 1;
}

static int product(const char **at, mbd_unit *u, int depth) {
  int under = 0; /* the next factor divides */
  for (*at = spaces(*at);;) {
    mbd_unit next = {.factor = 1};
    if (!factor(at, &next, depth)) { return 0; }
    multiply(u, &next, under ? -1 : 1);
    *at = spaces(*at);
    if (!**at || **at == ')') { return 1; }
    under = **at == '/';
    if (**at == '/' || **at == '*') { *at = spaces(*at + 1); }
  }
}

int mbd_unit_parse(const char *text, mbd_unit *u) {
  const char *at = spaces(text);
  *u = (mbd_unit){.factor = 1};
  return !*at || (product(&at, u, 0) && !*at);
}

int mbd_unit_alike(const mbd_unit *a, const mbd_unit *b) {
  for (size_t i = 0; i < sizeof a->power / sizeof a->power[0]; i++) {
    if (a->power[i] != b->power[i]) { return 0; }
  }
  return 1;
}
