/* The numbers of beams: theory.md §12 (12.4) to (12.7). Lengths along the beam are in units of L.
 *
 * Damping by one ratio zeta for all frequencies is D = 2 zeta B with B M^-1 B = K, B = M (M^-1 K)^(1/2), from the iteration of Denman and
 * Beavers (Applied Mathematics and Computation, 1976),
 *   X' = (X + Y^-1)/2,   Y' = (Y + X^-1)/2,   X_0 = K,  Y_0 = M^-1:   X -> B
 * in which all matrices are symmetric and positive definite. It has no eigenvalues in it, so that its derivatives are smooth where two
 * frequencies are equal. */
#define DUAL_N 1
#include "flexible/beam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flexible/sections.h"

/* ---- sections ---- */

static const mbd_coef_info circle[] = {{"diameter", 1, "m", NAN, MBD_POSITIVE, "diameter"}, {0}};
static const mbd_coef_info tube[] = {{"diameter", 1, "m", NAN, MBD_POSITIVE, "outer diameter"},
                                     {"wall", 1, "m", NAN, MBD_POSITIVE, "thickness of the wall"},
                                     {0}};
static const mbd_coef_info rectangle[] = {
    {"height", 1, "m", NAN, MBD_POSITIVE, "size along `up`"}, {"width", 1, "m", NAN, MBD_POSITIVE, "size across"}, {0}};
static const mbd_coef_info i_beam[] = {{"height", 1, "m", NAN, MBD_POSITIVE, "size along `up`, over both flanges"},
                                       {"width", 1, "m", NAN, MBD_POSITIVE, "width of the flanges"},
                                       {"flange", 1, "m", NAN, MBD_POSITIVE, "thickness of each flange"},
                                       {"web", 1, "m", NAN, MBD_POSITIVE, "thickness of the web"},
                                       {0}};
static const mbd_coef_info given[] = {
    {"area", 1, "m^2", NAN, 0, 1e300, "area"},
    {"second_moment_up", 1, "m^4", NAN, 0, 1e300, "second moment of area, for bending along `up`"},
    {"second_moment_side", 1, "m^4", NAN, 0, 1e300, "second moment of area, for bending across"},
    {"torsion_constant", 1, "m^4", NAN, 0, 1e300, "torsion constant, which is the polar moment for circles alone"},
    {0}};

typedef struct section_row {
  mbd_beam_section info;
  section_numbers (*law)(const dual *d);
} section_row;

static const section_row sections[] = {
    {{"rectangle", "a full rectangle, with Saint-Venant's torsion", 1, rectangle}, section_rectangle},
    {{"circle", "a full circle", 0, circle}, section_circle},
    {{"tube", "a circular tube", 0, tube}, section_tube},
    {{"i_beam", "a web between two flanges, torsion as of three thin strips, free to warp", 1, i_beam}, section_i_beam},
    {{"given", "by its numbers", 1, given}, section_given},
};

const mbd_beam_section *mbd_beam_section_at(int i) {
  return i >= 0 && i < (int)(sizeof sections / sizeof sections[0]) ? &sections[i].info : NULL;
}

static int ndimension(const mbd_beam_section *section) {
  int n = 0;
  while (section->coefs[n].key) { n++; }
  return n;
}

int beam_ncoef(const beam_layout *b) {
  if (b->data) { return beam_length_at(b) + BEAM_PER_POINT * b->npoint; }
  return BEAM_DIMENSIONS + b->nstation * ndimension(b->section);
}

/* ---- shapes ---- */

static const char *const kinds[MBD_BEAM_KINDS] = {"up", "side", "twist", "stretch", "shear_up", "shear_side"};

void beam_shape_name(const beam_layout *b, int k, char *text, size_t size) {
  snprintf(text, size, "%s%d", kinds[b->kind[k]], b->degree[k]);
}

