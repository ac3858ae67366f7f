#include "import/loop_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "files/memory.h"
#include "files/text_file.h"
#include "files/text_list.h"
#include "import/robot_fill.h"
#include "import/yaml_lists.h"

typedef struct loop_file {
  yaml_file f;
  robot *r;
  mbd_names links, joints;
  mbd_error *err;
} loop_file;

/* ---- names ---- */

static mbd_status index_names(loop_file *in) {
  int whole = 1;
  for (int i = 0; i < in->r->nlink; i++) { whole &= mbd_names_add(&in->links, in->r->link[i].name, i); }
  for (int i = 0; i < in->r->njoint; i++) { whole &= mbd_names_add(&in->joints, in->r->joint[i].name, i); }
  MEMORY_TRY(whole, in->err, "%s", in->f.path);
  return MBD_OK;
}

static mbd_status find_joint(const loop_file *in, const char *key, int line, const char *name, int *joint) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  *joint = mbd_names_find(&in->joints, name);
  if (*joint >= 0) { return MBD_OK; }
  for (int i = 0; i < in->r->njoint; i++) { mbd_nearest_offer(&near, in->r->joint[i].name); }
  MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: %s: joint '%.80s' is not known%s", in->f.path, line, key, name,
           mbd_nearest_text(&near, hint, sizeof hint));
}

/* The frame of a link, or that of a joint on its second link. */
static mbd_status find_frame(const loop_file *in, int line, const char *name, int *link, robot_pose *frame) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  const int joint = mbd_names_find(&in->joints, name);
  *link = mbd_names_find(&in->links, name);
  *frame = (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (*link >= 0) { return MBD_OK; }
  if (joint >= 0) {
    *link = in->r->joint[joint].link[1];
    *frame = in->r->joint[joint].frame[1];
    return MBD_OK;
  }
  for (int i = 0; i < in->r->nlink; i++) { mbd_nearest_offer(&near, in->r->link[i].name); }
  for (int i = 0; i < in->r->njoint; i++) { mbd_nearest_offer(&near, in->r->joint[i].name); }
  MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: closed_loop: '%.80s' is neither a link nor a joint%s", in->f.path, line,
           name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* The list of a key, whose items are single words, as many as those of another list, or where this may be, one word for all. */
static mbd_status words_for(const loop_file *in, const yaml_list *of, const char *key, int may_be_one,
                            const yaml_list **words) {
  *words = yaml_find(&in->f, key);
  if (!*words) { MBD_FAIL(in->err, MBD_BAD_INPUT, "%s: has no key '%s' beside '%s'", in->f.path, key, of->key); }
  if ((*words)->n != of->n && !((*words)->n == 1 && may_be_one)) {
    MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: %s has %d items, expected %d as '%s'", in->f.path, (*words)->line, key,
             (*words)->n, of->n, of->key);
  }
  for (int i = 0; i < (*words)->n; i++) {
    if ((*words)->item[i].n == 1) { continue; }
    MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: %s: expected single words", in->f.path, (*words)->item[i].line, key);
  }
  return MBD_OK;
}

/* ---- the keys ---- */

static mbd_status read_loops(const loop_file *in) {
  const yaml_list *loops = yaml_find(&in->f, "closed_loop"), *types = NULL;
  if (!loops) { return MBD_OK; }
  MBD_TRY(words_for(in, loops, "type", 1, &types));
  for (int i = 0; i < loops->n; i++) {
    const yaml_item *pair = &loops->item[i], *type = &types->item[types->n == 1 ? 0 : i];
    char name[200];
    if (pair->n != 2) {
      MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: closed_loop: item %d has %d names, expected two", in->f.path, pair->line,
               i + 1, pair->n);
    }
    snprintf(name, sizeof name, "loop_%d", i + 1);
    robot_joint *closing = robot_add_joint(in->r, name, pair->line);
    MEMORY_TRY(closing, in->err, "%s", in->f.path);
    closing->closes = 1;
    if (!robot_closing_type(type->word[0], &closing->type)) {
      MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: type '%.60s', expected %s", in->f.path, type->line, type->word[0],
               robot_closing_words);
    }
    for (int k = 0; k < 2; k++) {
      MBD_TRY(find_frame(in, pair->line, pair->word[k], &closing->link[k], &closing->frame[k]));
    }
  }
  return MBD_OK;
}

static mbd_status read_motors(const loop_file *in) {
  const yaml_list *motors = yaml_find(&in->f, "name_mot");
  for (int i = 0; motors && i < motors->n; i++) {
    const yaml_item *item = &motors->item[i];
    for (int k = 0; k < item->n; k++) {
      int joint;
      MBD_TRY(find_joint(in, "name_mot", item->line, item->word[k], &joint));
      in->r->joint[joint].motor = 1;
    }
  }
  return MBD_OK;
}

/* Makes two joints in series of one, about axes of its frame. */
static mbd_status make_universal(const loop_file *in, int number, int line, const char axes[2]) {
  const char ending[3] = {'_', axes[1], '\0'};
  robot_joint *second = robot_split_joint(in->r, number, "_cross", ending, line), *first = &in->r->joint[number];
  MEMORY_TRY(second, in->err, "%s", in->f.path);
  for (int i = 0; i < 3; i++) { first->axis[i] = i == axes[0] - 'X', second->axis[i] = i == axes[1] - 'X'; }
  return MBD_OK;
}

