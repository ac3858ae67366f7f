/* Sections of model files for tests: a mass on a slide along z, a carriage on a rail along x; the coordinate is slide.distance. */
#ifndef MBOPT_TEST_SLIDE_H
#define MBOPT_TEST_SLIDE_H

#define MASS_ON_A_SLIDE     \
  "[body mass]\n"           \
  "mass = 1\n"              \
  "com = 0, 0, 0\n"         \
  "inertia = 1, 1, 1\n"     \
  "[vector up]\n"           \
  "along = 0, 0, 1\n"       \
  "bodies = ground, mass\n" \
  "[joint slide]\n"         \
  "type = prismatic\n"      \
  "bodies = ground, mass\n" \
  "axis = up\n"

#define CARRIAGE_ON_A_RAIL      \
  "[body carriage]\n"           \
  "mass = 1\n"                  \
  "com = 0, 0, 0\n"             \
  "inertia = 1, 1, 1\n"         \
  "[vector rail]\n"             \
  "along = 1, 0, 0\n"           \
  "bodies = ground, carriage\n" \
  "[point middle]\n"            \
  "at = 0, 0, 0\n"              \
  "bodies = ground, carriage\n" \
  "[joint slide]\n"             \
  "type = prismatic\n"          \
  "bodies = ground, carriage\n" \
  "point = middle\n"            \
  "axis = rail\n"

#endif
