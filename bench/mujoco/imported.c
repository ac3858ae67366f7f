/* Robots in MJCF, as `mbopt import` reads them, beside MuJoCo's reading of the same files: the mass matrix, and the forces of inverse dynamics at
 * motions that are drawn at random, with all motors at constant controls. Contacts, limits, dry friction (which mbopt smooths) and equality constraints are off in both.
 *   bench_imported FILE.xml ...
 * Generalized forces of free and ball joints, along four Euler parameters in mbopt and along the angular velocity in the body in MuJoCo, are
 * compared by their powers: of each MuJoCo speed v_j alone, sum_i Q_i zd_i(v_j) in mbopt is qfrc_j. The exit code is 1 if some differ by more
 * than 1e-9 of the largest. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/v3.h"
#include "bench.h"
#include "import/mjcf.h"
#include "import/robot_fill.h"
#include "mbd/inverse.h"
#include "mbo/model_file.h"

enum { MOTIONS = 10 };

/* A joint of the file: its first coordinate in z of mbopt, its places in qpos and in qvel, and the turn of its Euler parameters. */
typedef struct place {
  int z, q, v, type;
  double turn[9];
} place;

typedef struct pair {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_inverse *inverse;
  mjModel *mm;
  mjData *md;
  int nz, nplace, nmotor;
  place *place;
  char **motor; /* [nmotor] names in the file */
  double *z, *zd, *zdd, *Q;
} pair;

/* ---- reading ---- */

/* The control of a motor, whatever its limits. */
static double control(int i) {
  return 0.3 * sin(1 + i);
}

/* Reads the model file with the motors that act, each with its control. */
static void read_model(pair *q, const robot *r, const char *path) {
  const char **name = calloc((size_t)r->nlaw + 1, sizeof *name), **value = calloc((size_t)r->nlaw + 1, sizeof *value);
  char(*text)[40] = calloc((size_t)r->nlaw + 1, sizeof *text);
  int n = 0;
  mbd_error err;
  q->motor = calloc((size_t)r->nlaw + 1, sizeof *q->motor);
  for (int i = 0; i < r->nlaw; i++) {
    if (!r->law[i].is_motor) { continue; }
    q->motor[q->nmotor] = strdup(r->law[i].name);
    snprintf(text[n], sizeof *text, "%.17g", control(q->nmotor++));
    name[n] = r->law[i].signal, value[n] = text[n], n++;
  }
  if (n) { name[n] = "motors", value[n] = "1", n++; }
  bench_must(mbo_model_file_read(path, n, name, value, &q->file, &err), &err);
  free(name), free(value), free(text);
}

/* Leaves out what the comparison leaves out, and writes the model file to a temporary one, which is read. */
static void read_ours(pair *q, const char *path) {
  char name[] = "/tmp/bench_imported_XXXXXX";
  mbd_error err;
  robot r;
  bench_must(mjcf_read(path, &r, &err), &err);
  const int njoint = r.njoint, ncoupling = r.ncoupling;
  for (int i = 0; i < r.njoint; i++) { r.joint[i].friction = 0, r.joint[i].coupling = -1; }
  r.ncoupling = 0;
  while (r.njoint && r.joint[r.njoint - 1].closes) { r.njoint--; } /* loops are closed after all joints of the tree */
  FILE *out = fdopen(mkstemp(name), "w");
  robot_write_model(&r, ROBOT_BASE_FIXED, out);
  fclose(out);
  read_model(q, &r, name);
  unlink(name);
  bench_must(mbd_model_create(mbo_model_file_spec(q->file), &q->m, &err), &err);
  bench_must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
  bench_must(mbd_inverse_create(q->m, MBD_RTDYN0, 0, &q->inverse, &err), &err);
  /* the joints of the file in its order, welds left out, by the bodies behind them */
  q->nz = mbd_model_nz(q->m);
  q->place = calloc((size_t)r.njoint, sizeof *q->place);
  for (int i = 0; i < r.njoint; i++) {
    const robot_link *link = &r.link[r.joint[i].link[1]];
    if (r.joint[i].type == ROBOT_WELD) { continue; }
    place *p = &q->place[q->nplace++];
    for (int k = 1; k <= mbd_model_nbody(q->m); k++) {
      mbd_body_report b;
      mbd_model_body(q->m, k, &b);
      if (strcmp(b.name, link->body) == 0) { p->z = b.z0; }
    }
    memcpy(p->turn, link->turn, sizeof p->turn);
  }
  r.njoint = njoint, r.ncoupling = ncoupling;
  robot_free(&r);
}

