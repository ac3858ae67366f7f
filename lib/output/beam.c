/* Outputs of beams: displacements, strains, section forces and stresses at their nodes, the largest stress, mass and frequencies.
 *
 * A displacement is linear in the amplitudes, with a_k from the polynomials of the shapes; so are the force or moment of a section, what strain
 * and stress it makes there,
 *   y = s sum_k a_k eta_k,    s = L^power B,    of a force a_k = sum_j (2 j - 1) P_j(x) K_jk
 * where B, 1 of displacements and forces, and K are numbers of the design (flexible/beam.h). What combines several of them has weights
 * w = dy/dy_i:
 *   circle, tube: ((sqrt(up^2 + side^2) + |axial|)^2 + 3 torsion^2)^(1/2);   others: |up| + |side| + |axial|,   smooth at zero
 *   of the whole beam: (sum over stations of stress^32)^(1/32), which is at least the largest stress and smooth where its place changes
 * Equations: theory.md §12 (12.9) to (12.11), (12.17). */
#include <math.h>
#include <string.h>

#include "mbd/picture.h"
#include "model/beams.h"
#include "output/beam_quantity.h"

enum { NORM_POWER = 32 };

static const beam_strain stress_of[STRESSES] = {{BEAM_UP, FORCE, 0, STATION_FIBRE_UP},
                                                {BEAM_SIDE, FORCE, 0, STATION_FIBRE_SIDE},
                                                {BEAM_STRETCH, FORCE, -1, STATION_AREA},
                                                {BEAM_TWIST, FORCE, 0, STATION_FIBRE_TWIST}};

/* ---- objects: the clamped ends of all beams, then the nodes of one after the other, the last one first, so that those of the user are before
 * the tip; then bodies with data from outside, whose nodes have none of these quantities ---- */

/* NULL past the last one. */
static const mbd_beam *beam_of(const mbd_model *m, int object, int *station) {
  for (int data = 0; data < 2; data++) {
    *station = 0;
    for (int i = 0; i < m->nbeam; i++) {
      if (m->beam[i].layout.data == data && object-- == 0) { return &m->beam[i]; }
    }
    for (int i = 0; i < m->nbeam; i++) {
      const int nodes = data || m->beam[i].layout.data ? 0 : m->beam[i].layout.nnode;
      *station = nodes - object;
      if (object < nodes) { return &m->beam[i]; }
      object -= nodes;
    }
  }
  return NULL;
}

const mbd_beam *beam_of_output(const mbd_model *m, const output *o) {
  int station;
  return o->of == &output_beams ? beam_of(m, o->object, &station) : NULL;
}

static const char *name(const mbd_model *m, int i) {
  int station;
  const mbd_beam *b = beam_of(m, i, &station);
  return b ? m->body[station > 0 ? b->node[station - 1] : b->body].name : NULL;
}

static void amplitudes(const mbd_model *m, const output *o, mbd_lift *l) {
  int station;
  const mbd_beam *b = beam_of(m, o->object, &station);
  for (int k = 0; k < b->layout.n; k++) { l->arg[l->narg++] = (mbd_arg){MBD_ARG_COORDINATE, b->z0 + k, -1}; }
}

/* ---- one linear part ---- */

/* sum_jk (2 j - 1) P_j K_jk x_k, the force or moment (12.17) of the amplitudes x times a power of L; adds its derivatives times s, by the
 * amplitudes to g, by K to K_bar, where they are not NULL. */
static mbd_real force_sum(const beam_layout *b, const beam_part *p, const mbd_real *K, const mbd_arg_state *x,
                          mbd_real s, output_gradient *g, mbd_real *K_bar) {
  double P[3][LEGENDRE_MAX];
  mbd_real sum = 0;
  legendre_integrals(b->n, beam_station_x(b, p->station), P);
  for (int i = 0; i < b->n * b->n; i++) {
    const int j = i / b->n, k = i % b->n;
    if (b->kind[j] != p->of->kind || b->kind[k] != p->of->kind) { continue; }
    const double a = (2 * b->degree[j] - 1) * P[0][b->degree[j] - 1];
    sum += a * K[i] * x->x[k][0];
    if (g) { g->x[k][0] += s * a * K[i]; }
    if (K_bar) { K_bar[i] += s * a * x->x[k][0]; }
  }
  return sum;
}

