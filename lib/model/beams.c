/* A beam has the length L = |to - from|. Its numbers in theta are functions of L and of its coefficients; L is also the scale of its nodes
 * (joint/modal.h). A node at x has its point at from on the beam's body, and at from + x (to - from) on its own body if this has the same
 * frame; the frames of the joint on both bodies are then the same.
 * Equations: theory.md §12 (12.5), (12.6), (12.7). */
#include "model/beams.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/v3.h"

/* ---- building ---- */

#define NO_MEMORY(err) MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: beams")

/* The numbers of a beam in theta: behind those of flexible/beam.h stands the centre of mass of its points, zero whatever its coefficients are. */
static int nnumber(const beam_layout *b) {
  return beam_nnumber(b) + 3;
}

/* The joint of a node: where it is, and its numbers for a length of one. */
static mbd_status build_node(mbd_model *m, const mbd_beam *beam, const spec_beam *described, int node, int body,
                             mbd_error *err) {
  const beam_layout *b = &beam->layout;
  const int size = modal_size(b->n), own = node < b->nnode;
  mbd_joint *j = &m->joint[m->body[body].joint];
  double *grown = realloc(m->modal, (size_t)(m->nmodal + size) * sizeof *grown);
  if (!grown) { NO_MEMORY(err); }
  m->modal = grown;
  j->at = own ? b->node[node] : b->point[node - b->nnode];
  j->own = m->nmodal, j->framed = own || b->data;
  if (b->data) {
    memcpy(m->modal + m->nmodal, described->own + node * size, (size_t)size * sizeof *grown);
  } else {
    beam_node(b, j->at, m->modal + m->nmodal);
  }
  m->nmodal += size;
  if (own) { return MBD_OK; }
  /* A point of inertia of a beam has mass and inertia in its own axes, which are those of the joint; of others in those of the body. */
  m->body[body].com = b->data ? described->place + 3 * node : beam->numbers + beam_nnumber(b);
  m->body[body].mass = beam->numbers + beam_point_at(b, node - b->nnode);
  m->body[body].inertia = m->body[body].mass + 1;
  return MBD_OK;
}

mbd_status beams_build(mbd_model *m, const mbd_spec *s, const int *body_of, mbd_error *err) {
  m->beam = calloc((size_t)s->nbeam + 1, sizeof *m->beam);
  if (!m->beam) { NO_MEMORY(err); }
  for (int i = 0; i < s->nbeam; i++) {
    const spec_beam *described = &s->beam[i];
    const int first = described->body + 1, nodes = described->layout.nnode + described->layout.npoint;
    const mbd_joint *j = &m->joint[m->body[body_of[first]].joint];
    mbd_beam *beam = &m->beam[m->nbeam++];
    *beam = (mbd_beam){.name = mbd_strdup(described->name),
                       .layout = described->layout,
                       .body = body_of[described->body],
                       .modal = m->nmodal,
                       .z0 = m->body[body_of[first]].z0,
                       .from = described->shape ? -1 : j->point[0],
                       .to = described->shape ? -1 : j->axis[0],
                       .coef = described->coef,
                       .numbers = m->ntheta,
                       .zero = described->zero};
    if (!beam->name) { NO_MEMORY(err); }
    m->body[beam->body].flexible = m->nbeam;
    m->ntheta += nnumber(&beam->layout);
    for (int node = 0; node < nodes; node++) {
      beam->node[node] = body_of[first + node];
      MBD_TRY(build_node(m, beam, described, node, body_of[first + node], err));
    }
  }
  return MBD_OK;
}

mbd_status beams_build_forces(mbd_model *m, mbd_error *err) {
  for (int i = 0; i < m->nbeam; i++) {
    mbd_beam *beam = &m->beam[i];
    mbd_force *f = &m->force[m->nforce++];
    beam_elastic(beam->layout.n, beam->info, &beam->ops);
    f->name = mbd_sprintf_dup("%s.elastic", beam->name);
    if (!f->name) { NO_MEMORY(err); }
    f->ops = &beam->ops, f->coef = beam->numbers;
    for (int k = 0; k < MBD_CURVE_MAX; k++) { f->curve[k] = -1; }
    f->lift.narg = beam->layout.n;
    for (int a = 0; a < beam->layout.n; a++) { f->lift.arg[a] = (mbd_arg){MBD_ARG_COORDINATE, beam->z0 + a, -1}; }
    MBD_TRY(lift_create(m, &f->lift, 1, err));
  }
  return MBD_OK;
}

