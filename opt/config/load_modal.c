/* Bodies with modal_data: a JSON file has their shapes, stiffness and points of inertia (docs/modal_data.md), in SI and in the frame of the body.
 * With derivatives by scalars of the model, matrices, masses and inertias are value + sum of derivative (scalar - at). The mass matrix follows from
 * the points, M = sum m S'S + Psi'J Psi. Where the file has moments in place of points, points are made that have them.
 * Equations: theory.md §12 (12.12), (12.15), (12.16). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "config/load_moments.h"
#include "files/json.h"
#include "mbd/beam.h"

enum { N_MAX = MBD_BEAM_SHAPE_MAX, SCALAR_MAX = 16, SCALAR_NAME = 40, BLOCK = N_MAX * N_MAX, POINT_MAX = 64 };
enum { X_MAX = MOMENTS_SHAPES + 3 * N_MAX }; /* numbers of a point in moments */
enum { STIFFNESS, DAMPING, MASS, MATRICES };

/* What a file has of one design, or its derivative by a scalar. */
typedef struct modal_numbers {
  double matrix[MATRICES][BLOCK], *mass, (*inertia)[6]; /* [npoint] */
} modal_numbers;

/* A node or a point: its place, displacement and rotation by each shape, shortening. */
typedef struct modal_place {
  double at[3], S[N_MAX][3], Psi[N_MAX][3], G[BLOCK];
} modal_place;

typedef struct modal {
  loader *l;
  ini_section *s;
  const ini_entry *e;
  json_t *file;
  int n, nnode, npoint, nscalar;
  const char *shape[N_MAX], **node, *scalar[SCALAR_MAX];
  double given_at[SCALAR_MAX];
  modal_place *place; /* [nnode + npoint] */
  double (*made)
      [POINT_MAX]; /* [1 + nscalar] masses of points from moments, and their derivatives; NULL: the file has points */
  modal_numbers *numbers;             /* [1 + nscalar]: values, then derivatives */
  double across[3], axis[3], *shapes; /* those of mbd_modal_desc */
} modal;

#define FAIL(m, ...) load_fail((m)->l, (m)->s, (m)->e, __VA_ARGS__)

/* Of plain numbers, of which v3.h is not in every build. */
static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- parts of the file ---- */

static mbd_status read_row(modal *m, const json_t *v, const char *where, int n, double *out) {
  int right = json_is_array(v) && (int)json_array_size(v) == n;
  for (int i = 0; right && i < n; i++) { right = json_is_number(json_array_get(v, (size_t)i)); }
  if (!right) { return FAIL(m, "'%s' in that file: expected %d numbers", where, n); }
  for (int i = 0; i < n; i++) { out[i] = json_number_value(json_array_get(v, (size_t)i)); }
  return MBD_OK;
}

/* rows x columns; a member that is not there has zeros. */
static mbd_status read_rows(modal *m, const json_t *of, const char *where, const char *key, int rows, int columns,
                            double *out) {
  const json_t *v = json_object_get(of, key);
  char name[200];
  if (!v) { return MBD_OK; }
  if (!json_is_array(v) || (int)json_array_size(v) != rows) {
    return FAIL(m, "'%s%s' in that file: expected %d lists of %d numbers%s", where, key, rows, columns,
                rows == m->n ? ", one for each shape" : "");
  }
  for (int i = 0; i < rows; i++) {
    snprintf(name, sizeof name, "%s%s[%d]", where, key, i);
    MBD_TRY(read_row(m, json_array_get(v, (size_t)i), name, columns, out + i * columns));
  }
  return MBD_OK;
}

/* n x n */
static mbd_status read_square(modal *m, const json_t *of, const char *where, const char *key, int n, double *out) {
  double size = 0, error = 0;
  MBD_TRY(read_rows(m, of, where, key, n, n, out));
  for (int i = 0; i < n * n; i++) {
    size = fmax(size, fabs(out[i])), error = fmax(error, fabs(out[i] - out[i % n * n + i / n]));
  }
  if (error > 1e-10 * size) { return FAIL(m, "'%s%s' in that file is not symmetric", where, key); }
  return MBD_OK;
}

