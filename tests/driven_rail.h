/* A mass of 2 kg that is driven along a rail by x = t^3 from rest, without gravity. */
#ifndef MBOPT_TESTS_DRIVEN_RAIL_H
#define MBOPT_TESTS_DRIVEN_RAIL_H

static const char *const rail =
    "schema = 1\n[model]\nname = rail\ngravity = 0, 0, 0\njoints = named\n[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = "
    "1, 1, 1\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, b\n[joint j]\ntype = prismatic\nbodies = ground, b\naxis = x\n"
    "[curve f]\ntype = polynomial\ncoefficients = 0, 0, 0, 1\n[constraint d]\ntype = driven_coordinate\ncoordinate = "
    "j.distance\n"
    "motion = f\n";

#endif
