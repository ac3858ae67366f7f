/* Units of lengths other than SI: what the numbers of a file are to be multiplied with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/load_model.h"

/* Units without lengths, and how many lengths others have. */
static const struct {
  const char *name;
  int lengths;
} known[] = {{"m", 1}, {"N", 0}, {"kg", 0}, {"s", 0}, {"rad", 0}, {"-", 0}, {"1", 0}, {"J", 1}, {"W", 1}};

/* "m^2" of n characters: the power of a length. 0: unknown. */
static int read_factor(const char *c, size_t n, int *power) {
  const size_t name = strcspn(c, "^ /") < n ? strcspn(c, "^ /") : n;
  const long exponent = name < n ? strtol(c + name + 1, NULL, 10) : 1;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strlen(known[i].name) != name || strncmp(known[i].name, c, name) != 0) { continue; }
    *power = known[i].lengths * (int)exponent;
    return 1;
  }
  return 0;
}

/* "N m/rad", "kg m^2", "N/m^3": the power of the length; 0: something in it is unknown. */
static int power_of_length(const char *unit, int *power) {
  int below = 0;
  *power = 0;
  for (const char *c = unit; *c; c += *c == ' ' || *c == '/') {
    const size_t n = strcspn(c, " /");
    int p;
    if (!read_factor(c, n, &p)) { return 0; }
    *power += below ? -p : p;
    c += n;
    below |= *c == '/';
  }
  return 1;
}

mbd_status load_factor(loader *l, const ini_section *s, const ini_entry *e, const char *unit, double *factor) {
  int power;
  *factor = 1;
  if (l->p->length == 1) { return MBD_OK; }
  if (!power_of_length(unit, &power)) {
    return ini_fail(l->f, s, e, l->err,
                    "with units = mm the unit of this number is not known ('%s'); expected units = m", unit);
  }
  const double per_metre = round(1 / l->p->length);
  *factor = power < 0 ? pow(per_metre, -power) : 1 / pow(per_metre, power);
  return MBD_OK;
}