/* sum_k a_k x_k of the amplitudes x; adds s a_k to g where it is not NULL. A strain of shear is a slope of the axis. */
static mbd_real shape_sum(const beam_layout *b, const beam_part *p, const mbd_real *K, const mbd_arg_state *x,
                          mbd_real s, output_gradient *g) {
  const int shears = p->of->kind == BEAM_UP ? BEAM_SHEAR_UP : p->of->kind == BEAM_SIDE ? BEAM_SHEAR_SIDE : -1;
  double P[3][LEGENDRE_MAX];
  mbd_real sum = 0;
  if (p->of->integral == FORCE) { return force_sum(b, p, K, x, s, g, NULL); }
  legendre_integrals(b->n, beam_station_x(b, p->station), P);
  for (int k = 0; k < b->n; k++) {
    const int integral = b->kind[k] == p->of->kind ? p->of->integral : p->of->integral - 1;
    if (integral < 0 || (b->kind[k] != p->of->kind && b->kind[k] != shears)) { continue; }
    const double a = P[integral][b->degree[k] - 1];
    sum += a * x->x[k][0];
    if (g) { g->x[k][0] += s * a; }
  }
  return sum;
}

/* s, and its two factors. */
static mbd_real scale_of(const mbd_beam *b, const beam_part *p, const mbd_real *theta, mbd_real *length,
                         mbd_real *number) {
  const mbd_real L = theta[b->numbers + beam_length_at(&b->layout)];
  *length = p->of->power > 0 ? L : p->of->power < 0 ? 1 / L : 1;
  *number =
      p->of->number == NO_NUMBER ? 1 : theta[b->numbers + beam_station_at(&b->layout, p->station) + p->of->number];
  return *length * *number;
}

static mbd_real part_value(const mbd_beam *b, const beam_part *p, const mbd_real *theta, const mbd_arg_state *x) {
  mbd_real length, number;
  return scale_of(b, p, theta, &length, &number) * shape_sum(&b->layout, p, theta + b->numbers, x, 0, NULL);
}

/* ---- what combines them ---- */

static void add_part(beam_parts *parts, int station, const beam_strain *of, mbd_real weight) {
  parts->part[parts->n++] = (beam_part){station, of, weight};
}

/* A part alone; from the chord less its place times that at the tip, station 1. */
static mbd_real alone(const output_at *at, const mbd_arg_state *s, beam_parts *parts) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  mbd_real y = 0;
  add_part(parts, station, &at->o->ops->beam->of, 1);
  if (at->o->ops->beam->chord) { add_part(parts, 1, &at->o->ops->beam->of, -beam_station_x(&b->layout, station)); }
  for (int i = 0; i < parts->n; i++) { y += parts->part[i].weight * part_value(b, &parts->part[i], at->theta, s); }
  return y;
}

/* The length sqrt(a^2 + c b^2), smooth at zero, where the unit of what counts as nothing takes its place; its derivatives. */
static mbd_real length_of(mbd_real a, mbd_real b, double c, mbd_value nothing, mbd_real *by_a, mbd_real *by_b) {
  const mbd_real root = mbd_sqrt(a * a + c * b * b + nothing * nothing);
  *by_a = a / root, *by_b = c * b / root;
  return root - nothing;
}

