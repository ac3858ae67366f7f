/* Joints by name. */
#include <stdlib.h>
#include <string.h>

#include "config/load_model.h"

static const model_key joint_keys[] = {
    KEY("type", "see joints below", NULL, "", "type of the joint"),
    KEY("bodies", "two names", NULL, "",
        "the two bodies, separated by a comma: coordinates measure the second relative to the first"),
    KEY("point", "name", "", "", "point that both bodies share"),
    KEY("points", "two names", "", "", "or a point on each body"),
    KEY("axis", "name", "", "", "vector that both share (cardan: fixed in the first body)"),
    KEY("axis2", "name", "", "", "cardan: vector fixed in the second body"),
    KEY_WORD("cut", "auto",
             "whether a loop is opened here", [MBD_CUT_AUTO] = "auto", [MBD_CUT_NO] = "no", [MBD_CUT_YES] = "yes"),
    KEY_END,
};

/* The names that a joint has, by their full ones. */
typedef struct joint_names {
  char *body[2], *point[2], *axis, *axis2;
} joint_names;

static void free_names(joint_names *q) {
  for (int i = 0; i < 2; i++) { free(q->body[i]), free(q->point[i]); }
  free(q->axis), free(q->axis2);
}

static mbd_status find_bodies(loader *l, const ini_section *s, const ini_entry *bodies, joint_names *q) {
  char **body;
  MBD_TRY(load_names(l, s, bodies, 2, "bodies", "separated by a comma", &body));
  mbd_status status = load_body_name(l, s, bodies, body[0], &q->body[0]);
  if (status == MBD_OK) { status = load_body_name(l, s, bodies, body[1], &q->body[1]); }
  text_list_free(body, 2);
  return status;
}

/* `point`, which both bodies share, or `points`: one on each of them. */
static mbd_status find_points(loader *l, ini_section *s, joint_names *q) {
  const ini_entry *points = ini_get(s, "points"), *shared = ini_get(s, "point");
  char **point;
  if (points && shared) { return ini_fail(l->f, s, points, l->err, "expected either 'point' or 'points', not both"); }
  if (shared) {
    for (int i = 0; i < 2; i++) { MBD_TRY(load_name(l, "point", shared->value, &q->point[i])); }
  }
  if (!points) { return MBD_OK; }
  MBD_TRY(load_names(l, s, points, 2, "points", "one on each body", &point));
  mbd_status status = load_name(l, "point", point[0], &q->point[0]);
  if (status == MBD_OK) { status = load_name(l, "point", point[1], &q->point[1]); }
  text_list_free(point, 2);
  return status;
}

static mbd_status find_axis(loader *l, ini_section *s, const char *key, char **full) {
  const char *name = load_value(s, key, NULL);
  return name ? load_name(l, "vector", name, full) : MBD_OK;
}

/* May it stand where the part is turned or mirrored? Of a type that is not known the description says so. */
static mbd_status check_type(loader *l, const ini_section *s, const char *type) {
  const mbd_joint_info *q;
  for (int i = 0; (q = mbd_joint_info_at(i)) != NULL; i++) {
    if (strcmp(q->name, type) == 0) {
      return load_check_image(l, s, q->image != MBD_IMAGE_NONE, "joint of type", type);
    }
  }
  return MBD_OK;
}

static mbd_status add_joint(loader *l, const model_section *q, ini_section *s, const char *type,
                            const joint_names *names) {
  mbd_joint_desc d;
  int cut;
  mbd_joint_desc_init(&d);
  MBD_TRY(load_word(l, q, s, "cut", &cut));
  MBD_TRY(check_type(l, s, type));
  d.name = l->name;
  d.type = type;
  d.axis = names->axis;
  d.axis2 = names->axis2;
  d.cut = (mbd_cut)cut;
  d.mirrored = l->p->place.mirrored;
  for (int i = 0; i < 2; i++) {
    d.body[i] = names->body[i];
    d.point[i] = names->point[i];
  }
  return load_located(l, s, NULL, mbd_spec_joint(l->m->spec, &d, l->err));
}

static mbd_status read_joint(loader *l, const model_section *q, ini_section *s) {
  ini_entry *type, *bodies;
  joint_names names = {0};
  MBD_TRY(load_required(l, q, s, "type", &type));
  MBD_TRY(load_required(l, q, s, "bodies", &bodies));
  mbd_status status = find_points(l, s, &names);
  if (status == MBD_OK) { status = find_bodies(l, s, bodies, &names); }
  if (status == MBD_OK) { status = find_axis(l, s, "axis", &names.axis); }
  if (status == MBD_OK) { status = find_axis(l, s, "axis2", &names.axis2); }
  if (status == MBD_OK) { status = add_joint(l, q, s, type->value, &names); }
  free_names(&names);
  return status;
}

const model_section model_section_joint = {"joint", "A joint by name.", 1, joint_keys, .read = read_joint};
