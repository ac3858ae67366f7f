/* The fully recursive formulation: its solution of the dynamic problem satisfies the equations with the dense matrices, for any
 * right-hand sides; its motions and gradients are those of the members that have a mass matrix; closed form of a
 * parallelogram; what it cannot factor it names. */

#include "formulation/articulated.h"
#include "model.h"

enum { NP = 5 };

static const struct {
  const char *file, *output;
} models[] = {{"tests/conformance/models/tree.ini", "T1.acceleration.norm"},
              {"tests/conformance/models/branches.ini", "T2.acceleration.norm"},
              {"tests/conformance/models/cuts.ini", "T3.acceleration.norm"},
              {"tests/conformance/models/rows.ini", "T.acceleration.norm"},
              {"tests/conformance/models/constraints.ini", "Q.acceleration.norm"},
              {"tests/conformance/models/couplings.ini", "T.acceleration.norm"},
              {"tests/conformance/models/image.ini", "arm.S.acceleration.norm"},
              {"tests/conformance/models/floating_four_bars.ini", "C2.acceleration.norm"},
              {"problems/five_bar/five_bar_found.ini", "P2.acceleration.norm"},
              {"problems/buggy/buggy.ini", "P1.acceleration.norm"}};
enum { OPEN_LOOPS = 2, MODELS = sizeof models / sizeof models[0] };

/* Of the last model scalars vary: its loops close for some values of single coefficients alone, along which derivatives are those of least squares. */
static int by_scalar(int which) {
  return which == MODELS - 1;
}

typedef struct opened {
  int which;
  test_model base;
  mbd_term term;
  mbd_dparams *d[NP];
  mbd_sim *s;
} opened;

/* Directions of all coefficients, or of all scalars. */
static void make_directions(opened *q) {
  test_directions all = by_scalar(q->which) ? directions_of_scalars(&q->base) : directions_of_coefficients(&q->base);
  const size_t nc = (size_t)mbd_model_ncoef(q->base.m);
  double *dtheta = calloc(nc + 1, sizeof *dtheta);
  for (int k = 0; k < NP; k++) {
    memset(dtheta, 0, nc * sizeof *dtheta);
    directions_any(&all, dtheta);
    q->d[k] = direction_along(&q->base, dtheta);
  }
  free(dtheta), directions_free(&all);
}

static void open_model(opened *q, int which, const char *formulation, mbd_reference reference) {
  mbd_error err = {0};
  mbd_case c;
  q->which = which, q->base = model_open(models[which].file);
  q->term = (mbd_term){.output = model_output(&q->base, models[which].output), .form = "integral_square", .weight = 1};
  mbd_case_init(&c);
  c.duration = 0.1, c.step = 5e-3, c.integrator = "runge_kutta_4";
  c.formulation = formulation, c.reference = reference;
  must(mbd_sim_create(q->base.m, &c, q->base.o, 1, &q->term, 1, NP, &q->s, &err), &err);
}

static void close_model(opened *q) {
  mbd_sim_destroy(q->s), model_close(&q->base);
}

/* ---- the dynamic problem ---- */

static double *M, *Phi_z; /* at the position at hand, of the model that is open */

/* |left side - right side|, relative to what is added up, of the worst row of M x + Phi' y = f */
static double equation_residual(const mbd_sim *s, int k, int c, const double *f, const double *x, const double *y) {
  const int n = s->m->nz, m = s->m->nphi;
  double worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    double r = -f[i * k + c], sum = fabs(r);
    for (int j = 0; j < n; j++) {
      const double v = M[i * n + j] * x[j * k + c];
      r += v, sum += fabs(v);
    }
    for (int j = 0; j < m; j++) {
      const double v = Phi_z[j * n + i] * y[j * k + c];
      r += v, sum += fabs(v);
    }
    worst = fmax(worst, fabs(r)), size = fmax(size, sum);
  }
  return worst / size;
}

