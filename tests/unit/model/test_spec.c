/* An addition to a description that fails for want of memory, at each of its allocations in turn, leaves the description as it was: the same
 * addition afterwards gives what it would have given at once. The linker wraps malloc and its kin. */
#include "mbd/model.h"
#include "mbd/spec.h"
#include "model/spec_internal.h"
#include "test.h"

static int fail_at; /* the number of the allocation that fails, from 1 on; 0: none */
static int calls;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static int fails(void) {
  return ++calls == fail_at;
}
void *__wrap_malloc(size_t n) {
  return fails() ? NULL : __real_malloc(n);
}
void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t n) {
  return fails() ? NULL : __real_realloc(p, n);
}

/* ---- all that a description holds, as a text ---- */

enum { MAX = 100000 };

static void put(char *to, const char *name, int number) {
  const size_t at = strlen(to);
  snprintf(to + at, MAX - at, "%s %d\n", name ? name : "-", number);
}

static void put_places(char *to, int n, const spec_place *list) {
  for (int i = 0; i < n; i++) { put(to, "place", list[i].on), put(to, "from", list[i].coords); }
}

static void put_markers(char *to, const mbd_spec *s, int is_point) {
  const int n = is_point ? s->npoint : s->nvector;
  for (int i = 0; i < n; i++) {
    const spec_marker *k = is_point ? &s->point[i] : &s->vector[i];
    put(to, k->name, spec_find_marker(s, is_point, k->name));
    put_places(to, k->nplace, k->place);
  }
}

static void put_elements(char *to, int n, const spec_element *list) {
  for (int i = 0; i < n; i++) {
    put(to, list[i].name, list[i].coef), put(to, list[i].type, i);
    for (int k = 0; k < MBD_REF_MAX; k++) { put(to, list[i].ref[k], k); }
    for (int k = 0; k < MBD_CURVE_MAX; k++) { put(to, list[i].curve[k], k); }
  }
}

static void put_quantities(char *to, int n, const model_quantity *list) {
  for (int i = 0; i < n; i++) {
    put(to, list[i].name, list[i].value.n), put(to, list[i].unit, i);
    for (int k = 0; k < list[i].value.n; k++) { put(to, "operation", (int)list[i].value.op[k].op); }
    for (int k = 0; k < list[i].nleaf; k++) { put(to, list[i].leaf[k].output, (int)list[i].leaf[k].is); }
  }
}

static void put_spec(char *to, const mbd_spec *s) {
  *to = '\0';
  for (int i = 0; i < s->ncoef; i++) { put(to, s->coef[i].name, i); }
  for (int i = 0; i < s->nbody; i++) {
    const spec_body *b = &s->body[i];
    put(to, b->name, spec_find_body(s, b->name)), put(to, "mass", b->mass);
    put_places(to, b->npoint, b->point), put_places(to, b->nvector, b->vector);
  }
  put_markers(to, s, 1), put_markers(to, s, 0);
  for (int i = 0; i < s->ncoordinate; i++) { put(to, s->coordinate[i].name, s->coordinate[i].guess); }
  for (int i = 0; i < s->ncurve; i++) {
    const spec_curve *c = &s->curve[i];
    put(to, c->name, mbd_names_find(&s->curve_names, c->name)), put(to, c->kind, c->nc), put(to, "knots", c->nknot);
  }
  for (int i = 0; i < s->njoint; i++) {
    const spec_joint *j = &s->joint[i];
    const char *text[] = {j->name,     j->type, j->body[0], j->body[1], j->point[0],
                          j->point[1], j->axis, j->axis2,   j->zero};
    for (int k = 0; k < 9; k++) { put(to, text[k], mbd_names_find(&s->joint_names, j->name)); }
    put(to, "cut", (int)j->cut), put(to, "mirrored", j->mirrored);
  }
  put_elements(to, s->nforce, s->force), put_elements(to, s->nconstraint, s->constraint);
  for (int i = 0; i < s->nhold; i++) {
    put(to, s->hold[i].quantity, s->hold[i].value), put(to, "rate", s->hold[i].rate);
    put(to, "known as", mbd_names_find(&s->hold_names, s->hold[i].quantity));
  }
  for (int i = 0; i < s->nguess; i++) { put(to, s->guess[i].quantity, s->guess[i].value); }
  put_quantities(to, s->nquantity, s->quantity);
}

/* ---- additions ---- */

