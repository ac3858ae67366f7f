/* What the files of this folder that read Chrono's vehicles share. */
#ifndef MBO_CHRONO_PARTS_H
#define MBO_CHRONO_PARTS_H

#include <stdio.h>

#include "import/chrono.h"
#include "import/chrono_json.h"
#include "import/chrono_texts.h"

enum { CHRONO_AXLES = 8 };

/* A tyre: by the Magic Formula, of a property file, or a radial spring with friction. */
typedef struct chrono_tyre {
  char *tir; /* name of the property file; NULL: none */
  double radius, mass, inertia[3], stiffness, damping, friction;
} chrono_tyre;

typedef struct chrono_axle {
  const char *name, *file; /* of its part in the model, "front"; with which the names of its files begin, "car_front" */
  double at[3];            /* of the suspension in the car [m] */
  int steering;            /* number of the steering that moves its tie rods; -1: none */
  const chrono_file *bar;  /* the stabilizer; NULL: none */
  double bar_at[3];        /* its place in the car */
  double wheel_mass, wheel_inertia[3], drive_share; /* drive_share: of each wheel in the torque of the engine */
  chrono_tyre tyre;
  /* What comes of it. */
  int rises, has_rack; /* wheels that rise by themselves, 0, 1 (the left one) or 2; 1: tie rods end on a body `rack` */
  char floating[40];   /* the body, "$." for one on each side, that no joint connects with the chassis; "": none */
  double wheel[3];     /* centre of the left wheel in the suspension */
} chrono_axle;

/* A steering: the coordinate of its part, and how far that goes to each side [m or rad]. */
typedef struct chrono_steering {
  char coordinate[40];
  double greatest;
} chrono_steering;

/* Add a file, whose text is taken over, and a warning "FILE: ...". Return MBD_NO_MEMORY, also for text NULL. */
mbd_status chrono_add_file(chrono_model *m, char *name, char *text, mbd_error *err);
mbd_status chrono_warn(chrono_model *m, const chrono_file *f, const char *key, const char *what, mbd_error *err);

/* What a template of f, a file of this "Type", has where, from chrono/templates.json; *row is to be released. MBD_BAD_INPUT: it is not among them. */
mbd_status chrono_template(const chrono_file *f, const char *type, json_t **row, mbd_error *err);

/* ---- hard points [mm], and bodies [kg, mm, kg m^2] with inertias along the axes of the car: tables of a model ---- */

enum { CHRONO_POINTS = 40, CHRONO_BODIES = 12 };

typedef struct chrono_tables {
  int npoint, nbody;
  struct {
    const char *name;
    double at[3]; /* [m] */
  } point[CHRONO_POINTS];
  struct {
    const char *name;
    double mass, com[3], inertia[9]; /* SI */
  } body[CHRONO_BODIES];
} chrono_tables;

/* Add a point, one under a key, and the points and bodies of a template. turned: the axes of the car in the frame of f as rows, along which inertias count
 * where f says so. */
void chrono_put_point(chrono_tables *t, const char *name, double x, double y, double z);
mbd_status chrono_add_point(chrono_tables *t, const chrono_file *f, const char *key, const char *name, mbd_error *err);
mbd_status chrono_add_points(chrono_tables *t, const chrono_file *f, const json_t *row, mbd_error *err);
mbd_status chrono_add_bodies(chrono_tables *t, const chrono_file *f, const json_t *row, const double turned[9],
                             mbd_error *err);

/* The rest of a key that begins with a word of templates.json, as "half:"; NULL: it does not. */
const char *chrono_behind(const char *key, const char *word);

/* Reads moments and, where there are any, products of inertia of a section, and rotates the matrix: R I R'. */
mbd_status chrono_inertia(const chrono_file *f, const char *section, const double R[9], double I[9], mbd_error *err);

/* Adds the files NAME_points.csv and NAME_masses.csv, of what there is. */
mbd_status chrono_add_tables(chrono_model *m, const char *name, const chrono_tables *t, mbd_error *err);

/* Adds a file NAME.ini, from a text with its values (chrono_texts.h), below a comment. */
mbd_status chrono_add_text(chrono_model *m, const char *name, const char *comment, const char *text,
                           const chrono_value *value, int n, mbd_error *err);

/* Writes a number without the rounding of a sum or product that gave it. */
void chrono_put_number(double v, FILE *out);

/* ---- subsystems ---- */

/* The tyre of vehicles that name none. */
chrono_tyre chrono_stand_in(void);

/* Reads a tyre, a .tir file or one in JSON; a property file is copied to NAME.tir. */
mbd_status chrono_read_tyre(const char *path, const char *name, chrono_tyre *t, chrono_model *m, mbd_error *err);

/* Add the files of a steering, FILE.ini, whose frame has the columns of R as axes, and of an axle. */
mbd_status chrono_add_steering(const chrono_file *f, const char *file, const double R[9], chrono_steering *s,
                               chrono_model *m, mbd_error *err);
mbd_status chrono_add_axle(const chrono_file *suspension, chrono_axle *a, chrono_model *m, mbd_error *err);

#endif