/* The largest stress of the section at a station, whose parts are added. */
static mbd_real section_stress(const mbd_beam *b, int station, const mbd_real *theta, const mbd_arg_state *s,
                               beam_parts *parts) {
  const mbd_value nothing = 1e-14 * mbd_re(theta[b->coef + BEAM_E]);
  mbd_real y[STRESSES], w[STRESSES], bending, none, by_normal;
  beam_part *part = parts->part + parts->n;
  for (int i = 0; i < STRESSES; i++) {
    add_part(parts, station, &stress_of[i], 0);
    y[i] = part_value(b, &part[i], theta, s);
  }
  if (b->layout.section->directed) {
    bending = length_of(y[0], 0, 1, nothing, &w[0], &none) + length_of(y[1], 0, 1, nothing, &w[1], &none);
  } else {
    bending = length_of(y[0], y[1], 1, nothing, &w[0], &w[1]);
  }
  const mbd_real normal = bending + length_of(y[2], 0, 1, nothing, &w[2], &none);
  const mbd_real total = length_of(normal, y[3], 3, nothing, &by_normal, &w[3]);
  for (int i = 0; i < 3; i++) { w[i] *= by_normal; }
  for (int i = 0; i < STRESSES; i++) { part[i].weight = w[i]; }
  return total;
}

static mbd_real stress(const output_at *at, const mbd_arg_state *s, beam_parts *parts) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  return section_stress(b, station, at->theta, s, parts);
}

/* The station, of those with a body, that is nearest to station k. */
static int nearest_station(const beam_layout *b, int k) {
  const double x = beam_station_x(b, k);
  int nearest = 0;
  for (int i = 1; i <= b->nnode + b->npoint; i++) {
    if (fabs(beam_station_x(b, i) - x) < fabs(beam_station_x(b, nearest) - x)) { nearest = i; }
  }
  return nearest;
}

/* For pictures: stations without a body, as a waist of the section, are shown at the nearest one that has a body. */
int mbd_params_beam_stress(const mbd_params *p, const double *z, int i, int k, double *stress) {
  int station;
  const mbd_beam *b = beams_station(p->model, i, k, &station);
  mbd_arg_state s;
  beam_parts parts;
  if (!b || !beam_has_fibres(&b->layout)) { return 0; }
  for (int shape = 0; shape < b->layout.n; shape++) { s.x[shape][0] = z[b->z0 + shape]; }
  *stress = 0;
  for (int of = 0; of < beam_nstation(&b->layout); of++) {
    if (of != station && (of <= b->layout.nnode + b->layout.npoint || nearest_station(&b->layout, of) != station)) {
      continue;
    }
    parts.n = 0;
    *stress = fmax(*stress, mbd_first(section_stress(b, of, p->theta, &s, &parts)));
  }
  return 1;
}

/* x^32; *below: x^31 */
static mbd_real to_power(mbd_real x, mbd_real *below) {
  mbd_real y = x;
  *below = 1;
  for (int power = 1; power < NORM_POWER; power *= 2) { *below *= y, y *= y; }
  return y;
}

/* Of the clamped end, the tip, the points, the stations of the section and the middle: not of the nodes, which may be added without a change. Powers are
 * those of shares of the largest. */
static mbd_real largest_stress(const output_at *at, const mbd_arg_state *s, beam_parts *parts) {
  int first;
  const mbd_beam *b = beam_of(at->m, at->o->object, &first);
  mbd_real stress[BEAM_STATION_MAX], sum = 0, below;
  mbd_value largest = mbd_re((mbd_real)0);
  int n = 0;
  for (int station = 0; station < beam_nstation(&b->layout); station++) {
    if (station > 1 && station <= b->layout.nnode) { continue; }
    stress[n] = section_stress(b, station, at->theta, s, parts);
    largest = mbd_select(mbd_re(stress[n]) > largest, mbd_re(stress[n]), largest);
    n++;
  }
  const mbd_value unit = mbd_select(largest > 0, largest, 1);
  for (int i = 0; i < n; i++) { sum += to_power(stress[i] / unit, &below); }
  const mbd_real norm = mbd_select(largest > 0, mbd_pow(mbd_select(largest > 0, sum, 1), 1.0 / NORM_POWER), 0);
  for (int i = 0; i < n; i++) {
    to_power(stress[i] / (unit * mbd_select(largest > 0, norm, 1)), &below);
    for (int k = 0; k < STRESSES; k++) { parts->part[STRESSES * i + k].weight *= below; }
  }
  return unit * norm;
}

