/* A robot, whatever format its file has: links, pairs of frames on two links that a joint connects, couplings of coordinates. A reader of a
 * format fills it by the functions of robot_fill.h; the writers make a model file and a run file of it.
 *
 * A link becomes a body. Joints of the tree put the links in place; further joints close loops. Both are the same kind of object: two frames
 * on two links, and the motions that the type permits between them. At zero coordinates the frames coincide.
 *
 * The frame of a body is that of its link, turned: welds, and joints whose coordinates count from parallel frames, need parallel frames of
 * their bodies. robot_link.turn is the rotation between both frames. */
#ifndef MBO_ROBOT_H
#define MBO_ROBOT_H

#include <stdio.h>

#include "mbd/status.h"

typedef enum robot_type {
  ROBOT_REVOLUTE,
  ROBOT_PRISMATIC,
  ROBOT_CYLINDRICAL,
  ROBOT_SPHERICAL,
  ROBOT_PLANAR,
  ROBOT_FLOATING,
  ROBOT_WELD
} robot_type;

/* The pose of a frame in another one: its origin [m], and the matrix whose columns are its axes. */
typedef struct robot_pose {
  double xyz[3], R[9];
} robot_pose;

/* What a link looks like. */
typedef enum robot_look {
  ROBOT_UNSEEN, /* a mesh of which nothing can be drawn */
  ROBOT_BOX,
  ROBOT_SPHERE,
  ROBOT_CYLINDER,
  ROBOT_CAPSULE,
  ROBOT_MESH
} robot_look;

typedef struct robot_shape {
  robot_look type;
  int line;
  robot_pose pose; /* of its middle, a mesh: of the axes of its file, in the frame of the link */
  double size
      [3]; /* [m] box: its edges; sphere, cylinder, capsule: radius, and length along z; mesh: factors of its points [-] */
  char *file; /* mesh: as the robot's file names it, "package://arm/upper.stl" */
  char *path; /* from the folder of the model file; NULL: it has not been found (robot_shape.h) */
  char *name; /* in the model */
} robot_shape;

typedef struct robot_link {
  char *name;
  int line;
  double mass, com[3], inertia[9]; /* [kg], [m], [kg m^2] about the centre of mass, along the axes of the link */
  int joint;                       /* the joint of the tree of which it is the child; -1: the root */
  int nshape;
  robot_shape *shape;
  double turn[9];     /* vector in the frame of the body = turn * vector in the frame of the link */
  char *body, *frame; /* names in the model: of the body, of the point at the origin of the link */
} robot_link;

typedef struct robot_joint {
  char *name;
  int line;
  robot_type type;
  int link[2];             /* of the tree: parent and child. The coordinates measure the second relative to the first */
  int closes;              /* 1: it closes a loop; 0: it belongs to the tree */
  robot_pose frame[2];     /* the frame of the joint on each link, in that link's frame */
  unsigned opens[2];       /* bits: the axes of each body along which a move of that frame alone opens a loop */
  double axis[3];          /* components along the axes of the frame of the joint; any length */
  double lower, upper;     /* limits of the coordinate [rad or m]; each may be infinite: no limit */
  double effort, velocity; /* largest effort [N m or N] and velocity [rad/s or m/s]; 0: not given */
  double damping, friction, stiffness;
  double rest; /* coordinate at which the spring of the stiffness has no force [rad or m] */
  double time,
      ratio; /* springdamper of MJCF: time constant [s] and damping ratio, which give stiffness and damping; 0: not given */
  double rotor;         /* inertia of its motor's rotor, times the square of the ratio [kg m^2 or kg] */
  double start;         /* coordinate at which the file puts it [rad or m]; NAN: the file says nothing */
  double free_start[7]; /* spherical, floating: of all of robot_coordinate_at; zero: the file says nothing */
  int motor;            /* 1: a motor drives it, by the file; 0: the file says nothing of that */
  int driven;           /* 1: the run file drives it; the others follow from the loops and couplings, or are free */
  int bound;            /* 1: a loop or a coupling may say how it moves; 0: its coordinate changes nothing of these */
  int coupling;         /* the coupling by which it follows another joint; -1: none */
  /* Names in the model: of the joint, with which those of its scalars and of its curve begin; of its point on the first link and on the
   * second; of its vectors; of its forces. */
  char *joint, *place, *end, *along, *zero, *friction_name, *spring_name, *rotor_name;
} robot_joint;

