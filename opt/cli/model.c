/* mbopt model: prints the structure of the mechanism, and where it comes from; as a page too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/place_text.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "mbd/natural.h"
#include "mbd/picture.h"
#include "mechanism/measures.h"
#include "mechanism/warnings.h"
#include "report/model_page.h"
#include "results/hard_points.h"
#include "results/joint_graph.h"
#include "results/mechanism_view.h"
#include "results/position.h"
#include "results/results.h"
#include "results/scene.h"

static void print_joints(const mbd_model *model) {
  int in_loop = 0;
  printf("joints\n");
  for (int i = 0; i < mbd_model_njoint(model); i++) {
    mbd_joint_report j;
    mbd_model_joint(model, i, &j);
    printf("  %-20s %-12s %s - %s%s", j.name, j.type, j.body[0], j.body[1], j.found ? "  (found)" : "");
    if (j.cut) { printf("\n  %-20s CUT, %d equation%s: %s", "", j.nphi, plural(j.nphi), j.why); }
    putchar('\n');
    /* a joint that two shared vectors have made, and that closes a loop, which is seldom meant */
    in_loop |= j.found && j.cut && strcmp(j.type, "prismatic") == 0;
  }
  if (in_loop) {
    printf(
        "  Every pair of bodies that share two vectors and no point has a prismatic joint. Where that is not meant: "
        "joints = named in\n"
        "  [model] and a [joint] for each pair that slides, or vectors that only these bodies have.\n");
  }
}

static json_t *tree(const mbd_model *model, int json) {
  json_t *a = json_array();
  if (!json) { printf("tree\n  ground\n"); }
  for (int i = 1; i <= mbd_model_nbody(model); i++) {
    mbd_body_report b;
    mbd_model_body(model, i, &b);
    json_t *z = json_array();
    for (int k = 0; k < b.nz; k++) { json_array_append_new(z, json_string(mbd_model_z_name(model, b.z0 + k))); }
    if (!json) {
      printf("  %*s%s on %s by %s (%s)%s", 2 * b.level, "", b.name, b.parent, b.joint, b.joint_type, b.nz ? ":" : "");
      for (int k = 0; k < b.nz; k++) { printf(" %s", mbd_model_z_name(model, b.z0 + k)); }
      putchar('\n');
    }
    json_array_append_new(a, json_pack("{s:s, s:s, s:s, s:s, s:o}", "body", b.name, "parent", b.parent, "joint",
                                       b.joint, "type", b.joint_type, "coordinates", z));
  }
  return a;
}

/* Adds the matrices of S4 (18), (19) and (20) to *o, and prints them unless json is set: joint parents with the branch of each joint, branch
 * parents with the joints of each branch. Coordinates are numbered from 1 in the order of states and trajectories. */