/* ---- as functions of the amplitudes and the numbers of the design ---- */

static mbd_real take(const output_at *at, const mbd_arg_state *s, beam_parts *parts) {
  const struct beam_quantity *of = at->o->ops->beam;
  parts->n = 0;
  return (of->take ? of->take : alone)(at, s, parts);
}

static mbd_real eval(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  const mbd_real *theta = at->theta;
  mbd_real length, number;
  beam_parts parts;
  const mbd_real y = take(at, s, &parts);
  for (int i = 0; i < parts.n; i++) {
    const beam_part *p = &parts.part[i];
    shape_sum(&b->layout, p, theta + b->numbers, s, p->weight * scale_of(b, p, theta, &length, &number), g);
  }
  return y;
}

/* The derivative of s by L is power L^(power - 1) B. */
static mbd_real eval_c(const output_at *at, const mbd_arg_state *s, const mbd_real *dtheta) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  const mbd_real *theta = at->theta;
  const int L = b->numbers + beam_length_at(&b->layout);
  mbd_real length, number, dy = 0;
  beam_parts parts;
  take(at, s, &parts);
  for (int i = 0; i < parts.n; i++) {
    const beam_part *p = &parts.part[i];
    const mbd_real scale = scale_of(b, p, theta, &length, &number);
    mbd_real ds = p->of->power * scale / theta[L] * dtheta[L];
    if (p->of->number != NO_NUMBER) {
      ds += length * dtheta[b->numbers + beam_station_at(&b->layout, p->station) + p->of->number];
    }
    dy += p->weight * ds * shape_sum(&b->layout, p, theta + b->numbers, s, 0, NULL);
    if (p->of->integral == FORCE) {
      dy += p->weight * scale * force_sum(&b->layout, p, dtheta + b->numbers, s, 0, NULL, NULL);
    }
  }
  return dy;
}

static void reverse_c(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *to) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  const mbd_real *theta = at->theta;
  const int L = b->numbers + beam_length_at(&b->layout);
  mbd_real length, number;
  beam_parts parts;
  take(at, s, &parts);
  for (int i = 0; i < parts.n; i++) {
    const beam_part *p = &parts.part[i];
    const mbd_real K_scale = scale_of(b, p, theta, &length, &number), *K = theta + b->numbers;
    const mbd_real by = scale * p->weight * shape_sum(&b->layout, p, K, s, 0, NULL);
    to->theta[L] += by * p->of->power * K_scale / theta[L];
    if (p->of->integral == FORCE) {
      force_sum(&b->layout, p, K, s, scale * p->weight * K_scale, NULL, to->theta + b->numbers);
    }
    if (p->of->number == NO_NUMBER) { continue; }
    to->theta[b->numbers + beam_station_at(&b->layout, p->station) + p->of->number] += by * length;
  }
}

/* ---- mass, and frequencies of the clamped beam ---- */

static mbd_real mass(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  mbd_real sum = 0;
  (void)s, (void)g;
  for (int k = 0; k < b->layout.npoint; k++) { sum += at->theta[b->numbers + beam_point_at(&b->layout, k)]; }
  return sum;
}

static mbd_real mass_c(const output_at *at, const mbd_arg_state *s, const mbd_real *dtheta) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  mbd_real sum = 0;
  (void)s;
  for (int k = 0; k < b->layout.npoint; k++) { sum += dtheta[b->numbers + beam_point_at(&b->layout, k)]; }
  return sum;
}

static void mass_reverse_c(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *to) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  (void)s;
  for (int k = 0; k < b->layout.npoint; k++) { to->theta[b->numbers + beam_point_at(&b->layout, k)] += scale; }
}

static const double turn = 6.283185307179586476925;