static mbd_status read_symmetric(modal *m, const json_t *of, const char *where, const char *key, double *out) {
  return read_square(m, of, where, key, m->n, out);
}

/* Members beside those that are known, of which the last is NULL, and the first is required where `required` is 1. */
static mbd_status check_members(modal *m, const json_t *o, const char *where, const char *const *known, int required) {
  const char *key;
  json_t *value;
  if (!json_is_object(o)) { return FAIL(m, "'%s' in that file: expected an object", where); }
  for (int k = 0; k < required; k++) {
    if (!json_object_get(o, known[k])) { return FAIL(m, "that file has no '%s%s'", where, known[k]); }
  }
  json_object_foreach((json_t *)(size_t)o, key, value) {
    mbd_nearest near = {.requested = key, .listed = 1};
    char hint[MBD_HINT];
    int found = 0;
    for (int k = 0; known[k]; k++) {
      found |= strcmp(known[k], key) == 0;
      mbd_nearest_offer(&near, known[k]);
    }
    if (!found) {
      return FAIL(m, "'%s%s' in that file is not known%s%s", where, key, mbd_nearest_text(&near, hint, sizeof hint),
                  *where ? "" : "; inertia is that of 'points' or of 'moments'");
    }
  }
  return MBD_OK;
}

/* ---- nodes and points ---- */

static mbd_status read_place(modal *m, const json_t *o, const char *where, int is_point, modal_place *p) {
  static const char *const of_node[] = {"at", "translation", "rotation", "shortening", NULL};
  static const char *const of_point[] = {"at", "translation", "mass", "rotation", "shortening", "inertia", NULL};
  char name[160];
  double moved = 0;
  MBD_TRY(check_members(m, o, where, is_point ? of_point : of_node, is_point ? 3 : 2));
  snprintf(name, sizeof name, "%sat", where);
  MBD_TRY(read_row(m, json_object_get(o, "at"), name, 3, p->at));
  MBD_TRY(read_rows(m, o, where, "translation", m->n, 3, p->S[0]));
  MBD_TRY(read_rows(m, o, where, "rotation", m->n, 3, p->Psi[0]));
  MBD_TRY(read_symmetric(m, o, where, "shortening", p->G));
  for (int i = 0; i < 3 * m->n; i++) {
    moved = fmax(moved, fmax(fabs(p->S[i / 3][i % 3]), fabs(p->Psi[i / 3][i % 3])));
  }
  for (int i = 0; i < m->n * m->n; i++) { moved = fmax(moved, fabs(p->G[i])); }
  if (dot(p->at, p->at) == 0 && moved > 0) {
    return FAIL(m,
                "'%s' in that file is where the frame of the body is, and a shape moves it by %g, expected 0: shapes "
                "have to be clamped where the body is carried",
                where, moved);
  }
  return MBD_OK;
}

static mbd_status read_masses(modal *m, const json_t *points, const char *where, int derivative, modal_numbers *to) {
  static const char *const known[] = {"mass", "inertia", NULL};
  char name[160];
  if (m->made) { memcpy(to->mass, m->made[to - m->numbers], (size_t)m->npoint * sizeof *to->mass); }
  if (!points) { return MBD_OK; }
  if (!json_is_array(points) || (int)json_array_size(points) != m->npoint) {
    return FAIL(m, "'%spoints' in that file: expected %d points", where, m->npoint);
  }
  for (int k = 0; k < m->npoint; k++) {
    const json_t *o = json_array_get(points, (size_t)k), *mass = json_object_get(o, "mass"),
                 *inertia = json_object_get(o, "inertia");
    snprintf(name, sizeof name, "%spoints[%d].", where, k);
    if (derivative) { MBD_TRY(check_members(m, o, name, known, 0)); }
    if (mass && !json_is_number(mass)) { return FAIL(m, "'%smass' in that file: expected a number", name); }
    to->mass[k] = json_number_value(mass);
    strncat(name, "inertia", sizeof name - strlen(name) - 1);
    if (inertia) { MBD_TRY(read_row(m, inertia, name, 6, to->inertia[k])); }
  }
  return MBD_OK;
}

