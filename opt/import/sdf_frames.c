#include "import/sdf_frames.h"

#include <math.h>
#include <string.h>

#include "files/memory.h"
#include "import/pose.h"

/* ---- values ---- */

mbd_status sdf_numbers(const sdf_file *f, const xml_element *e, const char *child, int n, double *v, int *found) {
  const xml_element *c = xml_child(e, child);
  if (found) { *found = c != NULL; }
  return c ? element_numbers(&f->elements, c, child, c->text ? c->text : "", n, n, v, NULL) : MBD_OK;
}

mbd_status sdf_number(const sdf_file *f, const xml_element *e, const char *child, double *v) {
  return sdf_numbers(f, e, child, 1, v, NULL);
}

void sdf_word(const xml_element *e, const char *child, char word[200]) {
  const xml_element *c = xml_child(e, child);
  const char *text = c && c->text ? c->text : "";
  snprintf(word, 200, "%.*s", (int)strcspn(text, " \t\r\n"), text);
}

/* ---- frames ---- */

mbd_status sdf_add_frame(sdf_file *f, const xml_element *e, int link) {
  static const char *const own[] = {"__model__", "world"};
  const char *name = f->nframe < 2 ? own[f->nframe] : xml_get(e, "name");
  if (!name || !*name) { return element_fail(&f->elements, e, "attribute 'name' is missing"); }
  if (mbd_names_find(&f->names, name) >= 0) {
    return element_fail(&f->elements, e, "appears twice, or is a name of its own");
  }
  sdf_frame *grown = mbd_list_grow(f->frame, f->nframe, sizeof *grown);
  MEMORY_TRY(grown, f->elements.err, "%s", e->path);
  f->frame = grown;
  grown[f->nframe] = (sdf_frame){.e = e, .name = name, .link = link};
  MEMORY_TRY(mbd_names_add(&f->names, name, f->nframe), f->elements.err, "%s", e->path);
  f->nframe++;
  return MBD_OK;
}

mbd_status sdf_find(const sdf_file *f, const xml_element *e, const char *key, const char *name, int *frame) {
  *frame = mbd_names_find(&f->names, name);
  return *frame >= 0 ? MBD_OK : element_not_known(&f->elements, e, key, name, &f->names);
}

/* The rotation of angles about fixed axes, in degrees where the element says so; or of a quaternion x y z w. */
mbd_status sdf_pose(const sdf_file *f, const xml_element *e, robot_pose *pose) {
  const xml_element *c = xml_child(e, "pose");
  double v[7] = {0};
  *pose = pose_identity();
  if (!c || !c->text) { return MBD_OK; }
  const char *format = xml_get(c, "rotation_format"), *degrees = xml_get(c, "degrees"), *old = xml_get(c, "frame");
  const int is_quaternion = format && strcmp(format, "quat_xyzw") == 0;
  if (old && *old) {
    return element_fail(&f->elements, c, "frame = \"%.80s\", expected relative_to, as from version 1.7 on", old);
  }
  MBD_TRY(sdf_numbers(f, e, "pose", is_quaternion ? 7 : 6, v, NULL));
  memcpy(pose->xyz, v, sizeof pose->xyz);
  if (is_quaternion) {
    const double quaternion[4] = {v[6], v[3], v[4], v[5]};
    if (!(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6] > 1e-20)) {
      return element_fail(&f->elements, c, "gives no orientation, expected a quaternion with a length");
    }
    pose_quaternion(quaternion, pose->R);
    return MBD_OK;
  }
  const double unit = degrees && (strcmp(degrees, "true") == 0 || strcmp(degrees, "1") == 0) ? acos(-1.0) / 180 : 1;
  const double rpy[3] = {unit * v[3], unit * v[4], unit * v[5]};
  robot_rotation(rpy, pose->R);
  return MBD_OK;
}

/* The frame that a frame's pose is relative to: the one that it names, or of a joint its child, of a <frame> what it is attached to, or else
 * the model. */
static mbd_status base_of(const sdf_file *f, const sdf_frame *frame, int *base) {
  const xml_element *pose = xml_child(frame->e, "pose");
  const char *named = pose ? xml_get(pose, "relative_to") : NULL, *key = "relative_to";
  char child[200] = "";
  if (!named || !*named) { named = xml_get(frame->e, key = "attached_to"); }
  if ((!named || !*named) && strcmp(frame->e->name, "joint") == 0) {
    sdf_word(frame->e, key = "child", child);
    named = child;
  }
  *base = SDF_MODEL;
  return named && *named ? sdf_find(f, frame->e, key, named, base) : MBD_OK;
}

mbd_status sdf_resolve(sdf_file *f, int frame) {
  enum { MAX = 1000 };
  int way[MAX], n = 0, base = frame;
  /* from frame to frame, until one is known */
  while (f->frame[base].state != 2) {
    if (n == MAX || f->frame[base].state == 1) {
      return element_fail(&f->elements, f->frame[base].e,
                          "has a pose that is relative to itself, or over more than %d frames", MAX);
    }
    f->frame[base].state = 1;
    way[n++] = base;
    MBD_TRY(base_of(f, &f->frame[base], &base));
  }
  /* and back */
  while (n > 0) {
    sdf_frame *next = &f->frame[way[--n]];
    robot_pose own;
    MBD_TRY(sdf_pose(f, next->e, &own));
    next->pose = pose_product(&f->frame[base].pose, &own);
    next->state = 2;
    base = way[n];
  }
  return MBD_OK;
}

mbd_status sdf_link_of(sdf_file *f, int frame, int *link) {
  for (int steps = 0; f->frame[frame].link < 0; steps++) {
    const xml_element *e = f->frame[frame].e;
    const char *named = xml_get(e, "attached_to"), *key = "attached_to";
    char child[200] = "";
    if (strcmp(e->name, "joint") == 0) {
      sdf_word(e, key = "child", child);
      named = child;
    }
    if (steps > f->nframe) { return element_fail(&f->elements, e, "is attached to itself"); }
    int next = SDF_MODEL;
    if (named && *named) { MBD_TRY(sdf_find(f, e, key, named, &next)); }
    frame = next;
  }
  *link = f->frame[frame].link;
  return MBD_OK;
}