static void mark_loaded(mbd_model *m, const mbd_lift *l) {
  for (int a = 0; a < l->narg; a++) {
    const int marker = l->arg[a].kind == MBD_ARG_POINT || l->arg[a].kind == MBD_ARG_VECTOR,
              end[2] = {l->arg[a].a, l->arg[a].b};
    if (!marker && l->arg[a].kind != MBD_ARG_ROTATION) { continue; }
    for (int k = 0; k < 2; k++) {
      if (end[k] >= 0) { m->body[marker ? m->marker[end[k]].body : end[k]].light = 0; }
    }
  }
}

void beams_find_light(mbd_model *m) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    for (int k = 0; k < b->layout.npoint; k++) {
      mbd_body *point = &m->body[b->node[b->layout.nnode + k]];
      point->light = point->mass == b->numbers + beam_point_at(&b->layout, k); /* no point mass is on it */
    }
  }
  for (int i = 1; i < m->nb; i++) { m->body[m->body[i].parent].light = 0; }
  for (int i = 0; i < m->nforce; i++) { mark_loaded(m, &m->force[i].lift); }
  for (int i = 0; i < m->nconstraint; i++) { mark_loaded(m, &m->constraint[i].lift); }
  for (int i = 0; i < m->nhold; i++) { mark_loaded(m, &m->hold[i].lift); }
}

void beams_destroy(mbd_model *m) {
  for (int i = 0; i < m->nbeam; i++) { free(m->beam[i].name); }
  free(m->beam), free(m->modal);
}

/* ---- checks ---- */

static mbd_status not_positive(const mbd_model *m, const mbd_beam *b, int coef, double value, mbd_error *err) {
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "beam '%s': %s = %g, expected > 0", b->name, m->coef_name[coef], value);
}

/* The first row of a matrix [n][n], of which only the lower half counts, that keeps it from being positive definite, by Cholesky's factors; -1:
 * it is. *left: what the rows before it leave of its diagonal, that is, the stiffness of a shape while those before it give way. */
static int not_definite(int n, const double *A, double *left) {
  double R[MBD_NZ_MAX * MBD_NZ_MAX];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double rest = A[i * n + j];
      for (int k = 0; k < j; k++) { rest -= R[i * n + k] * R[j * n + k]; }
      *left = rest;
      if (i == j && !(rest > 1e-10 * A[i * n + i])) { return i; }
      R[i * n + j] = i == j ? sqrt(rest) : rest / R[j * n + j];
    }
  }
  return -1;
}

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The columns of a point for translations, rotations and shapes of the undeformed body, [displacement ; rotation] in the frame of its joints. */
static void point_columns(const mbd_model *m, const mbd_beam *b, const double *theta, int point, double (*column)[6]) {
  const mbd_joint *j = &m->joint[m->body[b->node[b->layout.nnode + point]].joint];
  const double *z = theta + j->axis[0], *x = theta + j->zero[0], *at = theta + j->point[0], *own = m->modal + j->own;
  const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  const double s[3] = {dot3(x, at), dot3(y, at), dot3(z, at)};
  memset(column, 0, 6 * sizeof *column);
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    column[i][i] = column[3 + i][3 + i] = 1;
    column[3 + i][next] = -s[last], column[3 + i][last] = s[next];
  }
  for (int k = 0; k < b->layout.n; k++) { memcpy(column[6 + k], own + modal_shape(k), sizeof *column); }
}