/* The same of Phi x = g, in the rows in use; the multipliers of the others are zero. */
static double rows_residual(const mbd_sim *s, int k, int c, const double *g, const double *x, const double *y) {
  const independent *indep = ss_of(s)->indep;
  const int n = s->m->nz;
  double worst = 0;
  for (int b = 0; b < indep->nblock; b++) {
    const independent_block *q = &indep->block[b];
    for (int i = 0; i < q->nrow; i++) {
      const int row = q->row[q->use[i]];
      double r = -g[row * k + c], sum = fabs(r);
      for (int j = 0; j < n; j++) {
        r += Phi_z[row * n + j] * x[j * k + c];
        sum += fabs(Phi_z[row * n + j] * x[j * k + c]);
      }
      worst = fmax(worst, i < q->rank ? fabs(r) / sum : fabs(y[row * k + c]));
    }
  }
  return worst;
}

/* Rows of loops have the rounding of the reactions beside that of accelerations. */
static const double rows_to[] = {1e-13, 2e-12}; /* without loops, with loops; largest seen: 9e-13 */

static void check_solution(mbd_sim *s, const char *name, int k) {
  const size_t n = (size_t)s->m->nz * (size_t)k, m = (size_t)s->m->nphi * (size_t)k;
  double *f = calloc(2 * (n + m), sizeof *f), *g = f + n, *x = g + m, *y = x + n;
  for (size_t i = 0; i < n + m; i++) { f[i] = any(), x[i] = 1e9; } /* results are overwritten */
  state_space *q = ss_of(s);
  CU_ASSERT_EQUAL(q->ops->solve(s, q->ops_memory, k, f, g, x, y, NULL), MBD_OK);
  for (int c = 0; c < k; c++) {
    CHECK_CLOSE(name, equation_residual(s, k, c, f, x, y), 0, 1e-13);
    CHECK_CLOSE(name, rows_residual(s, k, c, g, x, y), 0, rows_to[q->indep->coupled]);
  }
  free(f);
}

/* With the matrices of the test: the simulation has none, nor memory to sum them. */
static void check_with_matrices(mbd_sim *s, const char *name, int k) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi;
  mbd_work *w;
  mbd_error err = {0};
  CU_ASSERT(!s->ops->matrices);
  must(mbd_work_create(s->m, s->c.reference, &w, &err), &err);
  motion_place(w, s->p, s->t, s->now.z);
  M = calloc(n * n, sizeof *M), Phi_z = calloc(m * n + 1, sizeof *Phi_z);
  motion_mass(w, NULL, M);
  mbd_work_destroy(w);
  motion_phi(s->w, s->eq, NULL, Phi_z);
  check_solution(s, name, k);
  free(M), free(Phi_z);
}

