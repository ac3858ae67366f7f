/* Robots in the Unified Robot Description Format (URDF) of ROS: read from their files, written as model files and run files.
 *
 * A link becomes a body with the frame of the link. The child of a fixed or floating joint has a body frame parallel to that of its parent,
 * since these joints connect parallel frames. urdf_link.turn is the rotation between both frames. */
#ifndef MBO_URDF_H
#define MBO_URDF_H

#include <stdio.h>

#include "mbd/status.h"

typedef enum urdf_type {
  URDF_REVOLUTE,
  URDF_CONTINUOUS,
  URDF_PRISMATIC,
  URDF_FIXED,
  URDF_FLOATING,
  URDF_PLANAR
} urdf_type;

/* The pose of a frame in another one: its origin [m], and the matrix whose columns are its axes. */
typedef struct urdf_pose {
  double xyz[3], R[9];
} urdf_pose;

typedef struct urdf_link {
  char *name;
  int line;
  double mass, com[3], inertia[9]; /* [kg], [m], [kg m^2] about the centre of mass, along the axes of the link */
  int joint;                       /* the joint of which it is the child; -1: the root */
  int nshape;
  char **shape;       /* descriptions of its visual elements: "mesh package://arm/upper.stl at 0 0 0.1" */
  double turn[9];     /* vector in the frame of the body = turn * vector in the frame of the link */
  char *body, *frame; /* names in the model: of the body, of the point at the origin of the link */
} urdf_link;

typedef struct urdf_joint {
  char *name;
  int line;
  urdf_type type;
  int parent, child;       /* links */
  urdf_pose origin;        /* pose of the child's frame in the parent's at zero joint coordinates */
  double axis[3];          /* components along the child's axes; any length */
  double lower, upper;     /* limits of the coordinate [rad or m]; each may be infinite: no limit */
  double effort, velocity; /* largest effort [N m or N] and velocity [rad/s or m/s]; 0: not given */
  double damping, friction;
  int mimic;                 /* the joint that it follows, z = multiplier z_mimic + offset; -1: none */
  double multiplier, offset; /* the offset has the unit of z */
  /* Names in the model: of the joint, with which those of its scalars and of its curve begin; of its point on the parent; of its vectors;
   * of its damping and friction; of the coupling with the joint that it follows. */
  char *joint, *place, *along, *zero, *friction_name, *mimic_name;
} urdf_joint;

/* What the model does not contain, or has otherwise than the file. `what` is the end of the text that names no place; `more` counts the
 * further places of which the same can be said. */
typedef struct urdf_warning {
  char *text; /* "FILE:LINE: joint 'elbow' <limit> ..." */
  size_t what;
  int more;
} urdf_warning;

typedef struct urdf_robot {
  char *path, *name;
  int nlink, njoint, nwarning;
  urdf_link *link;
  urdf_joint *joint;
  int *order; /* [nlink] links in an order in which each comes after its parent; the first is the root */
  urdf_warning *warning;
  char *title, *world, *base; /* names in the model: its own, of a point of the ground, of the joint of the root */
} urdf_robot;

typedef enum urdf_base { URDF_BASE_FIXED, URDF_BASE_FLOATING } urdf_base;

/* Reads a file. The result has to be freed in any case. MBD_IO_ERROR: the file cannot be read; MBD_BAD_INPUT:
 * "FILE:LINE: ..."; MBD_NOT_BUILT_IN: the program was built without expat. */
mbd_status urdf_read(const char *path, urdf_robot *r, mbd_error *err);
void urdf_free(urdf_robot *r);

/* Write the text of a model file, and of a run file that refers to it. */
void urdf_write_model(const urdf_robot *r, urdf_base base, FILE *out);
void urdf_write_run(const urdf_robot *r, urdf_base base, const char *model_file, FILE *out);

/* ---- for the files of this folder ---- */

/* Finds the parent of each link: sets urdf_link.joint and turn, urdf_robot.order. MBD_BAD_INPUT: "FILE:LINE: ...", the
 * links do not form a tree. */
mbd_status urdf_make_tree(urdf_robot *r, mbd_error *err);

/* Chooses names that are permitted in model files, each unique. MBD_BAD_INPUT: "FILE:LINE: ...", one is too long. */
mbd_status urdf_name_all(urdf_robot *r, mbd_error *err);

int urdf_is_turning(urdf_type type);              /* revolute or continuous: its coordinate is an angle */
int urdf_moves_alone(const urdf_joint *j);        /* it has one coordinate, and follows no other joint */
const char *urdf_coordinate(const urdf_joint *j); /* "angle"; NULL: it has none or several */

/* Writes a number with as few digits as are needed to read it back exactly. */
void urdf_number(FILE *out, double v);

/* Writes a text in a comment, without characters that would end the comment, and cut to the length of a line. */
void urdf_comment(FILE *out, const char *text);

#endif
