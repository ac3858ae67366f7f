#include "report/model_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "mbd/picture.h"
#include "mbd/version.h"
#include "mechanism/measures.h"
#include "mechanism/warnings.h"
#include "report/assets.h"
#include "report/mechanism_parts.h"
#include "report/page.h"
#include "report/run_parts.h"
#include "report/scene.h"

enum { BODIES_MOST = 16 };            /* largest number of bodies that one element connects */
static const double rounding = 1e-14; /* coordinates below this are shown as 0 */

typedef struct writer {
  page *p;
  const mechanism *m;
  const mechanism_case *q;
  const mbd_model *model;
  const json_t *told;
  int *parent; /* [nbody + 1] body that carries the body; 0: the ground */
} writer;

static const char *body_name(const writer *w, int body) {
  mbd_body_report report;
  if (body == 0) { return "ground"; }
  mbd_model_body(w->model, body, &report);
  return report.name;
}

static int find_body(const writer *w, const char *name) {
  for (int i = mbd_model_nbody(w->model); i > 0; i--) {
    if (strcmp(body_name(w, i), name) == 0) { return i; }
  }
  return 0;
}

static mbd_status find_parents(writer *w, mbd_error *err) {
  mbd_topology *tree = NULL;
  w->parent = calloc((size_t)mbd_model_nbody(w->model) + 1, sizeof *w->parent);
  if (!w->parent) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the page"); }
  MBD_TRY(mbd_topology_create(w->model, &tree, err));
  for (int k = 0; k < tree->njoint; k++) {
    w->parent[tree->body[k]] = tree->joint_parent[k] ? tree->body[tree->joint_parent[k] - 1] : 0;
  }
  mbd_topology_destroy(tree);
  return MBD_OK;
}

/* ---- the mechanism ---- */

/* Files, mass, centre of mass and extents of the mechanism at the start. */
static void facts(const writer *w) {
  measures measured;
  char text[3][MEASURES_PLACE];
  const char *part;
  const mbo_model_file *file = w->q->v->file;
  measures_take(w->q, &measured);
  double size = 0;
  for (int i = 0; i < 3; i++) { size = fmax(size, fmax(fabs(measured.least[i]), fabs(measured.most[i]))); }
  page_facts_open(w->p);
  page_fact(w->p, "mechanism", mbo_model_file_title(file));
  page_fact(w->p, "run file", w->m->config->path);
  page_fact_file(w->p, "model file", w->m->config->model_path);
  for (int i = 0; (part = mbo_model_file_part(file, i)) != NULL; i++) { page_fact_file(w->p, "part", part); }
  page_fact(w->p, "load case", w->q->config->name);
  page_fact_of(w->p, "mass", "%.6g kg", measured.mass);
  page_fact_of(w->p, "centre of mass at the start", "%s m", measures_place(measured.com, size, text[0]));
  page_fact_of(w->p, "extents at the start", "from %s to %s m", measures_place(measured.least, size, text[1]),
               measures_place(measured.most, size, text[2]));
  page_fact_of(w->p, "program", "mbopt %s", MBD_VERSION);
  page_facts_close(w->p);
}

/* For paragraphs "WHAT a, b, c." with up to MOST names. */
typedef const char *(*name_at)(const writer *w, const int *list, int i);

static void names(const writer *w, const char *what, int n, const int *list, name_at name) {
  enum { MOST = 60 };
  text_stream stream;
  if (n == 0) { return; }
  FILE *out = text_begin(&stream);
  for (int i = 0; out && i < n && i < MOST; i++) { fprintf(out, "%s%s", i ? ", " : "", name(w, list, i)); }
  char *text = text_end(&stream);
  if (!text) { page_lost(w->p); }
  page_text(w->p, "%s %s%s.", what, text ? text : "", n > MOST ? ", ..." : "");
  free(text);
}

static const char *hold_name(const writer *w, const int *list, int i) {
  (void)list;
  return mbd_model_hold_name(w->model, i);
}

static const char *coordinate_name(const writer *w, const int *list, int i) {
  return mbd_model_z_name(w->model, list[i]);
}

/* Writes the quantities that the start holds, besides the constraints. */
static void held(const writer *w) {
  int rank, nheld;
  const int *row, *list;
  mbd_sim_rank(w->q->sim, &rank, &row, &nheld, &list);
  names(w, "Held at the start:", mbd_model_nhold(w->model), NULL, hold_name);
  names(w, "Held at the start at the values of the model, for no others are given:", nheld, list, coordinate_name);
}

