#include "report/joint_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/page.h"

/* A cut joint, a constraint or a force between two bodies, in tree order with the ground as 0. */
typedef enum link_kind { LINK_CUT, LINK_CONSTRAINT, LINK_FORCE } link_kind;
typedef struct element_link {
  link_kind kind;
  const char *name, *type;
  int body[2];
  int beside; /* elements before it between the same two bodies */
} element_link;

typedef struct graph {
  const mbd_model *model;
  mbd_topology *t;
  int *parent; /* [nbody + 1] body */
  int n;
  element_link *element;
  double *x, *y; /* [nbody + 1] of a drawing: the middle of a body's box [px] */
  double layer;  /* from a body to those that it carries */
} graph;

static const struct {
  const char *colour, *what;
} looks[] = {[LINK_CUT] = {"#d55e00", "cut joint"},
             [LINK_CONSTRAINT] = {"#cc79a7", "constraint"},
             [LINK_FORCE] = {"#009e73", "force"}};

/* ---- what there is ---- */

static mbd_status add_element(graph *g, element_link link, mbd_error *err) {
  element_link *grown = mbd_list_grow(g->element, g->n, sizeof *grown);
  if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the graph of a mechanism"); }
  g->element = grown;
  for (int i = 0; i < g->n; i++) {
    const int *a = grown[i].body, *b = link.body;
    link.beside += (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
  }
  grown[g->n++] = link;
  return MBD_OK;
}

/* An element of several bodies has a line from the first to each of the others. */
static mbd_status add_lines(graph *g, element_link link, int n, const int *body, mbd_error *err) {
  if (n == 1 && body[0] > 0) {
    link.body[1] = body[0];
    return add_element(g, link, err);
  }
  for (int k = 1; k < n; k++) {
    link.body[0] = body[0], link.body[1] = body[k];
    MBD_TRY(add_element(g, link, err));
  }
  return MBD_OK;
}

static int find_body(const mbd_model *model, const char *name) {
  mbd_body_report r;
  for (int i = 1; i <= mbd_model_nbody(model); i++) {
    mbd_model_body(model, i, &r);
    if (strcmp(r.name, name) == 0) { return i; }
  }
  return 0;
}

enum { BODIES_MOST = 16 }; /* that one element may join */

/* Collects cut joints, constraints and forces with the bodies that they connect. */
static mbd_status gather_elements(graph *g, mbd_error *err) {
  const mbd_model *m = g->model;
  int body[BODIES_MOST];
  for (int i = 0; i < mbd_model_njoint(m); i++) {
    mbd_joint_report j;
    mbd_model_joint(m, i, &j);
    if (!j.cut) { continue; }
    const element_link cut = {LINK_CUT, j.name, j.type, {find_body(m, j.body[0]), find_body(m, j.body[1])}, 0};
    MBD_TRY(add_element(g, cut, err));
  }
  for (int i = 0; i < mbd_model_nconstraint(m); i++) {
    element_link link = {.kind = LINK_CONSTRAINT};
    link.name = mbd_model_constraint_name(m, i, &link.type, NULL, NULL);
    MBD_TRY(add_lines(g, link, mbd_model_constraint_bodies(m, i, BODIES_MOST, body), body, err));
  }
  for (int i = 0; i < mbd_model_nforce(m); i++) {
    element_link link = {.kind = LINK_FORCE};
    link.name = mbd_model_force_name(m, i, &link.type);
    MBD_TRY(add_lines(g, link, mbd_model_force_bodies(m, i, BODIES_MOST, body), body, err));
  }
  return MBD_OK;
}

static mbd_status gather(graph *g, mbd_error *err) {
  const size_t n = (size_t)mbd_model_nbody(g->model) + 1;
  MBD_TRY(mbd_topology_create(g->model, &g->t, err));
  g->parent = calloc(n, sizeof *g->parent);
  g->x = calloc(n, sizeof *g->x);
  g->y = calloc(n, sizeof *g->y);
  if (!g->parent || !g->x || !g->y) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the graph of a mechanism"); }
  for (int k = 0; k < g->t->njoint; k++) {
    const int parent = g->t->joint_parent[k];
    g->parent[g->t->body[k]] = parent ? g->t->body[parent - 1] : 0;
  }
  return gather_elements(g, err);
}

static void release(graph *g) {
  mbd_topology_destroy(g->t);
  free(g->parent), free(g->element), free(g->x), free(g->y);
}

static const char *body_name(const graph *g, int body) {
  mbd_body_report r;
  if (body == 0) { return "ground"; }
  mbd_model_body(g->model, body, &r);
  return r.name;
}

/* ---- Graphviz ---- */

static void quoted(FILE *out, const char *text) {
  putc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') { putc('\\', out); }
    putc(*text, out);
  }
  putc('"', out);
}

