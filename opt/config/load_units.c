/* Units of length other than the metre: factors of the numbers of a file to SI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "config/load_model.h"

/* *power: the power of the length in a unit such as "N m/rad", "kg m^2", "N/m^3". Returns 0 for an unknown unit. */
static int power_of_length(const char *unit, int *power) {
  mbd_unit u;
  const int known = mbd_unit_parse(unit, &u);
  *power = known ? (int)u.lengths : 0;
  return known;
}

/* The file's unit of length [m], to a power. */
static double factor_of(const loader *l, int power) {
  const double per_metre = round(1 / l->p->length);
  return power < 0 ? pow(per_metre, -power) : 1 / pow(per_metre, power);
}

mbd_status load_factor(loader *l, const ini_section *s, const ini_entry *e, const char *unit, double *factor) {
  int power;
  *factor = 1;
  if (l->p->length == 1) { return MBD_OK; }
  if (!power_of_length(unit, &power)) {
    return load_fail(l, s, e, "with units = mm the unit of this number is not known ('%s'); expected units = m", unit);
  }
  *factor = factor_of(l, power);
  return MBD_OK;
}

/* ---- elements on coordinates ---- */

const char *load_unit_on(const char *of, const char *unit) {
  static const struct {
    const char *unit, *on_length, *on_angle;
  } rows[] = {{"N m/rad", "N/m", "N m/rad"},
              {"N m s/rad", "N s/m", "N m s/rad"},
              {"rad", "m", "rad"},
              {"rad/s", "m/s", "rad/s"},
              {"N m", "N", "N m"},
              {"m or rad", "m", "rad"},
              {"N or N m", "N", "N m"},
              {"rad/rad", "rad/m", "rad/rad"},
              {"m", "?", "m"}};
  const int length = of && strcmp(of, "m") == 0, angle = of && strcmp(of, "rad") == 0;
  if (!of) { return strcmp(unit, "m") == 0 ? unit : "?"; }
  for (size_t i = 0; (length || angle) && i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].unit, unit) == 0) { return length ? rows[i].on_length : rows[i].on_angle; }
  }
  return unit;
}

/* ---- axes of curves ---- */

/* Powers of the length in the units of a curve's axes, from the elements and drives that use it. */
typedef struct load_axes {
  int x, y, known, used;
} load_axes;

static void note_use(load_axes *axes, int known, int x, int y) {
  axes->known &= known && (!axes->used || (axes->x == x && axes->y == y));
  axes->x = x, axes->y = y, axes->used = 1;
}

/* unit: the text in the first brackets; *text is moved behind them. Returns 0 if there are none. */
static int in_brackets(const char **text, char unit[32]) {
  const char *open = strchr(*text, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close || close - open > 30) { return 0; }
  snprintf(unit, 32, "%.*s", (int)(close - open - 1), open + 1);
  *text = close + 1;
  return 1;
}

/* The same from the table of an element that uses the curve (mbd_curve_info). Returns 0 if they are not known. */
static int powers_of_axes(const mbd_curve_info *info, const char *of, int *x, int *y) {
  char unit[32];
  const char *text = info->doc;
  *x = 0;
  if (!in_brackets(&text, unit) || !power_of_length(load_unit_on(of, unit), y)) { return 0; }
  if (mbd_curve_info_is_of_time(info)) { return 1; }
  return in_brackets(&text, unit) && power_of_length(load_unit_on(of, unit), x);
}

/* Adds the powers from an element of the present part, if it uses the curve. */
static mbd_status look_at_element(loader *l, ini_section *s, const mbd_element_info *info, const char *curve,
                                  load_axes *axes) {
  for (const mbd_curve_info *c = info->curves; c->key; c++) {
    const ini_entry *e = ini_find_entry(s, c->key);
    const char *of;
    char *full;
    int x = 0, y = 0;
    if (!e) { continue; }
    MBD_TRY(load_name(l, "curve", e->value, &full));
    const int is_this = strcmp(load_curve_instead(l, full), curve) == 0;
    free(full);
    if (!is_this) { continue; }
    MBD_TRY(load_unit_of_coordinates(l, s, info, &of));
    const int known = powers_of_axes(c, of, &x, &y);
    note_use(axes, known, x, y);
  }
  return MBD_OK;
}

