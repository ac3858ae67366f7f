#include "report/mechanism_parts.h"

#include <math.h>
#include <stdlib.h>

#include "files/plural.h"
#include "files/text_stream.h"
#include "mechanism/measures.h"
#include "report/joint_graph.h"

/* Where the joint is at the start, and where its coordinates are zero. */
static void place_cells(page *p, const mechanism_case *q, int joint, const mbd_joint_report *j) {
  joint_measures m;
  char text[MEASURES_PLACE];
  text_stream axes, zero;
  measures_joint(q, joint, &m);
  FILE *out = text_begin(&axes);
  for (int k = 0; out && k < m.own.naxis; k++) {
    fprintf(out, "%s%s", k ? "; " : "", measures_place(m.axis[k], 1, text));
  }
  page_cell(p, m.own.has_point ? measures_place(m.point, hypot(m.point[0], hypot(m.point[1], m.point[2])), text) : "");
  page_cell_of(p, &axes);
  out = text_begin(&zero);
  if (out && m.own.nz && !j->cut) { measures_write_zero(out, j, &m.own); }
  page_cell_of(p, &zero);
}

static void tree_cell(page *p, const mbd_joint_report *j) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out && j->cut) { fprintf(out, "cut, %d equation%s: %s", j->nphi, j->nphi > 1 ? "s" : "", j->why); }
  if (out && !j->cut) { fputs("yes", out); }
  page_cell_of(p, &s);
}

/* The table of joints; with `places` also where their axes and the zeros of their coordinates are. */
void mechanism_part_joints(page *p, const mechanism_case *q, int places) {
  static const char *const few[] = {"joint", "type", "first body", "second body", "in the tree"},
                           *const all[] = {
                               "joint", "type",        "first body", "second body", "place at the start [m]",
                               "axis",  "coordinates", "in the tree"};
  const mbd_model *model = q->v->model;
  page_table_open(p, places ? 8 : 5, places ? all : few);
  /* a row for each joint */
  for (int i = 0; i < mbd_model_njoint(model); i++) {
    mbd_joint_report j;
    mbd_model_joint(model, i, &j);
    page_row(p);
    page_cell(p, j.name);
    page_cell(p, j.type);
    page_cell(p, j.body[0]);
    page_cell(p, j.body[1]);
    if (places) { place_cells(p, q, i, &j); }
    tree_cell(p, &j);
  }
  page_table_close(p);
}

/* Counts bodies, coordinates, equations and degrees of freedom, and names the equations that follow from others. */
void mechanism_part_equations(page *p, const mechanism_case *q) {
  enum { MOST = 30 };
  int rank, nheld;
  const int *row, *held, n = mbd_model_nz(q->v->model), m = mbd_model_nphi(q->v->model);
  mbd_sim_rank(q->sim, &rank, &row, &nheld, &held);
  const int bodies = mbd_model_nbody(q->v->model), freedoms = n - rank;
  page_text(p, "%d bod%s, %d coordinate%s, %d constraint equation%s of rank %d at the start: %d degree%s of freedom.",
            bodies, plural_y(bodies), n, plural(n), m, plural(m), rank, freedoms, plural(freedoms));
  /* a list of redundant equations, which is cut off if it is long */
  if (rank == m) { return; }
  text_stream s;
  FILE *out = text_begin(&s);
  for (int i = rank; out && i < m && i < rank + MOST; i++) {
    fprintf(out, "%s%s", i > rank ? ", " : "", mbd_model_phi_name(q->v->model, row[i]));
  }
  char *text = text_end(&s);
  if (!text) { page_lost(p); }
  page_text(p, "Redundant equations, which follow from the others: %s%s.", text ? text : "",
            m - rank > MOST ? ", ..." : "");
  free(text);
}

mbd_status mechanism_part_graph(page *p, const mechanism_case *q, const char *caption, mbd_error *err) {
  enum { MOST_BODIES = 60 };       /* a drawing of more bodies is not legible */
  static const double scale = 1.1; /* its small letters have 10 units */
  if (mbd_model_nbody(q->v->model) > MOST_BODIES) { return MBD_OK; }
  text_stream s;
  FILE *out = text_begin(&s);
  const mbd_status status = out ? joint_graph_svg(out, q->v->model, err) : MBD_NO_MEMORY;
  char *svg = text_end(&s);
  if (status == MBD_OK && svg) { page_graph(p, svg, scale, caption); }
  free(svg);
  if (status != MBD_OK || !svg) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the graph of the mechanism"); }
  return MBD_OK;
}