static mbd_status add_coef(mbd_spec *s, const char *name, mbd_error *err) {
  (void)err;
  return mbd_spec_coef(s, name, 1.5) >= 0 ? MBD_OK : MBD_NO_MEMORY;
}
static mbd_status add_body(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_body(s, name, 0, 1, 4, err);
}
static mbd_status add_point(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_point(s, name, err);
}
static mbd_status add_point_on(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_point_on(s, name, "ground", 1, err);
}
static mbd_status add_vector(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_vector(s, name, err);
}
static mbd_status add_vector_on(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_vector_on(s, name, name, 1, err); /* on the body of the same name */
}
static mbd_status add_coordinate(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_coordinate(s, name, 0, err);
}
static mbd_status add_curve(mbd_spec *s, const char *name, mbd_error *err) {
  const double knot[] = {0, 1};
  return mbd_spec_curve(s, name, "spline", 2, 0, 2, knot, err);
}
static mbd_status add_joint(mbd_spec *s, const char *name, mbd_error *err) {
  mbd_joint_desc d;
  mbd_joint_desc_init(&d);
  d.name = name, d.type = "cardan", d.body[0] = "ground", d.body[1] = "b", d.point[0] = d.point[1] = "P";
  d.axis = "u", d.axis2 = "v", d.zero = "w", d.cut = MBD_CUT_YES, d.mirrored = 1;
  return mbd_spec_joint(s, &d, err);
}
static mbd_element_desc element_of(const char *name) {
  mbd_element_desc d;
  mbd_element_desc_init(&d);
  d.name = name, d.type = "spring", d.ref[0] = "P", d.ref[1] = "Q", d.coef = 1, d.curve[0] = "c";
  return d;
}
static mbd_status add_force(mbd_spec *s, const char *name, mbd_error *err) {
  const mbd_element_desc d = element_of(name);
  return mbd_spec_force(s, &d, err);
}
static mbd_status add_constraint(mbd_spec *s, const char *name, mbd_error *err) {
  const mbd_element_desc d = element_of(name);
  return mbd_spec_constraint(s, &d, err);
}
static mbd_status add_hold(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_hold(s, name, 0, -1, err); /* of rate zero, which is a coefficient more */
}
static mbd_status add_guess(mbd_spec *s, const char *name, mbd_error *err) {
  return mbd_spec_guess(s, name, 0, err);
}
static mbd_status add_quantity(mbd_spec *s, const char *name, mbd_error *err) {
  mbd_operation op[] = {{.op = MBD_OP_LEAF, .a = 0}, {.op = MBD_OP_LEAF, .a = 1}, {.op = MBD_OP_ADD, .a = 0, .b = 1}};
  const mbd_leaf leaf[] = {{.is = MBD_LEAF_OUTPUT, .output = "P.position.x"},
                           {.is = MBD_LEAF_OUTPUT, .output = "P.position.y"}};
  return mbd_spec_quantity(s, name, "m", &(mbd_expression){3, op}, 2, leaf, err);
}

/* In an order in which each finds what it names. */
static const struct {
  const char *what;
  mbd_status (*add)(mbd_spec *s, const char *name, mbd_error *err);
  int min; /* allocations of the first of its kind */
} additions[] = {{"coef", add_coef, 2},
                 {"body", add_body, 2},
                 {"point", add_point, 3},
                 {"point_on", add_point_on, 2},
                 {"vector", add_vector, 3},
                 {"vector_on", add_vector_on, 2},
                 {"coordinate", add_coordinate, 2},
                 {"curve", add_curve, 4},
                 {"joint", add_joint, 11},
                 {"force", add_force, 6},
                 {"constraint", add_constraint, 6},
                 {"hold", add_hold, 3},
                 {"guess", add_guess, 2},
                 {"quantity", add_quantity, 6}};
enum {
  N_ADDITIONS = sizeof additions / sizeof additions[0],
  SETS = 9
}; /* more sets than a table of names first has room for */

static char before[MAX], after[MAX], expected[MAX];

/* Adds, after all failures that the addition can meet. The value is the number of its allocations. */
static int add_at_last(mbd_spec *s, int which, const char *name) {
  mbd_error err = {0};
  put_spec(before, s);
  for (int at = 1;; at++) {
    fail_at = at, calls = 0;
    const mbd_status status = additions[which].add(s, name, &err);
    fail_at = 0;
    if (status == MBD_OK) { return calls; }
    CU_ASSERT_EQUAL(status, MBD_NO_MEMORY);
    put_spec(after, s);
    if (strcmp(before, after) != 0) {
      printf("\n  %s, allocation %d: the description has changed\n", additions[which].what, at);
    }
    CU_ASSERT_STRING_EQUAL(after, before);
  }
}

static void test_failed_additions(void) {
  mbd_spec *s = mbd_spec_create(), *undisturbed = mbd_spec_create();
  mbd_error err = {0};
  for (int k = 0; k < SETS; k++) {
    char name[8];
    snprintf(name, sizeof name, "n%d", k);
    for (int i = 0; i < N_ADDITIONS; i++) {
      const int allocations = add_at_last(s, i, name);
      CU_ASSERT(k > 0 || allocations >= additions[i].min);
      must(additions[i].add(undisturbed, name, &err), &err);
    }
  }
  put_spec(after, s), put_spec(expected, undisturbed);
  CU_ASSERT_STRING_EQUAL(after, expected);
  CU_ASSERT(strlen(expected) > 1000 && strlen(expected) < MAX - 1);
  mbd_spec_destroy(s), mbd_spec_destroy(undisturbed);
}