static mbd_status topology(const mbd_model *model, int json, json_t *o, mbd_error *err) {
  mbd_topology *t;
  json_t *joint = json_array(), *branch = json_array();
  MBD_TRY(mbd_topology_create(model, &t, err));
  /* Joints, with their parents, branches and coordinates. */
  if (!json) { printf("topology\n  %5s  %6s  %6s  %-11s\n", "joint", "parent", "branch", "coordinates"); }
  for (int k = 0; k < t->njoint; k++) {
    mbd_body_report b;
    mbd_model_body(model, t->body[k], &b);
    json_array_append_new(joint, json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "joint", b.joint, "number", k + 1,
                                           "parent", t->joint_parent[k], "branch", t->branch[k], "first_coordinate",
                                           b.z0 + 1, "coordinates", b.nz));
    char z[32] = "-";
    if (b.nz == 1) { snprintf(z, sizeof z, "%d", b.z0 + 1); }
    if (b.nz > 1) { snprintf(z, sizeof z, "%d to %d", b.z0 + 1, b.z0 + b.nz); }
    if (!json) { printf("  %5d  %6d  %6d  %-11s  %s\n", k + 1, t->joint_parent[k], t->branch[k], z, b.joint); }
  }
  /* Branches, from their first to their last joint. */
  if (!json) { printf("  %6s  %6s  %11s  %10s\n", "branch", "parent", "first joint", "last joint"); }
  for (int k = 0; k < t->nbranch; k++) {
    const int parent = t->branch_parent[k], first = t->branch_first[k], last = t->branch_last[k];
    json_array_append_new(
        branch, json_pack("{s:i, s:i, s:i, s:i}", "number", k + 1, "parent", parent, "first", first, "last", last));
    if (!json) { printf("  %6d  %6d  %11d  %10d\n", k + 1, parent, first, last); }
  }
  json_object_set_new(o, "topology",
                      json_pack("{s:o, s:o, s:I, s:I}", "joints", joint, "branches", branch, "sum_of_depths",
                                (json_int_t)t->depth, "coupled_entries", (json_int_t)t->coupled));
  if (!json) {
    printf("  sum of depths %ld; without elements between branches %ld of %ld entries of dQ/dz may differ from zero\n",
           t->depth, t->coupled, (long)t->ncoordinate * t->ncoordinate);
  }
  mbd_topology_destroy(t);
  return MBD_OK;
}

/* The names of the bodies on which an element acts, 0 being the ground. */
static json_t *acts_on(const mbd_model *model, int n, const int *body) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) {
    mbd_body_report b = {.name = "ground"};
    if (body[i]) { mbd_model_body(model, body[i], &b); }
    json_array_append_new(a, json_string(b.name));
  }
  return a;
}

/* Adds constraints and forces to *o, and prints them unless json is set. */
static void elements(const mbd_model *model, int json, json_t *o) {
  enum { BODIES_MAX = 16 };
  const int nconstraint = mbd_model_nconstraint(model), nforce = mbd_model_nforce(model);
  json_t *constraints = json_array(), *forces = json_array();
  int body[BODIES_MAX];
  /* Constraints, with the number of their equations and the bodies on which they act. */
  if (!json && nconstraint) { printf("constraints\n"); }
  for (int i = 0; i < nconstraint; i++) {
    const char *type;
    int row, n;
    const char *name = mbd_model_constraint_name(model, i, &type, &row, &n);
    json_t *on = acts_on(model, mbd_model_constraint_bodies(model, i, BODIES_MAX, body), body);
    json_array_append_new(constraints,
                          json_pack("{s:s, s:s, s:i, s:o}", "name", name, "type", type, "equations", n, "bodies", on));
    if (!json) { printf("  %-32s %-20s %d equation%s\n", name, type, n, n > 1 ? "s" : ""); }
  }
  /* Forces, with the bodies on which they act. */
  if (!json && nforce) { printf("forces\n"); }
  for (int i = 0; i < nforce; i++) {
    const char *type, *name = mbd_model_force_name(model, i, &type);
    json_t *on = acts_on(model, mbd_model_force_bodies(model, i, BODIES_MAX, body), body);
    json_array_append_new(forces, json_pack("{s:s, s:s, s:o}", "name", name, "type", type, "bodies", on));
    if (!json) { printf("  %-32s %s\n", name, type); }
  }
  json_object_set_new(o, "constraints", constraints);
  json_object_set_new(o, "forces", forces);
}

/* Prints how velocity constraints change the degrees of freedom, if there are any. */
static void print_velocity_counts(const mechanism_case *load, int freedoms) {
  const mbd_model *model = load->v->model;
  const int positions = mbd_model_nz(model) - mbd_sim_position_rank(load->sim), nvelocity = mbd_model_nvelocity(model);
  int row;
  if (nvelocity == 0) { return; }
  printf("%d of these equations constrain velocities alone: %d degree%s of freedom of positions, %d of velocities\n",
         nvelocity, positions, plural(positions), freedoms);
  for (int k = 0; (row = mbd_sim_left_out(load->sim, k)) >= 0; k++) {
    printf("%s follows from constraints of positions and is left out\n", mbd_model_phi_name(model, row));
  }
}

