/* The graph of the joints of the tree, S4 §2.1 and S4 §2.2: its numbering, branches and depths; and the bodies that elements connect. */
#include <stdlib.h>

#include "model/model.h"

/* Lists for the numbering: the children of every body, the last joint of the description first. */
typedef struct numbering {
  const mbd_model *m;
  int *first, *next; /* [nb] child of a body, sibling of a body; 0: none */
  int *stack;        /* [nb] bodies whose joints have no numbers yet */
  int *number;       /* [nb] of the joint that carries a body; 0: the ground */
} numbering;

/* Joints are taken in the order of the description, and each body is put in front of its siblings, so that the last joint is first. */
static void list_children(numbering *graph) {
  const mbd_model *m = graph->m;
  for (int i = 0; i < m->njoint; i++) {
    const mbd_joint *j = &m->joint[i];
    if (j->cut) { continue; }
    graph->next[j->body[1]] = graph->first[j->body[0]];
    graph->first[j->body[0]] = j->body[1];
  }
}

/* The stack reverses the order: children get numbers in the order of the description, each followed by all joints beyond it. */
static void number_joints(numbering *graph, mbd_topology *t) {
  int depth = 0, n = 0;
  for (int c = graph->first[0]; c; c = graph->next[c]) { graph->stack[depth++] = c; }
  while (depth) {
    const int body = graph->stack[--depth];
    t->body[n] = body;
    t->joint_parent[n] = graph->number[graph->m->body[body].parent];
    graph->number[body] = ++n;
    for (int c = graph->first[body]; c; c = graph->next[c]) { graph->stack[depth++] = c; }
  }
}

/* A joint with a single child is in the same branch as this child, which has the next number, S4 §2.2. Each joint on the ground is a
 * root. */
static void find_branches(const numbering *graph, mbd_topology *t) {
  for (int k = 0; k < t->njoint; k++) {
    const int parent = t->joint_parent[k], carrier = graph->m->body[t->body[k]].parent;
    const int child = graph->first[carrier];
    if (parent && !graph->next[child]) {
      t->branch[k] = t->branch[parent - 1];
    } else {
      const int b = t->nbranch++;
      t->branch[k] = b + 1;
      t->branch_parent[b] = parent ? t->branch[parent - 1] : 0;
      t->branch_first[b] = k + 1;
    }
    t->branch_last[t->branch[k] - 1] = k + 1;
  }
}

/* Two coordinates couple if the joint of one is between that of the other and the ground, or the same joint: the count is twice the
 * pairs of a coordinate with those above it, less the diagonal. */
static void count(const mbd_model *m, mbd_topology *t) {
  for (int i = 1; i < m->nb; i++) { t->depth += m->body[i].level; }
  for (int j = 0; j < m->nz_tree; j++) {
    int above = 0;
    for (int k = m->z_above[j]; k >= 0; k = m->z_above[k]) { above++; }
    t->coupled += 2 * above + 1;
  }
  t->ncoordinate = m->nz_tree;
}

static mbd_status fill(numbering *graph, mbd_topology *t, mbd_error *err) {
  const size_t n = (size_t)graph->m->nb;
  int **const list[] = {&t->body,        &t->joint_parent, &t->branch,   &t->branch_parent, &t->branch_first,
                        &t->branch_last, &graph->first,    &graph->next, &graph->stack,     &graph->number};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    *list[i] = calloc(n, sizeof **list[i]);
    if (!*list[i]) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the graph of %d joints", t->njoint); }
  }
  list_children(graph);
  number_joints(graph, t);
  find_branches(graph, t);
  count(graph->m, t);
  return MBD_OK;
}

mbd_status mbd_topology_create(const mbd_model *m, mbd_topology **out, mbd_error *err) {
  mbd_topology *t = calloc(1, sizeof *t);
  numbering q = {.m = m};
  *out = NULL;
  if (!t) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the graph of the joints"); }
  t->njoint = m->nb - 1;
  const mbd_status status = fill(&q, t, err);
  free(q.first), free(q.next), free(q.stack), free(q.number);
  if (status != MBD_OK) {
    mbd_topology_destroy(t);
    return status;
  }
  *out = t;
  return MBD_OK;
}

void mbd_topology_destroy(mbd_topology *t) {
  if (!t) { return; }
  free(t->body), free(t->joint_parent), free(t->branch);
  free(t->branch_parent), free(t->branch_first), free(t->branch_last);
  free(t);
}

/* ---- elements ---- */

/* Adds a body to the list if it is not in it yet. */
static int add_body(int body, int n, int max, int *list) {
  for (int i = 0; i < n && i < max; i++) {
    if (list[i] == body) { return n; }
  }
  if (n < max) { list[n] = body; }
  return n + 1;
}

static int lift_bodies(const mbd_model *m, const mbd_lift *l, int max, int *list) {
  int n = 0;
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    const int end[2] = {arg->b, arg->a};
    if (arg->kind == MBD_ARG_COORDINATE) {
      const int body = m->z_body[arg->b];
      if (body < 0) { continue; }
      n = add_body(m->body[body].parent, n, max, list);
      n = add_body(body, n, max, list);
      continue;
    }
    for (int k = 0; k < 2; k++) {
      if (end[k] < 0) { continue; }
      n = add_body(arg->kind == MBD_ARG_ROTATION ? end[k] : m->marker[end[k]].body, n, max, list);
    }
  }
  return n < max ? n : max;
}

int mbd_model_force_bodies(const mbd_model *m, int i, int max, int *body) {
  return lift_bodies(m, &m->force[i].lift, max, body);
}

/* The constraints of the description follow the normalizations and the closures. */
int mbd_model_constraint_bodies(const mbd_model *m, int i, int max, int *body) {
  int first = 0;
  for (int k = 1; k < m->nb; k++) { first += m->joint[m->body[k].joint].ops->euler >= 0; }
  for (int k = 0; k < m->njoint; k++) { first += m->joint[k].cut ? m->joint[k].ops->nclosure : 0; }
  return i < first ? 0 : lift_bodies(m, &m->constraint[i].lift, max, body);
}