/* The plane of a bending or shear shape, 0: up, 1: side; -1: none. */
static int plane_of(int kind) {
  return kind == BEAM_UP || kind == BEAM_SHEAR_UP ? 0 : kind == BEAM_SIDE || kind == BEAM_SHEAR_SIDE ? 1 : -1;
}

int beam_has(const beam_layout *b, int kind) {
  int found = 0;
  for (int k = 0; k < b->n; k++) { found |= b->kind[k] == kind; }
  return found;
}

int beam_couples(const beam_layout *b, int i, int j) {
  const int p = plane_of(b->kind[i]), q = plane_of(b->kind[j]);
  return b->data || b->kind[i] == b->kind[j] || (p >= 0 && p == q);
}

/* Slope of the axis of shape k at x. */
static double slope(const beam_layout *b, int k, double P[3][LEGENDRE_MAX]) {
  const int shears = b->kind[k] == BEAM_SHEAR_UP || b->kind[k] == BEAM_SHEAR_SIDE;
  return P[shears ? 0 : 1][b->degree[k] - 1];
}

/* G_jl = -int_0^x v_j' v_l', of shapes in one plane. */
static void foreshortening(const beam_layout *b, double x, double *G) {
  double at[GAUSS_MAX], weight[GAUSS_MAX], P[3][LEGENDRE_MAX];
  const int n = b->n;
  gauss_points(GAUSS_MAX, at, weight);
  for (int i = 0; i < GAUSS_MAX; i++) {
    legendre_integrals(b->n, x * at[i], P);
    for (int j = 0; j < n; j++) {
      for (int l = 0; l < n; l++) {
        const int plane = plane_of(b->kind[j]);
        if (plane < 0 || plane != plane_of(b->kind[l])) { continue; }
        G[j * n + l] -= x * weight[i] * slope(b, j, P) * slope(b, l, P);
      }
    }
  }
}

void beam_node(const beam_layout *b, double x, double *own) {
  double P[3][LEGENDRE_MAX];
  memset(own, 0, (size_t)modal_size(b->n) * sizeof *own);
  own[MODAL_COUNT] = b->n, own[MODAL_SCALE] = 1, own[MODAL_AT] = x;
  legendre_integrals(b->n, x, P);
  for (int k = 0; k < b->n; k++) {
    double *S = own + modal_shape(k), *Psi = S + 3;
    const int j = b->degree[k] - 1;
    const double side = b->mirrored ? -1 : 1;
    switch (b->kind[k]) {
      case BEAM_UP: S[0] = P[2][j], Psi[1] = P[1][j]; break;
      case BEAM_SIDE: S[1] = side * P[2][j], Psi[0] = -side * P[1][j]; break;
      case BEAM_TWIST: Psi[2] = side * P[1][j]; break;
      case BEAM_STRETCH: S[2] = P[1][j]; break;
      case BEAM_SHEAR_UP: S[0] = P[1][j]; break;
      default: S[1] = side * P[1][j]; break;
    }
  }
  if (b->stiffening) { foreshortening(b, x, own + modal_shortening(b->n)); }
}

/* ---- numbers of a design ---- */

typedef struct beam_matrix {
  dual x[MBD_NZ_MAX][MBD_NZ_MAX];
} beam_matrix;

/* A^-1 of a symmetric positive definite matrix, by exchanges on the diagonal. */
static void invert(int n, const beam_matrix *A, beam_matrix *B) {
  *B = *A;
  for (int p = 0; p < n; p++) {
    const dual pivot = d_div(d_const(1), B->x[p][p]);
    for (int j = 0; j < n; j++) {
      if (j != p) { B->x[p][j] = d_mul(B->x[p][j], pivot); }
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; i != p && j < n; j++) {
        if (j != p) { B->x[i][j] = d_sub(B->x[i][j], d_mul(B->x[i][p], B->x[p][j])); }
      }
    }
    for (int i = 0; i < n; i++) {
      if (i != p) { B->x[i][p] = d_neg(d_mul(B->x[i][p], pivot)); }
    }
    B->x[p][p] = pivot;
  }
}

