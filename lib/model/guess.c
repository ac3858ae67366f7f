/* The message for a guess of a quantity that is no coordinate: it names the coordinates that a guess may be given for. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "model/guess.h"

/* A text "guess.A, guess.B", as long as the buffer allows. */
typedef struct name_list {
  char text[400];
  size_t used;
} name_list;

static void add_name(name_list *list, const char *name) {
  const int n =
      snprintf(list->text + list->used, sizeof list->text - list->used, "%sguess.%s", list->used ? ", " : "", name);
  if (n > 0 && (size_t)n < sizeof list->text - list->used) {
    list->used += (size_t)n;
  } else {
    list->text[list->used] = '\0';
  }
}

static void add_body(const mbd_model *m, int body, name_list *list) {
  for (int k = 0; k < m->body[body].nz; k++) { add_name(list, m->z_name[m->body[body].z0 + k]); }
}

/* Adds the coordinates of the loop that a cut joint closes: those of the joints between its two bodies, along the tree. */
static void add_loop(const mbd_model *m, const mbd_joint *j, name_list *list) {
  int a = j->body[0], b = j->body[1];
  while (a != b) {
    int *lower = m->body[a].level >= m->body[b].level ? &a : &b;
    add_body(m, *lower, list);
    *lower = m->body[*lower].parent;
  }
}

/* Returns 1 if the quantity begins with this name and a dot, as "JB.angle" with "JB". */
static int begins_with(const char *quantity, const char *name) {
  const size_t n = strlen(name);
  return strncmp(quantity, name, n) == 0 && quantity[n] == '.';
}

/* A coordinate of a cut joint, the name of a body, or an unknown name: each has a message of its own. */
mbd_status model_no_guess(const mbd_model *m, const char *quantity, mbd_error *err) {
  int cut = 0, body = 1;
  mbd_nearest near = {.requested = quantity};
  name_list instead = {0};
  char where[300];
  /* A cut joint has no coordinates. The message offers those of the other joints of its loop. */
  while (cut < m->njoint && !(m->joint[cut].cut && begins_with(quantity, m->joint[cut].name))) { cut++; }
  if (cut < m->njoint) {
    add_loop(m, &m->joint[cut], &instead);
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "[start] guess.%s: joint '%s' is cut, so that it has no coordinates; expected guesses for the other joints "
        "of its loop: %s",
        quantity, m->joint[cut].name, instead.text);
  }
  /* The name of a body. The message offers the coordinates of the joint that carries it. */
  while (body < m->nb && !begins_with(quantity, m->body[body].name)) { body++; }
  if (body < m->nb && m->body[body].nz > 0) {
    add_body(m, body, &instead);
    MBD_FAIL(err, MBD_BAD_INPUT,
             "[start] guess.%s: '%s' is a body, and guesses are given for coordinates; expected that of its joint: %s",
             quantity, m->body[body].name, instead.text);
  }
  /* Any other name: the message has the most similar name of a coordinate. */
  for (int j = 0; j < m->nz - m->nstate; j++) { mbd_nearest_offer(&near, m->z_name[j]); }
  snprintf(where, sizeof where, "[start] guess.%s", quantity);
  return mbd_not_known(where, "coordinate", &near, err);
}