static void test_solution(void) {
  for (int which = 0; which < MODELS; which++) {
    for (int reference = MBD_RTDYN0; reference <= MBD_RTDYN_JOINT; reference++) {
      opened q;
      mbd_error err = {0};
      open_model(&q, which, "fully_recursive", (mbd_reference)reference);
      must(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
      for (int k = 1; k <= NP; k += 2) { check_with_matrices(q.s, models[which].file, k); }
      close_model(&q);
    }
  }
}

/* ---- long chains, in which rounding of one joint must not grow from joint to joint ---- */

enum { LINKS = 120 };

static int coefs(mbd_spec *s, const char *name, int n, const double *v) {
  const int first = mbd_spec_coef(s, name, v[0]);
  for (int i = 1; i < n; i++) { mbd_spec_coef(s, name, v[i]); }
  return first;
}

static void add_link(mbd_spec *s, int i) {
  static const char *const types[] = {"spherical", "spherical", "cardan", "revolute", "planar"};
  const double mass = 1, com[3] = {0.3, 0.1, -0.2}, inertia[6] = {0.1, 0.12, 0.09, 0.01, 0, 0.005};
  const double place[3] = {0.5, 0.1 * (i % 3), -0.2}, origin[3] = {0, 0, 0}, u[3] = {0.2, 1, 0.3},
               v[3] = {0.9, 0.1, -0.4};
  const char *type = types[i % 5];
  const int cardan = strcmp(type, "cardan") == 0, spherical = strcmp(type, "spherical") == 0;
  char name[32], parent[32], point[32], axis[32], axis2[32], joint[32];
  mbd_error err;
  mbd_joint_desc j;
  snprintf(name, sizeof name, "b%d", i), snprintf(parent, sizeof parent, i ? "b%d" : "ground", i - 1);
  snprintf(point, sizeof point, "p%d", i), snprintf(joint, sizeof joint, "j%d", i);
  snprintf(axis, sizeof axis, "u%d", i), snprintf(axis2, sizeof axis2, "v%d", i);
  must(mbd_spec_body(s, name, coefs(s, "m", 1, &mass), coefs(s, "c", 3, com), coefs(s, "J", 6, inertia), &err), &err);
  must(mbd_spec_point(s, point, &err), &err);
  must(mbd_spec_point_on(s, point, parent, coefs(s, point, 3, place), &err), &err);
  must(mbd_spec_point_on(s, point, name, coefs(s, point, 3, origin), &err), &err);
  must(mbd_spec_vector(s, axis, &err), &err), must(mbd_spec_vector(s, axis2, &err), &err);
  must(mbd_spec_vector_on(s, axis, parent, coefs(s, axis, 3, u), &err), &err);
  must(mbd_spec_vector_on(s, axis, name, coefs(s, axis, 3, u), &err), &err);
  must(mbd_spec_vector_on(s, axis2, name, coefs(s, axis2, 3, v), &err), &err);
  mbd_joint_desc_init(&j);
  j.name = joint, j.type = type, j.body[0] = parent, j.body[1] = name;
  j.point[0] = j.point[1] = point;
  j.axis = spherical ? NULL : axis, j.axis2 = cardan ? axis2 : NULL;
  must(mbd_spec_joint(s, &j, &err), &err);
}

static void test_long_chain(void) {
  mbd_error err = {0};
  mbd_spec *spec = mbd_spec_create();
  mbd_spec_find_joints(spec, MBD_FIND_NONE);
  for (int i = 0; i < LINKS; i++) { add_link(spec, i); }
  for (int reference = MBD_RTDYN0; reference <= MBD_RTDYN1; reference++) {
    opened q;
    mbd_case c;
    must(mbd_model_create(spec, &q.base.m, &err), &err);
    must(mbd_params_create(q.base.m, NULL, &q.base.p, &err), &err);
    must(mbd_outputs_create(q.base.m, &q.base.o, &err), &err);
    mbd_case_init(&c);
    c.duration = c.step = 1e-3, c.formulation = "fully_recursive", c.integrator = "runge_kutta_4";
    c.reference = (mbd_reference)reference;
    must(mbd_sim_create(q.base.m, &c, q.base.o, 0, NULL, 0, 0, &q.s, &err), &err);
    must(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
    check_with_matrices(q.s, "long chain", NP);
    mbd_sim_destroy(q.s), mbd_outputs_destroy(q.base.o), mbd_params_destroy(q.base.p), mbd_model_destroy(q.base.m);
  }
  mbd_spec_destroy(spec);
}

/* ---- motions and gradients ---- */

static double largest(int n, const double *x) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(x[i])); }
  return max;
}

static void compare(const char *name, int n, const double *got, const double *expected, double tol) {
  double off = 0;
  for (int i = 0; i < n; i++) { off = fmax(off, fabs(got[i] - expected[i])); }
  CHECK_NEAR(name, off, 0, 1 + largest(n, expected), tol);
}