static void read_theirs(pair *q, const char *path) {
  char error[1000] = "";
  q->mm = mj_loadXML(path, NULL, error, sizeof error);
  if (!q->mm) {
    fprintf(stderr, "MuJoCo: %s: %s\n", path, error);
    exit(1);
  }
  q->mm->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  q->mm->opt.density = q->mm->opt.viscosity = 0;
  for (int i = 0; i < q->mm->nu; i++) {
    q->mm->actuator_ctrllimited[i] = q->mm->actuator_forcelimited[i] = 0;
    q->mm->actuator_dyntype[i] = mjDYN_NONE; /* filters act without delay in mbopt */
  }
  q->md = mj_makeData(q->mm);
  for (int i = 0; i < q->nmotor; i++) {
    const int motor = mj_name2id(q->mm, mjOBJ_ACTUATOR, q->motor[i]);
    if (motor >= 0) { q->md->ctrl[motor] = control(i); }
  }
  if (q->nplace != q->mm->njnt) {
    fprintf(stderr, "%s: %d joints, of MuJoCo %d\n", path, q->nplace, q->mm->njnt);
    exit(1);
  }
  for (int i = 0; i < q->nplace; i++) {
    q->place[i].q = q->mm->jnt_qposadr[i], q->place[i].v = q->mm->jnt_dofadr[i], q->place[i].type = q->mm->jnt_type[i];
  }
}

static void open_pair(pair *q, const char *path) {
  *q = (pair){0};
  read_ours(q, path);
  read_theirs(q, path);
  q->z = calloc(4 * (size_t)q->nz, sizeof *q->z);
  q->zd = q->z + q->nz, q->zdd = q->zd + q->nz, q->Q = q->zdd + q->nz;
}

static void close_pair(pair *q) {
  mj_deleteData(q->md), mj_deleteModel(q->mm);
  mbd_inverse_destroy(q->inverse), mbd_params_destroy(q->p), mbd_model_destroy(q->m);
  mbo_model_file_destroy(q->file);
  for (int i = 0; i < q->nmotor; i++) { free(q->motor[i]); }
  free(q->place), free(q->z), free(q->motor);
}

/* ---- one motion in the coordinates of both ---- */

/* c = a b of quaternions */
static void product(double c[4], const double a[4], const double b[4]) {
  c[0] = a[0] * b[0] - v3_dot(a + 1, b + 1);
  v3_cross(c + 1, a + 1, b + 1);
  v3_axpy(c + 1, a[0], b + 1), v3_axpy(c + 1, b[0], a + 1);
}

/* e' = e w/2,  e'' = (e' w + e w')/2 with the angular velocity w in the body, whose axes p->turn turns to those of mbopt's body. */
static void set_parameters(const place *p, const double *quaternion, const double *w, const double *wd, double *z,
                           double *zd, double *zdd) {
  double spin[4] = {0}, spin_rate[4] = {0}, along[4], change[4];
  memcpy(z, quaternion, 4 * sizeof *z);
  m3_vec(z + 1, p->turn, quaternion + 1);
  m3_vec(spin + 1, p->turn, w), m3_vec(spin_rate + 1, p->turn, wd);
  product(zd, z, spin);
  for (int i = 0; i < 4; i++) { zd[i] /= 2; }
  product(along, zd, spin), product(change, z, spin_rate);
  for (int i = 0; i < 4; i++) { zdd[i] = (along[i] + change[i]) / 2; }
}

/* z, zd, zdd of mbopt at a position, speeds and accelerations of MuJoCo. */
static void set_ours(const pair *q, const double *qpos, const double *qvel, const double *qacc, double *z, double *zd,
                     double *zdd) {
  for (int i = 0; i < q->nplace; i++) {
    const place *p = &q->place[i];
    const int nq = p->type == mjJNT_FREE ? 3 : p->type == mjJNT_BALL ? 0 : 1;
    for (int k = 0; k < nq; k++) {
      z[p->z + k] = qpos[p->q + k], zd[p->z + k] = qvel[p->v + k], zdd[p->z + k] = qacc[p->v + k];
    }
    if (p->type == mjJNT_FREE || p->type == mjJNT_BALL) {
      set_parameters(p, qpos + p->q + nq, qvel + p->v + nq, qacc + p->v + nq, z + p->z + nq, zd + p->z + nq,
                     zdd + p->z + nq);
    }
  }
}