static void mean(int n, beam_matrix *A, const beam_matrix *B) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { A->x[i][j] = d_scale(0.5, d_add(A->x[i][j], B->x[i][j])); }
  }
}

static void multiply(int n, mbd_real s, beam_matrix *A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { A->x[i][j] = d_scale(s, A->x[i][j]); }
  }
}

/* B := M (M^-1 K)^(1/2). K is divided by a bound of the eigenvalues of M^-1 K before, so that those of X are between 0 and 1. */
static void square_root(int n, const beam_matrix *M, const beam_matrix *K, beam_matrix *B) {
  enum { ITERATIONS = 40 }; /* each halves the logarithm of the ratio of frequencies, then the error is squared */
  beam_matrix Y, of_X, of_Y;
  mbd_value bound = 0;
  invert(n, M, &Y);
  *B = *K;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { bound += mbd_re(Y.x[i][j].v * K->x[j][i].v); }
  }
  multiply(n, 1 / bound, B);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    invert(n, B, &of_X);
    invert(n, &Y, &of_Y);
    mean(n, B, &of_Y);
    mean(n, &Y, &of_X);
  }
  multiply(n, mbd_sqrt(bound), B);
}

enum { COEF_MAX = BEAM_DIMENSIONS + MBD_BEAM_STATION_MAX * MBD_BEAM_DIMENSION_MAX };

/* Dimension k of the section at x, between those of the two nearest stations. */
static dual dimension(const beam_layout *b, const dual *c, int k, double x) {
  const int n = ndimension(b->section), last = b->nstation - 1;
  const int left = last == 0 ? 0 : (int)fmin(floor(x * last), last - 1);
  const dual from = c[BEAM_DIMENSIONS + left * n + k];
  if (last == 0) { return from; }
  const double part = x * last - left;
  return d_add(d_scale(1 - part, from), d_scale(part, c[BEAM_DIMENSIONS + (left + 1) * n + k]));
}

static section_numbers section_at(const beam_layout *b, const dual *c, double x) {
  dual d[MBD_BEAM_DIMENSION_MAX];
  int row = 0;
  for (int k = 0; k < ndimension(b->section); k++) { d[k] = dimension(b, c, k, x); }
  while (strcmp(sections[row].info.name, b->section->name) != 0) { row++; } /* of the row of another library, too */
  return sections[row].law(d);
}

mbd_status beam_check_sections(const beam_layout *b, const double *c, const char *name, mbd_error *err) {
  dual in[COEF_MAX];
  for (int i = 0; i < beam_ncoef(b); i++) { in[i] = d_const(c[i]); }
  for (int k = 0; k < b->nstation; k++) {
    const double x = b->nstation > 1 ? (double)k / (b->nstation - 1) : 0;
    const section_numbers s = section_at(b, in, x);
    const double numbers[] = {mbd_first(s.area.v), mbd_first(s.up.v), mbd_first(s.side.v), mbd_first(s.torsion.v),
                              mbd_first(s.clear.v)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      if (numbers[i] > 0) { continue; }
      char sizes[200] = "";
      for (int d = 0; d < ndimension(b->section); d++) {
        const size_t at = strlen(sizes);
        snprintf(sizes + at, sizeof sizes - at, "%s%s = %.4g", d ? ", " : "", b->section->coefs[d].key,
                 mbd_first(dimension(b, in, d, x).v));
      }
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
               "beam '%s': section %s at station %d of %d: its walls leave no room (%s), expected thinner ones", name,
               b->section->name, k + 1, b->nstation, sizes);
    }
  }
  return MBD_OK;
}