static mbd_real frequency(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  mbd_real x[MBD_NZ_MAX];
  (void)s, (void)g;
  return beam_frequency(&b->layout, at->theta + b->numbers, at->o->ops->beam->of.kind, 0, x) / turn;
}

/* With w^2 = x'K x/x'M x:  dw = x'(dK - w^2 dM) x/(2 w x'M x);  by_K = dw/dx'K x, -w^2 by_K = dw/dx'M x. */
static const mbd_beam *frequency_slopes(const output_at *at, mbd_real *x, mbd_real *by_K, mbd_real *by_M) {
  int station;
  const mbd_beam *b = beam_of(at->m, at->o->object, &station);
  const int n = b->layout.n;
  const mbd_real *numbers = at->theta + b->numbers, *M = numbers + beam_mass_at(&b->layout);
  const mbd_real w = beam_frequency(&b->layout, numbers, at->o->ops->beam->of.kind, 0, x);
  mbd_real xMx = 0;
  for (int k = 0; k < n * n; k++) { xMx += x[k / n] * M[k] * x[k % n]; }
  *by_K = 1 / (2 * w * xMx * turn), *by_M = -w * w * *by_K;
  return b;
}

static mbd_real frequency_c(const output_at *at, const mbd_arg_state *s, const mbd_real *dtheta) {
  mbd_real x[MBD_NZ_MAX], by_K, by_M, dy = 0;
  const mbd_beam *b = frequency_slopes(at, x, &by_K, &by_M);
  const int n = b->layout.n;
  const mbd_real *dK = dtheta + b->numbers, *dM = dK + beam_mass_at(&b->layout);
  (void)s;
  for (int k = 0; k < n * n; k++) { dy += x[k / n] * x[k % n] * (by_K * dK[k] + by_M * dM[k]); }
  return dy;
}

static void frequency_reverse_c(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *to) {
  mbd_real x[MBD_NZ_MAX], by_K, by_M;
  const mbd_beam *b = frequency_slopes(at, x, &by_K, &by_M);
  const int n = b->layout.n;
  mbd_real *K = to->theta + b->numbers, *M = K + beam_mass_at(&b->layout);
  (void)s;
  for (int k = 0; k < n * n; k++) {
    K[k] += scale * by_K * x[k / n] * x[k % n], M[k] += scale * by_M * x[k / n] * x[k % n];
  }
}

/* ---- the table ---- */

static const char *const missing[MBD_BEAM_KINDS] = {
    [BEAM_UP] = "bending along `up`, the first number of `shapes`",
    [BEAM_SIDE] = "bending across, the second number of `shapes`",
    [BEAM_TWIST] = "torsion, the third number of `shapes`",
    [BEAM_STRETCH] = "extension: axial = 1, or at a node NODE.reaction_force, what its joint transmits",
    [BEAM_SHEAR_UP] = "shear along `up`: shear = 1",
    [BEAM_SHEAR_SIDE] = "shear across: shear = 1"};

static mbd_status has_shapes(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  int station;
  const mbd_beam *b = beam_of(m, o->object, &station);
  const struct beam_quantity *of = o->ops->beam;
  if (b->layout.data) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "output '%s': the shapes of body '%s' are those of modal_data, which have no kinds; its outputs are its "
             "amplitudes, as '%s', '%s.mass' and '%s.elastic.energy'",
             asked, b->name, m->z_name[b->z0], b->name, b->name);
  }
  if (!beam_has(&b->layout, of->of.kind)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': beam '%s' has no shapes of %s", asked, b->name, missing[of->of.kind]);
  }
  if (of->of.integral > 0 && (station == 0 || (of->chord && beam_station_x(&b->layout, station) == 1))) {
    if (of->chord) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "output '%s' is always zero there, expected that of a node between the ends, as of nodes = mid: 0.5",
               asked);
    }
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s' is always zero there, expected that of another node, as '%s.%s'", asked,
             m->body[b->node[0]].name, o->ops->quantity);
  }
  return MBD_OK;
}

