/* Which coordinates move the arguments of an element. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Bodies that an argument sits on: side 0 (b) and side 1 (a); -1: none. A coordinate has no body. */
static int arg_body(const mbd_model *m, const mbd_arg *q, int side) {
  int k = side ? q->a : q->b;
  if (k < 0 || q->kind == MBD_ARG_COORDINATE) { return -1; }
  return q->kind == MBD_ARG_ROTATION ? k : m->marker[k].body;
}

/* Set `bit` in mark[j] for every coordinate j between the ground and a body. */
static void mark_chain(const mbd_model *m, int body, unsigned char *mark, unsigned char bit) {
  const mbd_body *p = &m->body[body];
  for (int j = p->nz ? p->z0 + p->nz - 1 : -1; j >= 0; j = m->z_above[j]) { mark[j] |= bit; }
}

/* common[j] = 1 for coordinates that move all sides of all arguments (but coordinates themselves) alike. None, where one
 * of these is an argument itself: the element then takes all. */
static void find_common(const mbd_model *m, const mbd_lift *l, const unsigned char *mark, unsigned char *common) {
  for (int j = 0; j < m->nz; j++) {
    common[j] = 1;
    for (int a = 0; a < l->narg; a++) {
      const unsigned char seen = mark[(size_t)a * (size_t)m->nz + (size_t)j];
      const unsigned char all = l->arg[a].a < 0 ? 1 : 3;
      if (l->arg[a].kind != MBD_ARG_COORDINATE && seen != all) { common[j] = 0; }
    }
  }
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE && common[l->arg[a].b]) { memset(common, 0, (size_t)m->nz); }
  }
}

mbd_status lift_create(const mbd_model *m, mbd_lift *l, int frame_free, mbd_error *err) {
  size_t nz = (size_t)m->nz, narg = (size_t)l->narg;
  unsigned char *mark = calloc(narg * nz + 1, 1), *common = calloc(nz + 1, 1);
  int *col = calloc(nz + 1, sizeof *col);
  if (!mark || !common || !col) {
    free(mark), free(common), free(col);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the columns of an element");
  }
  for (int a = 0; a < l->narg; a++) {
    unsigned char *row = mark + (size_t)a * nz;
    if (l->arg[a].kind == MBD_ARG_COORDINATE) { row[l->arg[a].b] = 1; }
    for (int side = 0; side < 2; side++) {
      int body = arg_body(m, &l->arg[a], side);
      if (body >= 0) { mark_chain(m, body, row, side ? 2 : 1); }
    }
  }
  if (frame_free) { find_common(m, l, mark, common); }
  int n = 0;
  l->common = 0;
  for (int j = 0; j < m->nz; j++) {
    int moved = 0;
    for (int a = 0; a < l->narg; a++) { moved |= mark[(size_t)a * nz + (size_t)j]; }
    if (moved && !common[j]) { col[n++] = j; }
    if (moved && common[j]) { l->common = m->z_body[j]; }
  }
  unsigned char *flag = calloc(narg * (size_t)n + 1, 1);
  if (flag) {
    for (int a = 0; a < l->narg; a++) {
      for (int c = 0; c < n; c++) { flag[a * n + c] = mark[(size_t)a * nz + (size_t)col[c]]; }
    }
  }
  free(mark), free(common);
  l->ncol = n;
  l->col = col;
  l->flag = flag;
  if (!flag) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the columns of an element"); }
  return MBD_OK;
}

void lift_destroy(mbd_lift *l) {
  free((int *)l->col), free((unsigned char *)l->flag);
  l->col = NULL, l->flag = NULL;
}
