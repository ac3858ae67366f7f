/* The tree of a robot: one root, and every other link is the child of one joint. */
#include <math.h>
#include <stdlib.h>

#include "base/v3.h"
#include "base/way.h"
#include "import/urdf.h"
#include "files/memory.h"

static mbd_status hang(urdf_robot *r, mbd_error *err) {
  for (int i = 0; i < r->njoint; i++) {
    const urdf_joint *joint = &r->joint[i];
    urdf_link *child = &r->link[joint->child];
    if (child->joint >= 0) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s:%d: joint '%.80s' <child> link '%.80s' is the child of joint '%.80s' of line %d already, expected a tree",
          r->path, joint->line, joint->name, child->name, r->joint[child->joint].name, r->joint[child->joint].line);
    }
    child->joint = i;
  }
  return MBD_OK;
}

static mbd_status find_root(const urdf_robot *r, int *root, mbd_error *err) {
  *root = -1;
  for (int i = 0; i < r->nlink; i++) {
    if (r->link[i].joint >= 0) { continue; }
    if (*root >= 0) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s:%d: link '%.80s' is the child of no joint, nor is '%.80s' of line %d, expected one root", r->path,
               r->link[i].line, r->link[i].name, r->link[*root].name, r->link[*root].line);
    }
    *root = i;
  }
  return MBD_OK;
}

/* Reports links without a path to the root: they are parents of each other in a cycle. */
static mbd_status circle(const urdf_robot *r, int link, mbd_error *err) {
  mbd_way way = {.n = 0};
  const int steps = r->nlink;
  int k = link;
  for (int i = 0; i < steps; i++) { k = r->joint[r->link[k].joint].parent; } /* a link of the cycle */
  const int first = k;
  do {
    mbd_way_add(&way, r->link[k].name);
    k = r->joint[r->link[k].joint].parent;
  } while (k != first);
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: links are connected in a circle: %s, expected a tree", r->path,
           r->link[first].line, mbd_way_end(&way, r->link[first].name));
}

/* r->order from the root on, by lists of children: first[link], then next[link] until -1. */
static mbd_status put_in_order(urdf_robot *r, int root, int *first, int *next, mbd_error *err) {
  int n = 0;
  for (int i = 0; i < r->nlink; i++) { first[i] = next[i] = -1; }
  for (int i = r->njoint - 1; i >= 0; i--) { /* in reverse, so that the lists have the order of the file */
    const urdf_joint *joint = &r->joint[i];
    next[joint->child] = first[joint->parent];
    first[joint->parent] = joint->child;
  }
  if (root >= 0) { r->order[n++] = root; }
  for (int i = 0; i < n; i++) {
    for (int c = first[r->order[i]]; c >= 0; c = next[c]) { r->order[n++] = c; }
  }
  if (n == r->nlink) { return MBD_OK; }
  for (int i = 0; i < n; i++) { first[r->order[i]] = -2; }
  int left = 0;
  while (first[left] == -2) { left++; }
  return circle(r, left, err);
}

/* Fixed and floating joints connect parallel frames, all other joints the frames of the links. */
static void turn_frames(urdf_robot *r) {
  for (int i = 0; i < r->nlink; i++) {
    urdf_link *link = &r->link[r->order[i]];
    const urdf_joint *j = link->joint >= 0 ? &r->joint[link->joint] : NULL;
    if (j && (j->type == URDF_FIXED || j->type == URDF_FLOATING)) {
      m3_mul(link->turn, r->link[j->parent].turn, j->origin.R);
    } else {
      m3_identity(link->turn);
    }
    for (int k = 0; k < 9; k++) { /* rounding of right angles, as in the rotations themselves */
      if (fabs(link->turn[k]) < 1e-15) { link->turn[k] = 0; }
    }
  }
}

mbd_status urdf_make_tree(urdf_robot *r, mbd_error *err) {
  int root;
  MBD_TRY(hang(r, err));
  MBD_TRY(find_root(r, &root, err));
  const size_t n = (size_t)r->nlink;
  int *lists = malloc(2 * n * sizeof *lists);
  r->order = malloc(n * sizeof *r->order);
  mbd_status status =
      lists && r->order ? put_in_order(r, root, lists, lists + n, err) : MEMORY_NONE(err, "%s", r->path);
  free(lists);
  if (status == MBD_OK) { turn_frames(r); }
  return status;
}
