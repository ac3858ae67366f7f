/* Forces along sums of coordinates, their controls, and the load cases in which motors act, from the keys of a file. */
#include <math.h>
#include <string.h>

#include "base/v3.h"
#include "import/robot_fill.h"

/* ---- starts of joints with several coordinates ---- */

int robot_has_free_start(const robot_joint *j) {
  double sum = 0;
  for (int i = 0; i < 7; i++) { sum += fabs(j->free_start[i]); }
  return !j->closes && sum > 0;
}

/* Turns the Euler parameters of a joint, given along the axes of its second link, into those of the joint in the model. */
static void turn_start(const robot *r, const robot_joint *j, const double start[7], double out[7]) {
  const int first = j->type == ROBOT_FLOATING ? 4 : 1; /* of the three parameters along axes */
  memcpy(out, start, 7 * sizeof *out);
  m3_vec(out + first, r->link[j->link[1]].turn, start + first);
}

/* ---- scalars ---- */

int robot_has_more_scalars(const robot *r) {
  int any = r->nlaw > 0;
  for (int i = 0; i < r->njoint; i++) { any |= robot_has_free_start(&r->joint[i]); }
  return any;
}

/* Writes the control of a motor: zero, or the limit nearest to it. */
static void write_control(const robot_law *law, FILE *out) {
  fprintf(out, "%s = ", law->signal);
  robot_number(out, fmin(fmax(0, law->lower), law->upper));
  if (isfinite(law->lower) || isfinite(law->upper)) {
    fputs(" ; from ", out);
    robot_number(out, law->lower);
    fputs(" to ", out);
    robot_number(out, law->upper);
  }
  fputc('\n', out);
}

void robot_write_more_scalars(const robot *r, FILE *out) {
  int motors = 0;
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    double start[7];
    if (!robot_has_free_start(j)) { continue; }
    turn_start(r, j, j->free_start, start);
    for (int k = 0; robot_coordinate_at(j, k); k++) {
      fprintf(out, "%s_%s_start = ", j->joint, robot_coordinate_at(j, k));
      robot_number(out, start[k]);
      fputc('\n', out);
    }
  }
  for (int i = 0; i < r->nlaw; i++) { motors |= r->law[i].is_motor; }
  if (!motors) { return; }
  fputs("motors = 0                           ; 1: they act, each with its control\n", out);
  for (int i = 0; i < r->nlaw; i++) {
    if (r->law[i].is_motor) { write_control(&r->law[i], out); }
  }
}

/* ---- forces ---- */

/* Terms of a sum, each in a line of its own but the first one. */
typedef struct sum {
  FILE *out;
  int n;
} sum;

/* Writes the factor and the sign of the next term; returns 0 for a factor of 0, of which nothing is written. `alone`: it is all of the term. */
static int write_factor(sum *s, double factor, int alone) {
  if (factor == 0) { return 0; }
  fputs(s->n ? factor < 0 ? " \\\n  - " : " \\\n  + " : factor < 0 ? "-" : "", s->out);
  if (alone || fabs(factor) != 1) { robot_number(s->out, fabs(factor)); }
  if (!alone && fabs(factor) != 1) { fputc('*', s->out); }
  s->n++;
  return 1;
}

static void write_term(sum *s, double factor, const char *name) {
  if (write_factor(s, factor, 0)) { fputs(name, s->out); }
}

static void write_coordinate(sum *s, double factor, const robot_joint *j, const char *rate) {
  if (write_factor(s, factor, 0)) { fprintf(s->out, "%s.%s%s", j->joint, robot_coordinate(j), rate); }
}

/* The length, or its rate, of a law that acts on several coordinates. */
static void write_sum(const robot *r, const robot_law *law, const char *name, const char *rate, FILE *out) {
  sum s = {.out = out};
  fprintf(out, "\n[quantity %s]\nvalue = ", name);
  for (int i = 0; i < law->n; i++) { write_coordinate(&s, law->coef[i], &r->joint[law->joint[i]], rate); }
  fputc('\n', out);
}

/* Writes coef F on the i-th coordinate of a law, with the length L of one coordinate written out. */
static void write_force(const robot *r, const robot_law *law, int i, FILE *out) {
  const robot_joint *j = &r->joint[law->joint[i]];
  const double coef = law->coef[i];
  sum s = {.out = out};
  fprintf(out, "\n[force %s]\ntype = expression\ncoordinate = %s.%s\nvalue = ", law->force[i], j->joint,
          robot_coordinate(j));
  if (law->is_motor) { fputs("motors*", out); }
  if (coef != 1) { robot_number(out, coef), fputc('*', out); }
  fputc('(', out);
  write_factor(&s, law->constant, 1);
  if (law->is_motor) { write_term(&s, law->gain, law->signal); }
  if (law->n == 1) {
    write_coordinate(&s, law->slope * coef, j, "");
    write_coordinate(&s, law->rate * coef, j, ".rate");
  } else {
    write_term(&s, law->slope, law->length);
    write_term(&s, law->rate, law->speed);
  }
  fputs(s.n ? ")\n" : "0)\n", out);
}

void robot_write_laws(const robot *r, FILE *out) {
  for (int i = 0; i < r->nlaw; i++) {
    const robot_law *law = &r->law[i];
    if (law->n > 1 && law->slope != 0) { write_sum(r, law, law->length, "", out); }
    if (law->n > 1 && law->rate != 0) { write_sum(r, law, law->speed, ".rate", out); }
    for (int k = 0; k < law->n; k++) { write_force(r, law, k, out); }
  }
}

/* ---- keys ---- */

/* Writes the start of one coordinate of a joint; the Euler parameters of a joint are turned into the model together, at the first of them. */
static void write_value(const robot *r, const robot_key *key, int i, FILE *out) {
  const robot_value *value = &key->value[i];
  const robot_joint *j = value->joint >= 0 ? &r->joint[value->joint] : NULL;
  double start[7] = {0}, turned[7];
  if (!j) {
    fprintf(out, "scalar.%s = ", r->law[value->law].signal);
    robot_number(out, value->value);
    fputc('\n', out);
  } else if (j->driven) {
    fprintf(out, "scalar.%s_start = ", j->joint);
    robot_number(out, value->value);
    fputc('\n', out);
  } else if (robot_has_free_start(j) && value->coordinate == 0) {
    for (int k = 0; k < 7 && robot_coordinate_at(j, k); k++) { start[k] = value[k].value; }
    turn_start(r, j, start, turned);
    for (int k = 0; robot_coordinate_at(j, k); k++) {
      fprintf(out, "scalar.%s_%s_start = ", j->joint, robot_coordinate_at(j, k));
      robot_number(out, turned[k]);
      fputc('\n', out);
    }
  }
}

void robot_write_keys(const robot *r, FILE *out) {
  int motors = 0;
  for (int i = 0; i < r->nlaw; i++) { motors |= r->law[i].is_motor; }
  for (int i = 0; i < r->nkey; i++) {
    const robot_key *key = &r->key[i];
    fprintf(out, "\n[case %s]\n", key->load_case);
    fputs("duration = 0.1                       ; from this state of the file\nstep = 1e-3\n", out);
    if (motors) { fputs("scalar.motors = 1\n", out); }
    for (int k = 0; k < key->n; k++) { write_value(r, key, k, out); }
  }
}