/* M = sum m S'S + Psi'J Psi, linear in masses and inertias. */
static void add_mass_matrix(const modal *m, modal_numbers *to) {
  for (int p = 0; p < m->npoint; p++) {
    const modal_place *at = &m->place[m->nnode + p];
    const double *J = to->inertia[p];
    for (int i = 0; i < m->n * m->n; i++) {
      const double *a = at->Psi[i / m->n], *b = at->Psi[i % m->n];
      to->matrix[MASS][i] += to->mass[p] * dot(at->S[i / m->n], at->S[i % m->n]) + J[0] * a[0] * b[0] +
                             J[1] * a[1] * b[1] + J[2] * a[2] * b[2] + J[3] * (a[0] * b[1] + a[1] * b[0]) +
                             J[4] * (a[0] * b[2] + a[2] * b[0]) + J[5] * (a[1] * b[2] + a[2] * b[1]);
    }
  }
}

static mbd_status read_numbers(modal *m, const json_t *of, const char *where, int derivative, modal_numbers *to) {
  to->mass = mbd_zeros((size_t)m->npoint, sizeof *to->mass);
  to->inertia = mbd_zeros((size_t)m->npoint, sizeof *to->inertia);
  if (!to->mass || !to->inertia) { return load_no_memory(m->l); }
  MBD_TRY(read_symmetric(m, of, where, "stiffness", to->matrix[STIFFNESS]));
  MBD_TRY(read_symmetric(m, of, where, "damping", to->matrix[DAMPING]));
  MBD_TRY(read_masses(m, json_object_get(of, "points"), where, derivative, to));
  add_mass_matrix(m, to);
  return MBD_OK;
}

/* ---- redundant data ---- */

static mbd_status differs(modal *m, const char *what, int n, const double *given, const double *found) {
  double size = 0, error = 0;
  for (int i = 0; i < n; i++) { size = fmax(size, fabs(found[i])), error = fmax(error, fabs(given[i] - found[i])); }
  if (error <= 1e-6 * size) { return MBD_OK; }
  return FAIL(m, "'%s' in that file differs from that of its %s by %.2g of it, expected at most 1e-6", what,
              m->made ? "moments" : "points", error / size);
}

/* The mass, its first moment, the moments of inertia about the origin and the mass matrix, which follow from the points, where the file has them,
 * too. */
static mbd_status check_redundant(modal *m) {
  const modal_numbers *numbers = &m->numbers[0];
  const json_t *mass = json_object_get(m->file, "mass");
  double total = 0, moment[3] = {0, 0, 0}, inertia[6] = {0}, given[BLOCK] = {0};
  for (int p = 0; p < m->npoint; p++) {
    const double part = numbers->mass[p], *at = m->place[m->nnode + p].at, square = dot(at, at);
    total += part;
    for (int i = 0; i < 3; i++) { moment[i] += part * at[i], inertia[i] += part * (square - at[i] * at[i]); }
    inertia[3] -= part * at[0] * at[1], inertia[4] -= part * at[0] * at[2], inertia[5] -= part * at[1] * at[2];
    for (int i = 0; i < 6; i++) { inertia[i] += numbers->inertia[p][i]; }
  }
  if (mass) {
    given[0] = json_number_of(mass);
    MBD_TRY(differs(m, "mass", 1, given, &total));
  }
  if (json_object_get(m->file, "first_moment")) {
    MBD_TRY(read_row(m, json_object_get(m->file, "first_moment"), "first_moment", 3, given));
    MBD_TRY(differs(m, "first_moment", 3, given, moment));
  }
  if (json_object_get(m->file, "inertia")) {
    MBD_TRY(read_row(m, json_object_get(m->file, "inertia"), "inertia", 6, given));
    MBD_TRY(differs(m, "inertia", 6, given, inertia));
  }
  if (!json_object_get(m->file, "mass_matrix")) { return MBD_OK; }
  MBD_TRY(read_symmetric(m, m->file, "", "mass_matrix", given));
  return differs(m, "mass_matrix", m->n * m->n, given, numbers->matrix[MASS]);
}

/* ---- the file ---- */