static void warnings(const writer *w) {
  size_t i;
  const json_t *one;
  json_array_foreach(json_object_get(w->told, "warnings"), i, one) {
    char *words = warning_words(one);
    if (!words) { page_lost(w->p); }
    page_note(w->p, "%s", words ? words : "");
    free(words);
  }
}

/* ---- picture and graph ---- */

/* The picture of the mechanism at its start, which scene.js draws. */
static mbd_status picture(const writer *w, mbd_error *err) {
  json_t *scene;
  MBD_TRY(scene_at_start(w->m, w->q, w->q->sim, &scene, err));
  page_container(w->p, "scene");
  page_style(w->p, mbo_asset_scene_css);
  page_script(w->p, mbo_asset_scene_js);
  page_json(w->p, "start", scene);
  json_decref(scene);
  page_script(
      w->p,
      "(function () {\n"
      "  var d = JSON.parse(document.getElementById('start').textContent);\n"
      "  window.mbopt_motion = mbopt_scene(document.getElementById('scene'), {up: d.up, cases: [d.case]}, null);\n"
      "})();\n");
  return MBD_OK;
}

static mbd_status the_mechanism(const writer *w, mbd_error *err) {
  page_section(w->p, "Mechanism");
  mechanism_part_equations(w->p, w->q);
  held(w);
  page_beside_open(w->p);
  MBD_TRY(picture(w, err));
  MBD_TRY(
      mechanism_part_graph(w->p, w->q,
                           "Bodies and joints with their numbers; dashed what closes loops or acts between bodies. "
                           "A body under the mouse, or with the focus, is alone in colour in the picture; one under "
                           "the mouse there is marked here.",
                           err));
  page_figures_close(w->p);
  return MBD_OK;
}

/* ---- loops ---- */

/* Lists the bodies on the path from a to b in the tree; returns how many, at most `most`. */
static int way(const writer *w, int a, int b, int most, int *list) {
  int n = 0, back = 0;
  int *tail = calloc((size_t)most + 1, sizeof *tail);
  if (!tail) { page_lost(w->p); }
  while (tail && n + back < most) {
    mbd_body_report of[2] = {{.level = 0}, {.level = 0}};
    if (a > 0) { mbd_model_body(w->model, a, &of[0]); }
    if (b > 0) { mbd_model_body(w->model, b, &of[1]); }
    if (a == b) {
      list[n++] = a;
      break;
    }
    if (of[0].level >= of[1].level) {
      list[n++] = a, a = w->parent[a];
    } else {
      tail[back++] = b, b = w->parent[b];
    }
  }
  while (back > 0) { list[n++] = tail[--back]; }
  free(tail);
  return n;
}

static void write_way(FILE *out, const writer *w, int n, const int *list) {
  enum { ENDS = 12 }; /* of a long path both ends are shown */
  for (int i = 0; i < n; i++) {
    if (n > 2 * ENDS && i == ENDS) {
      fprintf(out, " – ... (%d bod%s)", n - 2 * ENDS, plural_y(n - 2 * ENDS)), i = n - ENDS;
    }
    fprintf(out, "%s%s", i ? " – " : "", body_name(w, list[i]));
  }
}

static void loop_row(const writer *w, const char *name, const char *type, int equations, int n, const int *list) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (out) { write_way(out, w, n, list); }
  page_row(w->p);
  page_cell(w->p, name);
  page_cell(w->p, type);
  page_cell_number(w->p, equations, PAGE_DIGITS, NULL);
  page_cell_of(w->p, &stream);
}

/* Returns 1 if a constraint closes a loop, as a cut joint does: it connects bodies that are not neighbours in the
 * tree. */
static int closes(const writer *w, int constraint, int *list, int most) {
  int body[BODIES_MOST];
  if (mbd_model_constraint_bodies(w->model, constraint, BODIES_MOST, body) < 2) { return 0; }
  const int n = way(w, body[0], body[1], most, list);
  return n > 2 ? n : 0;
}

