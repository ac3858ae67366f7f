#include "results/position.h"

#include <math.h>
#include <stdlib.h>

#include "base/v3.h"
#include "mbd/picture.h"
#include "files/atomic_file.h"
#include "files/xml.h"
#include "files/memory.h"

static const double width = 640, height = 480, margin = 40; /* [px] */
static const double apart = 1e-6; /* points closer than this part of the picture's size coincide */

static const char *const colour[] = {"#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"};
enum { COLOURS = sizeof colour / sizeof colour[0] };

/* A point of a body at its position. */
typedef struct corner {
  const char *name;
  int point, body;
  double x[3];
} corner;

typedef struct picture {
  const mechanism_case *load;
  corner *at;
  int n;
  int right, up; /* the global axes of the picture */
  double left, low, scale;
} picture;

/* ---- points ---- */

static int count_places(const mbd_model *model, const mbd_params *p) {
  mbd_place place;
  int n = 0;
  for (int i = 0; i < mbd_model_npoint(model); i++) {
    for (int k = 0; mbd_params_point(p, i, k, &place); k++) { n++; }
  }
  return n;
}

static void put(picture *f, const mbd_place *place, int point) {
  double A[9];
  corner *c = &f->at[f->n++];
  *c = (corner){.name = place->name, .point = point, .body = place->body};
  mbd_sim_pose(f->load->sim, place->body, c->x, A);
  m3_vec_add(c->x, A, place->x);
}

/* Collects the points and the centre of mass of every body; the latter has no name. */
static mbd_status gather(picture *f, mbd_error *err) {
  const mbd_model *model = f->load->v->model;
  const mbd_params *p = f->load->v->params;
  mbd_place place;
  f->at = calloc((size_t)(count_places(model, p) + mbd_model_nbody(model)) + 1, sizeof *f->at);
  MEMORY_TRY(f->at, err, "a picture");
  for (int i = 0; i < mbd_model_npoint(model); i++) {
    for (int k = 0; mbd_params_point(p, i, k, &place); k++) { put(f, &place, i); }
  }
  for (int i = 1; i <= mbd_model_nbody(model); i++) {
    place = (mbd_place){.body = i};
    mbd_params_com(p, i, place.x);
    put(f, &place, -1);
  }
  return MBD_OK;
}

/* The picture has the two axes along which the mechanism extends most, the later one upwards. */
static void choose_view(picture *f) {
  double min[3], max[3];
  int thin = 0;
  for (int a = 0; a < 3; a++) {
    min[a] = f->n ? f->at[0].x[a] : 0, max[a] = min[a];
    for (int i = 1; i < f->n; i++) { min[a] = fmin(min[a], f->at[i].x[a]), max[a] = fmax(max[a], f->at[i].x[a]); }
  }
  for (int a = 1; a < 3; a++) {
    if (max[a] - min[a] < max[thin] - min[thin]) { thin = a; }
  }
  f->right = thin == 0, f->up = thin == 2 ? 1 : 2;
  const double w = max[f->right] - min[f->right], h = max[f->up] - min[f->up];
  f->scale = fmin((width - 2 * margin) / fmax(w, 1e-9), (height - 2 * margin) / fmax(h, 1e-9));
  f->left = (min[f->right] + max[f->right]) / 2, f->low = (min[f->up] + max[f->up]) / 2;
}

/* ---- the drawing ---- */

static double paper_x(const picture *f, const corner *c) {
  return width / 2 + f->scale * (c->x[f->right] - f->left);
}

static double paper_y(const picture *f, const corner *c) {
  return height / 2 - f->scale * (c->x[f->up] - f->low);
}

static void line(FILE *out, const picture *f, const corner *a, const corner *b, const char *look) {
  fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", paper_x(f, a), paper_y(f, a),
          paper_x(f, b), paper_y(f, b), look);
}

static void text(FILE *out, const picture *f, const corner *c, double dy, const char *look, const char *words) {
  fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" %s>", paper_x(f, c) + 5, paper_y(f, c) + dy, look);
  xml_escape(out, words);
  fputs("</text>\n", out);
}

/* Lines from the centre of mass to every point, and the name of the body beside it. */
static void draw_body(FILE *out, const picture *f, int body) {
  const corner *com = &f->at[f->n - mbd_model_nbody(f->load->v->model) + body - 1];
  mbd_body_report report;
  char look[80];
  snprintf(look, sizeof look, "stroke=\"%s\" stroke-width=\"3\"", colour[(body - 1) % COLOURS]);
  for (int i = 0; i < f->n; i++) {
    if (f->at[i].body == body && f->at[i].name) { line(out, f, com, &f->at[i], look); }
  }
  mbd_model_body(f->load->v->model, body, &report);
  snprintf(look, sizeof look, "fill=\"%s\" font-style=\"italic\"", colour[(body - 1) % COLOURS]);
  text(out, f, com, -6, look, report.name);
}

/* Draws a line between corners that are the same point of the model but lie apart in this position. */
static void draw_gaps(FILE *out, const picture *f) {
  for (int i = 1; i < f->n; i++) {
    const corner *a = &f->at[i - 1], *b = &f->at[i];
    if (a->point < 0 || a->point != b->point) { continue; }
    double d[3];
    char words[48];
    v3_sub(d, a->x, b->x);
    const double length = sqrt(v3_dot(d, d));
    if (length * f->scale <= apart * width) { continue; }
    line(out, f, a, b, "stroke=\"#d55e00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"");
    const corner middle = {.x = {(a->x[0] + b->x[0]) / 2, (a->x[1] + b->x[1]) / 2, (a->x[2] + b->x[2]) / 2}};
    snprintf(words, sizeof words, "%.3g m apart", length);
    text(out, f, &middle, 14, "fill=\"#d55e00\"", words);
  }
}

static void draw(FILE *out, const picture *f) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
          "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          width, height, width, height);
  for (int i = 1; i <= mbd_model_nbody(f->load->v->model); i++) { draw_body(out, f, i); }
  for (int i = 0; i < f->n && f->at[i].name; i++) {
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"white\" stroke=\"black\"/>\n", paper_x(f, &f->at[i]),
            paper_y(f, &f->at[i]));
    text(out, f, &f->at[i], 14, "fill=\"black\"", f->at[i].name);
  }
  draw_gaps(out, f);
  fprintf(out, "<text x=\"10\" y=\"%g\" fill=\"#606060\">%c to the right, %c upwards</text>\n</svg>\n", height - 10,
          'x' + f->right, 'x' + f->up);
}

mbd_status position_draw(const mechanism_case *load, FILE *out, mbd_error *err) {
  picture f = {.load = load};
  const mbd_status status = gather(&f, err);
  if (status == MBD_OK) {
    choose_view(&f);
    draw(out, &f);
  }
  free(f.at);
  return status;
}

mbd_status position_write(const mechanism_case *load, const char *path, mbd_error *err) {
  atomic_file file;
  MBD_TRY(atomic_open(path, &file, err));
  return atomic_end(&file, position_draw(load, file.out, err), err);
}
