/* The frames of bodies. Welds connect bodies whose frames are parallel; the coordinates of floating and spherical joints count from
 * parallel frames. So the bodies that welds hold together get one orientation, that of the link among them that is nearest to the root; and
 * such a set is turned as a whole until the frames of a floating or spherical joint to a link before it are parallel.
 *
 * With the frames of a joint F0 and F1 on its links, parallel are the bodies if  turn_1 F1 = turn_0 F0. */
#include <math.h>
#include <stdlib.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/pose.h"
#include "import/robot_fill.h"

typedef struct turning {
  robot *r;
  int *first, *next; /* [nlink], [2 njoint] lists of the welds of each link: 2 joint + end; -1: no further one */
  int *
      set; /* [nlink] which set of links the link belongs to: the first of them in the order of the tree; -1: none yet */
  int *member, n; /* [nlink] links of the set that is being made */
} turning;

/* turn = turn_i F_i F_k' for the link at the end k of a joint, of that of the link at its end i = 1 - k */
static void turn_across(const robot *r, const robot_joint *joint, int k, double turn[9]) {
  double frame[9];
  m3_mul(frame, r->link[joint->link[1 - k]].turn, joint->frame[1 - k].R);
  m3_mulT(turn, frame, joint->frame[k].R);
  pose_tidy(turn);
}

static mbd_status check_weld(const robot *r, const robot_joint *joint, int k, mbd_error *err) {
  double turn[9], off = 0;
  turn_across(r, joint, k, turn);
  for (int i = 0; i < 9; i++) { off = fmax(off, fabs(turn[i] - r->link[joint->link[k]].turn[i])); }
  if (off < 1e-6) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "%s:%d: joint '%.80s' welds the links '%.80s' and '%.80s', which other welds hold in another orientation "
           "(matrices differ by %.2g)",
           r->path, joint->line, joint->name, r->link[joint->link[0]].name, r->link[joint->link[1]].name, off);
}

/* Gives all links that welds connect with this one its orientation. */
static mbd_status spread(turning *t, int link, mbd_error *err) {
  robot *r = t->r;
  t->n = 0;
  t->set[link] = link;
  t->member[t->n++] = link;
  for (int i = 0; i < t->n; i++) {
    for (int weld = t->first[t->member[i]]; weld >= 0; weld = t->next[weld]) {
      const robot_joint *joint = &r->joint[weld / 2];
      const int k = 1 - weld % 2, other = joint->link[k];
      if (t->set[other] >= 0) {
        MBD_TRY(check_weld(r, joint, k, err));
        continue;
      }
      turn_across(r, joint, k, r->link[other].turn);
      t->set[other] = link;
      t->member[t->n++] = other;
    }
  }
  return MBD_OK;
}

/* Starts a set with the first of its links in the order of the tree, whose frame is that of the link, or parallel to that of the body before
 * it where its joint counts from there. */
static mbd_status begin_set(turning *t, int link, mbd_error *err) {
  robot *r = t->r;
  const robot_joint *joint = r->link[link].joint >= 0 ? &r->joint[r->link[link].joint] : NULL;
  m3_identity(r->link[link].turn);
  if (joint && (joint->type == ROBOT_FLOATING || joint->type == ROBOT_SPHERICAL)) {
    turn_across(r, joint, 1, r->link[link].turn);
  }
  return spread(t, link, err);
}

mbd_status robot_turn_frames(robot *r, mbd_error *err) {
  const size_t nlink = (size_t)r->nlink, nweld = 2 * (size_t)r->njoint;
  int *lists = malloc((3 * nlink + nweld + 1) * sizeof *lists);
  MEMORY_TRY(lists, err, "%s", r->path);
  turning t = {.r = r, .first = lists, .set = lists + nlink, .member = lists + 2 * nlink, .next = lists + 3 * nlink};
  /* the welds of each link */
  for (int i = 0; i < r->nlink; i++) { t.first[i] = t.set[i] = -1; }
  for (int i = r->njoint - 1; i >= 0; i--) {
    for (int k = 0; k < 2 && r->joint[i].type == ROBOT_WELD; k++) {
      const int link = r->joint[i].link[k];
      t.next[2 * i + k] = t.first[link];
      t.first[link] = 2 * i + k;
    }
  }
  /* the sets, from the root on */
  mbd_status status = MBD_OK;
  for (int i = 0; i < r->nlink && status == MBD_OK; i++) {
    if (t.set[r->order[i]] < 0) { status = begin_set(&t, r->order[i], err); }
  }
  free(lists);
  return status;
}