static mbd_status has_fibres(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  int station;
  const mbd_beam *b = beam_of(m, o->object, &station);
  if (b->layout.data) { return has_shapes(o, m, asked, err); }
  if (!beam_has_fibres(&b->layout)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "output '%s': section = given has no outermost fibres; expected a section with dimensions, or a quantity: "
             "%s.moment_up over its section modulus",
             asked, m->body[b->body].name);
  }
  return o->ops->beam->take ? MBD_OK : has_shapes(o, m, asked, err);
}

static mbd_status has_round_fibres(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  int station;
  const mbd_beam *b = beam_of(m, o->object, &station);
  if (!b->layout.data && b->layout.section->directed) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': section = %s, expected circle or tube; else a quantity of %s.torque",
             asked, b->layout.section->name, m->body[station > 0 ? b->node[station - 1] : b->body].name);
  }
  return has_shapes(o, m, asked, err);
}

static mbd_status is_whole(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  int station;
  const mbd_beam *b = beam_of(m, o->object, &station);
  if (station > 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s' is one of the whole beam, expected '%s.%s'", asked, b->name,
             o->ops->quantity);
  }
  if (strcmp(o->ops->quantity, "largest_stress") == 0) { return has_fibres(o, m, asked, err); }
  if (!o->ops->beam) { return MBD_OK; }
  if (o->ops->beam->of.kind == BEAM_TWIST && !b->layout.rotary) {
    MBD_FAIL(err, MBD_BAD_INPUT, "output '%s': rotary_inertia = no, expected yes: without it torsion has no frequency",
             asked);
  }
  return has_shapes(o, m, asked, err);
}

#define OF_AMPLITUDES OUTPUT_OF_ARGUMENTS, .arguments = amplitudes
#define LINEAR(WORD, UNIT, CHECK, KIND, INTEGRAL, POWER, NUMBER, CHORD, DOC)                           \
  {                                                                                                    \
    .quantity = WORD, .unit = UNIT, .doc = DOC, .check = CHECK, OF_AMPLITUDES,                         \
    .beam = &(const struct beam_quantity){{KIND, INTEGRAL, POWER, NUMBER}, CHORD, NULL}, .eval = eval, \
    .eval_c = eval_c, .reverse_c = reverse_c                                                           \
  }
#define COMBINED(WORD, CHECK, TAKE, DOC)                                                                \
  {                                                                                                     \
    .quantity = WORD, .unit = "N/m^2", .doc = DOC, .check = CHECK, OF_AMPLITUDES,                       \
    .beam = &(const struct beam_quantity){{BEAM_UP, 0, 0, 0}, 0, TAKE}, .eval = eval, .eval_c = eval_c, \
    .reverse_c = reverse_c                                                                              \
  }
#define FREQUENCY(WORD, KIND, DOC)                                                                             \
  {                                                                                                            \
    .quantity = WORD, .unit = "Hz", .doc = DOC, .check = is_whole, OF_AMPLITUDES,                              \
    .beam = &(const struct beam_quantity){{KIND, 0, 0, 0}, 0, NULL}, .eval = frequency, .eval_c = frequency_c, \
    .reverse_c = frequency_reverse_c                                                                           \
  }

