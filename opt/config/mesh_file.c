#include "config/mesh_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "config/expr.h"
#include "files/memory.h"
#include "files/text_file.h"
#include "files/text_list.h"

/* A mesh while it is read. */
typedef struct reading {
  const char *path;
  text_file in;
  mesh *m;
  int is_drawn; /* a page would draw all its triangles */
  mbd_error *err;
} reading;

#define READ_FAIL(r, ...) MBD_FAIL((r)->err, MBD_BAD_INPUT, __VA_ARGS__)

static mbd_status add_point(reading *r, const double x[3]) {
  double *grown = mbd_list_grow(r->m->point, r->m->npoint, 3 * sizeof *grown);
  MEMORY_TRY(grown, r->err, "%s", r->path);
  r->m->point = grown;
  memcpy(grown + 3 * r->m->npoint++, x, 3 * sizeof *x);
  return MBD_OK;
}

static mbd_status add_face(reading *r, int a, int b, int c) {
  if (r->is_drawn && r->m->nface == MESH_TRIANGLES) {
    READ_FAIL(r, "%s: has more than %d triangles, all of which a page would draw; expected a coarser mesh", r->path,
              MESH_TRIANGLES);
  }
  int *grown = mbd_list_grow(r->m->face, r->m->nface, 3 * sizeof *grown);
  MEMORY_TRY(grown, r->err, "%s", r->path);
  r->m->face = grown;
  memcpy(grown + 3 * r->m->nface++, (const int[]){a, b, c}, 3 * sizeof *grown);
  return MBD_OK;
}

/* ---- lines of text ---- */

/* The next word of a line, which *line passes; "" at the end. */
static char *next_word(char **line) {
  char *word = *line + strspn(*line, " \t");
  *line = word + strcspn(word, " \t");
  if (**line) { *(*line)++ = '\0'; }
  return word;
}

static mbd_status read_point(reading *r, char *line) {
  double x[3];
  for (int i = 0; i < 3; i++) {
    const char *word = next_word(&line);
    if (!mbo_number(word, &x[i])) {
      READ_FAIL(r, "%s:%d: found '%.40s', expected three coordinates", r->path, r->in.line, word);
    }
  }
  return add_point(r, x);
}

/* ---- STL ---- */

static mbd_status stl_text(reading *r) {
  static const char *const others[] = {"", "solid", "facet", "outer", "endfacet", "endsolid", NULL};
  for (char *line; (line = text_file_line(&r->in)) != NULL;) {
    const char *word = next_word(&line);
    const int n = r->m->npoint;
    if (strcmp(word, "vertex") == 0) {
      MBD_TRY(read_point(r, line));
    } else if (strcmp(word, "endloop") == 0) {
      if (n != 3 * (r->m->nface + 1)) {
        READ_FAIL(r, "%s:%d: a facet of %d vertices, expected 3", r->path, r->in.line, n - 3 * r->m->nface);
      }
      MBD_TRY(add_face(r, n - 3, n - 2, n - 1));
    } else if (!text_is_among(word, others)) {
      READ_FAIL(r, "%s:%d: found '%.40s', expected STL: solid, facet, outer loop, vertex, ...", r->path, r->in.line,
                word);
    }
  }
  if (r->m->npoint != 3 * r->m->nface) {
    READ_FAIL(r, "%s:%d: the last facet has no end, expected endloop", r->path, r->in.line);
  }
  return MBD_OK;
}

enum { STL_HEADER = 80, STL_FACET = 50 }; /* bytes; a facet: normal, three corners, two bytes of attributes */