/* The force or moment of a strain: E I, G Jt, E A, ks G A. */
static dual rigidity(int kind, const section_numbers *s, const dual *c) {
  switch (kind) {
    case BEAM_UP: return d_mul(c[BEAM_E], s->up);
    case BEAM_SIDE: return d_mul(c[BEAM_E], s->side);
    case BEAM_TWIST: return d_mul(c[BEAM_G], s->torsion);
    case BEAM_STRETCH: return d_mul(c[BEAM_E], s->area);
    default: return d_mul(d_mul(c[BEAM_G], c[BEAM_SHEAR]), s->area);
  }
}

/* The numbers of a station at x. */
static void set_station(const beam_layout *b, double x, const dual *c, dual *out) {
  const section_numbers s = section_at(b, c, x);
  out[STATION_UP] = d_div(d_const(1), rigidity(BEAM_UP, &s, c));
  out[STATION_SIDE] = d_div(d_const(1), rigidity(BEAM_SIDE, &s, c));
  out[STATION_FIBRE_UP] = d_div(s.fibre_up, s.up), out[STATION_FIBRE_SIDE] = d_div(s.fibre_side, s.side);
  out[STATION_FIBRE_TWIST] = b->section->directed ? d_const(0) : d_div(s.fibre_up, s.torsion);
  out[STATION_AREA] = d_div(d_const(1), s.area);
}

/* Adds a point: its mass and inertia to the numbers, the strain energy of its part of the beam to K, its inertia on the undeformed beam to M. */
static void add_point(const beam_layout *b, int point, dual L, const dual *c, beam_matrix *K, beam_matrix *M,
                      dual *numbers) {
  const double x = b->point[point];
  const section_numbers s = section_at(b, c, x);
  const dual length = d_scale(b->weight[point], L), line = d_mul(c[BEAM_DENSITY], length);
  const dual mass = d_mul(line, s.area);
  dual J[3] = {d_mul(line, s.side), d_mul(line, s.up), d_mul(line, d_add(s.side, s.up))};
  double P[3][LEGENDRE_MAX], own[MODAL_SHAPES + 6 * MBD_NZ_MAX + MBD_NZ_MAX * MBD_NZ_MAX];
  beam_layout plain = *b;
  plain.stiffening = 0;
  beam_node(&plain, x, own);
  legendre_integrals(b->n, x, P);
  for (int r = 0; r < BEAM_PER_POINT; r++) { numbers[r] = d_const(0); }
  numbers[0] = mass;
  for (int r = 0; r < 3; r++) {
    if (!b->rotary) { J[r] = d_const(0); }
    numbers[1 + r] = J[r];
  }
  for (int i = 0; i < b->n; i++) {
    const double *Si = own + modal_shape(i), *Pi = Si + 3;
    const int bends = b->kind[i] <= BEAM_TWIST; /* the strain is the curvature or twist, times L */
    const dual B = rigidity(b->kind[i], &s, c), k = d_mul(length, bends ? d_div(B, d_square(L)) : B);
    for (int j = 0; j < b->n; j++) {
      const double *Sj = own + modal_shape(j), *Pj = Sj + 3;
      const double SS = Si[0] * Sj[0] + Si[1] * Sj[1] + Si[2] * Sj[2];
      if (b->kind[i] == b->kind[j]) {
        K->x[i][j] = d_add(K->x[i][j], d_scale(P[0][b->degree[i] - 1] * P[0][b->degree[j] - 1], k));
      }
      M->x[i][j] = d_add(M->x[i][j], d_mul(d_scale(SS, mass), d_square(L)));
      for (int r = 0; r < 3; r++) { M->x[i][j] = d_add(M->x[i][j], d_scale(Pi[r] * Pj[r], J[r])); }
    }
  }
}

