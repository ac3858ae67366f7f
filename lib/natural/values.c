/* The constants of the natural model for one design (theory.md §4.1 (4.6)). */
#include <stdlib.h>

#include "model/derived.h"
#include "natural/build.h"

static const double plane =
    1e-8; /* the directions of a basis count as plane if the determinant of their unit vectors is smaller */

/* Welded bodies have parallel frames, and the points of their joint coincide. */
void natural_offsets(natural_params *v) {
  const mbd_model *m = v->n->m;
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *body = &m->body[i];
    mbd_real *offset = v->offset + 3 * i;
    v3_set(offset, 0, 0, 0);
    if (v->n->rigid[v->n->rigid_of[i]].body == i) { continue; }
    v3_sub(offset, v->p->joint[body->joint].s[0], v->p->joint[body->joint].s[1]);
    v3_add(offset, offset, v->offset + 3 * body->parent);
  }
}

/* "e" and "f" of a side of a joint with two axes. With the middle rotation Q = F_P' F_C at zero angles, Q e_z is the axis of the child in
 * the joint frame of the parent, and Q' e_z the axis of the parent in that of the child, which turns in the opposite sense. */
static void across(const joint_params *joint, const natural_local *l, mbd_real x[3]) {
  const int side = l->marker.side;
  const mbd_real c = side ? joint->Q[6] : joint->Q[2], s = side ? joint->Q[7] : joint->Q[5],
                 length = mbd_sqrt(c * c + s * s);
  const mbd_real e[3] = {c / length, s / length, 0}, turn = side ? -1 : 1, f[3] = {-turn * e[1], turn * e[0], 0};
  m3_vec(x, joint->F[side], l->across == 1 ? e : f);
}

void natural_local_value(const natural_params *v, const natural_local *l, mbd_real x[3]) {
  if (l->across) {
    across(&v->p->joint[l->marker.joint], l, x);
    return;
  }
  derived_marker(v->p, &l->marker, x);
  v3_scale(x, l->sign, x);
  if (l->marker.is_point) { v3_add(x, x, v->offset + 3 * l->marker.body); }
}

void natural_basis_value(const natural_params *v, int r, int k, mbd_real x[3]) {
  const natural_rigid *rigid = &v->n->rigid[r];
  natural_local_value(v, &rigid->local[rigid->basis[k]], x);
}

/* Eb^-1: its rows are the duals of the directions, e_b x e_c / (e_a . e_b x e_c). */
static mbd_status set_dual(natural_params *v, int r, mbd_error *err) {
  mbd_real o[3], e[3][3], n[3], length = 1;
  /* The directions in the frame of the body, and the product of their lengths. */
  natural_basis_value(v, r, 0, o);
  for (int k = 0; k < 3; k++) {
    natural_basis_value(v, r, 1 + k, e[k]);
    if (natural_basis_is_point(v->n, r, 1 + k)) { v3_sub(e[k], e[k], o); }
    length *= mbd_sqrt(v3_dot(e[k], e[k]));
  }
  /* det Eb; beside this product it is small where the directions come near to one plane. */
  v3_cross(n, e[1], e[2]);
  const mbd_real det = v3_dot(e[0], n);
  if (!(mbd_min(det) > plane * mbd_largest(length))) {
    MBD_FAIL(
        err, MBD_OUT_OF_DOMAIN,
        "body '%s': the points and vectors by which natural coordinates describe it, chosen at the nominal design, "
        "lie in a plane at this one",
        v->n->m->body[v->n->rigid[r].body].name);
  }
  /* Row a of Eb^-1. */
  for (int k = 0; k < 3; k++) {
    v3_cross(v->dual[r] + 3 * k, e[(k + 1) % 3], e[(k + 2) % 3]);
    v3_scale(v->dual[r] + 3 * k, 1 / det, v->dual[r] + 3 * k);
  }
  return MBD_OK;
}

/* The weights of the point or vector with the local coordinates x: w_a = c_a, and 1 (of a vector 0) less those of points for o. */
static void weights(const natural_params *v, int r, const mbd_real x[3], int is_point, mbd_real w[4]) {
  mbd_real o[3], d[3];
  v3_copy(d, x);
  if (is_point) {
    natural_basis_value(v, r, 0, o);
    v3_sub(d, d, o);
  }
  m3_vec(w + 1, v->dual[r], d);
  w[0] = is_point;
  for (int k = 1; k < 4; k++) { w[0] -= natural_basis_is_point(v->n, r, k) ? w[k] : 0; }
}

static void set_place(natural_params *v, int i) {
  const natural_place *place = &v->n->place[i];
  mbd_real x[3];
  if (place->basic >= 0) {
    v->weight[i][0] = place->sign;
    return;
  }
  natural_local_value(v, &place->local, x);
  weights(v, place->rigid, x, place->local.marker.is_point, v->weight[i]);
}

/* ---- mass ---- */

/* Adds a body: m, its first moment and S = 1 tr(J)/2 - J + m d d', all about o. */
static void add_body(const natural_params *v, int body, const mbd_real o[3], mbd_real *m, mbd_real h[3],
                     mbd_real S[9]) {
  const mbd_body *of = &v->n->m->body[body];
  const mbd_real mass = v->p->theta[of->mass], *J = v->p->theta + of->inertia, half = (J[0] + J[1] + J[2]) / 2;
  const mbd_real about[9] = {half - J[0], -J[3], -J[4], -J[3], half - J[1], -J[5], -J[4], -J[5], half - J[2]};
  mbd_real d[3];
  v3_add(d, v->p->theta + of->com, v->offset + 3 * body);
  v3_sub(d, d, o);
  *m += mass;
  v3_axpy(h, mass, d);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { S[3 * i + k] += about[3 * i + k] + mass * d[i] * d[k]; }
  }
}