/* The least pivot of the mass matrix of the free, undeformed body, relative to its diagonal; zero where it is positive semidefinite. */
static double lowest_pivot(const mbd_model *m, const mbd_beam *b, const double *theta) {
  enum { N_MAX = 6 + MBD_NZ_MAX };
  const int n = 6 + b->layout.n;
  double M[N_MAX][N_MAX] = {{0}}, column[N_MAX][6], lowest = 0;
  for (int p = 0; p < b->layout.npoint; p++) {
    const double *number = theta + b->coef + beam_length_at(&b->layout) + BEAM_PER_POINT * p, *J = number + 1;
    point_columns(m, b, theta, p, column);
    for (int i = 0; i < n; i++) {
      const double *a = column[i] + 3;
      const double Ja[3] = {J[0] * a[0] + J[3] * a[1] + J[4] * a[2], J[3] * a[0] + J[1] * a[1] + J[5] * a[2],
                            J[4] * a[0] + J[5] * a[1] + J[2] * a[2]};
      for (int k = 0; k <= i; k++) { M[i][k] += number[0] * dot3(column[i], column[k]) + dot3(Ja, column[k] + 3); }
    }
  }
  for (int i = 0; i < n; i++) {
    const double diagonal = M[i][i];
    for (int k = 0; k <= i; k++) {
      for (int l = 0; l < k; l++) { M[i][k] -= M[i][l] * M[k][l]; }
      if (k < i) { M[i][k] = M[k][k] > 0 ? M[i][k] / M[k][k] : 0; }
    }
    lowest = fmin(lowest, M[i][i] / (diagonal > 0 ? diagonal : -diagonal + 1e-300));
    M[i][i] = M[i][i] > 1e-12 * diagonal ? sqrt(M[i][i]) : 0;
  }
  return lowest;
}

/* Numbers from outside. */
static mbd_status check_data(const mbd_model *m, const mbd_beam *b, const double *theta, mbd_error *err) {
  const beam_layout *l = &b->layout;
  const double *c = theta + b->coef;
  double left, left_mass;
  const int stiffness = not_definite(l->n, c, &left), mass_matrix = not_definite(l->n, c + beam_mass_at(l), &left_mass);
  if (stiffness >= 0) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
             "body '%s': the stiffness of its shapes is not positive definite, from '%s' on: of %.3g it has %.3g left "
             "while the shapes before it give way, expected more than 1e-10 of it; leave the shape out, or correct its "
             "row",
             b->name, m->z_name[b->z0 + stiffness], c[stiffness * (l->n + 1)], left);
  }
  if (mass_matrix >= 0) {
    MBD_FAIL(
        err, MBD_OUT_OF_DOMAIN,
        "body '%s': the mass matrix of its shapes is not positive definite: '%s' has no mass, or is a combination "
        "of the shapes before it: of %.3g it has %.3g left, expected more than 1e-10 of it; leave the shape out, or "
        "give more points",
        b->name, m->z_name[b->z0 + mass_matrix], c[beam_mass_at(l) + mass_matrix * (l->n + 1)], left_mass);
  }
  for (int k = 0; k < l->npoint; k++) {
    const double mass = c[beam_length_at(l) + BEAM_PER_POINT * k];
    if (mass >= 0) { continue; }
    /* Moments that change with a scalar have negative masses among their points. */
    const double lowest = lowest_pivot(m, b, theta);
    if (lowest >= -1e-6) { return MBD_OK; }
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
             "body '%s': its mass matrix is not positive, by %.2g of its diagonal: point %d has the mass %g, expected "
             ">= 0, or moments of a design nearer to that of its file",
             b->name, lowest, k + 1, mass);
  }
  return MBD_OK;
}