/* Changes the type of a joint. UJOINT_XY turns about x of its frame, then about y. */
static mbd_status set_type(const loop_file *in, int number, int line, const char *word) {
  static const char universal[] = "UJOINT_";
  const char *axes = word + sizeof universal - 1;
  const int is_universal = strncmp(word, universal, sizeof universal - 1) == 0 && strlen(axes) == 2 && axes[0] >= 'X' &&
                           axes[0] <= 'Z' && axes[1] >= 'X' && axes[1] <= 'Z' && axes[0] != axes[1];
  robot_joint *joint = &in->r->joint[number];
  joint->damping = joint->friction = joint->stiffness = joint->rotor = 0;
  joint->lower = -INFINITY, joint->upper = INFINITY;
  if (is_universal) { return make_universal(in, number, line, axes); }
  if (strcmp(word, "SPHERICAL") == 0) {
    joint->type = ROBOT_SPHERICAL;
  } else if (strcmp(word, "FIXED") == 0) {
    joint->type = ROBOT_WELD;
  } else {
    MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: joint_type '%.60s', expected SPHERICAL, FIXED or UJOINT_XY", in->f.path,
             line, word);
  }
  return MBD_OK;
}

static mbd_status read_types(const loop_file *in) {
  const yaml_list *joints = yaml_find(&in->f, "joint_name"), *types = NULL;
  if (!joints) { return MBD_OK; }
  MBD_TRY(words_for(in, joints, "joint_name", 0, &joints));
  MBD_TRY(words_for(in, joints, "joint_type", 0, &types));
  for (int i = 0; i < joints->n; i++) {
    int joint;
    MBD_TRY(find_joint(in, "joint_name", joints->item[i].line, joints->item[i].word[0], &joint));
    MBD_TRY(set_type(in, joint, types->item[i].line, types->item[i].word[0]));
  }
  return MBD_OK;
}

static mbd_status warn_of_others(const loop_file *in) {
  static const char *const known[] = {"closed_loop", "type", "name_mot", "joint_name", "joint_type", NULL};
  for (int i = 0; i < in->f.n; i++) {
    char place[600], what[200];
    if (text_is_among(in->f.list[i].key, known)) { continue; }
    snprintf(place, sizeof place, "%.500s:%d: ", in->f.path, in->f.list[i].line);
    snprintf(what, sizeof what, "key '%.60s' is not known, and left out", in->f.list[i].key);
    MEMORY_TRY(robot_warn(in->r, place, what), in->err, "%s", in->f.path);
  }
  return MBD_OK;
}

mbd_status loop_file_read(const char *path, robot *r, mbd_error *err) {
  loop_file in = {.r = r, .err = err};
  mbd_status status = yaml_read(path, &in.f, err);
  if (status == MBD_OK) { status = index_names(&in); }
  if (status == MBD_OK) { status = read_types(&in); }
  if (status == MBD_OK) { status = read_loops(&in); }
  if (status == MBD_OK) { status = read_motors(&in); }
  if (status == MBD_OK) { status = warn_of_others(&in); }
  yaml_free(&in.f);
  mbd_names_free(&in.links), mbd_names_free(&in.joints);
  return status;
}

/* ---- beside a robot's file ---- */

/* Returns 1 if a line of a file gives the key closed_loop. A file that cannot be read, or is no text, gives none. */
static int closes_loops(const char *path) {
  static const char key[] = "closed_loop", blank[] = " \t";
  text_file t = {0};
  mbd_error ignored = {0};
  int found = 0;
  if (access(path, R_OK) != 0 || text_file_read(path, 1, &t, &ignored) != MBD_OK) { return 0; }
  for (const char *line = t.text; line && *line && !found; line = strchr(line, '\n')) {
    line += strspn(line, "\r\n \t");
    const char *after = line + sizeof key - 1;
    found = strncmp(line, key, sizeof key - 1) == 0 && strchr(":=", after[strspn(after, blank)]) && *after;
  }
  text_file_free(&t);
  return found;
}

mbd_status loop_file_find(const char *beside, char **path, mbd_error *err) {
  const char *slash = strrchr(beside, '/'), *file = slash ? slash + 1 : beside, *dot = strrchr(file, '.');
  const int folder = (int)(file - beside), stem = (int)(dot ? dot - file : (long)strlen(file));
  char *tried[] = {mbd_sprintf_dup("%.*s%.*s.yaml", folder, beside, stem, file),
                   mbd_sprintf_dup("%.*s%.*s.yml", folder, beside, stem, file),
                   mbd_sprintf_dup("%.*s%.*s.ini", folder, beside, stem, file),
                   mbd_sprintf_dup("%.*srobot.yaml", folder, beside)};
  *path = NULL;
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    if (!*path && tried[i] && closes_loops(tried[i])) {
      *path = tried[i];
    } else {
      free(tried[i]);
    }
  }
  return MEMORY_WHOLE(err, "%s", beside);
}
