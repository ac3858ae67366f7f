/* The run file of a robot: motions of its joints whose control points vary between the limits, that minimize the sum of
 * squares of the drive forces. */
#include <math.h>

#include "import/robot_fill.h"
#include "import/robot_vary.h"

static int count(const robot *r, int (*is)(const robot_joint *j)) {
  int n = 0;
  for (int i = 0; i < r->njoint; i++) { n += is(&r->joint[i]); }
  return n;
}

/* Returns 1 for a joint whose coordinates no joint motion drives. */
static int is_free(const robot_joint *j) {
  return !j->closes && !robot_coordinate(j) && j->type != ROBOT_WELD;
}

static int is_driven(const robot_joint *j) {
  return j->driven;
}

/* Returns 1 for a joint that is driven and not locked. */
static int varies(const robot_joint *j) {
  return j->driven && j->lower < j->upper;
}

/* key = factor, *most or /most */
static void write_part(FILE *out, const char *key, const char *factor, double max) {
  fprintf(out, "%s = %s", key, factor);
  robot_number(out, max);
  fputc('\n', out);
}

static void write_design(const robot_joint *j, FILE *out) {
  fprintf(out, "\n[design %s]\ncurve = %s_motion\n", j->joint, j->joint);
  fputs(
      "first = 4                            ; the first three control points stay where the motion begins\n"
      "last = points - 3                    ; and the last three where it ends\n",
      out);
  if (isfinite(j->lower)) { write_part(out, "lower", "", j->lower); }
  if (isfinite(j->upper)) { write_part(out, "upper", "", j->upper); }
  const double range = j->upper - j->lower;
  write_part(out, "scale", "", robot_is_turning(j->type) || !isfinite(range) ? 1 : range);
}

/* A number of the robot itself as a variable, from the value of the file on. */
static void write_number(const robot_variable *v, FILE *out) {
  if (v->opens) { return; }
  fprintf(out, "\n[design %s]\n", v->name);
  write_part(out, "lower", "", v->lower);
  write_part(out, "upper", "", v->upper);
  write_part(out, "scale", "", v->scale);
}

static void write_case(const robot *r, robot_base base, FILE *out) {
  const int driven = count(r, is_driven);
  const int free_ones = (r->nclosing ? r->nfree : count(r, is_free)) + (base == ROBOT_BASE_FLOATING);
  fputs("\n[case motion]\n", out);
  if (!free_ones) { fputs("analysis = kinematic                 ; the motion is given, its forces are wanted\n", out); }
  fputs(driven ? "duration = T\nstep = T/200\n" : "duration = 1\nstep = 5e-3\n", out);
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (!j->driven) { continue; }
    fprintf(out, "drive.%s.%s = %s_motion\n", j->joint, robot_coordinate(j), j->joint);
  }
}

/* A limit on the largest magnitude, whose smooth maximum is within some per cent of the true one. */
static void write_peak(const robot_joint *j, const char *name, const char *what, double max, int in_case, FILE *out) {
  if (max == 0) { return; }
  fprintf(out, "\n[constraint %s_%s]\nof = %s\nform = peak_abs\n", j->joint, name, what);
  write_part(out, "sharpness", "100/", max);
  write_part(out, "smoothing", "1e-3*", max);
  write_part(out, "upper", "", max);
  if (in_case) { fputs("case = motion\n", out); }
}

/* in_case: the run has other cases beside that of the motion */
static void write_measures(const robot_joint *j, int in_case, FILE *out) {
  char force[300], speed[300];
  const char *coordinate = robot_coordinate(j);
  snprintf(force, sizeof force, "drive.%s.%s.drive_force", j->joint, coordinate);
  snprintf(speed, sizeof speed, "%s.%s.rate", j->joint, coordinate);
  fprintf(out, "\n[objective %s_effort]\nof = %s\nform = integral_square\n", j->joint, force);
  if (in_case) { fputs("case = motion\n", out); }
  write_peak(j, "force", force, j->effort, in_case, out);
  write_peak(j, "speed", speed, j->velocity, in_case, out);
}

void robot_write_run(const robot *r, robot_base base, const char *model_file, FILE *out) {
  fputs(
      "; Which motions of the joints take the least squares of their forces, between the limits of the robot?\n"
      "schema = 1\n\n[model]\n",
      out);
  fprintf(out, "file = %s\n", model_file);
  for (int i = 0; i < r->njoint; i++) {
    if (varies(&r->joint[i])) { write_design(&r->joint[i], out); }
  }
  robot_each_variable(r, write_number, out);
  write_case(r, base, out);
  robot_write_keys(r, out);
  for (int i = 0; i < r->njoint; i++) {
    if (varies(&r->joint[i])) { write_measures(&r->joint[i], r->nkey > 0, out); }
  }
  if (count(r, varies)) {
    fputs("\n[optimizer]\nbackend = nlopt\nalgorithm = slsqp\nmax_iterations = 500\n", out);
    fputs(
        "tol_f = 1e-12                        ; small: along limits of forces, steps that gain little come before "
        "others\n",
        out);
  }
}