/* Prints counts, rank, degrees of freedom and redundant rows; the start has been computed. */
static void print_counts(const mechanism_case *load) {
  const mbd_model *model = load->v->model;
  const int states = mbd_model_nstate(model), n = mbd_model_nz(model) - states;
  int rank, nheld, m = mbd_model_nphi(model);
  const int *row, *held;
  mbd_sim_rank(load->sim, &rank, &row, &nheld, &held);
  const int nbody = mbd_model_nbody(model), freedoms = n - rank;
  printf(
      "%d bod%s, n = %d coordinate%s, m = %d constraint equation%s of rank %d at the start: %d degree%s of freedom\n",
      nbody, plural_y(nbody), n, plural(n), m, plural(m), rank, freedoms, plural(freedoms));
  print_velocity_counts(load, n - rank);
  if (states) { printf("%d state%s\n", states, plural(states)); }
  if (rank < m) { printf("redundant at the start:\n"); }
  for (int i = rank; i < m; i++) { printf("  %s\n", mbd_model_phi_name(model, row[i])); }
  printf("held at the start:");
  for (int i = 0; i < mbd_model_nhold(model); i++) { printf(" %s", mbd_model_hold_name(model, i)); }
  for (int i = 0; i < nheld; i++) {
    printf("%s %s", i ? "" : " and, for no other is given,", mbd_model_z_name(model, held[i]));
  }
  printf(mbd_model_nhold(model) + nheld > 0 ? "\n" : " nothing, as drives and constraints determine all coordinates\n");
}

/* ---- natural coordinates ---- */

static const double same_accelerations = 1e-9; /* relative to the largest */

static json_t *natural_json(const mbd_natural_report *report) {
  return json_pack(
      "{s:i, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "variables", report->nvariable, "points",
      results_texts(report->npoint, report->point), "vectors", results_texts(report->nvector, report->vector),
      "coordinates", results_texts(report->ncoordinate, report->coordinate), "angles", report->nangle, "equations",
      report->nphi, "rank", report->rank, "degrees_of_freedom", report->nvariable - report->rank, "redundant",
      results_texts(report->nredundant, report->redundant), "accelerations_differ", json_number(report->difference));
}

/* Prints the accelerations at the start, compared with those in joint coordinates. */
static void print_accelerations(double difference) {
  if (isnan(difference)) { return; }
  if (!isfinite(difference)) {
    printf("  accelerations at the start: not determined to working precision\n");
  } else if (difference <= same_accelerations) {
    printf("  accelerations at the start: equal to those of joint coordinates\n");
  } else {
    printf("  accelerations at the start: they differ from those of joint coordinates by %.2g of the largest\n",
           difference);
  }
}

static void print_natural(const mbd_natural_report *report) {
  const int ndistance = report->ncoordinate - report->nangle, freedoms = report->nvariable - report->rank;
  printf("natural coordinates: %d variable%s (%d point%s, %d vector%s, %d angle%s, %d distance%s), ", report->nvariable,
         plural(report->nvariable), report->npoint, plural(report->npoint), report->nvector, plural(report->nvector),
         report->nangle, plural(report->nangle), ndistance, plural(ndistance));
  printf("%d equation%s of rank %d at the start: %d degree%s of freedom\n", report->nphi, plural(report->nphi),
         report->rank, freedoms, plural(freedoms));
  print_accelerations(report->difference);
  if (report->nredundant) { printf("redundant among these equations:\n"); }
  for (int i = 0; i < report->nredundant; i++) { printf("  %s\n", report->redundant[i]); }
}