/* The material, and the dimensions of the section with the numbers that follow from these: a wall may be thicker than half of its tube. */
static mbd_status check_beam(const mbd_model *m, const mbd_beam *b, const double *theta, mbd_error *err) {
  const beam_layout *l = &b->layout;
  if (l->data) { return check_data(m, b, theta, err); }
  const int shears = beam_has(l, BEAM_SHEAR_UP) || beam_has(l, BEAM_SHEAR_SIDE), first[2] = {BEAM_E, BEAM_DENSITY};
  for (int k = 0; k < 2; k++) {
    if (!(theta[b->coef + first[k]] > 0)) {
      return not_positive(m, b, b->coef + first[k], theta[b->coef + first[k]], err);
    }
  }
  if ((shears || beam_has(l, BEAM_TWIST)) && !(theta[b->coef + BEAM_G] > 0)) {
    return not_positive(m, b, b->coef + BEAM_G, theta[b->coef + BEAM_G], err);
  }
  if (shears && !(theta[b->coef + BEAM_SHEAR] > 0)) {
    return not_positive(m, b, b->coef + BEAM_SHEAR, theta[b->coef + BEAM_SHEAR], err);
  }
  for (int k = BEAM_RATIO; k <= BEAM_OF_STIFFNESS; k++) {
    if (theta[b->coef + k] < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "beam '%s': %s = %g, expected >= 0", b->name, m->coef_name[b->coef + k],
               theta[b->coef + k]);
    }
  }
  for (int k = BEAM_DIMENSIONS; k < beam_ncoef(l); k++) {
    if (!(theta[b->coef + k] > 0)) { return not_positive(m, b, b->coef + k, theta[b->coef + k], err); }
  }
  return beam_check_sections(l, theta + b->coef, b->name, err);
}

mbd_status beams_check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int i = 0; i < m->nbeam; i++) { MBD_TRY(check_beam(m, &m->beam[i], theta, err)); }
  return MBD_OK;
}

/* ---- the numbers of a design ---- */

/* L, and u = (to - from)/L; 1 and zero of numbers from outside, whose shapes are in metres. */
static mbd_real length(const mbd_beam *b, const mbd_real *theta, mbd_real u[3]) {
  if (b->layout.data) {
    v3_set(u, 0, 0, 0);
    return 1;
  }
  v3_sub(u, theta + b->to, theta + b->from);
  const mbd_real L = mbd_sqrt(v3_dot(u, u));
  v3_scale(u, 1 / L, u);
  return L;
}

static mbd_real length_change(const mbd_beam *b, const mbd_real u[3], const mbd_real *dtheta) {
  return b->layout.data ? 0 : v3_dot(u, dtheta + b->to) - v3_dot(u, dtheta + b->from);
}

void beams_set(const mbd_model *m, mbd_real *theta) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    mbd_real u[3];
    beam_numbers(&b->layout, length(b, theta, u), theta + b->coef, theta + b->numbers);
    v3_set(theta + b->numbers + beam_nnumber(&b->layout), 0, 0, 0);
  }
}

int coefs_requested(const unsigned char *requested, int first, int n) {
  return first >= 0 && memchr(requested + first, 1, (size_t)n) != NULL;
}

static int moves(const mbd_real *x, int n) {
  for (int i = 0; i < n; i++) {
    if (mbd_any(x[i] != 0)) { return 1; }
  }
  return 0;
}

void beams_direct(const mbd_model *m, const mbd_real *theta, mbd_real *dtheta) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    mbd_real u[3];
    const mbd_real L = length(b, theta, u), dL = length_change(b, u, dtheta);
    memset(dtheta + b->numbers, 0, (size_t)nnumber(&b->layout) * sizeof *dtheta);
    if (mbd_none(dL != 0) && !moves(dtheta + b->coef, beam_ncoef(&b->layout))) { continue; }
    beam_numbers_direct(&b->layout, L, theta + b->coef, dL, dtheta + b->coef, dtheta + b->numbers);
  }
}

void beams_reverse(const mbd_model *m, const mbd_real *theta, const unsigned char *requested, mbd_real *thetabar) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    const int n = nnumber(&b->layout);
    mbd_real u[3], L_bar = 0;
    const mbd_real L = length(b, theta, u);
    if (moves(thetabar + b->numbers, beam_nnumber(&b->layout))) {
      beam_numbers_reverse(&b->layout, L, theta + b->coef, thetabar + b->numbers, requested + b->coef, &L_bar,
                           thetabar + b->coef);
    }
    if (!b->layout.data) {
      v3_axpy(thetabar + b->to, L_bar, u);
      v3_axpy(thetabar + b->from, -L_bar, u);
    }
    memset(thetabar + b->numbers, 0, (size_t)n * sizeof *thetabar);
  }
}

