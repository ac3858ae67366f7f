/* The loops of a robot: the position in which they are closed, and the joints that drive it. A format tells neither how many joints move by
 * themselves nor where the loops are closed; the files are the same text whatever the answer is. So the model file itself is read and
 * assembled, with links of mass 1, which have accelerations in any case:
 *   - with no joint held, from the position of robot_pose.h: coordinates that no equation determines are free;
 *   - with joints held that are candidates, those with a motor first: one that leaves as many coordinates free as before follows from the
 *     others, and is no drive.
 * Joints that are in no loop and no coupling drive in any case, and links that only these carry are left out of that model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "config/config.h"
#include "files/memory.h"
#include "files/text_stream.h"
#include "import/robot_fill.h"
#include "import/robot_pose.h"
#include "mbd/model.h"
#include "mbd/output.h"
#include "mbd/params.h"
#include "mbd/simulate.h"
#include "mbo/model_file.h"

/* Joints that are tried one after the other, beyond which drives are free coordinates as they come; and joints in loops and couplings that are
 * closed: the cost grows with the third power. */
enum { TRIES_MAX = 60, JOINTS_MAX = 1000 };

/* An assembled model. */
typedef struct assembly {
  mbo_model_file *file;
  mbd_model *model;
  mbd_params *params;
  mbd_outputs *outputs;
  mbd_sim *sim;
  double *z;       /* [nz] */
  int nfree;       /* coordinates that no equation and no held joint determines */
  const int *free; /* they belong to sim */
} assembly;

static void assembly_free(assembly *a) {
  mbd_sim_destroy(a->sim);
  mbd_outputs_destroy(a->outputs);
  mbd_params_destroy(a->params);
  mbd_model_destroy(a->model);
  mbo_model_file_destroy(a->file);
  free(a->z);
  *a = (assembly){.nfree = 0};
}

/* ---- what loops and couplings bind ---- */

/* Sets robot_joint.bound: on the ways between the links that a joint closes, up to where they meet, and of joints that follow others or lead them. */
static mbd_status find_bound(robot *r, mbd_error *err) {
  int *depth = mbd_zeros((size_t)r->nlink + 1, sizeof *depth);
  MEMORY_TRY(depth, err, "%s", r->path);
  for (int i = 1; i < r->nlink; i++) {
    const int link = r->order[i];
    depth[link] = depth[r->joint[r->link[link].joint].link[0]] + 1;
  }
  for (int i = 0; i < r->njoint; i++) {
    int end[2] = {r->joint[i].link[0], r->joint[i].link[1]};
    while (r->joint[i].closes && end[0] != end[1]) {
      int *deeper = &end[depth[end[0]] < depth[end[1]]];
      robot_joint *j = &r->joint[r->link[*deeper].joint];
      j->bound = 1, *deeper = j->link[0];
    }
  }
  for (int i = 0; i < r->ncoupling; i++) {
    r->joint[r->coupling[i].joint].bound = 1;
    if (r->coupling[i].other >= 0) { r->joint[r->coupling[i].other].bound = 1; }
  }
  free(depth);
  return MBD_OK;
}

/* Which links the loops and couplings need, and joints of several coordinates, whose freedoms count: [nlink], in new memory; NULL: no memory. */
static unsigned char *needed_links(const robot *r) {
  unsigned char *needed = mbd_zeros((size_t)r->nlink + 1, 1);
  for (int i = 0; i < r->njoint && needed; i++) {
    const robot_joint *j = &r->joint[i];
    if (j->closes) { needed[j->link[0]] = needed[j->link[1]] = 1; }
    needed[j->link[1]] |= j->bound || (j->type != ROBOT_WELD && !robot_coordinate(j));
  }
  for (int i = r->nlink - 1; i > 0 && needed; i--) {
    const int link = r->order[i];
    needed[r->joint[r->link[link].joint].link[0]] |= needed[link];
  }
  if (needed) { needed[r->order[0]] = 1; }
  return needed;
}

/* Leaves out the links that are not needed, with all that refers to them, in copies of a robot's lists; the other links get the mass 1. */
static void keep_needed(robot *part, const unsigned char *needed) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  int n = 0;
  for (int i = 0; i < part->nlink; i++) {
    robot_link *link = &part->link[i];
    link->mass = 1, link->nshape = 0;
    v3_set(link->com, 0, 0, 0);
    memcpy(link->inertia, one, sizeof one);
    if (needed[part->order[i]]) { part->order[n++] = part->order[i]; }
  }
  part->nlink = n, n = 0;
  for (int i = 0; i < part->njoint; i++) {
    robot_joint *j = &part->joint[i];
    if (needed[j->link[1]]) { continue; }
    j->driven = 0, j->friction = 0;
  }
  for (int i = 0; i < part->nguess; i++) {
    if (needed[part->joint[part->guess[i].joint].link[1]]) { part->guess[n++] = part->guess[i]; }
  }
  part->nguess = n, part->npoint = part->nlaw = 0;
}