/* Writes the table of cut joints and constraints that close loops, with the bodies of each loop. */
static void loops(const writer *w) {
  static const char *const heading[] = {"closed by", "type", "equations", "bodies around the loop"};
  const int most = mbd_model_nbody(w->model) + 1;
  int *list = calloc((size_t)most + 1, sizeof *list), n = 0;
  if (!list) { page_lost(w->p); }
  for (int i = 0; list && i < mbd_model_njoint(w->model); i++) {
    mbd_joint_report joint;
    mbd_model_joint(w->model, i, &joint);
    n += joint.cut;
  }
  for (int i = 0; list && i < mbd_model_nconstraint(w->model); i++) { n += closes(w, i, list, most) > 0; }
  page_section(w->p, "Loops");
  if (n == 0) {
    page_text(w->p, "Bodies and joints are a tree: there is no loop.");
    free(list);
    return;
  }
  page_text(w->p, "The tree is cut where a loop closes: there, equations hold the bodies together.");
  page_table_open(w->p, 4, heading);
  for (int i = 0; list && i < mbd_model_njoint(w->model); i++) {
    mbd_joint_report joint;
    mbd_model_joint(w->model, i, &joint);
    if (!joint.cut) { continue; }
    const int around = way(w, find_body(w, joint.body[0]), find_body(w, joint.body[1]), most, list);
    loop_row(w, joint.name, joint.type, joint.nphi, around, list);
  }
  for (int i = 0; list && i < mbd_model_nconstraint(w->model); i++) {
    const char *type;
    int row, equations;
    const char *name = mbd_model_constraint_name(w->model, i, &type, &row, &equations);
    const int around = closes(w, i, list, most);
    if (around) { loop_row(w, name, type, equations, around, list); }
  }
  page_table_close(w->p);
  free(list);
}

/* ---- tables ---- */

static void coordinates(const writer *w, const double *z, const double *zd) {
  static const char *const heading[] = {"coordinate", "at the start", "unit", "rate, per s"};
  page_section(w->p, "Coordinates");
  page_text(w->p,
            "At the start of case %s; numbers below %g are shown as 0. The table of joints says where a coordinate "
            "is zero.",
            w->q->config->name, rounding);
  page_table_open(w->p, 4, heading);
  for (int j = 0; j < mbd_model_nz(w->model); j++) {
    page_row(w->p);
    page_cell(w->p, mbd_model_z_name(w->model, j));
    page_cell_number(w->p, fabs(z[j]) < rounding ? 0 : z[j], PAGE_DIGITS, NULL);
    page_cell(w->p, mbd_model_z_unit(w->model, j));
    page_cell_number(w->p, fabs(zd[j]) < rounding ? 0 : zd[j], PAGE_DIGITS, NULL);
  }
  page_table_close(w->p);
}

static void place_cell(const writer *w, double x, double y, double z) {
  char text[MEASURES_PLACE];
  page_cell(w->p, measures_place((double[]){x, y, z}, fmax(fabs(x), fmax(fabs(y), fabs(z))), text));
}

/* Writes the table of bodies: parent, mass, centre of mass, inertia. */
static void bodies(const writer *w) {
  static const char *const heading[] = {"body",
                                        "carried by",
                                        "by the joint",
                                        "mass [kg]",
                                        "centre of mass [m]",
                                        "inertia xx, yy, zz [kg m²]",
                                        "xy, yz, zx [kg m²]"};
  const mbd_params *params = w->q->v->params;
  page_section(w->p, "Bodies");
  page_text(w->p, "Centres of mass are in the frame of the body, inertias about the centre of mass along its axes.");
  page_table_open(w->p, 7, heading);
  for (int i = 1; i <= mbd_model_nbody(w->model); i++) {
    mbd_body_report report;
    double com[3], J[9];
    mbd_model_body(w->model, i, &report);
    mbd_params_com(params, i, com);
    mbd_params_inertia(params, i, J);
    page_row_of_body(w->p, report.name);
    page_cell(w->p, report.name);
    page_cell(w->p, report.parent);
    page_cell(w->p, report.joint);
    page_cell_number(w->p, mbd_params_mass(params, i), PAGE_DIGITS, NULL);
    place_cell(w, com[0], com[1], com[2]);
    place_cell(w, J[0], J[4], J[8]);
    place_cell(w, J[1], J[5], J[6]);
  }
  page_table_close(w->p);
}

/* The joint to which the equation of an element belongs, found by the longest joint name with which the element's name
 * begins; -1: none. */
static int joint_of(const writer *w, const char *element) {
  int found = -1;
  size_t most = 0;
  for (int i = 0; i < mbd_model_njoint(w->model); i++) {
    mbd_joint_report joint;
    mbd_model_joint(w->model, i, &joint);
    const size_t n = strlen(joint.name);
    if (n > most && strncmp(element, joint.name, n) == 0 && element[n] == '.') { found = i, most = n; }
  }
  return found;
}