static void run_all(opened *q, double *psi, double *grad, double *gtheta) {
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  make_directions(q);
  must(mbd_sim_run(q->s, q->base.p, NP, q->d, psi, grad, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(q->s, q->base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  for (int k = 0; k < NP; k++) { /* the same number, the other way */
    double v = 0, size = 0;
    for (int i = 0; i < q->base.m->ncoef; i++) {
      v += gtheta[i] * q->d[k]->dtheta[i], size += fabs(gtheta[i] * q->d[k]->dtheta[i]);
    }
    CHECK_NEAR("direct and adjoint", grad[k], v, size, 1e-13);
    mbd_dparams_destroy(q->d[k]);
  }
  must(mbd_sim_run(q->s, q->base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
}

static void against(int which, const char *other, mbd_reference reference) {
  opened a, b;
  double psi[2], grad[2][NP];
  open_model(&a, which, "fully_recursive", reference);
  open_model(&b, which, other, MBD_RTDYN1);
  const int n = a.base.m->nz, nc = a.base.m->ncoef;
  const double tol = which < OPEN_LOOPS ? 1e-12 : 1e-11; /* largest seen: 2e-12 */
  double *ga = calloc(2 * (size_t)nc, sizeof *ga), *gb = ga + nc;
  run_all(&a, &psi[0], grad[0], ga), run_all(&b, &psi[1], grad[1], gb);
  CHECK_NEAR(other, psi[0], psi[1], fabs(psi[1]), tol);
  compare(other, n, a.s->now.z, b.s->now.z, tol);
  compare(other, n, a.s->now.zd, b.s->now.zd, tol);
  compare(other, n, a.s->now.zdd, b.s->now.zdd, tol);
  if (strcmp(other, "matrix_r") == 0) { /* the same rows in use */
    compare(other, a.base.m->nphi, a.s->now.lam, b.s->now.lam, tol);
  }
  compare(other, nc, ga, gb, tol);
  free(ga);
  close_model(&a), close_model(&b);
}

static void test_motions(void) {
  for (int which = 0; which < MODELS; which++) {
    if (which < OPEN_LOOPS) {
      against(which, "semi_recursive", MBD_RTDYN0), against(which, "semi_recursive", MBD_RTDYN1);
    }
    against(which, "matrix_r", MBD_RTDYN0), against(which, "matrix_r", MBD_RTDYN1);
  }
}

/* ---- a parallelogram ---- */

/* Two cranks of length 0.8 m at 0.6 rad, and a coupler whose body they carry; beside them a pendulum. */
static const char parallelogram[] =
    "schema = 1\n[model]\nname = parallelogram\ngravity = 0, 0, -9.81\njoints = named\n"
    "[scalars]\nl = 0.8\nth = 0.6\ncrank = %s\ncoupler = %s\n"
    "[body a]\nmass = crank\ncom = 0.5*l*cos(th), 0, 0.5*l*sin(th)\ninertia = 0.1*crank, 0.1*crank, 0.1*crank\n"
    "[body b]\nmass = crank\ncom = 2 + 0.5*l*cos(th), 0, 0.5*l*sin(th)\n"
    "inertia = 0.1*crank, 0.1*crank, 0.1*crank\n"
    "[body c]\nmass = coupler\ncom = 1 + l*cos(th), 0, 0.3 + l*sin(th)\ninertia = coupler, coupler, coupler\n"
    "[body bob]\nmass = 1\ncom = 5, 0, -1\ninertia = 0.1, 0.1, 0.1\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, a\n[point B]\nat = 2, 0, 0\nbodies = ground, b\n"
    "[point C]\nat = l*cos(th), 0, l*sin(th)\nbodies = a, c\n"
    "[point D]\nat = 2 + l*cos(th), 0, l*sin(th)\nbodies = b, c\n[point E]\nat = 5, 0, 0\nbodies = ground, bob\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b, c, bob\n"
    "[joint jA]\ntype = revolute\nbodies = ground, a\npoint = A\naxis = y\n"
    "[joint jB]\ntype = revolute\nbodies = ground, b\npoint = B\naxis = y\n"
    "[joint jC]\ntype = revolute\nbodies = a, c\npoint = C\naxis = y\n"
    "[joint jD]\ntype = revolute\nbodies = b, c\npoint = D\naxis = y\n"
    "[joint jE]\ntype = revolute\nbodies = ground, bob\npoint = E\naxis = y\n";

static void open_parallelogram(opened *q, const char *crank, const char *coupler) {
  mbd_error err = {0};
  mbd_case c;
  char text[3000];
  snprintf(text, sizeof text, parallelogram, crank, coupler);
  q->base = model_open_text(text);
  mbd_case_init(&c);
  c.duration = c.step = 1e-3, c.formulation = "fully_recursive", c.integrator = "runge_kutta_4";
  model_output(&q->base, "C@a.acceleration.z");
  model_output(&q->base, "jA.reaction_force.x"), model_output(&q->base, "jB.reaction_force.x");
  must(mbd_sim_create(q->base.m, &c, q->base.o, 0, NULL, 0, 0, &q->s, &err), &err);
}

typedef struct at_start {
  double y[3]; /* at the first node */
} at_start;

static int take_start(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  at_start *start = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { memcpy(start->y, y, sizeof start->y); }
  return 0;
}

/* With the cranks at angle th the coupler moves on a circle without turning:
 *   (m l^2 + 2 I) th'' = -(m + mc) g l cos th,  I = mc l^2/4 + 0.1 mc
 * Released from rest, all horizontal force is that of the pins: m x''+ 2 mc x''/2. */
static void test_parallelogram(void) {
  static const char *const crank[] = {"0", "0.6"};
  for (int k = 0; k < 2; k++) {
    opened q;
    at_start start;
    mbd_error err = {0};
    const double l = 0.8, th = 0.6, m = 1.5, mc = atof(crank[k]), I = mc * (l * l / 4 + 0.1);
    const double thdd = -(m + mc) * 9.81 * l * cos(th) / (m * l * l + 2 * I);
    open_parallelogram(&q, crank[k], "1.5");
    must(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, take_start, &start, &err), &err);
    CU_ASSERT_EQUAL(((articulated *)ss_of(q.s)->ops_memory)->nlight, k == 0 ? 1 : 0);
    CHECK_CLOSE("acceleration", start.y[0], l * thdd * cos(th), 1e-12);
    CHECK_CLOSE("pins", fabs(start.y[1] + start.y[2]), fabs((m + mc) * l * thdd * sin(th)), 1e-11);
    close_model(&q);
  }
}

/* ---- what cannot be factored ---- */

static int body_named(const mbd_model *m, const char *name) {
  int i = m->nb - 1;
  while (i > 0 && strcmp(m->body[i].name, name) != 0) { i--; }
  return i;
}

static void test_singular(void) {
  opened q;
  mbd_error err = {0};
  open_model(&q, 1, "fully_recursive", MBD_RTDYN1);
  must(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
  state_space *s = ss_of(q.s);
  mbd_inertia *tail = &q.s->w->body[body_named(q.base.m, "tail")].in;
  const mbd_inertia kept = *tail;
  memset(tail, 0, sizeof *tail);
  CU_ASSERT_EQUAL(s->ops->factor(q.s, s->ops_memory, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "joint 'rail' can move without moving any mass");
  *tail = kept;
  CU_ASSERT_EQUAL(s->ops->factor(q.s, s->ops_memory, &err), MBD_OK);
  for (int b = 0; b < s->indep->nblock; b++) {
    if (q.base.m->z_body[s->indep->block[b].col[0]] < 0) { s->indep->block[b].rank = 0; }
  }
  CU_ASSERT_EQUAL(s->ops->factor(q.s, s->ops_memory, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "coordinate 'clock' moves no body, and constraints do not determine it");
  close_model(&q);
}

/* A loop without any mass; one whose massless coordinates are too many. */
static void test_singular_loops(void) {
  opened q;
  mbd_error err = {0};
  open_parallelogram(&q, "0", "0");
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "can move without moving any mass");
  close_model(&q);
  open_parallelogram(&q, "0", "1");
  ((articulated *)ss_of(q.s)->ops_memory)->max_light = 0;
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "joint 'jB' is one of more than 0 coordinates that would move no mass where loops are cut");
  CHECK_CONTAINS(err.text, "formulation = matrix_r or ali3p");
  close_model(&q);
}

TEST_MAIN(TEST(test_solution), TEST(test_long_chain), TEST(test_motions), TEST(test_parallelogram), TEST(test_singular),
          TEST(test_singular_loops))