/* The text of the model file of these links, in new memory; NULL: no memory. */
static char *text_of(const robot *r) {
  robot part = *r;
  text_stream s;
  unsigned char *needed = needed_links(r);
  part.link = mbd_zeros((size_t)r->nlink + 1, sizeof *part.link);
  part.joint = mbd_zeros((size_t)r->njoint + 1, sizeof *part.joint);
  part.order = mbd_zeros((size_t)r->nlink + 1, sizeof *part.order);
  part.guess = mbd_zeros((size_t)r->nguess + 1, sizeof *part.guess);
  const int whole = needed && part.link && part.joint && part.order && part.guess;
  if (whole) {
    memcpy(part.link, r->link, (size_t)r->nlink * sizeof *part.link);
    memcpy(part.joint, r->joint, (size_t)r->njoint * sizeof *part.joint);
    memcpy(part.order, r->order, (size_t)r->nlink * sizeof *part.order);
    if (r->nguess) { memcpy(part.guess, r->guess, (size_t)r->nguess * sizeof *part.guess); }
    keep_needed(&part, needed);
  }
  if (text_begin(&s) && whole) { robot_write_model(&part, ROBOT_BASE_FIXED, s.out); }
  free(needed), free(part.link), free(part.joint), free(part.order), free(part.guess);
  char *text = text_end(&s);
  if (whole) { return text; }
  free(text);
  return NULL;
}

/* Reads the model and computes its start. */
static mbd_status start(const robot *r, const char *text, assembly *a, mbd_error *err) {
  mbd_case c;
  int rank;
  const int *row;
  mbd_case_init(&c);
  MBD_TRY(mbo_model_file_read_case(r->path, &(mbo_model_changes){.text = text}, &a->file, err));
  MBD_TRY(mbd_model_create(mbo_model_file_spec(a->file), &a->model, err));
  MBD_TRY(mbd_params_create(a->model, NULL, &a->params, err));
  MBD_TRY(mbd_outputs_create(a->model, &a->outputs, err));
  MBD_TRY(mbd_sim_create(a->model, &c, a->outputs, 0, NULL, 0, 0, &a->sim, err));
  a->z = malloc(((size_t)mbd_model_nz(a->model) + 1) * sizeof *a->z);
  MEMORY_TRY(a->z, err, "%s", r->path);
  MBD_TRY(mbd_sim_start(a->sim, a->params, a->z, NULL, NULL, NULL, err));
  mbd_sim_rank(a->sim, &rank, &row, &a->nfree, &a->free);
  return MBD_OK;
}

static mbd_status assemble(const robot *r, assembly *a, mbd_error *err) {
  char *text = text_of(r);
  MEMORY_TRY(text, err, "%s", r->path);
  *a = (assembly){.nfree = 0};
  const mbd_status status = start(r, text, a, err);
  free(text);
  if (status != MBD_OK) { assembly_free(a); }
  return status;
}

/* The number of a joint's coordinate in the model; -1: none. */
static int coordinate_of(const assembly *a, const robot_joint *j) {
  const char *coordinate = robot_coordinate(j);
  const size_t n = strlen(j->joint);
  for (int k = 0; coordinate && k < mbd_model_nz(a->model); k++) {
    const char *name = mbd_model_z_name(a->model, k);
    if (strncmp(name, j->joint, n) == 0 && name[n] == '.' && strcmp(name + n + 1, coordinate) == 0) { return k; }
  }
  return -1;
}

/* Holds further joints, if this leaves fewer coordinates free; *now becomes the assembly with them. */
static mbd_status try_to_drive(robot *r, int n, const int *joint, assembly *now, int *taken, mbd_error *err) {
  assembly with;
  mbd_error why = {0};
  for (int i = 0; i < n; i++) { r->joint[joint[i]].driven = 1; }
  const mbd_status status = assemble(r, &with, &why);
  *taken = status == MBD_OK && with.nfree == now->nfree - n;
  if (*taken) {
    assembly_free(now);
    *now = with;
    return MBD_OK;
  }
  for (int i = 0; i < n; i++) { r->joint[joint[i]].driven = 0; }
  if (status == MBD_OK) { assembly_free(&with); }
  if (status < 0) {
    *err = why;
    return status;
  }
  return MBD_OK;
}