static void write_bodies(FILE *out, const writer *w, const char *element, int n, const int *body) {
  const int joint = n == 0 ? joint_of(w, element) : -1;
  for (int i = 0; i < n; i++) { fprintf(out, "%s%s", i ? ", " : "", body_name(w, body[i])); }
  if (joint >= 0) {
    mbd_joint_report report;
    mbd_model_joint(w->model, joint, &report);
    fprintf(out, "%s, %s", report.body[0], report.body[1]);
  }
}

static void element_row(const writer *w, const char *name, const char *kind, const char *type, int equations, int n,
                        const int *body) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (out) { write_bodies(out, w, name, n, body); }
  page_row(w->p);
  page_cell(w->p, name);
  page_cell(w->p, kind);
  page_cell(w->p, type);
  page_cell_number(w->p, equations > 0 ? (double)equations : NAN, PAGE_DIGITS, NULL);
  page_cell_of(w->p, &stream);
}

static void elements(const writer *w) {
  static const char *const heading[] = {"element", "kind", "type", "equations", "acts on"};
  const int nc = mbd_model_nconstraint(w->model), nf = mbd_model_nforce(w->model);
  const char *type, *name;
  int body[BODIES_MOST], row, n;
  if (nc + nf == 0) { return; }
  page_section(w->p, "Elements");
  page_table_open(w->p, 5, heading);
  for (int i = 0; i < nc; i++) {
    name = mbd_model_constraint_name(w->model, i, &type, &row, &n);
    element_row(w, name, "constraint", type, n, mbd_model_constraint_bodies(w->model, i, BODIES_MOST, body), body);
  }
  for (int i = 0; i < nf; i++) {
    name = mbd_model_force_name(w->model, i, &type);
    element_row(w, name, "force", type, 0, mbd_model_force_bodies(w->model, i, BODIES_MOST, body), body);
  }
  page_table_close(w->p);
}

static int integer(const json_t *object, const char *key) {
  return (int)json_integer_value(json_object_get(object, key));
}

/* Writes the sizes of the mechanism in natural coordinates, or why it has none. */
static void natural(const writer *w) {
  const json_t *answer = json_object_get(w->told, "natural_coordinates"), *why = json_object_get(answer, "why_not");
  page_section(w->p, "Natural coordinates");
  if (why) {
    page_text(w->p, "None: %s", json_string_value(why));
    return;
  }
  const int npoint = (int)json_array_size(json_object_get(answer, "points")),
            nvector = (int)json_array_size(json_object_get(answer, "vectors")),
            nvariable = integer(answer, "variables"), nequation = integer(answer, "equations"),
            freedoms = integer(answer, "degrees_of_freedom");
  page_text(w->p,
            "%d variable%s (%d point%s, %d vector%s; angles and distances: %zu), %d equation%s of rank %d at the "
            "start: %d degree%s of freedom.",
            nvariable, plural(nvariable), npoint, plural(npoint), nvector, plural(nvector),
            json_array_size(json_object_get(answer, "coordinates")), nequation, plural(nequation),
            integer(answer, "rank"), freedoms, plural(freedoms));
}

/* ---- the page ---- */

static mbd_status all_parts(const writer *w, const double *z, const double *zd, mbd_error *err) {
  page_section(w->p, "What it is");
  facts(w);
  warnings(w);
  MBD_TRY(the_mechanism(w, err));
  loops(w);
  page_section(w->p, "Joints");
  mechanism_part_joints(w->p, w->q, 1);
  coordinates(w, z, zd);
  bodies(w);
  elements(w);
  natural(w);
  return MBD_OK;
}

mbd_status model_page_write(const mechanism *m, const mechanism_case *q, const double *z, const double *zd,
                            const json_t *told, const char *path, mbd_error *err) {
  writer w = {.m = m, .q = q, .model = q->v->model, .told = told};
  const char *slash = strrchr(m->config->path, '/');
  char *title = mbd_sprintf_dup("%s: mechanism", slash ? slash + 1 : m->config->path);
  mbd_status status = title ? page_create(title, &w.p, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the page");
  if (status == MBD_OK) { status = find_parents(&w, err); }
  if (status == MBD_OK) { status = all_parts(&w, z, zd, err); }
  if (status == MBD_OK) { status = page_write(w.p, path, err); }
  page_destroy(w.p);
  free(w.parent), free(title);
  return status;
}