/* Of stiffness, damping and mass those entries that can differ from zero. */
void beams_request(const mbd_model *m, unsigned char *requested) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    const int n = b->layout.n, any = coefs_requested(requested, b->coef, beam_ncoef(&b->layout)) ||
                                     coefs_requested(requested, b->from, 3) || coefs_requested(requested, b->to, 3);
    memset(requested + b->numbers, any, (size_t)beam_nnumber(&b->layout));
    for (int k = 0; k < n * n; k++) {
      const unsigned char couples = (unsigned char)(any && beam_couples(&b->layout, k / n, k % n));
      for (int matrix = 0; matrix < 3; matrix++) { requested[b->numbers + matrix * n * n + k] = couples; }
    }
  }
}

/* ---- nodes ---- */

/* The station of a beam, of those with a body, that is number k along it; -1: there are not so many. Of two at one place the first one counts. */
static int station_along(const beam_layout *b, int k) {
  int found = 0;
  for (double from = 0; found >= 0 && k > 0; k--) {
    found = -1;
    for (int i = b->nnode + b->npoint; i > 0; i--) {
      const double x = beam_station_x(b, i);
      if (x > from && (found < 0 || x <= beam_station_x(b, found))) { found = i; }
    }
    if (found >= 0) { from = beam_station_x(b, found); }
  }
  return found;
}

const mbd_beam *beams_station(const mbd_model *m, int i, int k, int *station) {
  int of = 0;
  while (of < m->nbeam && (m->beam[of].layout.data || i-- > 0)) { of++; }
  *station = of < m->nbeam ? station_along(&m->beam[of].layout, k) : -1;
  return *station < 0 ? NULL : &m->beam[of];
}

void beams_set_node(mbd_params *p, int joint) {
  const mbd_joint *j = &p->model->joint[joint];
  const mbd_beam *b = &p->model->beam[j->beam - 1];
  joint_params *to = &p->joint[joint];
  mbd_real *own = p->modal + j->own, u[3];
  for (int k = 0; k < modal_size(b->layout.n); k++) { own[k] = p->model->modal[j->own + k]; }
  own[MODAL_SCALE] = length(b, p->theta, u);
  to->own = own;
  if (!j->framed) { return; }
  v3_copy(to->s[1], to->s[0]);
  v3_axpy(to->s[1], j->at * own[MODAL_SCALE], u);
  memcpy(to->F[1], to->F[0], sizeof to->F[1]);
}

void beams_direct_node(const mbd_params *p, mbd_dparams *d, int joint) {
  const mbd_joint *j = &p->model->joint[joint];
  const mbd_beam *b = &p->model->beam[j->beam - 1];
  joint_dparams *to = &d->joint[joint];
  mbd_real u[3];
  length(b, p->theta, u);
  to->scale = length_change(b, u, d->dtheta);
  if (!j->framed) { return; }
  v3_copy(to->phi[1], to->phi[0]);
  v3_copy(to->ds[1], to->ds[0]);
  if (b->layout.data) { return; }
  v3_scale(to->ds[1], 1 - j->at, d->dtheta + b->from);
  v3_axpy(to->ds[1], j->at, d->dtheta + b->to);
}

void beams_reverse_node(const mbd_params *p, params_reverse *u, int joint) {
  const mbd_joint *j = &p->model->joint[joint];
  const mbd_beam *b = &p->model->beam[j->beam - 1];
  joint_reverse *by = &u->joint[joint];
  mbd_real axis[3];
  if (b->layout.data) {
    v3_add(by->ds[0], by->ds[0], by->ds[1]);
    v3_add(by->phi[0], by->phi[0], by->phi[1]);
    return;
  }
  length(b, p->theta, axis);
  v3_axpy(u->theta + b->to, by->scale, axis);
  v3_axpy(u->theta + b->from, -by->scale, axis);
  if (!j->framed) { return; }
  v3_axpy(u->theta + b->from, 1 - j->at, by->ds[1]);
  v3_axpy(u->theta + b->to, j->at, by->ds[1]);
  v3_add(by->phi[0], by->phi[0], by->phi[1]);
}