/* Prints the sizes of the same mechanism in natural coordinates at the start, or why these are not available. */
static mbd_status natural(const cli_run *r, const mechanism_case *load, json_t *o, mbd_error *err) {
  mbd_natural_report report;
  const mbd_status status = mbd_sim_natural(load->sim, load->v->params, &report, err);
  if (status != MBD_OK && status != MBD_UNSUPPORTED) { return status; }
  if (status == MBD_UNSUPPORTED) {
    json_object_set_new(o, "natural_coordinates", json_pack("{s:o}", "why_not", json_text(err->text)));
    if (!r->a->json) { printf("natural coordinates: none, %s\n", err->text); }
    return MBD_OK;
  }
  json_object_set_new(o, "natural_coordinates", natural_json(&report));
  if (!r->a->json) { print_natural(&report); }
  mbd_natural_report_free(&report);
  return MBD_OK;
}

/* ---- masses and positions at the start ---- */

static double size_of(const measures *m) {
  double size = 0;
  for (int i = 0; i < 3; i++) { size = fmax(size, fmax(fabs(m->min[i]), fabs(m->max[i]))); }
  return size;
}

/* Returns mass, centre of mass in the frame of the body, and inertia about it, of every body. */
static json_t *masses(const mechanism_case *load) {
  const mbd_params *p = load->v->params;
  json_t *list = json_array();
  for (int i = 1; i <= mbd_model_nbody(load->v->model); i++) {
    mbd_body_report b;
    double com[3], J[9];
    mbd_model_body(load->v->model, i, &b);
    mbd_params_com(p, i, com), mbd_params_inertia(p, i, J);
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o, s:o}", "body", b.name, "mass", json_number(mbd_params_mass(p, i)),
                                    "centre_of_mass", json_numbers(com, 3), "inertia", json_numbers(J, 9)));
  }
  return list;
}

static void whole(const cli_run *r, const measures *m, json_t *o) {
  char com[PLACE_TEXT], min[PLACE_TEXT], max[PLACE_TEXT];
  const double size = size_of(m);
  json_object_set_new(o, "mass", json_number(m->mass));
  json_object_set_new(o, "centre_of_mass", json_numbers(m->com, 3));
  json_object_set_new(o, "extents",
                      json_pack("{s:o, s:o}", "least", json_numbers(m->min, 3), "most", json_numbers(m->max, 3)));
  if (r->a->json) { return; }
  printf("mass %.6g kg, centre of mass at %s m; extents from %s to %s m\n", m->mass, place_text(m->com, size, com),
         place_text(m->min, size, min), place_text(m->max, size, max));
}

static json_t *columns(const double A[9]) {
  json_t *a = json_array();
  for (int k = 0; k < 3; k++) { json_array_append_new(a, json_numbers((double[]){A[k], A[3 + k], A[6 + k]}, 3)); }
  return a;
}

/* Prints point, axes and zero of a joint, and adds them to its object. */
static void place(const cli_run *r, const mechanism_case *load, int i, double size, json_t *o) {
  mbd_joint_report j;
  joint_measures measured;
  char text[PLACE_TEXT];
  json_t *axes = json_array();
  mbd_model_joint(load->v->model, i, &j);
  measures_joint(load, i, &measured);
  for (int k = 0; k < measured.on_bodies.naxis; k++) { json_array_append_new(axes, json_numbers(measured.axis[k], 3)); }
  json_object_set_new(o, "point", measured.on_bodies.has_point ? json_numbers(measured.point, 3) : json_null());
  json_object_set_new(o, "axes", axes);
  json_object_set_new(o, "zero", columns(measured.on_bodies.zero));
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (out && measured.on_bodies.nz && !j.cut) { measures_write_zero(out, &j, &measured.on_bodies); }
  char *words = text_end(&stream);
  if (!words) { mbd_memory_note(); }
  json_object_set_new(o, "zero_words", json_text(words ? words : ""));
  /* the same as a line of text: the name, then what the joint has */
  if (r->a->json) {
    free(words);
    return;
  }
  printf("  %-20s", j.name);
  const char *separator = " ";
  if (measured.on_bodies.has_point) {
    printf("%sat %s", separator, place_text(measured.point, size, text)), separator = "; ";
  }
  for (int k = 0; k < measured.on_bodies.naxis; k++) {
    printf("%saxis %s", separator, place_text(measured.axis[k], 1, text)), separator = "; ";
  }
  if (words && *words) { printf("%s%s", separator, words); }
  free(words);
  putchar('\n');
}