static void dot_line(FILE *out, const graph *g, int a, int b) {
  fputs("  ", out);
  quoted(out, body_name(g, a));
  fputs(" -> ", out);
  quoted(out, body_name(g, b));
}

/* Writes bodies as nodes, joints of the tree as solid lines and other elements as dashed lines. */
static void write_dot(FILE *out, const graph *g) {
  fputs(
      "digraph mechanism {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n  \"ground\" [style=filled, fillcolor=\"#d9d9d9\"];\n",
      out);
  for (int k = 0; k < g->t->njoint; k++) {
    const int body = g->t->body[k];
    mbd_body_report r;
    char text[512];
    mbd_model_body(g->model, body, &r);
    dot_line(out, g, g->parent[body], body);
    snprintf(text, sizeof text, "%d %s (%s)", k + 1, r.joint, r.joint_type);
    fputs(" [dir=none, label=", out);
    quoted(out, text);
    fputs("];\n", out);
  }
  for (int i = 0; i < g->n; i++) {
    const element_link *e = &g->element[i];
    char text[512];
    dot_line(out, g, e->body[0], e->body[1]);
    snprintf(text, sizeof text, "%s (%s)", e->name, e->type);
    fprintf(out,
            " [dir=none, style=dashed, constraint=false, color=\"%s\", fontcolor=\"%s\", label=", looks[e->kind].colour,
            looks[e->kind].colour);
    quoted(out, text);
    fputs("];\n", out);
  }
  fputs("}\n", out);
}

mbd_status joint_graph_dot(FILE *out, const mbd_model *model, mbd_error *err) {
  graph g = {.model = model};
  const mbd_status status = gather(&g, err);
  if (status == MBD_OK) { write_dot(out, &g); }
  release(&g);
  return status;
}

/* ---- a drawing ---- */

static const double margin = 30, box_height = 26, letter = 7.3, small_letter = 5.8, line = 12, gap = 22; /* [px] */

static double text_width(const char *text, double width) {
  return width * (double)strlen(text);
}

static double box_width(const graph *g, int body) {
  return text_width(body_name(g, body), letter) + 16;
}

/* "12 hip_flexion" and "revolute", which stand above each other beside the line. */
static void joint_words(const graph *g, int k, char words[256], const char **type) {
  mbd_body_report r;
  mbd_model_body(g->model, g->t->body[k], &r);
  snprintf(words, 256, "%d %s", k + 1, r.joint);
  *type = r.joint_type;
}

/* The body that is carried where an element joins a body with the one that carries it; 0: it joins others. */
static int beside_joint(const graph *g, const element_link *e) {
  const int *on = e->body;
  return on[1] && g->parent[on[1]] == on[0] ? on[1] : on[0] && g->parent[on[0]] == on[1] ? on[0] : 0;
}

/* Beside a joint are its words, and below them a line for each element that is there too. */
static void measure_layers(graph *g) {
  int most = 0;
  for (int i = 0; i < g->n; i++) {
    if (beside_joint(g, &g->element[i]) && g->element[i].beside >= most) { most = g->element[i].beside + 1; }
  }
  g->layer = 74 + line * most;
}

/* Room of a column to the left of its line, for boxes, and to the right, for boxes and the words of joints. */
static void measure_columns(const graph *g, double *left, double *right) {
  *left = *right = box_width(g, 0) / 2;
  for (int k = 0; k < g->t->njoint; k++) {
    char words[256];
    const char *type;
    joint_words(g, k, words, &type);
    *left = fmax(*left, box_width(g, g->t->body[k]) / 2);
    *right = fmax(*right, 6 + fmax(text_width(words, small_letter), text_width(type, small_letter)));
  }
  for (int i = 0; i < g->n; i++) {
    if (beside_joint(g, &g->element[i])) { *right = fmax(*right, 6 + text_width(g->element[i].name, small_letter)); }
  }
  *right = fmax(*left, *right) + gap;
}

