/* Names of a robot's file as names of a model file, in which each stands for one thing. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "base/names.h"
#include "import/robot_fill.h"

enum { LONGEST = 100 }; /* so that names with an ending are names of scalars, which have at most 127 characters */

typedef struct namer {
  const robot *r;
  mbd_names taken;
  mbd_error *err;
} namer;

/* Replaces all characters except letters and digits by '_', since names of scalars begin with this name. */
static void tidy(char *name) {
  for (char *c = name; *c; c++) {
    if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c)) { *c = '_'; }
  }
}

/* Makes a name that is not taken yet: `name` with an ending and, if need be, with a number, in new memory. */
static mbd_status give(namer *names, const char *name, const char *ending, char **out) {
  const char *first = isdigit((unsigned char)*name) ? "_" : "";
  *out = mbd_sprintf_dup("%s%s%s", first, name, ending);
  if (*out) { tidy(*out); }
  for (int i = 2; *out && mbd_names_find(&names->taken, *out) >= 0; i++) {
    free(*out);
    *out = mbd_sprintf_dup("%s%s%s_%d", first, name, ending, i);
    if (*out) { tidy(*out); }
  }
  MEMORY_TRY(*out && mbd_names_add(&names->taken, *out, 0), names->err, "%s", names->r->path);
  return MBD_OK;
}

static mbd_status check_length(const namer *names, const char *what, const char *name, int line) {
  if (strlen(name) <= LONGEST) { return MBD_OK; }
  MBD_FAIL(names->err, MBD_BAD_INPUT, "%s:%d: the name of %s '%.60s...' has %zu characters, expected at most %d",
           names->r->path, line, what, name, strlen(name), LONGEST);
}

/* Names the links. Links and joints keep their names if possible. */
static mbd_status name_links(namer *names, robot *r) {
  for (int i = 0; i < r->nlink; i++) {
    robot_link *link = &r->link[i];
    MBD_TRY(check_length(names, "link", link->name, link->line));
    if (r->grounded && link->joint < 0) {
      link->body = mbd_strdup("ground");
      MEMORY_TRY(link->body, names->err, "%s", r->path);
      continue;
    }
    MBD_TRY(give(names, link->name, strcmp(link->name, "ground") == 0 ? "_link" : "", &link->body));
  }
  for (int i = 0; i < r->njoint; i++) {
    robot_joint *joint = &r->joint[i];
    MBD_TRY(check_length(names, "joint", joint->name, joint->line));
    MBD_TRY(give(names, joint->name, mbd_names_find(&names->taken, joint->name) >= 0 ? "_joint" : "", &joint->joint));
  }
  return MBD_OK;
}

static mbd_status name_rest(namer *names, robot *r) {
  for (int i = 0; i < r->nlink; i++) { MBD_TRY(give(names, r->link[i].body, "_frame", &r->link[i].frame)); }
  for (int i = 0; i < r->njoint; i++) {
    robot_joint *k = &r->joint[i];
    MBD_TRY(give(names, k->joint, "_place", &k->place));
    MBD_TRY(give(names, k->joint, "_axis", &k->along));
    MBD_TRY(give(names, k->joint, "_zero", &k->zero));
    MBD_TRY(give(names, k->joint, "_friction", &k->friction_name));
    MBD_TRY(give(names, k->joint, "_end", &k->end));
    MBD_TRY(give(names, k->joint, "_spring", &k->spring_name));
    MBD_TRY(give(names, k->joint, "_rotor", &k->rotor_name));
  }
  for (int i = 0; i < r->ncoupling; i++) {
    MBD_TRY(give(names, r->joint[r->coupling[i].joint].joint, "_mimic", &r->coupling[i].name));
  }
  for (int i = 0; i < r->npoint; i++) {
    robot_point *point = &r->point[i];
    MBD_TRY(check_length(names, "point", point->name, point->line));
    MBD_TRY(give(names, point->name, "", &point->point));
  }
  for (int i = 0; i < r->nlaw; i++) {
    robot_law *law = &r->law[i];
    MBD_TRY(check_length(names, "force", law->name, law->line));
    law->force = mbd_zeros((size_t)law->n, sizeof *law->force);
    MEMORY_TRY(law->force, names->err, "%s", r->path);
    for (int k = 0; k < law->n; k++) {
      MBD_TRY(give(names, law->name, law->is_motor ? "_motor" : "_tendon", &law->force[k]));
    }
    MBD_TRY(give(names, law->name, "_length", &law->length));
    MBD_TRY(give(names, law->name, "_speed", &law->speed));
    MBD_TRY(give(names, law->name, "_control", &law->signal));
  }
  for (int i = 0; i < r->nkey; i++) {
    MBD_TRY(check_length(names, "keyframe", r->key[i].name, r->key[i].line));
    MBD_TRY(give(names, r->key[i].name, strcmp(r->key[i].name, "motion") == 0 ? "_key" : "", &r->key[i].load_case));
  }
  for (int i = 0; i < r->nlink; i++) {
    robot_link *link = &r->link[i];
    for (int k = 0; k < link->nshape; k++) { MBD_TRY(give(names, link->body, "_shape", &link->shape[k].name)); }
  }
  MBD_TRY(give(names, "world", "_frame", &r->world));
  MBD_TRY(check_length(names, "robot", r->name, 1));
  r->title = mbd_strdup(r->name);
  MEMORY_TRY(r->title, names->err, "%s", r->path);
  tidy(r->title);
  return give(names, "root", "", &r->base);
}

mbd_status robot_name_all(robot *r, mbd_error *err) {
  namer q = {.r = r, .err = err};
  mbd_status status = mbd_names_add(&q.taken, "ground", 0) ? MBD_OK : MEMORY_NONE(err, "%s", r->path);
  if (status == MBD_OK) { status = name_links(&q, r); }
  if (status == MBD_OK) { status = name_rest(&q, r); }
  mbd_names_free(&q.taken);
  return status;
}
