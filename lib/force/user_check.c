/* Checks that a force of the user is complete, before it is used. */
#include <math.h>
#include <string.h>

#include "mbd/user_force.h"

int mbd_user_force_ncoef(const mbd_user_force *u) {
  int n = 0;
  for (const mbd_coef_info *c = u->coefs; c->key; c++) { n += c->size; }
  return n;
}

int mbd_user_force_noutput(const mbd_user_force *u) {
  int n = 0;
  while (u->output[n].name) { n++; }
  return n;
}

const char *mbd_user_force_derivatives(const mbd_user_force *u) {
  return u->own ? "own" : u->slopes ? "dual numbers" : "complex step";
}

int mbd_user_force_second(const mbd_user_force *u) {
  return u->slopes_complex && u->along_complex;
}

/* Checks version and size. The layout of these two numbers is fixed; of the others it is known only when these two are right. */
static mbd_status check_abi(const mbd_user_force *u, mbd_error *err) {
  if (u->abi != MBD_USER_ABI) {
    MBD_FAIL(err, MBD_BAD_INPUT, "it is compiled for version %d of the interface of forces, expected %d", u->abi,
             MBD_USER_ABI);
  }
  if (u->size != (int)sizeof *u) {
    MBD_FAIL(err, MBD_BAD_INPUT, "its description has %d bytes, expected %d: it is compiled for another machine",
             u->size, (int)sizeof *u);
  }
  return MBD_OK;
}

static mbd_status check_pointers(const mbd_user_force *u, mbd_error *err) {
  if (!u->name || !*u->name || !u->doc || !u->refs || !u->coefs || !u->arg || !u->output) {
    MBD_FAIL(err, MBD_BAD_INPUT, "a name, a text or a table is missing");
  }
  if (!u->value || !u->value_complex) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has no function for %s numbers", u->name, u->value ? "complex" : "real");
  }
  if (!u->slopes != !u->along || !u->slopes_complex != !u->along_complex || (u->own && !u->slopes) ||
      (u->slopes_complex && !u->slopes)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has some of its derivatives, expected all or none", u->name);
  }
  return MBD_OK;
}

/* ---- references and arguments ---- */

/* Lists the references; kind [MBD_REF_MAX]: of each of them. There are no frames: their directions are vectors, given one by one. */
static mbd_status list_references(const mbd_user_force *u, mbd_ref_kind *kind, int *n, mbd_error *err) {
  *n = 0;
  for (const mbd_ref_info *r = u->refs; r->key; r++) {
    const int is_known = ((int)r->kind >= 0 && r->kind <= MBD_REF_COORDINATE) || r->kind == MBD_REF_VALUE;
    if (!is_known || r->count < 1 || r->count > MBD_REF_MAX || !r->doc) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "force '%s': key '%s' of its references has kind %d and count %d; expected a point, vector, body, "
               "coordinate or value, how many, and a text",
               u->name, r->key, (int)r->kind, r->count);
    }
    if (*n + r->count > MBD_REF_MAX) {
      MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has more than %d references", u->name, MBD_REF_MAX);
    }
    for (int i = 0; i < r->count; i++) { kind[(*n)++] = r->kind; }
  }
  return MBD_OK;
}

static int fits(mbd_arg_kind arg, mbd_ref_kind ref) {
  if (arg == MBD_ARG_VALUE || ref == MBD_REF_VALUE) { return arg == MBD_ARG_VALUE && ref == MBD_REF_VALUE; }
  return (int)arg == (int)ref; /* points, vectors, bodies for rotations, coordinates: in one order */
}