/* Bodies that carry none have columns of their own in the order of the joints; the others stand over the middle between the first
 * and the last that they carry. Joints have higher numbers than those that carry them. Returns the number of columns. */
static int place_columns(graph *g) {
  const int n = g->t->njoint;
  int columns = 0;
  double *first = g->x, *last = g->y; /* of the children of a body, until its place is known */
  for (int i = 0; i <= n; i++) { first[i] = last[i] = -1; }
  for (int k = n - 1; k >= -1; k--) {
    const int body = k < 0 ? 0 : g->t->body[k];
    const double x = last[body] < 0 ? columns++ : (first[body] + last[body]) / 2;
    g->x[body] = x;
    if (k < 0) { break; }
    const int carrier = g->parent[body];
    if (last[carrier] < 0) { last[carrier] = x; }
    first[carrier] = x;
  }
  return columns;
}

static double place(graph *g, double *height) {
  double left, right, deepest = 0;
  measure_layers(g);
  measure_columns(g, &left, &right);
  const int columns = place_columns(g);
  for (int i = 0; i <= g->t->njoint; i++) { /* numbers of columns rise from the right to the left */
    g->x[i] = margin + left + (left + right) * (columns - 1 - g->x[i]);
    mbd_body_report r = {.level = 0};
    if (i) { mbd_model_body(g->model, i, &r); }
    g->y[i] = margin + box_height / 2 + g->layer * r.level;
    deepest = fmax(deepest, g->y[i]);
  }
  *height = deepest + box_height / 2 + 2 * margin;
  return 2 * margin + (left + right) * columns;
}

static void words_at(FILE *out, double x, double y, const char *look, const char *words) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, look);
  page_escape(out, words);
  fputs("</text>\n", out);
}

/* Where the line to a body goes across. */
static double bend_of(const graph *g, int body) {
  return g->y[body] - g->layer + box_height / 2 + 16;
}

/* Down from the carrier, across, down to the body. */
static void draw_joint(FILE *out, const graph *g, int k) {
  const int body = g->t->body[k], carrier = g->parent[body];
  const double middle = bend_of(g, body);
  char words[256];
  const char *type;
  fprintf(out, "<path d=\"M%.1f %.1fV%.1fH%.1fV%.1f\" fill=\"none\" stroke=\"#303030\" stroke-width=\"1.5\"/>\n",
          g->x[carrier], g->y[carrier], middle, g->x[body], g->y[body]);
  joint_words(g, k, words, &type);
  words_at(out, g->x[body] + 5, middle + 13, "font-size=\"10\"", words);
  words_at(out, g->x[body] + 5, middle + 13 + line, "font-size=\"10\" fill=\"#606060\"", type);
}

/* A bow, the wider the more of them there are between the two bodies; from one body to another above it to the left, since words are on the
 * right, and the wider the more layers it passes. The point that pulls it, and its middle. */
static void bow_of(const graph *g, const element_link *e, double pull[2], double middle[2]) {
  const int *on = e->body;
  const double a[2] = {g->x[on[0]], g->y[on[0]]}, b[2] = {g->x[on[1]], g->y[on[1]]};
  const double length = fmax(hypot(b[0] - a[0], b[1] - a[1]), 1), wide = 34 + 22 * e->beside;
  const int above = fabs(b[0] - a[0]) < 1;
  const double far = wide + 18 * (fabs(b[1] - a[1]) / g->layer - 1), height = !above ? wide : b[1] > a[1] ? -far : far;
  pull[0] = (a[0] + b[0]) / 2 + 2 * height * (b[1] - a[1]) / length;
  pull[1] = (a[1] + b[1]) / 2 - 2 * height * (b[0] - a[0]) / length;
  for (int i = 0; i < 2; i++) { middle[i] = (a[i] + b[i] + 2 * pull[i]) / 4; }
}

/* Beside the line of a joint, to the left and above; of many elements all but the first lie upon each other: their names are listed. */
static void write_way_beside(FILE *out, const graph *g, const element_link *e, int carried) {
  const int carrier = g->parent[carried];
  const double off = 6 + 4 * (e->beside < 2 ? e->beside : 2);
  fprintf(out, "M%.1f %.1fV%.1fH%.1fV%.1f", g->x[carrier] - off, g->y[carrier], bend_of(g, carried) - off + 2,
          g->x[carried] - off, g->y[carried]);
}