static uint32_t little_endian(const char *at) {
  const unsigned char *b = (const unsigned char *)at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The number of facets of a binary file, which its size must fit; -1: it is none. */
static long stl_facets(const text_file *t) {
  if (t->size < STL_HEADER + 4) { return -1; }
  const uint32_t n = little_endian(t->text + STL_HEADER);
  return t->size == STL_HEADER + 4 + (size_t)n * STL_FACET ? (long)n : -1;
}

static mbd_status stl_binary(reading *r, long n) {
  for (long i = 0; i < n; i++) {
    const char *corner = r->in.text + STL_HEADER + 4 + i * STL_FACET + 12;
    for (int k = 0; k < 3; k++, corner += 12) {
      double x[3];
      for (int j = 0; j < 3; j++) {
        const uint32_t bits = little_endian(corner + 4 * j);
        float number;
        memcpy(&number, &bits, sizeof number);
        x[j] = (double)number;
        if (!isfinite(x[j])) { READ_FAIL(r, "%s: facet %ld has a corner that is no number", r->path, i + 1); }
      }
      MBD_TRY(add_point(r, x));
    }
    MBD_TRY(add_face(r, r->m->npoint - 3, r->m->npoint - 2, r->m->npoint - 1));
  }
  return MBD_OK;
}

/* Corners of facets that are one point. */
typedef struct corner {
  double x[3];
  int at;
} corner;

static int compare(const void *a, const void *b) {
  const corner *p = a, *q = b;
  for (int i = 0; i < 3; i++) {
    if (p->x[i] != q->x[i]) { return p->x[i] < q->x[i] ? -1 : 1; }
  }
  return 0;
}

/* STL has the corners of every triangle by themselves: equal ones become one point. */
static mbd_status merge_points(reading *r) {
  mesh *m = r->m;
  corner *list = calloc((size_t)m->npoint + 1, sizeof *list);
  MEMORY_TRY(list, r->err, "%s", r->path);
  for (int i = 0; i < m->npoint; i++) { memcpy(list[i].x, m->point + 3 * i, sizeof list[i].x), list[i].at = i; }
  qsort(list, (size_t)m->npoint, sizeof *list, compare);
  int n = 0;
  for (int i = 0; i < m->npoint; i++) {
    if (i > 0 && compare(&list[i], &list[i - 1]) != 0) { n++; }
    memcpy(m->point + 3 * n, list[i].x, sizeof list[i].x);
    m->face[list[i].at] = n;
  }
  m->npoint = n + 1;
  free(list);
  return MBD_OK;
}

static mbd_status read_stl(reading *r) {
  const long n = stl_facets(&r->in);
  MBD_TRY(n >= 0 ? stl_binary(r, n) : stl_text(r));
  return r->m->nface ? merge_points(r) : MBD_OK;
}

/* ---- OBJ ---- */

/* "12", "12/7/3", or "-1" of the last point so far; -1: no point. */
static int obj_corner(const reading *r, const char *word) {
  char *end;
  const long k = strtol(word, &end, 10), at = k > 0 ? k - 1 : r->m->npoint + k;
  return end == word || (*end && *end != '/') || k == 0 || at < 0 || at >= r->m->npoint ? -1 : (int)at;
}

static mbd_status obj_face(reading *r, char *line) {
  int first = -1, before = -1, n = 0;
  for (char *word; *(word = next_word(&line)); n++) {
    const int at = obj_corner(r, word);
    if (at < 0) {
      READ_FAIL(r, "%s:%d: found '%.40s', expected the number of one of %d points before it", r->path, r->in.line, word,
                r->m->npoint);
    }
    if (n == 0) { first = at; }
    if (n >= 2) { MBD_TRY(add_face(r, first, before, at)); }
    before = at;
  }
  if (n < 3) { READ_FAIL(r, "%s:%d: a face of %d corners, expected 3 or more", r->path, r->in.line, n); }
  return MBD_OK;
}

/* Normals, textures, groups and materials are passed over; no other file is opened. */
static mbd_status read_obj(reading *r) {
  for (char *line; (line = text_file_line(&r->in)) != NULL;) {
    const char *word = next_word(&line);
    if (strcmp(word, "v") == 0) { MBD_TRY(read_point(r, line)); }
    if (strcmp(word, "f") == 0) { MBD_TRY(obj_face(r, line)); }
  }
  return MBD_OK;
}

/* ---- files ---- */

static mbd_status read_file(const char *path, mesh *m, int is_drawn, mbd_error *err) {
  reading r = {.path = path, .m = m, .is_drawn = is_drawn, .err = err};
  const char *dot = strrchr(path, '.');
  const int is_obj = dot && strcasecmp(dot, ".obj") == 0;
  *m = (mesh){0};
  if (!is_obj && !(dot && strcasecmp(dot, ".stl") == 0)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: expected a file whose name ends with .stl or .obj", path);
  }
  MBD_TRY(bytes_read(path, MESH_FILE_MIB, &r.in, err));
  r.in.left = r.in.text;
  mbd_status status = is_obj ? read_obj(&r) : read_stl(&r);
  if (status == MBD_OK && m->nface == 0) { status = MBD_FAILED(err, MBD_BAD_INPUT, "%s: has no triangle", path); }
  text_file_free(&r.in);
  if (status != MBD_OK) { mesh_free(m); }
  return status;
}

mbd_status mesh_read(const char *path, mesh *m, mbd_error *err) {
  return read_file(path, m, 1, err);
}

mbd_status mesh_read_fine(const char *path, mesh *m, mbd_error *err) {
  return read_file(path, m, 0, err);
}

void mesh_free(mesh *m) {
  free(m->point), free(m->face);
  *m = (mesh){0};
}
