/* An MJCF file as one tree of elements, with the files that it includes, its compiler settings and its classes of defaults; values of
 * attributes, which come from these classes where the element itself has none. */
#ifndef MBO_MJCF_FILE_H
#define MBO_MJCF_FILE_H

#include "base/names.h"
#include "import/element.h"
#include "import/pose.h"

typedef enum mjcf_inference { MJCF_INFER_MISSING, MJCF_INFER_ALL, MJCF_INFER_NONE } mjcf_inference;

/* <compiler>; angles of the file times `angle` are radians */
typedef struct mjcf_compiler {
  double angle, bound_mass, bound_inertia, total_mass, group[2];
  int limits_by_range; /* autolimits */
  int balance;         /* balanceinertia */
  int strip_path;
  mjcf_inference inference;
  char euler[4]; /* axes of the turns, small letters: of the turned frame, capitals: of the fixed one */
  char *mesh_folder;
} mjcf_compiler;

/* A <default> with its class. One class may have several; `before` is the one before this in the class, -1: none. */
typedef struct mjcf_default {
  const xml_element *e;
  int class, before;
} mjcf_default;

/* A class inherits from its parent, -1: it is the outermost one, `main`. */
typedef struct mjcf_class {
  const char *name;
  int parent, last; /* its last <default> */
} mjcf_class;

typedef struct mjcf_file {
  element_file elements;
  xml_element *root;
  int npath, ninclude;
  char **path;           /* of the files, the first the one that was asked for */
  xml_element **include; /* roots of the included files, whose children have gone into the tree */
  mjcf_compiler compiler;
  int nclass, ndefault;
  mjcf_class *class;
  mjcf_default *defaults;
  mbd_names classes;
} mjcf_file;

/* Reads a file, checks its elements, and reads its settings and classes. What has been read is to be freed in any case. */
mbd_status mjcf_open(const char *path, robot *r, mjcf_file *f, mbd_error *err);
void mjcf_close(mjcf_file *f);

/* MBD_NO_MEMORY, with the name of the file. */
mbd_status mjcf_no_memory(const mjcf_file *f);

/* Iterates over the children with this name of all sections of a kind: every <body> of every <worldbody>. Start with {.section = "worldbody"};
 * NULL: there are no more. A name of NULL takes all children. */
typedef struct mjcf_each {
  const char *section, *name;
  int i, k;
} mjcf_each;
const xml_element *mjcf_next(const mjcf_file *f, mjcf_each *at);

/* The text of an attribute: of the element, or of the defaults of its class; NULL: of neither. *class is that of the element: its own one,
 * or the childclass of an element around it. MBD_BAD_INPUT: the class does not exist. */
mbd_status mjcf_class_of(const mjcf_file *f, const xml_element *e, int *class);
mbd_status mjcf_get(const mjcf_file *f, const xml_element *e, const char *key, const char **text);

/* The name of an element; NULL: it has none. */
const char *mjcf_name(const xml_element *e);

/* Values of attributes, with those of the class. Without any the numbers keep their values; *n counts those that were given, 0: none. */
mbd_status mjcf_numbers(const mjcf_file *f, const xml_element *e, const char *key, int min, int max, double *v, int *n);
mbd_status mjcf_number(const mjcf_file *f, const xml_element *e, const char *key, double *v);

/* Reads one of the words first|second|...: its number; without the attribute *i stays. */
mbd_status mjcf_word(const mjcf_file *f, const xml_element *e, const char *key, const char *(*word_at)(int i), int *i);

/* Words of what says whether a range counts: false, true, auto. */
const char *mjcf_limited_at(int i);

/* Reads true or false; *is stays without the attribute. */
mbd_status mjcf_flag(const mjcf_file *f, const xml_element *e, const char *key, int *is);

/* The path of a file of a <mesh>, in memory of its own. MBD_BAD_INPUT: it is outside of the folder of the first file. */
mbd_status mjcf_mesh_path(const mjcf_file *f, const xml_element *e, const char *file, char **path);

/* The pose of an element's frame in the frame around it: pos, and one of quat, axisangle, euler, xyaxes, zaxis. */
mbd_status mjcf_pose(const mjcf_file *f, const xml_element *e, robot_pose *pose);

#endif