/* One joint's coordinate follows another one's, z = offset + ratio x + sum power[k] x^(2 + k) with x = z_other - from; the offset has the unit of z. */
typedef struct robot_coupling {
  char *name; /* in the model */
  int line;
  int joint, other; /* other -1: it stays at the offset */
  double ratio, offset;
  double power[3], from; /* zero of a line */
} robot_coupling;

/* The coordinate that follows, and its slope over the other one. */
double robot_follows(const robot_coupling *c, double other, double *slope);
int robot_is_line(const robot_coupling *c); /* 1: another joint's coordinate counts, and its powers do not */

/* A coordinate of the model, "elbow.angle", of a joint, and its value in the position in which the loops are closed. */
typedef struct robot_guess {
  char *coordinate;
  int joint;
  double value;
} robot_guess;

/* A point of a link, in its frame. */
typedef struct robot_point {
  char *name;
  int line, link;
  double at[3];
  char *point; /* its name in the model */
} robot_point;

/* A force F along a sum of coordinates L = sum coef z, so that coef F acts on each of them:
 *   F = gain control + constant + slope L + rate L'
 * A motor acts where the scalar `motors` of the model is 1, with its control; what is no motor, as a spring on several joints, always. */
typedef struct robot_law {
  char *name;
  int line, is_motor;
  int n, *joint;
  double *coef;
  double gain, constant, slope, rate;
  double lower, upper;           /* limits of the control; each may be infinite */
  char **force;                  /* [n] names in the model: of the force on each coordinate */
  char *length, *speed, *signal; /* of L, of L', of the control */
} robot_law;

/* A state of the file from which motions can start, by a coordinate of a joint (0: the first; of joints with several see
 * robot_coordinate_at), or by the control of a law, with its value. */
typedef struct robot_value {
  int joint, coordinate; /* joint -1: of a law */
  int law;
  double value;
} robot_value;

typedef struct robot_key {
  char *name;
  int line, n;
  robot_value *value;
  char *load_case; /* its name in the run file */
} robot_key;

/* What the model does not contain, or has otherwise than the file. `what` is the end of the text that names no place; `more` counts the
 * further places of which the same can be said. */
typedef struct robot_warning {
  char *text; /* "FILE:LINE: joint 'elbow' <limit> ..." */
  size_t what;
  int more;
} robot_warning;

typedef enum robot_base { ROBOT_BASE_FIXED, ROBOT_BASE_FLOATING } robot_base;

typedef struct robot {
  char *path, *name;
  const char *note;  /* what every model of the format has otherwise than the file; NULL: nothing */
  double gravity[3]; /* [m/s^2], along the axes of the root */
  int grounded;      /* 1: the root is the ground itself; 0: a body that stands on it or is free */
  int nlink, njoint, ncoupling, npoint, nlaw, nkey, nwarning, nguess;
  robot_link *link;
  robot_joint *joint;
  robot_coupling *coupling;
  robot_point *point;
  robot_law *law;
  robot_key *key;
  int *order; /* [nlink] links in an order in which each comes after its parent; the first is the root */
  robot_warning *warning;
  unsigned vary;              /* which numbers may vary (robot_vary.h); set before the files are written */
  int nclosing;               /* joints that close loops */
  robot_guess *guess;         /* [nguess] of all coordinates of a robot with loops */
  int nfree;                  /* coordinates that the driven joints leave free, of a robot with loops */
  char *title, *world, *base; /* names in the model: its own, of a point of the ground, of the joint of the root */
} robot;

/* Frees what a reader has filled, also where it has failed. */
void robot_free(robot *r);

/* Write the text of a model file, and of a run file that refers to it. */
void robot_write_model(const robot *r, robot_base base, FILE *out);
void robot_write_run(const robot *r, robot_base base, const char *model_file, FILE *out);

int robot_is_turning(robot_type type);              /* revolute: its coordinate is an angle */
const char *robot_coordinate(const robot_joint *j); /* "angle", "distance"; NULL: it has none or several */
const char *robot_coordinate_at(const robot_joint *j,
                                int i);      /* floating: "x" ... "e3"; spherical: "e0" ... "e3"; NULL */
int robot_moves_alone(const robot_joint *j); /* it is of the tree, has one coordinate, and follows no other joint */

#endif
