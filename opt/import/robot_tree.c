/* The tree of a robot: one root, and every other link is the child of one joint that closes no loop. */
#include <stdlib.h>

#include "base/way.h"
#include "import/robot_fill.h"
#include "files/memory.h"

static mbd_status hang(robot *r, mbd_error *err) {
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *joint = &r->joint[i];
    robot_link *child = &r->link[joint->link[1]];
    if (joint->closes) { continue; }
    if (child->joint >= 0) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s:%d: joint '%.80s' has the child '%.80s', which joint '%.80s' of line %d has already, expected a tree",
          r->path, joint->line, joint->name, child->name, r->joint[child->joint].name, r->joint[child->joint].line);
    }
    child->joint = i;
  }
  return MBD_OK;
}

static mbd_status find_root(const robot *r, int *root, mbd_error *err) {
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
static mbd_status circle(const robot *r, int link, mbd_error *err) {
  mbd_way way = {.n = 0};
  const int steps = r->nlink;
  int k = link;
  for (int i = 0; i < steps; i++) { k = r->joint[r->link[k].joint].link[0]; } /* a link of the cycle */
  const int first = k;
  do {
    mbd_way_add(&way, r->link[k].name);
    k = r->joint[r->link[k].joint].link[0];
  } while (k != first);
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: links are connected in a circle: %s, expected a tree", r->path,
           r->link[first].line, mbd_way_end(&way, r->link[first].name));
}

/* r->order from the root on, by lists of children: first[link], then next[link] until -1. */
static mbd_status put_in_order(robot *r, int root, int *first, int *next, mbd_error *err) {
  int n = 0;
  for (int i = 0; i < r->nlink; i++) { first[i] = next[i] = -1; }
  for (int i = r->njoint - 1; i >= 0; i--) { /* in reverse, so that the lists have the order of the file */
    const robot_joint *joint = &r->joint[i];
    if (joint->closes) { continue; }
    next[joint->link[1]] = first[joint->link[0]];
    first[joint->link[0]] = joint->link[1];
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

mbd_status robot_make_tree(robot *r, mbd_error *err) {
  int root;
  MBD_TRY(hang(r, err));
  MBD_TRY(find_root(r, &root, err));
  const size_t n = (size_t)r->nlink;
  int *lists = malloc(2 * n * sizeof *lists);
  r->order = malloc(n * sizeof *r->order);
  mbd_status status =
      lists && r->order ? put_in_order(r, root, lists, lists + n, err) : MEMORY_NONE(err, "%s", r->path);
  free(lists);
  return status;
}
