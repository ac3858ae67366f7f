/* A four-bar as a model file, which readers of robots' formats are compared with: pivots at (0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0). */
#ifndef MBOPT_FOUR_BAR_H
#define MBOPT_FOUR_BAR_H

static const char own_four_bar[] =
    "schema = 1\n[model]\nframe = body\njoints = named\n"
    "[body crank]\nmass = 1\ncom = 0, 0, 0.5\ninertia = 0.1, 0.2, 0.1\n"
    "[body coupler]\nmass = 2\ncom = 1, 0, 0.25\ninertia = 0.1, 0.3, 0.1\n"
    "[body rocker]\nmass = 1.5\ncom = 0.4, 0, 0.75\ninertia = 0.1, 0.25, 0.1\n"
    "[vector y]\nalong.ground = 0, 1, 0\nalong.crank = 0, 1, 0\nalong.coupler = 0, 1, 0\nalong.rocker = 0, 1, 0\n"
    "[point A]\nat.ground = 0, 0, 0\nat.crank = 0, 0, 0\n[point B]\nat.crank = 0, 0, 1\nat.coupler = 0, 0, 0\n"
    "[point D]\nat.ground = 2, 0, 0\nat.rocker = 0, 0, 0\n[point C]\nat.rocker = 0, 0, 1.5\nat.coupler = 2, 0, 0.5\n"
    "[joint a]\ntype = revolute\nbodies = ground, crank\npoint = A\naxis = y\n"
    "[joint b]\ntype = revolute\nbodies = crank, coupler\npoint = B\naxis = y\n"
    "[joint c]\ntype = revolute\nbodies = ground, rocker\npoint = D\naxis = y\n"
    "[joint end]\ntype = revolute\nbodies = rocker, coupler\npoint = C\naxis = y\ncut = yes\n"
    "[start]\nhold.a.angle = 0\n";

#endif