static const output_ops rows[] = {
    LINEAR("deflection_up", "m", has_shapes, BEAM_UP, 2, 1, NO_NUMBER, 0,
           "displacement of a node along `up`, from the axis of the undeformed beam at its clamped end"),
    LINEAR("deflection_side", "m", has_shapes, BEAM_SIDE, 2, 1, NO_NUMBER, 0, "the same across"),
    LINEAR("chord_deflection_up", "m", has_shapes, BEAM_UP, 2, 1, NO_NUMBER, 1,
           "displacement of a node along `up` from the chord, the line between both ends"),
    LINEAR("chord_deflection_side", "m", has_shapes, BEAM_SIDE, 2, 1, NO_NUMBER, 1, "the same across"),
    LINEAR("slope_up", "rad", has_shapes, BEAM_UP, 1, 0, NO_NUMBER, 0,
           "slope of the axis at a node along `up`; the theory holds to about 0.1"),
    LINEAR("slope_side", "rad", has_shapes, BEAM_SIDE, 1, 0, NO_NUMBER, 0, "the same across"),
    LINEAR("twist", "rad", has_shapes, BEAM_TWIST, 1, 0, NO_NUMBER, 0, "angle of torsion of a node"),
    LINEAR("curvature_up", "1/m", has_shapes, BEAM_UP, FORCE, 0, STATION_UP, 0,
           "curvature of bending along `up`, at the clamped end or a node: the bending moment over E I"),
    LINEAR("curvature_side", "1/m", has_shapes, BEAM_SIDE, FORCE, 0, STATION_SIDE, 0, "the same across"),
    LINEAR("moment_up", "N m", has_shapes, BEAM_UP, FORCE, 0, NO_NUMBER, 0,
           "bending moment, which the beam bears at the clamped end or a node"),
    LINEAR("moment_side", "N m", has_shapes, BEAM_SIDE, FORCE, 0, NO_NUMBER, 0, "the same across"),
    LINEAR("torque", "N m", has_shapes, BEAM_TWIST, FORCE, 0, NO_NUMBER, 0, "torsional moment, likewise"),
    LINEAR("axial_force", "N", has_shapes, BEAM_STRETCH, FORCE, -1, NO_NUMBER, 0,
           "axial force, positive in tension, of a beam with shapes of extension"),
    LINEAR("shear_force_up", "N", has_shapes, BEAM_SHEAR_UP, FORCE, -1, NO_NUMBER, 0,
           "shear force along `up`, of a beam with shapes of shear"),
    LINEAR("shear_force_side", "N", has_shapes, BEAM_SHEAR_SIDE, FORCE, -1, NO_NUMBER, 0, "the same across"),
    LINEAR("stress_up", "N/m^2", has_fibres, BEAM_UP, FORCE, 0, STATION_FIBRE_UP, 0,
           "stress of bending along `up` at the outermost fibre opposite to `up`, positive in tension"),
    LINEAR("stress_side", "N/m^2", has_fibres, BEAM_SIDE, FORCE, 0, STATION_FIBRE_SIDE, 0, "the same across"),
    LINEAR("stress_axial", "N/m^2", has_shapes, BEAM_STRETCH, FORCE, -1, STATION_AREA, 0,
           "axial stress, positive in tension, of a beam with shapes of extension"),
    LINEAR("stress_torsion", "N/m^2", has_round_fibres, BEAM_TWIST, FORCE, 0, STATION_FIBRE_TWIST, 0,
           "shear stress of torsion at the surface of a circle or tube"),
    COMBINED("stress", has_fibres, stress,
             "largest stress of the section at the clamped end or a node: of circle and tube that of von Mises; of "
             "others the normal stress, without torsion"),
    COMBINED("largest_stress", is_whole, largest_stress,
             "the largest of these along the beam, as a smooth norm that is not below it: (sum of stress^32)^(1/32) "
             "over both ends, the middle, the points of inertia and the places at which the section is given"),
    {.quantity = "mass",
     .unit = "kg",
     .doc = "mass of the beam",
     .check = is_whole,
     OF_AMPLITUDES,
     .eval = mass,
     .eval_c = mass_c,
     .reverse_c = mass_reverse_c},
    FREQUENCY("frequency_up", BEAM_UP,
              "lowest frequency of bending along `up` of the beam alone, clamped at `from` and free else"),
    FREQUENCY("frequency_side", BEAM_SIDE, "the same across"),
    FREQUENCY("frequency_twist", BEAM_TWIST, "the same in torsion"),
    {0}};

const output_object output_beams = {.word = "BEAM", .noun = "beam", .row = rows, .name = name};
