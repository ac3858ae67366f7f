#include "results/joint_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/xml.h"

/* A cut joint, a constraint or a force between two bodies, in tree order with the ground as 0. */
typedef enum link_kind { LINK_CUT, LINK_CONSTRAINT, LINK_FORCE } link_kind;
typedef struct element_link {
  link_kind kind;
  const char *name, *type;
  int body[2];
  int beside;   /* elements before it between the same two bodies */
  double bend;  /* of a bow: its height beside the usual one */
  double at[2]; /* the middle of its name beside a bow; in an outline the left end of its name [px] */
  int lane;     /* of an outline: the place of its line, from the left */
} element_link;

typedef struct graph {
  const mbd_model *model;
  mbd_topology *t;
  int *parent; /* [nbody + 1] body */
  int n;
  element_link *element;
  double *x, *y; /* [nbody + 1] of a drawing: the middle of a body's box [px] */
  double layer;  /* from a body to those that it carries */
  double column; /* from a body that carries none to the next one */
  int *row;      /* [nbody + 1] of an outline: body of each row */
} graph;

static const struct {
  const char *colour, *ink, *what; /* of lines; of words, which are legible on white only where they are darker */
} looks[] = {[LINK_CUT] = {"#d55e00", "#b04a00", "cut joint"},
             [LINK_CONSTRAINT] = {"#cc79a7", "#a03070", "constraint"},
             [LINK_FORCE] = {"#009e73", "#00724f", "force"}};

/* ---- what there is ---- */