/* What is refused changes nothing either. */
static void test_refused_additions(void) {
  mbd_spec *s = mbd_spec_create();
  mbd_error err = {0};
  for (int i = 0; i < N_ADDITIONS; i++) { must(additions[i].add(s, "n", &err), &err); }
  put_spec(before, s);
  static const char *const once[] = {"body", "point", "point_on", "vector", "vector_on", "curve", "joint", "quantity"};
  for (int i = 0; i < N_ADDITIONS; i++) {
    for (size_t k = 0; k < sizeof once / sizeof once[0]; k++) {
      if (strcmp(once[k], additions[i].what) != 0) { continue; }
      CU_ASSERT_EQUAL(additions[i].add(s, "n", &err), MBD_BAD_INPUT);
      CHECK_CONTAINS(err.text, "twice");
    }
  }
  put_spec(after, s);
  CU_ASSERT_STRING_EQUAL(after, before);
  mbd_spec_destroy(s);
}

/* Expressions of quantities that name what is not there. */
static void test_refused_quantities(void) {
  static const mbd_leaf leaves[] = {
      {.is = MBD_LEAF_COEFFICIENT, .coef = 0}, {.is = MBD_LEAF_COEFFICIENT, .coef = 9}, {.is = MBD_LEAF_OUTPUT}};
  static const struct {
    mbd_operation last; /* behind leaf 0 and the number 1 */
    int n, nleaf;
    const mbd_leaf *leaf;
    const char *text;
  } wrong[] = {{{.op = MBD_OP_ADD, .a = 0, .b = 2}, 3, 1, leaves, "operation 2 takes what does not come before it"},
               {{.op = MBD_OP_SIN, .a = -1}, 3, 1, leaves, "operation 2 takes what does not come before it"},
               {{.op = MBD_OP_LEAF, .a = 1}, 3, 1, leaves, "operation 2 names no leaf"},
               {{.op = (mbd_operator)1000}, 3, 1, leaves, "operation 2 is not known"},
               {{.op = MBD_OP_CURVE, .b = 0}, 3, 1, leaves, "operation 2 names no curve"},
               {{.op = MBD_OP_NEG}, 0, 1, leaves, "has no operations"},
               {{.op = MBD_OP_NEG}, 3, 2, leaves, "leaf 1 names no coefficient"},
               {{.op = MBD_OP_NEG}, 3, 1, leaves + 2, "leaf 0 names no output"}};
  mbd_spec *s = mbd_spec_create();
  mbd_error err = {0};
  must(add_coef(s, "n", &err), &err);
  put_spec(before, s);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    mbd_operation op[] = {{.op = MBD_OP_LEAF}, {.op = MBD_OP_NUMBER, .number = 1}, wrong[i].last};
    CU_ASSERT_EQUAL(
        mbd_spec_quantity(s, "q", NULL, &(mbd_expression){wrong[i].n, op}, wrong[i].nleaf, wrong[i].leaf, &err),
        MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, wrong[i].text);
  }
  put_spec(after, s);
  CU_ASSERT_STRING_EQUAL(after, before);
  mbd_spec_destroy(s);
}

/* Expressions of curves that are none, and a curve of this kind without one. */
static void test_refused_curves(void) {
  mbd_operation op[] = {{.op = MBD_OP_LEAF}, {.op = MBD_OP_LEAF, .a = 1}, {.op = MBD_OP_MUL, .a = 0, .b = 1}};
  mbd_operation curve[] = {{.op = MBD_OP_LEAF}, {.op = MBD_OP_CURVE}};
  const mbd_expression product = {3, op};
  mbd_spec *s = mbd_spec_create();
  mbd_model *m;
  mbd_error err = {0};
  must(add_coef(s, "n", &err), &err);
  must(mbd_spec_curve(s, "y", "expression", 1, 0, 0, NULL, &err), &err);
  must(mbd_spec_curve(s, "line", "polynomial", 1, 0, 0, NULL, &err), &err);
  must(mbd_spec_curve(s, "none", "expression", 0, 0, 0, NULL, &err), &err);
  CU_ASSERT_EQUAL(mbd_spec_curve_value(s, "z", &product, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'z' is not described");
  CU_ASSERT_EQUAL(mbd_spec_curve_value(s, "line", &product, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'line' is of another kind than expression");
  CU_ASSERT_EQUAL(mbd_spec_curve_value(s, "none", &product, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'none': operation 1 names no leaf");
  CU_ASSERT_EQUAL(mbd_spec_curve_value(s, "y", &(mbd_expression){2, curve}, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'y' has a curve in its expression");
  must(mbd_spec_curve_value(s, "y", &product, &err), &err);
  CU_ASSERT_EQUAL(mbd_spec_curve_value(s, "y", &product, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'y' has its expression already");
  CU_ASSERT_EQUAL(mbd_model_create(s, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "curve 'none' is of kind expression, but its expression is not given");
  mbd_spec_destroy(s);
}

TEST_MAIN(TEST(test_failed_additions), TEST(test_refused_additions), TEST(test_refused_quantities),
          TEST(test_refused_curves))