static mbd_status read_names(modal *m) {
  const json_t *shapes = json_object_get(m->file, "shapes"), *nodes = json_object_get(m->file, "nodes");
  const json_t *points = json_object_get(m->file, "points");
  m->n = (int)json_array_size(shapes), m->nnode = (int)json_object_size(nodes),
  m->npoint = (int)json_array_size(points);
  if (m->n < 1 || m->n > N_MAX) { return FAIL(m, "'shapes' in that file: %d names, expected 1 to %d", m->n, N_MAX); }
  for (int k = 0; k < m->n; k++) {
    m->shape[k] = json_string_value(json_array_get(shapes, (size_t)k));
    if (!m->shape[k] || !load_is_word(m->shape[k])) {
      return FAIL(m, "'shapes[%d]' in that file: expected a name of letters, digits and '_'", k);
    }
  }
  m->node = mbd_zeros((size_t)m->nnode + 1, sizeof *m->node);
  const int by_moments = json_object_get(m->file, "moments") != NULL;
  m->place = mbd_zeros((size_t)(m->nnode + (by_moments ? POINT_MAX : m->npoint)) + 1, sizeof *m->place);
  if (by_moments) { m->made = mbd_zeros(1 + SCALAR_MAX, sizeof *m->made); }
  return m->node && m->place && (m->made || !by_moments) ? MBD_OK : load_no_memory(m->l);
}

static mbd_status read_places(modal *m) {
  json_t *nodes = json_object_get(m->file, "nodes"), *node;
  const json_t *points = json_object_get(m->file, "points");
  const char *name;
  char where[120];
  int k = 0;
  json_object_foreach(nodes, name, node) {
    if (!load_is_word(name)) {
      return FAIL(m, "'nodes' in that file: '%s', expected a name of letters, digits and '_'", name);
    }
    m->node[k] = name;
    snprintf(where, sizeof where, "nodes.%.60s.", name);
    MBD_TRY(read_place(m, node, where, 0, &m->place[k++]));
  }
  for (int p = 0; p < m->npoint; p++) {
    snprintf(where, sizeof where, "points[%d].", p);
    MBD_TRY(read_place(m, json_array_get(points, (size_t)p), where, 1, &m->place[k++]));
  }
  return MBD_OK;
}

/* ---- moments ---- */

/* Appends count points with masses or, of scalar k, their derivatives. */
static mbd_status add_points(modal *m, int k, int count, const double *mass, const double *x) {
  const int N = MOMENTS_SHAPES + 3 * m->n;
  if (m->npoint + count > POINT_MAX) {
    return FAIL(m,
                "'moments' and its derivatives in that file are those of %d points, expected at most %d: fewer shapes "
                "or scalars",
                m->npoint + count, POINT_MAX);
  }
  for (int p = 0; p < count; p++, m->npoint++, x += N) {
    modal_place *to = &m->place[m->nnode + m->npoint];
    m->made[k][m->npoint] = mass[p];
    memcpy(to->at, x + 1, sizeof to->at);
    memcpy(to->S, x + MOMENTS_SHAPES, (size_t)(3 * m->n) * sizeof **to->S);
  }
  return MBD_OK;
}

/* Shortening of the points, (12.16): linear in their places, so that it has the moments sum m G [1 ; s] of the file. */
static mbd_status shorten_points(modal *m, const double *Q) {
  static const char *const of[4] = {"[0]", "[1]", "[2]", "[3]"};
  const json_t *given = json_object_get(m->file, "shortening_moments");
  double G[4][BLOCK] = {{0}};
  if (!given) { return MBD_OK; }
  if (!json_is_array(given) || json_array_size(given) != 4) {
    return FAIL(m,
                "'shortening_moments' in that file: expected 4 matrices, of the mass and of its moments along x, y, z");
  }
  for (int i = 0; i < 4; i++) {
    json_t *one = json_pack("{sO}", of[i], json_array_get(given, (size_t)i));
    if (!one) { return load_no_memory(m->l); }
    const mbd_status status = read_symmetric(m, one, "shortening_moments", of[i], G[i]);
    json_decref(one);
    MBD_TRY(status);
  }
  for (int k = 0; k < m->n * m->n; k++) {
    const double b[4] = {G[0][k], G[1][k], G[2][k], G[3][k]};
    double y[4];
    const double rest = moments_solve(MOMENTS_SHAPES + 3 * m->n, Q, b, y);
    if (rest > 1e-6) {
      return FAIL(m,
                  "'shortening_moments' in that file: those of shapes %d and %d are %.2g of them beside those that its "
                  "mass can have",
                  k / m->n + 1, k % m->n + 1, rest);
    }
    for (int p = m->nnode; p < m->nnode + m->npoint; p++) { m->place[p].G[k] = y[0] + dot(y + 1, m->place[p].at); }
  }
  return MBD_OK;
}