/* All numbers [beam_nnumber]. */
static void evaluate(const beam_layout *b, dual L, const dual *c, dual *out) {
  const int n = b->n;
  beam_matrix K = {0}, M = {0}, B = {0};
  for (int k = 0; k < b->npoint; k++) { add_point(b, k, L, c, &K, &M, out + beam_point_at(b, k)); }
  for (int k = 0; k < beam_nstation(b); k++) { set_station(b, beam_station_x(b, k), c, out + beam_station_at(b, k)); }
  if (b->ratio) { square_root(n, &M, &K, &B); }
  out[beam_length_at(b)] = L;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      dual *k = &out[i * n + j], *d = &out[n * n + i * n + j];
      *k = K.x[i][j], out[beam_mass_at(b) + i * n + j] = M.x[i][j];
      *d = d_add(d_mul(c[BEAM_OF_MASS], M.x[i][j]), d_mul(c[BEAM_OF_STIFFNESS], K.x[i][j]));
      if (b->ratio) { *d = d_add(*d, d_scale(2, d_mul(c[BEAM_RATIO], B.x[i][j]))); }
    }
  }
}

enum {
  NUMBER_MAX = 3 * MBD_NZ_MAX * MBD_NZ_MAX + 1 + BEAM_PER_POINT * BEAM_POINT_MAX + BEAM_PER_STATION * BEAM_STATION_MAX
};

/* Numbers from outside, for a length L; numbers behind the points are zero. */
static void given_numbers(const beam_layout *b, mbd_real L, const mbd_real *c, mbd_real *out) {
  const int at = beam_length_at(b);
  for (int i = 0; i < beam_nnumber(b); i++) { out[i] = i < at ? c[i] : i > at && i <= beam_ncoef(b) ? c[i - 1] : 0; }
  out[at] = L;
}

void beam_numbers(const beam_layout *b, mbd_real L, const mbd_real *c, mbd_real *out) {
  if (b->data) {
    given_numbers(b, L, c, out);
    return;
  }
  dual in[COEF_MAX], numbers[NUMBER_MAX];
  for (int i = 0; i < beam_ncoef(b); i++) { in[i] = d_const(c[i]); }
  evaluate(b, d_const(L), in, numbers);
  for (int i = 0; i < beam_nnumber(b); i++) { out[i] = numbers[i].v; }
}

void beam_numbers_direct(const beam_layout *b, mbd_real L, const mbd_real *c, mbd_real dL, const mbd_real *dc,
                         mbd_real *dout) {
  if (b->data) {
    given_numbers(b, dL, dc, dout);
    return;
  }
  dual in[COEF_MAX], length = d_const(L), numbers[NUMBER_MAX];
  length.d[0] = dL;
  for (int i = 0; i < beam_ncoef(b); i++) { in[i] = d_const(c[i]), in[i].d[0] = dc[i]; }
  evaluate(b, length, in, numbers);
  for (int i = 0; i < beam_nnumber(b); i++) { dout[i] = numbers[i].d[0]; }
}

/* One unit direction after the other: a beam has few coefficients, and this is done once for a gradient. */
void beam_numbers_reverse(const beam_layout *b, mbd_real L, const mbd_real *c, const mbd_real *out_bar,
                          const unsigned char *requested, mbd_real *L_bar, mbd_real *c_bar) {
  mbd_real dc[COEF_MAX] = {0}, dout[NUMBER_MAX];
  for (int i = 0; b->data && i < beam_ncoef(b); i++) {
    if (requested[i]) { c_bar[i] += out_bar[i < beam_length_at(b) ? i : i + 1]; }
  }
  if (b->data) { return; }
  for (int i = -1; i < beam_ncoef(b); i++) {
    mbd_real sum = 0;
    if (i >= 0 && !requested[i]) { continue; }
    if (i >= 0) { dc[i] = 1; }
    beam_numbers_direct(b, L, c, i < 0, dc, dout);
    for (int k = 0; k < beam_nnumber(b); k++) { sum += out_bar[k] * dout[k]; }
    if (i < 0) {
      *L_bar += sum;
    } else {
      c_bar[i] += sum, dc[i] = 0;
    }
  }
}