/* (4.8): from m, the first moment h and S to c = Eb^-1 h and G = Eb^-1 S Eb^-T. */
static void to_directions(const mbd_real dual[9], const mbd_real h[3], const mbd_real S[9], mbd_real c[3],
                          mbd_real G[9]) {
  mbd_real A[9];
  m3_vec(c, dual, h);
  m3_mul(A, dual, S);
  m3_mulT(G, A, dual);
}

void natural_assemble_mass(const natural *n, int r, mbd_real m, const mbd_real c[3], const mbd_real G[9],
                           mbd_real M[16], mbd_real moment[4]) {
  moment[0] = M[0] = m;
  for (int a = 0; a < 3; a++) {
    moment[1 + a] = M[1 + a] = M[4 * (1 + a)] = c[a];
    for (int b = 0; b < 3; b++) { M[4 * (1 + a) + 1 + b] = G[3 * a + b]; }
  }
  for (int a = 1; a < 4; a++) {
    if (!natural_basis_is_point(n, r, a)) { continue; }
    moment[0] -= moment[a];
    for (int k = 0; k < 4; k++) { M[k] -= M[4 * a + k]; }
  }
  for (int a = 1; a < 4; a++) {
    for (int k = 0; k < 4 && natural_basis_is_point(n, r, a); k++) { M[4 * k] -= M[4 * k + a]; }
  }
}

static void set_mass(natural_params *v, int r) {
  const natural *n = v->n;
  mbd_real m = 0, h[3] = {0, 0, 0}, S[9] = {0}, o[3], c[3], G[9];
  natural_basis_value(v, r, 0, o);
  for (int i = n->rigid[r].body; i < n->m->nb; i++) {
    if (n->rigid_of[i] == r) { add_body(v, i, o, &m, h, S); }
  }
  to_directions(v->dual[r], h, S, c, G);
  natural_assemble_mass(n, r, m, c, G, v->mass[r], v->moment[r]);
}

/* ---- all of them ---- */

void natural_own_arguments(const natural_params *v, const natural_element *e, mbd_real x[2][3]) {
  mbd_real o[3];
  for (int a = 0; a < 2; a++) {
    natural_local_value(v, &v->n->place[e->arg[a].b].local, x[a]);
    if (e->arg[a].a < 0) { continue; }
    natural_local_value(v, &v->n->place[e->arg[a].a].local, o);
    v3_sub(x[a], x[a], o);
  }
}

/* The constant of an equation of a rigid body: the product of its arguments in the frame of the body. */
static void set_own(natural_params *v, int i) {
  const natural_element *e = &v->n->element[i];
  mbd_real x[2][3];
  if (e->given || e->ops->nown == 0) { return; }
  if (e->joint >= 0) {
    v->constants[i] = v->p->joint[e->joint].Q[8];
    return;
  }
  natural_own_arguments(v, e, x);
  v->constants[i] = v3_dot(x[0], x[1]);
}

mbd_status natural_params_set(natural_params *v, const mbd_params *p, mbd_error *err) {
  const natural *n = v->n;
  v->p = p;
  const mbd_real zero[3] = {0, 0, 0};
  natural_offsets(v);
  for (int r = 0; r < n->nrigid; r++) {
    MBD_TRY(set_dual(v, r, err));
    weights(v, r, zero, 1, v->origin[r]);
    if (r > 0) { set_mass(v, r); }
  }
  for (int i = 0; i < n->nbasic; i++) { natural_local_value(v, &n->basic[i].local, v->fixed[i]); }
  for (int i = 0; i < n->nplace; i++) { set_place(v, i); }
  for (int i = 0; i < n->nelement; i++) { set_own(v, i); }
  return MBD_OK;
}

static void layout(natural_params *v, mbd_arena *a) {
  const natural *n = v->n;
  const size_t nr = (size_t)n->nrigid;
  v->offset = mbd_arena_real(a, 3 * (size_t)n->m->nb);
  v->dual = mbd_arena_take(a, nr * sizeof *v->dual);
  v->fixed = mbd_arena_take(a, (size_t)n->nbasic * sizeof *v->fixed);
  v->weight = mbd_arena_take(a, (size_t)n->nplace * sizeof *v->weight);
  v->origin = mbd_arena_take(a, nr * sizeof *v->origin);
  v->mass = mbd_arena_take(a, nr * sizeof *v->mass);
  v->moment = mbd_arena_take(a, nr * sizeof *v->moment);
  v->constants = mbd_arena_real(a, (size_t)n->nelement + 1);
}

mbd_status natural_params_alloc(const natural *n, natural_params **out, mbd_error *err) {
  natural_params *v = calloc(1, sizeof *v);
  *out = NULL;
  if (!v) { NATURAL_NO_MEMORY(err); }
  v->n = n;
  while (mbd_arena_pass(&v->arena)) { layout(v, &v->arena); }
  const mbd_status status = mbd_arena_check(&v->arena, "the natural model of a design", err);
  if (status != MBD_OK) { natural_params_destroy(v); }
  *out = status == MBD_OK ? v : NULL;
  return status;
}

mbd_status natural_params_create(const natural *n, const mbd_params *p, natural_params **out, mbd_error *err) {
  MBD_TRY(natural_params_alloc(n, out, err));
  const mbd_status status = natural_params_set(*out, p, err);
  if (status != MBD_OK) {
    natural_params_destroy(*out);
    *out = NULL;
  }
  return status;
}

void natural_params_destroy(natural_params *v) {
  if (!v) { return; }
  if (v->curvature) { free(v->curvature->first), free(v->curvature->bend); }
  free(v->curvature);
  free(v->arena.base);
  free(v);
}