static mbd_status make_points(modal *m) {
  double *memory = mbd_zeros((size_t)(X_MAX * X_MAX + (2 * X_MAX + 1) * (1 + X_MAX)), sizeof *memory);
  double total, lowest;
  const int N = MOMENTS_SHAPES + 3 * m->n;
  json_t *blocks = json_object_get(m->file, "derivatives"), *block;
  const char *scalar;
  char where[120];
  int count, k = 0;
  if (!memory) { return load_no_memory(m->l); }
  double *Q = memory, *mass = memory + X_MAX * X_MAX, *x = mass + 2 * X_MAX + 1;
  mbd_status status = read_square(m, m->file, "", "moments", N, Q);
  total = Q[0];
  if (status == MBD_OK && !(total > 0)) {
    status = FAIL(m, "'moments[0][0]' in that file is the mass: %g, expected > 0", total);
  }
  if (status == MBD_OK && (lowest = moments_points(N, Q, mass, x, &count)) < -1e-9) {
    status = FAIL(m,
                  "'moments' in that file are of no masses: scaled to a unit diagonal, they have the eigenvalue %.3g, "
                  "expected none below zero",
                  lowest);
  }
  if (status == MBD_OK) { status = add_points(m, 0, count, mass, x); }
  json_object_foreach(blocks, scalar, block) {
    if (status != MBD_OK || ++k > SCALAR_MAX) { break; }
    if (!json_object_get(block, "moments")) { continue; }
    double *dQ = mbd_zeros((size_t)(N * N), sizeof *dQ);
    snprintf(where, sizeof where, "derivatives.%.60s.", scalar);
    status = dQ ? read_square(m, block, where, "moments", N, dQ) : load_no_memory(m->l);
    if (status == MBD_OK) {
      moments_change(N, total, dQ, mass, x, &count);
      status = add_points(m, k, count, mass, x);
    }
    free(dQ);
  }
  if (status == MBD_OK) { status = shorten_points(m, Q); }
  free(memory);
  return status;
}

/* The blocks of derivatives, each by a scalar of the model from its value `at`. */
static mbd_status read_derivatives(modal *m, int linear) {
  const char *const known[] = {"at", "stiffness", "damping", m->made ? "moments" : "points", NULL};
  json_t *blocks = json_object_get(m->file, "derivatives"), *block;
  const char *scalar;
  char where[120];
  if (json_object_size(blocks) > SCALAR_MAX) {
    return FAIL(m, "'derivatives' in that file: expected at most %d scalars", SCALAR_MAX);
  }
  if (json_object_size(blocks) > 0 && !linear) {
    return FAIL(m,
                "that file has derivatives: expected linear = yes, with which its numbers change in proportion to "
                "those of scalars");
  }
  m->numbers = mbd_zeros(1 + json_object_size(blocks), sizeof *m->numbers);
  if (!m->numbers) { return load_no_memory(m->l); }
  MBD_TRY(read_numbers(m, m->file, "", 0, &m->numbers[0]));
  json_object_foreach(blocks, scalar, block) {
    snprintf(where, sizeof where, "derivatives.%.60s.", scalar);
    MBD_TRY(check_members(m, block, where, known, 1));
    if (strlen(scalar) > SCALAR_NAME) {
      return FAIL(m, "'derivatives' in that file: '%s' is longer than %d letters", scalar, SCALAR_NAME);
    }
    m->scalar[m->nscalar] = scalar, m->given_at[m->nscalar] = json_number_in(block, "at");
    MBD_TRY(read_numbers(m, block, where, 1, &m->numbers[++m->nscalar]));
  }
  return MBD_OK;
}

