/* Frames of an SDFormat model by their names, values of elements, and poses in the frame of the model. */
#ifndef MBO_SDF_FRAMES_H
#define MBO_SDF_FRAMES_H

#include "base/names.h"
#include "import/element.h"
#include "import/robot_fill.h"

/* A link, a joint or a <frame>; the model, which is frame 0, and the world, which is frame 1. */
typedef struct sdf_frame {
  const xml_element *e;
  const char *name;
  int link;        /* of the robot, to which it is attached; -1: not known yet */
  int state;       /* 0: its pose is not known yet, 1: it is being computed, 2: known */
  robot_pose pose; /* in the frame of the model */
} sdf_frame;

typedef struct sdf_file {
  element_file elements;
  robot *r;
  const xml_element *model;
  int nframe;
  sdf_frame *frame;
  mbd_names names;
  int nlink, *of_link; /* [nlink] the frame of each link of the file */
  int world;           /* the link of the ground; -1: no joint is on it */
} sdf_file;

enum { SDF_MODEL, SDF_WORLD }; /* frames that every model has */

/* Adds a frame; -1: no memory. MBD_BAD_INPUT: the name is there already. */
mbd_status sdf_add_frame(sdf_file *f, const xml_element *e, int link);

/* Numbers in the text of a child element; *n = 0, and the numbers keep their values, without it. */
mbd_status sdf_numbers(const sdf_file *f, const xml_element *e, const char *child, int n, double *v, int *found);
mbd_status sdf_number(const sdf_file *f, const xml_element *e, const char *child, double *v);

/* The text of a child, without the blanks around it, in a buffer; "" without the child. */
void sdf_word(const xml_element *e, const char *child, char word[200]);

/* Finds a frame by its name. MBD_BAD_INPUT: there is none. */
mbd_status sdf_find(const sdf_file *f, const xml_element *e, const char *key, const char *name, int *frame);

/* Computes the pose of a frame in that of the model, by the frames that it is given relative to; and the link that it is attached to. */
mbd_status sdf_resolve(sdf_file *f, int frame);
mbd_status sdf_link_of(sdf_file *f, int frame, int *link);

/* Reads <pose> of an element, x y z and angles or a quaternion, without the frame that it is relative to. */
mbd_status sdf_pose(const sdf_file *f, const xml_element *e, robot_pose *pose);

#endif
