#include "model/loop.h"

#include <stdio.h>
#include <string.h>

const mbd_constraint *model_row_constraint(const mbd_model *m, int row) {
  int i = 0;
  while (i < m->nconstraint - 1 && m->constraint[i + 1].row <= row) { i++; }
  return &m->constraint[i];
}

/* ---- the bodies of a constraint ---- */

/* Stores the first body, and the first body that differs from it; -1: not found yet. */
static void add_body(int body, int pair[2]) {
  if (pair[0] < 0) {
    pair[0] = body;
  } else if (pair[1] < 0 && body != pair[0]) {
    pair[1] = body;
  }
}

static int body_of(const mbd_model *m, mbd_arg_kind kind, int k) {
  switch (kind) {
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR: return m->marker[k].body;
    case MBD_ARG_ROTATION: return k;
    case MBD_ARG_COORDINATE:
    case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
  }
  return m->z_body[k];
}

static void find_pair(const mbd_model *m, const mbd_constraint *c, int pair[2]) {
  pair[0] = pair[1] = -1;
  for (int a = 0; a < c->lift.narg; a++) {
    const mbd_arg *arg = &c->lift.arg[a];
    const int to = body_of(m, arg->kind, arg->b);
    if (arg->kind != MBD_ARG_COORDINATE && arg->a >= 0) { add_body(body_of(m, arg->kind, arg->a), pair); }
    if (to >= 0) { add_body(to, pair); }
  }
}

/* ---- the joints between them ---- */

static void append(char *text, size_t size, const char *name) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used ? " - " : "", name);
}

static void append_to(const mbd_model *m, int top, int body, char *text, size_t size) {
  if (body == top) { return; }
  append_to(m, top, m->body[body].parent, text, size);
  append(text, size, m->body[body].name);
}

const char *model_loop_text(const mbd_model *m, const mbd_constraint *c, char *text, size_t size) {
  int pair[2];
  text[0] = '\0';
  find_pair(m, c, pair);
  if (pair[1] < 0) { return text; }
  const int top = model_carrier(m, pair[0], pair[1]);
  for (int i = pair[0]; i != top; i = m->body[i].parent) { append(text, size, m->body[i].name); }
  append(text, size, m->body[top].name);
  append_to(m, top, pair[1], text, size);
  return text;
}