static mbd_status read_file(modal *m, int linear) {
  const int by_moments = json_object_get(m->file, "moments") != NULL;
  const char *const known[] = {"shapes",
                               "stiffness",
                               "nodes",
                               by_moments ? "moments" : "points",
                               "damping",
                               "axis",
                               "derivatives",
                               "mass",
                               "first_moment",
                               "inertia",
                               "mass_matrix",
                               "title",
                               "lines",
                               by_moments ? "shortening_moments" : NULL,
                               NULL};
  MBD_TRY(check_members(m, m->file, "", known, 4));
  MBD_TRY(read_names(m));
  MBD_TRY(read_places(m));
  if (m->made) { MBD_TRY(make_points(m)); }
  MBD_TRY(read_derivatives(m, linear));
  return check_redundant(m);
}

/* ---- coefficients ---- */

/* n numbers, of which v [1 + nscalar] are the values and the derivatives. */
static mbd_status add_block(modal *m, const char *key, int n, const double *const *v, int *first) {
  for (int i = 0; i < n; i++) {
    char name[300], text[2000];
    int index;
    size_t at = (size_t)snprintf(text, sizeof text, "%.17g", v[0][i]);
    for (int k = 0; k < m->nscalar; k++) {
      if (v[k + 1][i] == 0) { continue; }
      at += (size_t)snprintf(text + at, sizeof text - at, " + (%.17g)*(%s - (%.17g))", v[k + 1][i], m->scalar[k],
                             m->given_at[k]);
    }
    snprintf(name, sizeof name, "body.%s.%s.%d", m->l->name, key, i + 1);
    MBD_TRY(load_coefficient(m->l, m->s, m->e, name, text, NULL, -1e300, 1e300, &index));
    if (*first < 0) { *first = index; }
  }
  return MBD_OK;
}

/* Inertias of points are in the axes of the body, which are turned with its part. */
static void turn_inertias(modal *m) {
  double w[36];
  load_inertia_image(m->l, w);
  for (int i = 0; i < (1 + m->nscalar) * m->npoint; i++) {
    double *J = m->numbers[i / m->npoint].inertia[i % m->npoint], image[6] = {0};
    for (int k = 0; k < 36; k++) { image[k / 6] += w[k] * J[k % 6]; }
    memcpy(J, image, sizeof image);
  }
}

static mbd_status add_numbers(modal *m, int *first) {
  static const char *const matrix[MATRICES] = {"stiffness", "damping", "mass_matrix"};
  const double *v[1 + SCALAR_MAX];
  char key[40];
  for (int i = 0; i < MATRICES; i++) {
    for (int k = 0; k <= m->nscalar; k++) { v[k] = m->numbers[k].matrix[i]; }
    MBD_TRY(add_block(m, matrix[i], m->n * m->n, v, first));
  }
  for (int p = 0; p < m->npoint; p++) {
    snprintf(key, sizeof key, "point%d.mass", p + 1);
    for (int k = 0; k <= m->nscalar; k++) { v[k] = m->numbers[k].mass + p; }
    MBD_TRY(add_block(m, key, 1, v, first));
    snprintf(key, sizeof key, "point%d.inertia", p + 1);
    for (int k = 0; k <= m->nscalar; k++) { v[k] = m->numbers[k].inertia[p]; }
    MBD_TRY(add_block(m, key, 6, v, first));
  }
  return MBD_OK;
}

/* x, y, z as text, in units of the model file. */
static mbd_status add_vector(modal *m, const char *key, load_geometry what, double unit, const double x[3],
                             int *first) {
  char name[300], text[120];
  int index;
  snprintf(name, sizeof name, "body.%s.%s", m->l->name, key);
  snprintf(text, sizeof text, "%.17g, %.17g, %.17g", x[0] / unit, x[1] / unit, x[2] / unit);
  MBD_TRY(load_vector(m->l, m->s, m->e, name, what, text, LOAD_ANY, &index));
  if (*first < 0) { *first = index; }
  return MBD_OK;
}

