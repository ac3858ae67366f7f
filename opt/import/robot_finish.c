/* The end of every reader: a robot of which everything has been added becomes one that can be written. */
#include "files/memory.h"
#include "import/robot_fill.h"

/* Refuses joints that follow themselves through others, whose positions are undetermined. */
static mbd_status check_couplings(const robot *r, mbd_error *err) {
  enum { MAX = 100 };
  for (int i = 0; i < r->njoint; i++) {
    int steps = 0, k = i;
    while (k >= 0 && r->joint[k].coupling >= 0 && steps++ < MAX) { k = r->coupling[r->joint[k].coupling].other; }
    if (k < 0 || r->joint[k].coupling < 0) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s:%d: joint '%.80s' follows another one that leads back to itself, or over more than %d joints to one "
             "that is free",
             r->path, r->joint[i].line, r->joint[i].name, MAX);
  }
  return MBD_OK;
}

mbd_status robot_finish(robot *r, mbd_error *err) {
  enum { LINKS_MAX = 10000 };
  if (r->nlink > LINKS_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: has %d links, expected at most %d", r->path, r->nlink, LINKS_MAX);
  }
  MBD_TRY(MEMORY_WHOLE(err, "%s", r->path));
  MBD_TRY(check_couplings(r, err));
  MBD_TRY(robot_make_tree(r, err));
  MBD_TRY(robot_set_springs(r, err));
  MBD_TRY(robot_turn_frames(r, err));
  MBD_TRY(robot_name_all(r, err));
  return robot_close_loops(r, err);
}