static void draw_element(FILE *out, const graph *g, const element_link *e) {
  const int carried = beside_joint(g, e);
  double pull[2], middle[2];
  fputs("<path d=\"", out);
  if (carried) {
    write_way_beside(out, g, e, carried);
  } else {
    bow_of(g, e, pull, middle);
    fprintf(out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", g->x[e->body[0]], g->y[e->body[0]], pull[0], pull[1],
            g->x[e->body[1]], g->y[e->body[1]]);
  }
  fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" stroke-dasharray=\"5 4\"><title>",
          looks[e->kind].colour);
  page_escape(out, e->type);
  fputs("</title></path>\n", out);
}

static void name_element(FILE *out, const graph *g, const element_link *e) {
  const int carried = beside_joint(g, e);
  double pull[2], middle[2];
  char look[160];
  if (carried) {
    snprintf(look, sizeof look, "font-size=\"10\" fill=\"%s\"", looks[e->kind].colour);
    words_at(out, g->x[carried] + 5, bend_of(g, carried) + 13 + line * (2 + e->beside), look, e->name);
    return;
  }
  bow_of(g, e, pull, middle);
  snprintf(look, sizeof look,
           "font-size=\"10\" text-anchor=\"middle\" fill=\"%s\" stroke=\"white\" stroke-width=\"3\" "
           "paint-order=\"stroke\"",
           looks[e->kind].colour);
  words_at(out, middle[0], middle[1], look, e->name);
}

static void draw_body(FILE *out, const graph *g, int body) {
  const double width = box_width(g, body);
  fputs("<g data-body=\"", out);
  page_escape(out, body_name(g, body));
  fputs("\">\n", out);
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\" fill=\"%s\" stroke=\"#303030\"/>\n",
          g->x[body] - width / 2, g->y[body] - box_height / 2, width, box_height, body ? "white" : "#d9d9d9");
  words_at(out, g->x[body], g->y[body] + 4, "text-anchor=\"middle\"", body_name(g, body));
  fputs("</g>\n", out);
}

/* Only what there is; returns the right end. `out` may be NULL: it is measured. */
static double draw_legend(FILE *out, const graph *g, double y) {
  double x = margin;
  for (int kind = LINK_CUT; kind <= LINK_FORCE; kind++) {
    int n = 0;
    for (int i = 0; i < g->n; i++) { n += (int)g->element[i].kind == kind; }
    if (n == 0) { continue; }
    if (out) {
      fprintf(out, "<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"1.3\" stroke-dasharray=\"5 4\"/>\n", x,
              y - 4, looks[kind].colour);
      words_at(out, x + 30, y, "font-size=\"10\"", looks[kind].what);
    }
    x += 30 + text_width(looks[kind].what, small_letter) + gap;
  }
  return x;
}

/* What the drawing takes up: from left, top to right, bottom. Bows may reach over the edges of the tree. */
static void write_svg(FILE *out, graph *g) {
  double left = 0, top = 0, right, bottom;
  right = place(g, &bottom);
  right = fmax(right, draw_legend(NULL, g, 0));
  for (int i = 0; i < g->n; i++) {
    double pull[2], middle[2];
    bow_of(g, &g->element[i], pull, middle);
    if (beside_joint(g, &g->element[i])) { continue; }
    const double words = text_width(g->element[i].name, small_letter) / 2 + gap;
    left = fmin(left, middle[0] - words), right = fmax(right, middle[0] + words);
    top = fmin(top, middle[1] - margin), bottom = fmax(bottom, middle[1] + 2 * margin);
  }
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f %.0f %.0f %.0f\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect x=\"%.0f\" y=\"%.0f\" width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          right - left, bottom - top, left, top, right - left, bottom - top, left, top);
  for (int i = 0; i < g->n; i++) { draw_element(out, g, &g->element[i]); }
  for (int k = 0; k < g->t->njoint; k++) { draw_joint(out, g, k); }
  for (int i = 0; i <= g->t->njoint; i++) { draw_body(out, g, i); }
  for (int i = 0; i < g->n; i++) { name_element(out, g, &g->element[i]); }
  (void)draw_legend(out, g, bottom - 10);
  fputs("</svg>\n", out);
}

mbd_status joint_graph_svg(FILE *out, const mbd_model *model, mbd_error *err) {
  graph g = {.model = model};
  const mbd_status status = gather(&g, err);
  if (status == MBD_OK) { write_svg(out, &g); }
  release(&g);
  return status;
}