/* The frame of the shapes: z along the axis of shortening, x across it. */
static mbd_status make_frame(modal *m) {
  const json_t *axis = json_object_get(m->file, "axis");
  double *z = m->axis, *x = m->across;
  int small = 0;
  z[0] = 1;
  if (axis) { MBD_TRY(read_row(m, axis, "axis", 3, z)); }
  const double length = sqrt(dot(z, z));
  if (!(length > 0)) { return FAIL(m, "'axis' in that file has no length"); }
  for (int i = 0; i < 3; i++) { z[i] /= length; }
  for (int i = 1; i < 3; i++) { small = fabs(z[i]) < fabs(z[small]) ? i : small; }
  const double across = sqrt(1 - z[small] * z[small]);
  for (int i = 0; i < 3; i++) { x[i] = ((i == small) - z[small] * z[i]) / across; }
  return MBD_OK;
}

/* The shapes of all places in that frame. In a mirrored part the image of the frame has y with the other sign: so have displacements along y, and
 * rotations but for those about y. */
static void turn_shapes(modal *m) {
  const double *x = m->across, *z = m->axis, sign = m->l->p->place.mirrored ? -1 : 1;
  const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]},
               *e[3] = {x, y, z};
  double *to = m->shapes;
  for (int p = 0; p < m->nnode + m->npoint; p++) {
    const modal_place *at = &m->place[p];
    for (int k = 0; k < m->n; k++) {
      for (int i = 0; i < 3; i++) {
        to[i] = (i == 1 ? sign : 1) * dot(e[i], at->S[k]), to[3 + i] = (i == 1 ? 1 : sign) * dot(e[i], at->Psi[k]);
      }
      to += 6;
    }
    memcpy(to, at->G, (size_t)(m->n * m->n) * sizeof *to);
    to += m->n * m->n;
  }
}

static mbd_status describe(modal *m) {
  mbd_modal_desc d = {.name = m->l->name,
                      .n = m->n,
                      .shape = m->shape,
                      .nnode = m->nnode,
                      .npoint = m->npoint,
                      .node = m->node,
                      .place = -1,
                      .axis = -1,
                      .coef = -1,
                      .zero = -1};
  const int places = m->nnode + m->npoint;
  char name[300], key[40];
  m->shapes = mbd_zeros((size_t)places * (size_t)(6 * m->n + m->n * m->n) + 1, sizeof *m->shapes);
  if (!m->shapes) { return load_no_memory(m->l); }
  MBD_TRY(make_frame(m));
  turn_shapes(m);
  turn_inertias(m);
  snprintf(name, sizeof name, "body.%s.none", m->l->name);
  MBD_TRY(load_coefficients(m->l, m->s, m->e, name, load_matrix, 6, "0, 0, 0, 0, 0, 0", NULL, LOAD_ANY, &d.zero));
  for (int p = 0; p < places; p++) {
    snprintf(key, sizeof key, "place%d", p + 1);
    MBD_TRY(add_vector(m, key, LOAD_PLACE, m->l->p->length, m->place[p].at, &d.place));
  }
  MBD_TRY(add_vector(m, "axis", LOAD_DIRECTION, 1, m->axis, &d.axis));
  MBD_TRY(add_vector(m, "across", LOAD_DIRECTION, 1, m->across, &d.axis));
  MBD_TRY(add_numbers(m, &d.coef));
  d.shapes = m->shapes;
  return load_located(m->l, m->s, m->e, mbd_spec_modal(m->l->m->spec, &d, m->l->err));
}

/* ---- lines, by which it is drawn ---- */