static mbd_status check_arguments(const mbd_user_force *u, mbd_error *err) {
  mbd_ref_kind kind[MBD_REF_MAX];
  int n;
  MBD_TRY(list_references(u, kind, &n, err));
  if (u->narg < 1 || u->narg > MBD_ARG_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has %d arguments, expected 1 to %d", u->name, u->narg, MBD_ARG_MAX);
  }
  int pushed = 0;
  for (int i = 0; i < u->narg; i++) {
    const mbd_arg_info *a = &u->arg[i];
    pushed |= a->kind != MBD_ARG_VALUE;
    const int b_fits = a->b >= 0 && a->b < n && fits(a->kind, kind[a->b]);
    const int a_fits = a->a == -1 || (a->a >= 0 && a->a < n && a->a != a->b && fits(a->kind, kind[a->a]));
    const int alone = a->kind == MBD_ARG_COORDINATE || a->kind == MBD_ARG_VALUE;
    if (!b_fits || !a_fits || (alone && a->a != -1)) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "force '%s': argument %d is made of references %d and %d, which are not there or of another kind",
               u->name, i, a->b, a->a);
    }
  }
  if (!pushed) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "force '%s' has values of expressions as its arguments alone, expected something that it acts on: a point, "
        "vector, rotation or coordinate",
        u->name);
  }
  return MBD_OK;
}

/* ---- coefficients and outputs ---- */

static mbd_status check_coefs(const mbd_user_force *u, mbd_error *err) {
  for (const mbd_coef_info *c = u->coefs; c->key; c++) {
    const int is_file = c->size == 0;
    if (!c->doc || !c->unit || (c->size != 0 && c->size != 1 && c->size != 3) || (!is_file && !(c->min <= c->max)) ||
        (!is_file && !isnan(c->dflt) && (c->dflt < c->min || c->dflt > c->max))) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "force '%s': coefficient '%s' has size %d, default %g, range %g to %g; expected size 1, 3 or, for a "
               "file, 0, a default in its range, unit and text",
               u->name, c->key, c->size, c->dflt, c->min, c->max);
    }
  }
  if (mbd_user_force_ncoef(u) > MBD_USER_COEFS) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has %d coefficients, expected at most %d", u->name,
             mbd_user_force_ncoef(u), MBD_USER_COEFS);
  }
  return MBD_OK;
}

static mbd_status check_outputs(const mbd_user_force *u, mbd_error *err) {
  const int n = mbd_user_force_noutput(u);
  if (n > MBD_USER_OUTPUTS) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has %d outputs, expected at most %d", u->name, n, MBD_USER_OUTPUTS);
  }
  for (int i = 0; i < n; i++) {
    if (!u->output[i].unit || !*u->output[i].name || strcmp(u->output[i].name, "power") == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "force '%s': output %d has no unit, no name or the name 'power', which all have",
               u->name, i);
    }
  }
  return MBD_OK;
}

/* Refuses a key that occurs twice, or that all user forces have. */
static mbd_status check_key(const mbd_user_force *u, const char *key, int *seen, const char *name, mbd_error *err) {
  if (strcmp(key, "type") == 0 || strcmp(key, "plugin") == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has a key '%s' of its own, which all forces of type user have", u->name,
             key);
  }
  *seen += strcmp(key, name) == 0;
  if (*seen > 1) { MBD_FAIL(err, MBD_BAD_INPUT, "force '%s' has the key '%s' twice", u->name, key); }
  return MBD_OK;
}

static mbd_status check_once(const mbd_user_force *u, const char *name, mbd_error *err) {
  int seen = 0;
  for (const mbd_ref_info *r = u->refs; r->key; r++) { MBD_TRY(check_key(u, r->key, &seen, name, err)); }
  for (const mbd_coef_info *c = u->coefs; c->key; c++) { MBD_TRY(check_key(u, c->key, &seen, name, err)); }
  return MBD_OK;
}

mbd_status mbd_user_force_check(const mbd_user_force *u, mbd_error *err) {
  MBD_TRY(check_abi(u, err));
  MBD_TRY(check_pointers(u, err));
  MBD_TRY(check_arguments(u, err));
  MBD_TRY(check_coefs(u, err));
  MBD_TRY(check_outputs(u, err));
  for (const mbd_ref_info *r = u->refs; r->key; r++) { MBD_TRY(check_once(u, r->key, err)); }
  for (const mbd_coef_info *c = u->coefs; c->key; c++) { MBD_TRY(check_once(u, c->key, err)); }
  return MBD_OK;
}
