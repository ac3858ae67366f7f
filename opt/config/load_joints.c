/* Joints by name. */
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

/* The joint between two bodies that are known; points: one on each of them, or NULL for `point`, which they share. */
static mbd_status add_joint(loader *l, const model_section *q, ini_section *s, const char *type, char *const *body,
                            char *const *points) {
  const char *shared = load_value(s, "point", NULL);
  mbd_joint_desc d;
  int cut;
  mbd_joint_desc_init(&d);
  MBD_TRY(load_word(l, q, s, "cut", &cut));
  d.name = s->name;
  d.type = type;
  d.axis = load_value(s, "axis", NULL);
  d.axis2 = load_value(s, "axis2", NULL);
  d.cut = (mbd_cut)cut;
  for (int i = 0; i < 2; i++) {
    d.body[i] = body[i];
    d.point[i] = points ? points[i] : shared;
  }
  return load_located(l, s, NULL, mbd_spec_joint(l->m->spec, &d, l->err));
}

static mbd_status read_joint(loader *l, const model_section *q, ini_section *s) {
  ini_entry *type, *bodies;
  const ini_entry *points = ini_get(s, "points");
  char **body, **point = NULL;
  MBD_TRY(load_required(l, q, s, "type", &type));
  MBD_TRY(load_required(l, q, s, "bodies", &bodies));
  if (points && ini_get(s, "point")) {
    return ini_fail(&l->f, s, points, l->err, "expected either 'point' or 'points', not both");
  }
  MBD_TRY(load_names(l, s, bodies, 2, "bodies", "separated by a comma", &body));
  mbd_status status = load_known_body(l, s, bodies, body[0]);
  if (status == MBD_OK) { status = load_known_body(l, s, bodies, body[1]); }
  if (status == MBD_OK && points) { status = load_names(l, s, points, 2, "points", "one on each body", &point); }
  if (status == MBD_OK) { status = add_joint(l, q, s, type->value, body, point); }
  text_list_free(body, 2);
  if (point) { text_list_free(point, 2); }
  return status;
}

const model_section model_section_joint = {"joint", "A joint by name.", 1, joint_keys, .read = read_joint};