/* A place by the name of a node, the number of a point, or "origin". */
static mbd_status find_place(modal *m, const json_t *v, int line, int *place) {
  const char *name = json_string_value(v);
  mbd_nearest near = {.requested = name};
  char hint[MBD_HINT];
  if (json_is_integer(v) && m->made) {
    return FAIL(m, "'lines[%d]' in that file: with 'moments' it has no points, expected names of nodes or \"origin\"",
                line);
  }
  if (json_is_integer(v)) {
    const json_int_t k = json_integer_value(v);
    *place = m->nnode + (int)k;
    if (k >= 0 && k < m->npoint) { return MBD_OK; }
    return FAIL(m, "'lines[%d]' in that file: there is no point %d, expected 0 to %d", line, (int)k, m->npoint - 1);
  }
  if (!name) { return FAIL(m, "'lines[%d]' in that file: expected names of nodes and numbers of points", line); }
  *place = m->nnode + m->npoint;
  if (strcmp(name, "origin") == 0) { return MBD_OK; }
  for (int k = 0; k < m->nnode; k++) {
    *place = k;
    if (strcmp(name, m->node[k]) == 0) { return MBD_OK; }
    mbd_nearest_offer(&near, m->node[k]);
  }
  return FAIL(m, "'lines[%d]' in that file: node '%s' is not known%s", line, name,
              mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status add_line(modal *m, const json_t *line, int number, model_lines *to) {
  const size_t n = json_array_size(line);
  int from = -1, place = -1;
  if (n < 2) { return FAIL(m, "'lines[%d]' in that file: expected a list of two or more places", number); }
  int *grown = realloc(to->pair, 2 * ((size_t)to->n + n) * sizeof *grown);
  if (!grown) { return load_no_memory(m->l); }
  to->pair = grown;
  for (size_t i = 0; i < n; i++, from = place) {
    MBD_TRY(find_place(m, json_array_get(line, i), number, &place));
    if (place == m->nnode + m->npoint && to->origin < 0) {
      static const double none[3] = {0, 0, 0};
      MBD_TRY(add_vector(m, "origin", LOAD_PLACE, 1, none, &to->origin));
    }
    if (i > 0) { grown[2 * to->n] = from, grown[2 * to->n++ + 1] = place; }
  }
  return MBD_OK;
}

static mbd_status read_lines(modal *m) {
  const json_t *lines = json_object_get(m->file, "lines");
  mbo_model_file *f = m->l->m;
  if (!lines) { return MBD_OK; }
  if (!json_is_array(lines)) { return FAIL(m, "'lines' in that file: expected a list of lists of places"); }
  model_lines *grown = mbd_list_grow(f->lines, f->nlines, sizeof *grown);
  if (!grown) { return load_no_memory(m->l); }
  f->lines = grown;
  model_lines *to = &grown[f->nlines++];
  *to = (model_lines){.body = mbd_strdup(m->l->name), .origin = -1};
  if (!to->body) { return load_no_memory(m->l); }
  for (size_t i = 0; i < json_array_size(lines); i++) { MBD_TRY(add_line(m, json_array_get(lines, i), (int)i, to)); }
  return MBD_OK;
}

static mbd_status read_all(modal *m, const model_section *section) {
  json_error_t why;
  int word;
  static const char *const rigid[] = {"mass", "com", "inertia"};
  for (int k = 0; k < 3; k++) {
    const ini_entry *e = ini_get(m->s, rigid[k]);
    if (e) { return load_fail(m->l, m->s, e, "expected none beside modal_data, whose points have the inertia"); }
  }
  MBD_TRY(load_word(m->l, section, m->s, "linear", &word));
  char *path = ini_beside(m->l->f->path, m->e->value);
  const mbd_status status = path ? json_read_file(path, &m->file, &why) : MBD_NO_MEMORY;
  free(path);
  if (status == MBD_NO_MEMORY) { return load_no_memory(m->l); }
  if (status != MBD_OK) { return FAIL(m, "cannot read it: %s (line %d)", why.text, why.line); }
  MBD_TRY(read_file(m, word == 1));
  MBD_TRY(describe(m));
  return read_lines(m);
}

mbd_status load_modal_body(loader *l, const model_section *section, ini_section *s, const ini_entry *e) {
  modal *m = mbd_zeros(1, sizeof *m);
  if (!m) { return load_no_memory(l); }
  m->l = l, m->s = s, m->e = e;
  const mbd_status status = read_all(m, section);
  for (int k = 0; m->numbers && k <= m->nscalar; k++) { free(m->numbers[k].mass), free(m->numbers[k].inertia); }
  free(m->numbers), free(m->node), free(m->place), free(m->shapes), free(m->made);
  json_decref(m->file);
  free(m);
  return status;
}
