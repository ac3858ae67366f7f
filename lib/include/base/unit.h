/* Units as they are written: "m/s^2", "N m", "kN/mm", "1/(rad s)". */
#ifndef MBD_UNIT_H
#define MBD_UNIT_H

#pragma GCC visibility push(default)

/* A unit is factor * m^power[0] kg^power[1] s^power[2]; angles have none of these. */
enum { MBD_UNIT_POWERS = 3 };
typedef struct mbd_unit {
  double factor;
  double power[MBD_UNIT_POWERS];
  double lengths; /* power of a length where forces have none: N m/rad has one, N s/m minus one */
} mbd_unit;

/* Reads a unit into *u: symbols with '*' or a space, '/', '^' and a whole number, and parentheses. The texts "", "-", "1" and "%" mean no unit. A
 * fraction ends with the next factor: "N/m s" is N s/m, as in tables of physics. Returns 0 if a symbol is not known or the text is no unit. */
int mbd_unit_parse(const char *text, mbd_unit *u);

int mbd_unit_alike(const mbd_unit *a, const mbd_unit *b); /* 1: both units have the same powers */

#pragma GCC visibility pop
#endif
