/* What readers of formats fill a robot with, and what the writers share. A reader begins with robot_begin, adds links, joints and couplings,
 * and ends with robot_finish. */
#ifndef MBO_ROBOT_FILL_H
#define MBO_ROBOT_FILL_H

#include "base/names.h"
#include "import/robot.h"

/* An empty robot, with the gravity of the earth along -z. */
void robot_begin(robot *r, const char *path);

/* Add a link without mass, and a joint at the origins of both links without limits, springs and friction, whose other fields the reader sets;
 * the names are copied. Return NULL if there is no memory. The pointer is valid until the next one is added. */
robot_link *robot_add_link(robot *r, const char *name, int line);
robot_joint *robot_add_joint(robot *r, const char *name, int line);

/* Makes two hinges in series of a joint: the joint itself, which ends at a new link without mass with the frame of the joint, and a new one, with the axis
 * (1, 0, 0), from there on, which closes the loop in its place if it does. Their names are that of the joint with endings. Returns the new one; NULL: no memory. */
robot_joint *robot_split_joint(robot *r, int joint, const char *link_ending, const char *joint_ending, int line);

/* Adds a shape with its middle at the origin of the link, and for a mesh with its file; NULL: no memory. */
robot_shape *robot_add_shape(robot_link *link, robot_look type, int line, const char *file);

/* The type of a joint that closes a loop, by a word for it: "revolute", "spherical", "6d". Returns 0 if it is none; robot_closing_words lists
 * them for messages. */
int robot_closing_type(const char *word, robot_type *type);
extern const char robot_closing_words[];

/* Adds a coupling of joints that have one coordinate each; returns 0 if there is no memory. */
int robot_add_coupling(robot *r, int joint, int other, double ratio, double offset, int line);

/* Add a point of a link, and a value to a key; return 0 if there is no memory. */
int robot_add_point(robot *r, const char *name, int line, int link, const double at[3]);
int robot_add_value(robot_key *key, const robot_value *value);

/* Add a force along the sum of n coordinates of joints that have one each, whose numbers the reader sets, and a state without values. Return
 * NULL if there is no memory. */
robot_law *robot_add_law(robot *r, const char *name, int line, int n, const int *joint, const double *coef);
robot_key *robot_add_key(robot *r, const char *name, int line);

/* Adds a warning "PLACEwhat", where the place ends with a blank. One that was given for another place before is counted there. Returns 0
 * if there is no memory. */
int robot_warn(robot *r, const char *place, const char *what);

/* Finds the tree, turns the frames and chooses the names, after everything has been added. MBD_BAD_INPUT: "FILE:LINE: ...", joints of the tree
 * form none, couplings lead back to themselves, a name is too long. */
mbd_status robot_finish(robot *r, mbd_error *err);

/* R = Rz(yaw) Ry(pitch) Rx(roll): rotations about fixed axes, roll first. Entries that are only the rounding of a right angle are set to
 * zero. */
void robot_rotation(const double rpy[3], double R[9]);

/* The angles of such a rotation. */
void robot_angles(const double R[9], double rpy[3]);

/* u = v/|v| */
void robot_unit(double u[3], const double v[3]);

/* Sets v to a unit vector that is not along the axis: that of the axis's least component. */
void robot_across(const double axis[3], double v[3]);

/* Euler parameters of a rotation, e[0] >= 0. */
void robot_euler(const double R[9], double e[4]);

/* I = R I_0 R' of a matrix I_0 with xx, yy, zz, xy, xz, yz; returns 0 if that is none of inertia. */
int robot_inertia(const double v[6], const double R[9], double I[9]);

/* Returns 1 if a matrix of inertia has no negative eigenvalue: no principal minor is negative beyond rounding. */
int robot_is_inertia(const double I[9]);

/* ---- for the files of this folder ---- */

/* Finds the parent of each link: sets robot_link.joint and turn, robot.order. MBD_BAD_INPUT: "FILE:LINE: ...". */
mbd_status robot_make_tree(robot *r, mbd_error *err);

/* Sets robot_link.turn. MBD_BAD_INPUT: "FILE:LINE: ...", a weld that closes a loop of welds has another rotation than these. */
mbd_status robot_turn_frames(robot *r, mbd_error *err);

/* Sets stiffness and damping of joints that give a time constant and a damping ratio in their place. A joint without inertia is a warning. */
mbd_status robot_set_springs(robot *r, mbd_error *err);

/* Closes the loops and chooses the joints that the run file drives; a robot without loops drives each joint that moves alone. Loops that cannot
 * be closed are a warning. */
mbd_status robot_close_loops(robot *r, mbd_error *err);

/* Chooses names that are permitted in model files, each unique. MBD_BAD_INPUT: "FILE:LINE: ...", one is too long. */
mbd_status robot_name_all(robot *r, mbd_error *err);

/* Write the forces along sums of coordinates, and the scalars of the model for these and for starts of joints with several coordinates. */
int robot_has_more_scalars(const robot *r);
void robot_write_more_scalars(const robot *r, FILE *out);
void robot_write_laws(const robot *r, FILE *out);

/* Returns 1 for a joint of several coordinates whose start the file gives. */
int robot_has_free_start(const robot_joint *j);

/* Writes the load cases that start from the keys of the file. */
void robot_write_keys(const robot *r, FILE *out);

/* Writes a number with as few digits as are needed to read it back exactly. */
void robot_number(FILE *out, double v);

/* Writes a text in a comment, without characters that would end the comment, and cut to the length of a line. */
void robot_comment(FILE *out, const char *text);

#endif