static void places(const cli_run *r, const mechanism_case *load, json_t *o) {
  measures m;
  measures_take(load, &m);
  whole(r, &m, o);
  json_object_set_new(o, "masses", masses(load));
  if (!r->a->json) {
    printf("joints at the start [m] (with frame = global, frames coincide in the position of the model file)\n");
  }
  json_t *joint = json_object_get(o, "joints");
  for (int i = 0; i < mbd_model_njoint(load->v->model); i++) {
    place(r, load, i, size_of(&m), json_array_get(joint, (size_t)i));
  }
}

/* Prints numbers that look like millimetres on standard error, and adds them to the warnings of the start in the object. */
static mbd_status doubts(const cli_run *r, const mechanism_case *load, json_t *o, mbd_error *err) {
  char text[MEASURES_DOUBTS][MEASURES_TEXT];
  int n;
  json_t *list = warnings_json(r->m);
  mbd_status status = measures_doubts(load->v, text, &n, err);
  for (int i = 0; i < n && status == MBD_OK; i++) {
    if (r->a->verbosity >= 0) { fprintf(stderr, "mbopt: warning: %s\n", text[i]); }
    json_array_append_new(list, json_pack("{s:s, s:s, s:n, s:o}", "case", load->config->name, "kind", "units", "time",
                                          "text", json_text(text[i])));
  }
  json_object_set_new(o, "warnings", list);
  return status;
}

static void state(const cli_run *r, const double *z, const double *zd, json_t *o) {
  const mbd_model *model = r->m->variant[0].model;
  json_t *list = json_array();
  if (!r->a->json) { printf("start\n"); }
  const int states = mbd_model_nstate(model), first = mbd_model_nz(model) - states;
  json_t *of_states = json_array();
  for (int j = 0; j < first; j++) {
    const char *coordinate = mbd_model_z_name(model, j), *unit = mbd_model_z_unit(model, j);
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "coordinate", coordinate, "unit", unit, "value",
                                          json_number(z[j]), "rate", json_number(zd[j])));
    if (!r->a->json) { printf("  %-24s %16.9g %-4s rate %16.9g\n", coordinate, z[j], unit, zd[j]); }
  }
  json_object_set_new(o, "start", list);
  /* A state is the rate of its coordinate. */
  for (int i = 0; i < states; i++) {
    const char *name = mbd_model_z_name(model, first + i), *unit = mbd_model_state_unit(model, i);
    json_array_append_new(
        of_states, json_pack("{s:s, s:s, s:o}", "state", name, "unit", unit, "value", json_number(zd[first + i])));
    if (!r->a->json) { printf("  %-24s %16.9g %s%s\n", name, zd[first + i], unit, *unit ? ", a state" : "a state"); }
  }
  json_object_set_new(o, "states", of_states);
}

/* Draws closest.svg in the folder of the results, for a mechanism that cannot be assembled. */
static void draw_closest(const cli_run *r, const mechanism_case *load) {
  mbd_error err = {0};
  char *path = path_in(r->folder, "closest.svg");
  mbd_status status = path ? make_folder(r->folder, &err) : MEMORY_NONE(&err, "a path");
  if (status == MBD_OK) { status = position_write(load, path, &err); }
  if (status == MBD_OK) {
    fprintf(stderr, "mbopt: the position that comes closest is drawn in %s\n", path);
  } else {
    fprintf(stderr, "mbopt: warning: the position that comes closest is not drawn: %s\n", err.text);
  }
  free(path);
}