static double any(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (double)(*seed >> 16) / 32768 - 1;
}

/* Our forces along MuJoCo's speeds. */
static void forces(const pair *q, const double *qpos, const double *qvel, const double *qacc, double *out) {
  const int nv = q->mm->nv;
  double *unit = calloc((size_t)(2 * nv + 3 * q->nz), sizeof *unit), *zero = unit + nv, *rate = zero + nv;
  mbd_error err;
  set_ours(q, qpos, qvel, qacc, q->z, q->zd, q->zdd);
  bench_must(mbd_inverse_dynamics(q->inverse, q->p, 0, q->z, q->zd, q->zdd, 0, NULL, q->Q, &err), &err);
  for (int j = 0; j < nv; j++) {
    unit[j] = 1;
    set_ours(q, qpos, unit, zero, rate + q->nz, rate, rate + 2 * q->nz);
    unit[j] = out[j] = 0;
    for (int i = 0; i < q->nz; i++) { out[j] += q->Q[i] * rate[i]; }
  }
  free(unit);
}

/* ---- differences, relative to the largest number ---- */

static double difference(const double *ours, const double *theirs, int n) {
  double max = 0, size = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(ours[i] - theirs[i])), size = fmax(size, fabs(theirs[i])); }
  return max / size;
}

static double compare_mass(const pair *q) {
  const int nv = q->mm->nv;
  double *M = calloc((size_t)(2 * nv * nv + 4 * nv), sizeof *M), *own = M + nv * nv, *base = own + nv * nv,
         *unit = base + nv, *zero = unit + nv;
  mj_fullM(q->mm, M, q->md->qM);
  forces(q, q->md->qpos, zero, zero, base);
  for (int j = 0; j < nv; j++) {
    unit[j] = 1;
    forces(q, q->md->qpos, zero, unit, own + j * nv);
    unit[j] = 0;
    for (int i = 0; i < nv; i++) { own[j * nv + i] -= base[i]; }
  }
  const double found = difference(own, M, nv * nv);
  free(M);
  return found;
}

/* At one motion. */
static void compare(const pair *q, unsigned *seed, double *mass, double *force) {
  const int nv = q->mm->nv;
  double *own = calloc((size_t)nv, sizeof *own);
  for (int i = 0; i < q->mm->nq; i++) { q->md->qpos[i] = any(seed); }
  for (int i = 0; i < nv; i++) { q->md->qvel[i] = any(seed), q->md->qacc[i] = any(seed); }
  mj_normalizeQuat(q->mm, q->md->qpos);
  mj_inverse(q->mm, q->md);
  mj_fwdActuation(q->mm, q->md);
  for (int i = 0; i < nv; i++) { q->md->qfrc_inverse[i] -= q->md->qfrc_actuator[i]; }
  forces(q, q->md->qpos, q->md->qvel, q->md->qacc, own);
  *force = fmax(*force, difference(own, q->md->qfrc_inverse, nv));
  *mass = fmax(*mass, compare_mass(q));
  free(own);
}

int main(int argc, char **argv) {
  int worse = 0;
  printf("MuJoCo %s\n| file | bodies | speeds | mass matrix | inverse dynamics |\n|---|---:|---:|---:|---:|\n",
         mj_versionString());
  for (int i = 1; i < argc; i++) {
    const char *slash = strrchr(argv[i], '/');
    double mass = 0, force = 0;
    unsigned seed = 1;
    pair q;
    open_pair(&q, argv[i]);
    for (int k = 0; k < MOTIONS; k++) { compare(&q, &seed, &mass, &force); }
    printf("| %s | %d | %d | %.1e | %.1e |\n", slash ? slash + 1 : argv[i], q.mm->nbody - 1, q.mm->nv, mass, force);
    worse |= !(mass < 1e-9 && force < 1e-9);
    close_pair(&q);
  }
  return worse;
}