/* The powers from a quantity that takes the curve at its value, if its units are stated. */
static void note_quantity(load_axes *axes, const char *unit, const char *argument, int derivative) {
  int x = 0, y = 0;
  const int known = power_of_length(argument, &x) && power_of_length(unit, &y);
  note_use(axes, *unit && *argument && known, x, y + derivative * x);
}

static mbd_status look_at_quantity(loader *l, ini_section *s, const char *curve, load_axes *axes) {
  const ini_entry *e = ini_find_entry(s, "curve"), *unit = ini_find_entry(s, "unit"),
                  *argument = ini_find_entry(s, "argument_unit"), *derivative = ini_find_entry(s, "derivative");
  char *full;
  if (!e || strcmp(s->kind, "quantity") != 0) { return MBD_OK; }
  MBD_TRY(load_name(l, "curve", e->value, &full));
  const int is_this = strcmp(load_curve_instead(l, full), curve) == 0;
  free(full);
  if (is_this) {
    note_quantity(axes, unit ? unit->value : "", argument ? argument->value : "",
                  derivative ? atoi(derivative->value) : 0);
  }
  return MBD_OK;
}

static void look_at_run(const loader *l, const char *curve, load_axes *axes) {
  for (int i = 0; i < l->nquantity; i++) {
    const mbo_quantity_config *c = &l->quantity[i];
    if (*c->curve && strcmp(load_curve_instead(l, c->curve), curve) == 0) {
      note_quantity(axes, c->unit, c->argument_unit, c->derivative);
    }
  }
}

static mbd_status look_at_part(loader *l, const char *curve, load_axes *axes) {
  const struct {
    const char *kind;
    const mbd_element_info *(*at)(int i);
  } kinds[] = {{"force", mbd_force_info}, {"constraint", mbd_constraint_info}};
  for (int i = 0; i < l->f->n; i++) {
    ini_section *s = &l->f->section[i];
    const ini_entry *type = ini_find_entry(s, "type");
    MBD_TRY(look_at_quantity(l, s, curve, axes));
    for (int k = 0; k < 2 && type; k++) {
      const mbd_element_info *info = NULL;
      if (strcmp(s->kind, kinds[k].kind) != 0) { continue; }
      for (int j = 0; (info = kinds[k].at(j)) != NULL && strcmp(info->name, type->value) != 0;) { j++; }
      if (info) { MBD_TRY(look_at_element(l, s, info, curve, axes)); }
    }
  }
  return MBD_OK;
}

/* Determines the units of the curve's axes from the elements and quantities of all parts and the drives; a file in metres needs no factors. */
mbd_status load_curve_axes(loader *l, const ini_section *s, const char *curve, const char *driven, double *x,
                           double *y) {
  model_part *from = l->p;
  load_axes axes = {.known = 1};
  int power = 0;
  *x = *y = 1;
  if (from->length == 1) { return MBD_OK; }
  /* The powers of the length in the units of both axes, from the forces and constraints of all parts. */
  mbd_status status = MBD_OK;
  for (int i = 0; i < l->npart && status == MBD_OK; i++) {
    load_enter(l, l->part[i]);
    status = look_at_part(l, curve, &axes);
  }
  load_enter(l, from);
  MBD_TRY(status);
  look_at_run(l, curve, &axes);
  /* A drive is a curve over time whose ordinate has the unit of the driven coordinates. */
  const int known = driven && power_of_length(driven, &power);
  if (!driven || *driven) { note_use(&axes, known, 0, power); }
  if (!axes.known) {
    return load_fail(
        l, s, NULL,
        "with units = mm the units of this curve's axes are not known, or elements and drives take them for "
        "different ones; expected the curve in a file with units = m, or, where a [quantity] takes it, `unit` and "
        "`argument_unit` there");
  }
  /* Factors from the file's unit of length to SI. */
  *x = factor_of(l, axes.x), *y = factor_of(l, axes.y);
  return MBD_OK;
}

/* The unit of coefficient i is written as "y/x^i". */
double load_curve_factor(const char *units, int i, double x, double y) {
  for (int k = 0; k < i && strchr(units, ' '); k++) { units = strchr(units, ' ') + 1; }
  const size_t n = strcspn(units, " ");
  static const char *const words[] = {"y", "x", "1/x", "y/x", "y/x^i"};
  const double factor[] = {y, x, 1 / x, y / x, y / pow(x, i)};
  for (int k = 0; k < 5; k++) {
    if (strlen(words[k]) == n && strncmp(words[k], units, n) == 0) { return factor[k]; }
  }
  return 1;
}