/* The joints that may drive, with a motor or without, in the order of the tree. */
static int candidates(const robot *r, int motor, int *joint) {
  int n = 0;
  for (int i = 0; i < r->nlink; i++) {
    const int k = r->link[r->order[i]].joint;
    if (k < 0 || !robot_moves_alone(&r->joint[k]) || !r->joint[k].bound) { continue; }
    if (r->joint[k].motor == motor) { joint[n++] = k; }
  }
  return n;
}

/* Takes the free coordinates as they come. */
static mbd_status drive_free(robot *r, assembly *now, int *joint, mbd_error *err) {
  int n = 0, taken;
  for (int i = 0; i < r->njoint; i++) {
    const int k = robot_moves_alone(&r->joint[i]) ? coordinate_of(now, &r->joint[i]) : -1;
    int is_free = 0;
    for (int f = 0; f < now->nfree; f++) { is_free |= now->free[f] == k; }
    if (is_free) { joint[n++] = i; }
  }
  return n > 0 ? try_to_drive(r, n, joint, now, &taken, err) : MBD_OK;
}

static mbd_status choose(robot *r, assembly *now, int *joint, mbd_error *err) {
  int taken = 0;
  for (int motor = 1; motor >= 0; motor--) {
    const int n = candidates(r, motor, joint);
    if (motor && n > 1 && n <= now->nfree) { MBD_TRY(try_to_drive(r, n, joint, now, &taken, err)); }
    for (int i = 0; i < n && i < TRIES_MAX && now->nfree > 0 && !taken; i++) {
      int one;
      MBD_TRY(try_to_drive(r, 1, &joint[i], now, &one, err));
    }
    taken = 0;
  }
  return now->nfree > 0 ? drive_free(r, now, joint, err) : MBD_OK;
}

/* Stores the coordinates of the assembled position. */
static void store(robot *r, const assembly *a) {
  for (int i = 0; i < r->nguess; i++) {
    robot_joint *joint = &r->joint[r->guess[i].joint];
    for (int k = 0; k < mbd_model_nz(a->model); k++) {
      if (strcmp(mbd_model_z_name(a->model, k), r->guess[i].coordinate) != 0) { continue; }
      r->guess[i].value = a->z[k];
      if (robot_coordinate(joint)) { joint->start = a->z[k]; }
    }
  }
}

static mbd_status close_and_drive(robot *r, assembly *now, mbd_error *err) {
  int *joint = malloc(((size_t)r->njoint + 1) * sizeof *joint);
  MEMORY_TRY(joint, err, "%s", r->path);
  store(r, now); /* where the loops are closed is where the search for drives begins */
  const mbd_status status = choose(r, now, joint, err);
  store(r, now);
  r->nfree = now->nfree;
  free(joint);
  return status;
}

mbd_status robot_close_loops(robot *r, mbd_error *err) {
  assembly now;
  mbd_error why = {0};
  int nbound = 0;
  for (int i = 0; i < r->njoint; i++) { r->nclosing += r->joint[i].closes; }
  if (r->nclosing) { MBD_TRY(find_bound(r, err)); }
  for (int i = 0; i < r->njoint; i++) {
    robot_joint *j = &r->joint[i];
    j->driven = robot_moves_alone(j) && (!j->bound || !r->nclosing);
    nbound += j->bound;
  }
  if (r->nclosing == 0) { return MBD_OK; }
  if (nbound > JOINTS_MAX) {
    char place[600], what[200];
    snprintf(place, sizeof place, "%.300s: ", r->path);
    snprintf(what, sizeof what,
             "its loops are not closed, nor joints in them chosen that drive, as these are more than %d joints",
             JOINTS_MAX);
    MEMORY_TRY(robot_warn(r, place, what), err, "%s", r->path);
    return MBD_OK;
  }
  MBD_TRY(robot_search_closed(r, err));
  mbd_status status = assemble(r, &now, &why);
  if (status > 0) { /* the model may still be assembled from guesses of the user */
    char place[600], what[1000];
    snprintf(place, sizeof place, "%.300s: ", r->path);
    snprintf(what, sizeof what, "the loops cannot be closed from the position of the file: %.800s", why.text);
    MEMORY_TRY(robot_warn(r, place, what), err, "%s", r->path);
    return MBD_OK;
  }
  if (status != MBD_OK) {
    *err = why;
    return status;
  }
  status = close_and_drive(r, &now, err);
  assembly_free(&now);
  return status;
}