/* ---- the command ---- */

/* Writes model.html in the folder of the results: of all that the command prints, with files, picture and graph. */
static mbd_status write_page(const cli_run *r, const json_t *printed, mbd_error *err) {
  const mechanism_case *load = &r->m->cases[0];
  json_t *scene = NULL, *o = json_copy((json_t *)printed);
  mbd_status status = scene_at_start(r->m, load, load->sim, &scene, err);
  json_object_set_new(o, "scene", scene);
  if (status == MBD_OK) { status = mechanism_view_graph(load, o, err); }
  if (status != MBD_OK) {
    json_decref(o);
    return status;
  }
  json_object_set_new(o, "case", json_text(load->config->name));
  return cli_write_page(r, "model.html", o, model_page_write, err);
}

/* Prints the mechanism and its start, as text or as JSON, or draws the graph of its bodies and joints alone. */
int command_model(cli_run *r) {
  mbd_error err = {0};
  mechanism *mechanics = r->m;
  const char *format = r->a->format ? r->a->format : "text";
  mbd_status (*const draw)(FILE *, const mbd_model *, mbd_error *) = strcmp(format, "dot") == 0   ? joint_graph_dot
                                                                     : strcmp(format, "svg") == 0 ? joint_graph_svg
                                                                                                  : NULL;
  const mechanism_variant *v = &mechanics->variant[0]; /* the variant of the first case */
  int n = mbd_model_nz(v->model), json = r->a->json;
  if (draw && json) {
    (void)MBD_FAILED(&err, MBD_BAD_INPUT, "--json and --format %s are two formats, expected one of them", format);
    return cli_error(&err, EXIT_USAGE);
  }
  if (cli_need_case(r, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  if (draw) {
    const mbd_status drawn = draw(stdout, v->model, &err);
    return drawn == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(drawn));
  }
  /* What the model says without a start. */
  json_t *o = json_object();
  if (!json) { printf("%s\n", mbo_model_file_title(v->file)); }
  json_object_set_new(o, "title", json_string(mbo_model_file_title(v->file)));
  if (!json) { print_joints(v->model); }
  json_object_set_new(o, "tree", tree(v->model, json));
  mbd_status status = topology(v->model, json, o, &err);
  elements(v->model, json, o);
  /* The start, with its counts, places and warnings. */
  double *z = calloc(2 * (size_t)n + 1, sizeof *z);
  mbd_sim *sim = mechanics->cases[0].sim;
  if (status == MBD_OK && !z) { status = MEMORY_NONE(&err, "the report"); }
  if (status == MBD_OK) { status = mechanism_set_design(mechanics, mechanics->start, 0, &err); }
  if (status == MBD_OK) { status = mbd_sim_start(sim, v->params, z, z + n, NULL, NULL, &err); }
  if (status == MBD_OK) {
    mechanism_view(&mechanics->cases[0], o);
    hard_points_view(&mechanics->cases[0], o);
    if (!json) { print_counts(&mechanics->cases[0]); }
    status = natural(r, &mechanics->cases[0], o, &err);
  }
  if (status == MBD_OK) {
    places(r, &mechanics->cases[0], o);
    state(r, z, z + n, o);
    cli_print_warnings(r, "");
    status = doubts(r, &mechanics->cases[0], o, &err);
  }
  /* The page, or the picture of a mechanism that cannot be assembled. */
  if (status == MBD_OK && cli_requests_page(r->a)) { status = write_page(r, o, &err); }
  int code = status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, status > 0 ? EXIT_MODEL : cli_exit_code(status));
  if (status == MBD_NO_ASSEMBLY) { draw_closest(r, &mechanics->cases[0]); }
  if (json && status == MBD_OK) { code = cli_print_json(o, code); }
  free(z);
  json_decref(o);
  return code;
}
