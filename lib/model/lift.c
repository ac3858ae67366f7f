/* Finds the coordinates that move the arguments of an element: the columns of x_z, theory.md §4 (4.1). */
#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"

int model_last_coordinate(const mbd_model *m, int body) {
  while (body > 0 && m->body[body].nz == 0) { body = m->body[body].parent; } /* a welded body moves with its parent */
  return body > 0 ? m->body[body].z0 + m->body[body].nz - 1 : -1;
}

int model_last_column(const mbd_model *m, int body) {
  while (body > 0 && m->body[body].nz == 0) { body = m->body[body].parent; }
  return body > 0 ? m->body[body].c0 + m->body[body].nz - 1 : -1;
}

int model_column_above(const mbd_model *m, int column) {
  const mbd_body *body = &m->body[m->col_body[column]];
  return column > body->c0 ? column - 1 : model_last_column(m, body->parent);
}

/* The body of an argument at end 0 (b) or end 1 (a); -1: none. An argument that is a coordinate has no body. */
static int arg_body(const mbd_model *m, const mbd_arg *arg, int end) {
  int k = end ? arg->a : arg->b;
  if (k < 0 || arg->kind == MBD_ARG_COORDINATE) { return -1; }
  return arg->kind == MBD_ARG_ROTATION ? k : m->marker[k].body;
}

int model_carrier(const mbd_model *m, int a, int b) {
  while (a != b) {
    int *lower = m->body[a].level >= m->body[b].level ? &a : &b;
    *lower = m->body[*lower].parent;
  }
  return a;
}

/* 1: the coordinate moves the body. */
static int moves(const mbd_model *m, int coordinate, int body) {
  int j = model_last_coordinate(m, body);
  while (j >= 0 && j != coordinate) { j = m->z_above[j]; }
  return j >= 0;
}

/* The deepest body whose coordinates move both ends of all arguments alike. If one of these coordinates is an argument itself, it is the
 * ground, which has no coordinates, and the element has columns for all of them. */
static int find_common(const mbd_model *m, const mbd_lift *l) {
  int common = -1;
  for (int a = 0; a < l->narg; a++) {
    for (int end = 0; end < 2; end++) {
      const int body = arg_body(m, &l->arg[a], end);
      if (body >= 0) { common = common < 0 ? body : model_carrier(m, common, body); }
    }
  }
  for (int a = 0; a < l->narg && common > 0; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE && moves(m, l->arg[a].b, common)) { return 0; }
  }
  return common < 0 ? 0 : common;
}

/* The member `body` of mbd_lift. */
static int find_single(const mbd_model *m, const mbd_lift *l) {
  int single = 0;
  if (l->common > 0) { return 0; }
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE) { return 0; }
    for (int end = 0; end < 2; end++) {
      const int body = arg_body(m, &l->arg[a], end);
      if (body <= 0 || body == single) { continue; }
      if (single > 0) { return 0; }
      single = body;
    }
  }
  return single;
}

/* Lists the coordinates between a body and the common one, beginning at the body; list NULL: only counts them. */
static int list_chain(const mbd_model *m, int body, int common, int *list) {
  const int end = model_last_coordinate(m, common);
  int n = 0;
  for (int j = model_last_coordinate(m, body); j != end; j = m->z_above[j], n++) {
    if (list) { list[n] = j; }
  }
  return n;
}

/* Lists all coordinates that move any argument, some more than once; list NULL: only counts them. */
static int list_all(const mbd_model *m, const mbd_lift *l, int *list) {
  int n = 0;
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE) {
      if (list) { list[n] = l->arg[a].b; }
      n++;
    }
    for (int end = 0; end < 2; end++) {
      const int body = arg_body(m, &l->arg[a], end);
      if (body >= 0) { n += list_chain(m, body, l->common, list ? list + n : NULL); }
    }
  }
  return n;
}

/* Sorts the list and removes repeated entries; returns their number. */
static int sort_unique(int n, int *list) {
  int count = 0;
  mbd_sort_numbers(n, list);
  for (int i = 0; i < n; i++) {
    if (i == 0 || list[i] != list[i - 1]) { list[count++] = list[i]; }
  }
  return count;
}

/* Sets the columns between a body and the common one, and `bit` at their coordinates. Both lists descend. */
static void flag_chain(const mbd_model *m, const mbd_lift *l, int body, unsigned char *flag, unsigned char bit,
                       int *of) {
  const int end = model_last_column(m, l->common);
  int c = l->ncol;
  for (int k = model_last_column(m, body); k != end; k = model_column_above(m, k)) {
    while (l->col[--c] != m->col_z[k]) {}
    flag[c] |= bit;
    if (flag[c] == 3 && of[2 * c] != k) { flag[c] = LIFT_APART; }
    of[2 * c + (bit == 2)] = k;
  }
}

static void set_flags(const mbd_model *m, const mbd_lift *l, unsigned char *flag, int *of) {
  for (int a = 0; a < l->narg; a++, flag += l->ncol, of += 2 * l->ncol) {
    for (int c = 0; c < l->ncol && l->arg[a].kind == MBD_ARG_COORDINATE; c++) { flag[c] = l->col[c] == l->arg[a].b; }
    for (int end = 0; end < 2; end++) {
      const int body = arg_body(m, &l->arg[a], end);
      if (body >= 0) { flag_chain(m, l, body, flag, end ? 2 : 1, of); }
    }
  }
}

mbd_status lift_create(const mbd_model *m, mbd_lift *l, int frame_free, mbd_error *err) {
  l->common = frame_free ? find_common(m, l) : 0;
  l->body = find_single(m, l);
  const int listed = list_all(m, l, NULL);
  int *col = calloc((size_t)listed + 1, sizeof *col);
  if (!col) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the columns of an element"); }
  list_all(m, l, col);
  l->col = col;
  l->ncol = sort_unique(listed, col);
  const size_t n = (size_t)l->narg * (size_t)l->ncol;
  unsigned char *flag = calloc(n + 1, 1);
  int *of = calloc(2 * n + 1, sizeof *of);
  l->flag = flag, l->of = of;
  if (!flag || !of) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the columns of an element"); }
  set_flags(m, l, flag, of);
  return MBD_OK;
}

int model_arg_max(const mbd_model *m) {
  int max = MBD_ARG_MAX;
  for (int i = 0; i < m->nforce; i++) { max = m->force[i].lift.narg > max ? m->force[i].lift.narg : max; }
  for (int i = 0; i < m->nconstraint; i++) {
    max = m->constraint[i].lift.narg > max ? m->constraint[i].lift.narg : max;
  }
  return max;
}

void lift_destroy(mbd_lift *l) {
  free((int *)l->col), free((unsigned char *)l->flag), free((int *)l->of);
  l->col = NULL, l->flag = NULL, l->of = NULL;
}