static mbd_status add_element(graph *g, element_link link, mbd_error *err) {
  element_link *grown = mbd_list_grow(g->element, g->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the graph of a mechanism");
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

enum { BODIES_MAX = 16 }; /* that one element may join */

/* Collects cut joints, constraints and forces with the bodies that they connect. */
static mbd_status gather_elements(graph *g, mbd_error *err) {
  const mbd_model *m = g->model;
  int body[BODIES_MAX];
  for (int i = 0; i < mbd_model_njoint(m); i++) {
    mbd_joint_report j;
    mbd_model_joint(m, i, &j);
    if (!j.cut) { continue; }
    const element_link cut = {LINK_CUT, j.name, j.type, {find_body(m, j.body[0]), find_body(m, j.body[1])},
                              0,        1,      {0},    0};
    MBD_TRY(add_element(g, cut, err));
  }
  /* constraints and forces, with all bodies of each */
  for (int i = 0; i < mbd_model_nconstraint(m); i++) {
    element_link link = {.kind = LINK_CONSTRAINT, .bend = 1};
    link.name = mbd_model_constraint_name(m, i, &link.type, NULL, NULL);
    MBD_TRY(add_lines(g, link, mbd_model_constraint_bodies(m, i, BODIES_MAX, body), body, err));
  }
  for (int i = 0; i < mbd_model_nforce(m); i++) {
    element_link link = {.kind = LINK_FORCE, .bend = 1};
    link.name = mbd_model_force_name(m, i, &link.type);
    MBD_TRY(add_lines(g, link, mbd_model_force_bodies(m, i, BODIES_MAX, body), body, err));
  }
  return MBD_OK;
}

static mbd_status gather(graph *g, mbd_error *err) {
  const size_t n = (size_t)mbd_model_nbody(g->model) + 1;
  MBD_TRY(mbd_topology_create(g->model, &g->t, err));
  g->parent = calloc(n, sizeof *g->parent);
  g->x = calloc(n, sizeof *g->x);
  g->y = calloc(n, sizeof *g->y);
  g->row = calloc(n, sizeof *g->row);
  MEMORY_TRY(g->parent && g->x && g->y && g->row, err, "the graph of a mechanism");
  for (int k = 0; k < g->t->njoint; k++) {
    const int parent = g->t->joint_parent[k];
    g->parent[g->t->body[k]] = parent ? g->t->body[parent - 1] : 0;
  }
  return gather_elements(g, err);
}

static mbd_status write_graph(FILE *out, const mbd_model *model, void (*write)(FILE *, graph *), mbd_error *err) {
  graph g = {.model = model};
  const mbd_status status = gather(&g, err);
  if (status == MBD_OK) { write(out, &g); }
  mbd_topology_destroy(g.t);
  free(g.parent), free(g.element), free(g.x), free(g.y), free(g.row);
  return status;
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
static void write_dot(FILE *out, graph *g) {
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
  /* constraints, forces and cut joints, which do not move the nodes */
  for (int i = 0; i < g->n; i++) {
    const element_link *e = &g->element[i];
    char text[512];
    dot_line(out, g, e->body[0], e->body[1]);
    snprintf(text, sizeof text, "%s (%s)", e->name, e->type);
    fprintf(out,
            " [dir=none, style=dashed, constraint=false, color=\"%s\", fontcolor=\"%s\", label=", looks[e->kind].colour,
            looks[e->kind].ink);
    quoted(out, text);
    fputs("];\n", out);
  }
  fputs("}\n", out);
}

mbd_status joint_graph_dot(FILE *out, const mbd_model *model, mbd_error *err) {
  return write_graph(out, model, write_dot, err);
}

/* ---- a drawing ---- */

static const double margin = 30, box_height = 26, letter = 7.3, small_letter = 5.8, line = 12, gap = 22; /* [px] */

static double text_width(const char *text, double width) {
  return width * (double)strlen(text);
}

static double box_width(const graph *g, int body) {
  return text_width(body_name(g, body), letter) + 16;
}

/* "12 hip_flexion" and "revolute", which stand above each other beside the line; the width of the wider one [px]. */
typedef struct joint_label {
  char name[256];
  const char *type;
  double width;
} joint_label;

static joint_label label_of(const graph *g, int k) {
  joint_label label;
  mbd_body_report r;
  mbd_model_body(g->model, g->t->body[k], &r);
  snprintf(label.name, sizeof label.name, "%d %s", k + 1, r.joint);
  label.type = r.joint_type;
  label.width = fmax(text_width(label.name, small_letter), text_width(label.type, small_letter));
  return label;
}

/* The body that is carried where an element joins a body with the one that carries it; 0: it joins others. */
static int beside_joint(const graph *g, const element_link *e) {
  const int *on = e->body;
  return on[1] && g->parent[on[1]] == on[0] ? on[1] : on[0] && g->parent[on[0]] == on[1] ? on[0] : 0;
}

/* Room of a column to the left of its line, for boxes, and to the right, for boxes and the words of joints. */
static void measure_columns(const graph *g, double *left, double *right) {
  *left = *right = box_width(g, 0) / 2;
  for (int k = 0; k < g->t->njoint; k++) {
    *left = fmax(*left, box_width(g, g->t->body[k]) / 2);
    *right = fmax(*right, 6 + label_of(g, k).width);
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
  int max = 0;
  /* Beside a joint are its words, and below them a line for each element that is there too. */
  for (int i = 0; i < g->n; i++) {
    if (beside_joint(g, &g->element[i]) && g->element[i].beside >= max) { max = g->element[i].beside + 1; }
  }
  g->layer = 74 + line * max;
  measure_columns(g, &left, &right);
  const int columns = place_columns(g);
  g->column = left + right;
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
  xml_escape(out, words);
  fputs("</text>\n", out);
}

/* Returns the height at which the line to a body is horizontal. */
static double bend_of(const graph *g, int body) {
  return g->y[body] - g->layer + box_height / 2 + 16;
}

/* Words over lines. */
#define HALO "stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\""

/* Draws the line of a joint: down from the body that carries it, across, down to the body. */
static void draw_joint(FILE *out, const graph *g, int k) {
  const int body = g->t->body[k], carrier = g->parent[body];
  const double middle = bend_of(g, body);
  const joint_label label = label_of(g, k);
  fprintf(out, "<path d=\"M%.1f %.1fV%.1fH%.1fV%.1f\" fill=\"none\" stroke=\"#303030\" stroke-width=\"1.5\"/>\n",
          g->x[carrier], g->y[carrier], middle, g->x[body], g->y[body]);
  words_at(out, g->x[body] + 5, middle + 13, "font-size=\"10\" " HALO, label.name);
  words_at(out, g->x[body] + 5, middle + 13 + line, "font-size=\"10\" fill=\"#606060\" " HALO, label.type);
}

/* A bow, the wider the more of them there are between the two bodies, and the more columns it passes, so that bows to one body lie within
 * each other; from one body to another above it to the left, since words are on the right, and the wider the more layers it passes. The point
 * that pulls it. */
static void bow_of(const graph *g, const element_link *e, double control[2]) {
  const int *on = e->body;
  const double a[2] = {g->x[on[0]], g->y[on[0]]}, b[2] = {g->x[on[1]], g->y[on[1]]};
  const double length = fmax(hypot(b[0] - a[0], b[1] - a[1]), 1);
  const double passed = fmax(fabs(b[0] - a[0]) / g->column - 1, 0); /* columns */
  const double wide = 34 + gap * (e->beside + 2 * passed);
  const int above = fabs(b[0] - a[0]) < 1;
  const double far = wide + 18 * (fabs(b[1] - a[1]) / g->layer - 1), height = !above ? wide : b[1] > a[1] ? -far : far;
  control[0] = (a[0] + b[0]) / 2 + 2 * e->bend * height * (b[1] - a[1]) / length;
  control[1] = (a[1] + b[1]) / 2 - 2 * e->bend * height * (b[0] - a[0]) / length;
}

/* The point of a bow where it is `part` of its way. */
static void point_of(const graph *g, const element_link *e, double part, double point[2]) {
  double control[2];
  bow_of(g, e, control);
  const double from = (1 - part) * (1 - part), middle = 2 * part * (1 - part), to = part * part;
  point[0] = from * g->x[e->body[0]] + middle * control[0] + to * g->x[e->body[1]];
  point[1] = from * g->y[e->body[0]] + middle * control[1] + to * g->y[e->body[1]];
}

/* ---- names of bows, where they cover nothing ---- */

typedef struct box {
  double left, right, top, bottom; /* [px] */
} box;

static int overlap(const box *a, const box *b) {
  return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static box name_box(const element_link *e, const double at[2]) {
  const double half = text_width(e->name, small_letter) / 2 + 3;
  return (box){at[0] - half, at[0] + half, at[1] - line, at[1] + 4};
}

static box body_box(const graph *g, int body) {
  const double half = box_width(g, body) / 2;
  return (box){g->x[body] - half, g->x[body] + half, g->y[body] - box_height / 2, g->y[body] + box_height / 2};
}

/* The words beside a joint and the names of elements below them. */
static box joint_box(const graph *g, int k) {
  const int body = g->t->body[k];
  double width = label_of(g, k).width;
  int lines = 2;
  for (int i = 0; i < g->n; i++) {
    if (beside_joint(g, &g->element[i]) != body) { continue; }
    width = fmax(width, text_width(g->element[i].name, small_letter));
    lines++;
  }
  return (box){g->x[body] - 2, g->x[body] + 5 + width, bend_of(g, body), bend_of(g, body) + 4 + line * lines};
}

/* How many points of another bow lie in a box. */
static int points_in(const graph *g, const element_link *e, const box *b) {
  enum { POINTS = 60 };
  int n = 0;
  for (int i = 1; i < POINTS; i++) {
    double p[2];
    point_of(g, e, (double)i / POINTS, p);
    n += p[0] > b->left && p[0] < b->right && p[1] > b->top && p[1] < b->bottom;
  }
  return n;
}

/* How much of a bow lies beside another one that has its place, away from their ends. */
static int runs_along(const graph *g, const element_link *e, const element_link *other) {
  enum { POINTS = 24, ENDS = 5 };
  static const double apart = 9; /* [px] */
  int n = 0;
  for (int i = ENDS; i <= POINTS - ENDS; i++) {
    double p[2], q[2], min = INFINITY;
    point_of(g, e, (double)i / POINTS, p);
    for (int k = ENDS; k <= POINTS - ENDS; k++) {
      point_of(g, other, (double)k / POINTS, q);
      min = fmin(min, hypot(p[0] - q[0], p[1] - q[1]));
    }
    n += min < apart;
  }
  return n;
}

/* How much of bow `which` runs through words of joints, through bodies other than its own, and along earlier bows. */
static int runs_through(const graph *g, int which) {
  const element_link *e = &g->element[which];
  int n = 0;
  for (int i = 0; i < which; i++) {
    if (!beside_joint(g, &g->element[i])) { n += runs_along(g, e, &g->element[i]); }
  }
  for (int i = 0; i <= g->t->njoint; i++) {
    const box body = body_box(g, i);
    if (i != e->body[0] && i != e->body[1]) { n += points_in(g, e, &body); }
  }
  for (int k = 0; k < g->t->njoint; k++) {
    const box joint = joint_box(g, k);
    n += points_in(g, e, &joint);
  }
  return n;
}

/* Bows go as usual, to the other side, or farther, where they run through least. */
static void choose_bends(graph *g) {
  static const double bends[] = {1, -1, 1.5, -1.5, 2, -2, 3, -3, 4, -4};
  for (int i = 0; i < g->n; i++) {
    element_link *e = &g->element[i];
    int min = -1;
    double best = 1;
    for (size_t k = 0; k < sizeof bends / sizeof *bends && !beside_joint(g, e); k++) {
      e->bend = bends[k];
      const int n = runs_through(g, i);
      if (min < 0 || n < min) { min = n, best = bends[k]; }
    }
    e->bend = best;
  }
}

/* What the name of bow `which` would cover at this place: boxes and words, and names that have a place already, count more than bows. */
static int covered(const graph *g, int which, const double at[2]) {
  enum { WORDS = 1000 };
  const box name = name_box(&g->element[which], at);
  int n = 0;
  for (int i = 0; i <= g->t->njoint; i++) {
    const box body = body_box(g, i);
    n += WORDS * overlap(&name, &body);
  }
  for (int k = 0; k < g->t->njoint; k++) {
    const box joint = joint_box(g, k);
    n += WORDS * overlap(&name, &joint);
  }
  for (int i = 0; i < g->n; i++) {
    const element_link *other = &g->element[i];
    if (i == which || beside_joint(g, other)) { continue; }
    const box there = name_box(other, other->at);
    n += i < which ? WORDS * overlap(&name, &there) : 0;
    n += points_in(g, other, &name);
  }
  return n;
}

/* Each name stands at its bow, as near to the middle as it covers least. */
static void place_names(graph *g) {
  enum { STEPS = 17 };
  for (int i = 0; i < g->n; i++) {
    element_link *e = &g->element[i];
    int min = -1;
    if (beside_joint(g, e)) { continue; }
    for (int k = 0; k < STEPS; k++) { /* 0.5, 0.54, 0.46, ... 0.82, 0.18 */
      double at[2];
      point_of(g, e, 0.5 + (k % 2 ? 0.04 : -0.04) * ((k + 1) / 2), at);
      at[1] += 4; /* the line through the middle of the letters */
      const int n = covered(g, i, at);
      if (min < 0 || n < min) { min = n, e->at[0] = at[0], e->at[1] = at[1]; }
    }
  }
}

/* Beside the line of a joint, to the left and above; of many elements all but the first lie upon each other: their names are listed. */
static void draw_element(FILE *out, const graph *g, const element_link *e) {
  const int carried = beside_joint(g, e);
  double control[2];
  fputs("<path d=\"", out);
  if (carried) {
    const int carrier = g->parent[carried];
    const double off = 6 + 4 * (e->beside < 2 ? e->beside : 2);
    fprintf(out, "M%.1f %.1fV%.1fH%.1fV%.1f", g->x[carrier] - off, g->y[carrier], bend_of(g, carried) - off + 2,
            g->x[carried] - off, g->y[carried]);
  } else {
    bow_of(g, e, control);
    fprintf(out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", g->x[e->body[0]], g->y[e->body[0]], control[0], control[1],
            g->x[e->body[1]], g->y[e->body[1]]);
  }
  fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" stroke-dasharray=\"5 4\"><title>",
          looks[e->kind].colour);
  xml_escape(out, e->type);
  fputs("</title></path>\n", out);
}

static void name_element(FILE *out, const graph *g, const element_link *e) {
  const int carried = beside_joint(g, e);
  char look[160];
  if (carried) {
    snprintf(look, sizeof look, "font-size=\"10\" fill=\"%s\" " HALO, looks[e->kind].ink);
    words_at(out, g->x[carried] + 5, bend_of(g, carried) + 13 + line * (2 + e->beside), look, e->name);
    return;
  }
  const box paper = name_box(e, e->at);
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"white\"/>\n", paper.left,
          paper.top + 2, paper.right - paper.left, paper.bottom - paper.top - 3);
  snprintf(look, sizeof look, "font-size=\"10\" text-anchor=\"middle\" fill=\"%s\"", looks[e->kind].ink);
  words_at(out, e->at[0], e->at[1], look, e->name);
}

static void draw_body(FILE *out, const graph *g, int body) {
  const double width = box_width(g, body);
  fputs("<g data-body=\"", out);
  xml_escape(out, body_name(g, body));
  fputs("\">\n", out);
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\" fill=\"%s\" stroke=\"#303030\"/>\n",
          g->x[body] - width / 2, g->y[body] - box_height / 2, width, box_height, body ? "white" : "#d9d9d9");
  words_at(out, g->x[body], g->y[body] + 4, "text-anchor=\"middle\"", body_name(g, body));
  fputs("</g>\n", out);
}

/* Draws the legend of the kinds of lines that occur; returns its right end. out = NULL: it is only measured. */
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

static void begin_svg(FILE *out, const box *b) {
  const double width = b->right - b->left, height = b->bottom - b->top;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f %.0f %.0f %.0f\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect x=\"%.0f\" y=\"%.0f\" width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          width, height, b->left, b->top, width, height, b->left, b->top);
}

/* The tree from the ground downwards. What it takes up: bows may reach over its edges. */
static void write_tree(FILE *out, graph *g, double width, double height) {
  box all = {0, fmax(width, draw_legend(NULL, g, 0)), 0, height};
  choose_bends(g);
  place_names(g);
  /* The drawing includes the middle of each bow and its name. */
  for (int i = 0; i < g->n; i++) {
    double middle[2];
    const element_link *e = &g->element[i];
    if (beside_joint(g, e)) { continue; }
    point_of(g, e, 0.5, middle);
    const box name = name_box(e, e->at);
    all.left = fmin(all.left, fmin(middle[0], name.left) - gap);
    all.right = fmax(all.right, fmax(middle[0], name.right) + gap);
    all.top = fmin(all.top, middle[1] - margin), all.bottom = fmax(all.bottom, middle[1] + 2 * margin);
  }
  /* Names of elements are drawn last, so that no line covers them. */
  begin_svg(out, &all);
  for (int i = 0; i < g->n; i++) { draw_element(out, g, &g->element[i]); }
  for (int k = 0; k < g->t->njoint; k++) { draw_joint(out, g, k); }
  for (int i = 0; i <= g->t->njoint; i++) { draw_body(out, g, i); }
  for (int i = 0; i < g->n; i++) { name_element(out, g, &g->element[i]); }
  (void)draw_legend(out, g, all.bottom - 10);
  fputs("</svg>\n", out);
}

/* ---- an outline: a row for each body, below and to the right of the one that carries it ---- */

static const double indent = 30, row_gap = 14, lane_width = 9; /* [px] */

static int row_of(const graph *g, int body) {
  int i = 0;
  while (g->row[i] != body) { i++; }
  return i;
}

/* Gives a row to a body and then to all that it carries; n have one already. */
static int add_rows(graph *g, int body, int n) {
  g->row[n++] = body;
  for (int k = 0; k < g->t->njoint; k++) {
    if (g->parent[g->t->body[k]] == body) { n = add_rows(g, g->t->body[k], n); }
  }
  return n;
}

/* The body under whose words an element is named: the one in the lower row; and the other one. */
static int named_at(const graph *g, const element_link *e, int *other) {
  const int lower = row_of(g, e->body[1]) >= row_of(g, e->body[0]);
  *other = e->body[!lower];
  return e->body[lower];
}

static double right_of(const graph *g, int body) {
  return g->x[body] + box_width(g, body) / 2;
}

/* Places bodies and names of elements, row by row. Returns the right end of all words. */
static double place_rows(graph *g, double *height) {
  double y = margin, end = 0;
  add_rows(g, 0, 0);
  for (int i = 0; i <= g->t->njoint; i++) {
    const int body = g->row[i];
    mbd_body_report r = {.level = 0};
    if (body) { mbd_model_body(g->model, body, &r); }
    /* The box of the body, indented by its level in the tree. */
    g->x[body] = margin + indent * r.level + box_width(g, body) / 2;
    g->y[body] = y + box_height / 2;
    end = fmax(end, right_of(g, body));
    /* Names of elements stand below the joint's words, one in a line; beside a joint with "to" and the other body. */
    double words = g->y[body] + 4;
    for (int k = 0; k < g->n; k++) {
      element_link *e = &g->element[k];
      int other;
      if (named_at(g, e, &other) != body) { continue; }
      e->at[0] = right_of(g, body) + 10, e->at[1] = words += line;
      end = fmax(end, e->at[0] + text_width(e->name, small_letter));
      if (beside_joint(g, e)) {
        end = fmax(end, e->at[0] + text_width(e->name, small_letter) + 8 + text_width("to ", small_letter) +
                            text_width(body_name(g, other), small_letter));
      }
    }
    y = fmax(y + box_height, words + 3) + row_gap;
  }
  /* The words of the joints reach to the right too. */
  for (int k = 0; k < g->t->njoint; k++) {
    const joint_label label = label_of(g, k);
    const double x = right_of(g, g->t->body[k]) + 10;
    end = fmax(end, x + text_width(label.name, small_letter) + 8 + text_width(label.type, small_letter));
  }
  *height = y + margin;
  return end;
}

/* From its name, where the line of an element begins, up to the other body. */
static double top_of(const graph *g, const element_link *e) {
  int other;
  (void)named_at(g, e, &other);
  return g->y[other] - box_height / 2 + 5;
}

/* Lines whose spans of rows meet have lanes of their own, the first that is free; returns how many there are. */
static int choose_lanes(graph *g) {
  int lanes = 0;
  for (int i = 0; i < g->n; i++) {
    element_link *e = &g->element[i];
    if (beside_joint(g, e)) { continue; }
    for (int taken = 1; taken;) {
      taken = 0;
      for (int k = 0; k < i && !taken; k++) {
        const element_link *other = &g->element[k];
        taken = !beside_joint(g, other) && other->lane == e->lane && top_of(g, other) <= e->at[1] &&
                top_of(g, e) <= other->at[1];
      }
      e->lane += taken;
    }
    if (e->lane >= lanes) { lanes = e->lane + 1; }
  }
  return lanes;
}

/* Down from the box of the carrier and to the right. */
static void draw_row_joint(FILE *out, const graph *g, int k) {
  const int body = g->t->body[k], carrier = g->parent[body];
  const joint_label label = label_of(g, k);
  const double x = right_of(g, body) + 10;
  fprintf(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#303030\" stroke-width=\"1.5\"/>\n",
          g->x[carrier] - box_width(g, carrier) / 2 + indent / 2, g->y[carrier], g->y[body], g->x[body]);
  words_at(out, x, g->y[body] + 4, "font-size=\"10\"", label.name);
  words_at(out, x + text_width(label.name, small_letter) + 8, g->y[body] + 4, "font-size=\"10\" fill=\"#606060\"",
           label.type);
}

/* Its name; and a line from there to its lane, up, and above the words of the other body to its box. Beside a joint words say where to. */
static void draw_row_element(FILE *out, const graph *g, const element_link *e, double lanes) {
  const double end = e->at[0] + text_width(e->name, small_letter);
  char look[64], far[160];
  int other;
  (void)named_at(g, e, &other);
  snprintf(look, sizeof look, "font-size=\"10\" fill=\"%s\"", looks[e->kind].ink);
  words_at(out, e->at[0], e->at[1], look, e->name);
  if (beside_joint(g, e)) {
    snprintf(far, sizeof far, "to %s", body_name(g, other));
    words_at(out, end + 8, e->at[1], "font-size=\"10\" fill=\"#606060\"", far);
    return;
  }
  fprintf(out,
          "<path d=\"M%.1f %.1fH%.1fV%.1fH%.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" "
          "stroke-dasharray=\"5 4\"><title>",
          end + 4, e->at[1] - 3, lanes + lane_width * e->lane, top_of(g, e), right_of(g, other), looks[e->kind].colour);
  xml_escape(out, e->type);
  fputs("</title></path>\n", out);
}

static void write_outline(FILE *out, graph *g) {
  double height;
  const double lanes = place_rows(g, &height) + gap;
  const int nlane = choose_lanes(g);
  const box all = {0, fmax(lanes + lane_width * nlane + margin, draw_legend(NULL, g, 0)), 0, height};
  begin_svg(out, &all);
  for (int i = 0; i < g->n; i++) { draw_row_element(out, g, &g->element[i], lanes); }
  for (int k = 0; k < g->t->njoint; k++) { draw_row_joint(out, g, k); }
  for (int i = 0; i <= g->t->njoint; i++) { draw_body(out, g, i); }
  (void)draw_legend(out, g, height - 10);
  fputs("</svg>\n", out);
}

/* A tree that is wider than a page is an outline. */
static void write_svg(FILE *out, graph *g) {
  enum { WIDEST = 1050 };
  double height;
  const double width = place(g, &height);
  if (width > WIDEST) {
    write_outline(out, g);
  } else {
    write_tree(out, g, width, height);
  }
}

mbd_status joint_graph_svg(FILE *out, const mbd_model *model, mbd_error *err) {
  return write_graph(out, model, write_svg, err);
}
