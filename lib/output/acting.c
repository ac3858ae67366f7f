/* The values of forces by expression at the arguments of the force (acting.h). */
#include "output/acting.h"

static const acting_value *value_of(const expression_law *law, int k) {
  return &law->compiled[k];
}

/* ---- what can act ---- */

const char *acting_why_in_no_rate(const output *o) {
  if (o->ops->term != OUTPUT_REACTION) {
    return "is a term of a step, which follows from the forces of the same instant";
  }
  if (o->of == &output_states && o->ops->order == 2) {
    return "is the rate of a state, which follows at the same instant as accelerations do, so that a [quantity] with "
           "its "
           "expression takes its place";
  }
  return NULL;
}

const char *acting_why_not(const output *o) {
  if (o->ops->reactions) { return "is a reaction, which follows from the forces of the same instant"; }
  if (acting_why_in_no_rate(o)) { return acting_why_in_no_rate(o); }
  if (o->ops->order == 2) {
    return "is an acceleration, which follows from the forces of the same instant; filtered it is (v - y)/T with its "
           "velocity v and [state y] rate = (v - y)/T";
  }
  return o->ops->eval && !o->ops->formula ? NULL : "depends on the whole mechanism";
}

/* ---- one quantity ---- */

const mbd_arg *acting_arguments(const mbd_model *m, const output *o, int *narg) {
  const mbd_force *force = o->of == &output_forces ? &m->force[o->object] : NULL;
  const mbd_lift *l = force ? &force->lift : &o->lift;
  *narg = force && !acting_reads_force(m, o) ? force->expression->line->ops.narg : l->narg;
  return l->arg;
}

/* The arguments of a quantity, and the input of its force if it is an output of one. */
typedef struct quantity_input {
  const output *o;
  int narg;
  const unsigned char *place;
  const mbd_force *force; /* NULL: no output of a force */
  mbd_arg_state s;
  mbd_element_input in;
} quantity_input;

static void input_of(const expression_law *law, int k, int i, const mbd_element_input *in, quantity_input *part) {
  const acting_value *value = value_of(law, k);
  part->o = &value->formula->input->item[i];
  part->place = value->place[i];
  acting_arguments(law->m, part->o, &part->narg);
  for (int a = 0; a < part->narg; a++) {
    v3_copy(part->s.x[a], in->s->x[part->place[a]]), v3_copy(part->s.xd[a], in->s->xd[part->place[a]]);
    v3_set(part->s.xdd[a], 0, 0, 0); /* of which no quantity depends */
  }
  part->force = part->o->of == &output_forces ? &law->m->force[part->o->object] : NULL;
  if (part->force) { params_force_input_beside(law->m, in, part->force, &part->s, &part->in); }
}

static output_at at_input(const expression_law *law, const mbd_element_input *in, const quantity_input *part) {
  return (output_at){NULL, law->m, part->o, NULL, NULL, in->theta};
}

static mbd_real evaluate(const expression_law *law, const mbd_element_input *in, const quantity_input *part,
                         output_gradient *g) {
  const output_at at = at_input(law, in, part);
  if (!part->force) {
    const mbd_real y = arguments_value_at(&at, &part->s, g);
    const int turn = part->o->turn;
    return turn < 0 ? y : turns_add(in->turns, turn, in->t, y, arguments_rate(part->narg, g, &part->s));
  }
  mbd_args_zero(part->narg, g->x), mbd_args_zero(part->narg, g->xd);
  return force_output(law->m, part->o, &part->in, g->x, g->xd);
}

/* Its change along a direction of coefficients and time: outputs of forces and of beams have one. */
static mbd_real quantity_along(const expression_law *law, const mbd_element_input *in, const quantity_input *part,
                               const mbd_element_direction *d) {
  const output_at at = at_input(law, in, part);
  if (!part->force) { return part->o->ops->eval_c ? part->o->ops->eval_c(&at, &part->s, d->dtheta) : 0; }
  const mbd_element_direction own = {
      .dc = d->dtheta + part->force->coef, .dtheta = d->dtheta, .daux = d->daux, .down = d->daux, .dt = d->dt};
  return force_output_along(law->m, part->o, &part->in, &own);
}

/* ---- the value ---- */

/* The slopes of the quantities in a value by their arguments, one quantity after the other, as far as there is room for them; those of the
 * others are evaluated again. */
enum { KEPT_MAX = 48 };
typedef struct kept_slopes {
  mbd_real x[KEPT_MAX][3], xd[KEPT_MAX][3];
} kept_slopes;

static formula_at formula_of(const expression_law *law, int k, const mbd_element_input *in) {
  return (formula_at){value_of(law, k)->formula, law->m, in->theta, in->aux};
}

/* x [leaves], and v [operations]. kept NULL: slopes are not wanted. */
static void values_of(const expression_law *law, int k, const mbd_element_input *in, mbd_real *x, mbd_real *v,
                      kept_slopes *kept) {
  const formula_at at = formula_of(law, k, in);
  quantity_input part;
  output_gradient g;
  int first = 0;
  for (int i = 0; i < at.f->nleaf; i++) {
    const formula_leaf *leaf = &at.f->leaf[i];
    switch (leaf->is) {
      case MBD_LEAF_COEFFICIENT: x[i] = in->theta[leaf->at]; break;
      case MBD_LEAF_TIME: x[i] = in->t; break;
      case MBD_LEAF_OUTPUT:
        input_of(law, k, leaf->at, in, &part);
        x[i] = evaluate(law, in, &part, &g);
        for (int a = 0; kept && a < part.narg && first + a < KEPT_MAX; a++) {
          v3_copy(kept->x[first + a], g.x[a]), v3_copy(kept->xd[first + a], g.xd[a]);
        }
        first += part.narg;
        break;
    }
  }
  formula_values(&at, x, v);
}

/* g_x, g_xd += s times the derivatives of a quantity by its arguments */
static void add_slopes(int narg, const unsigned char *place, mbd_real s, const mbd_real (*by_x)[3],
                       const mbd_real (*by_xd)[3], mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  for (int a = 0; a < narg; a++) { v3_axpy(g_x[place[a]], s, by_x[a]), v3_axpy(g_xd[place[a]], s, by_xd[a]); }
}

mbd_real acting_value_at(const expression_law *law, int k, const mbd_element_input *in, mbd_real (*g_x)[3],
                         mbd_real (*g_xd)[3]) {
  const formula_at at = formula_of(law, k, in);
  mbd_real x[DERIVED_MAX], v[DERIVED_MAX], reverse[DERIVED_MAX];
  kept_slopes kept;
  values_of(law, k, in, x, v, g_x ? &kept : NULL);
  const mbd_real u = v[at.f->value.n - 1];
  if (!g_x) { return u; }
  mbd_real *xbar = x; /* whose values are not needed any more */
  formula_slopes(&at, v, 1, reverse, xbar);
  for (int i = 0, first, next = 0; i < at.f->nleaf; i++) {
    const int of = at.f->leaf[i].at;
    if (at.f->leaf[i].is != MBD_LEAF_OUTPUT) { continue; }
    const unsigned char *place = value_of(law, k)->place[of];
    int narg;
    acting_arguments(law->m, &at.f->input->item[of], &narg);
    first = next, next += narg;
    if (mbd_none(xbar[i] != 0)) { continue; }
    if (next <= KEPT_MAX) {
      add_slopes(narg, place, xbar[i], CONST3(kept.x + first), CONST3(kept.xd + first), g_x, g_xd);
      continue;
    }
    quantity_input part;
    output_gradient g;
    input_of(law, k, of, in, &part);
    evaluate(law, in, &part, &g);
    add_slopes(narg, place, xbar[i], CONST3(g.x), CONST3(g.xd), g_x, g_xd);
  }
  return u;
}

mbd_real acting_value_along(const expression_law *law, int k, const mbd_element_input *in,
                            const mbd_element_direction *d) {
  const formula_at at = formula_of(law, k, in);
  mbd_real x[DERIVED_MAX], v[DERIVED_MAX], reverse[DERIVED_MAX];
  values_of(law, k, in, x, v, NULL);
  mbd_real *xbar = x;
  formula_slopes(&at, v, 1, reverse, xbar);
  mbd_real du = formula_curves_along(&at, v, reverse, d->dtheta, d->daux);
  for (int i = 0; i < at.f->nleaf; i++) {
    const formula_leaf *leaf = &at.f->leaf[i];
    quantity_input part;
    if (mbd_none(xbar[i] != 0)) { continue; }
    switch (leaf->is) {
      case MBD_LEAF_COEFFICIENT: du += xbar[i] * d->dtheta[leaf->at]; break;
      case MBD_LEAF_TIME: du += xbar[i] * d->dt; break;
      case MBD_LEAF_OUTPUT:
        input_of(law, k, leaf->at, in, &part);
        du += xbar[i] * quantity_along(law, in, &part, d);
        break;
    }
  }
  return du;
}

static void reverse_leaf(const expression_law *law, int k, const formula_leaf *leaf, const mbd_params *p,
                         const mbd_element_input *in, mbd_real s, params_reverse *theta) {
  quantity_input part;
  switch (leaf->is) {
    case MBD_LEAF_COEFFICIENT: theta->theta[leaf->at] += s; break;
    case MBD_LEAF_TIME: theta->stretch += s * in->t; break;
    case MBD_LEAF_OUTPUT:
      input_of(law, k, leaf->at, in, &part);
      if (part.force) {
        force_output_reverse(p, part.o, &part.in, s, theta);
      } else if (part.o->ops->reverse_c) {
        const output_at at = at_input(law, in, &part);
        part.o->ops->reverse_c(&at, &part.s, s, theta);
      }
      break;
  }
}

void acting_values_reverse(const expression_law *law, const mbd_params *p, const mbd_element_input *in,
                           const mbd_real *s, params_reverse *theta) {
  for (int k = 0; k < law->line->nvalue; k++) {
    const formula_at at = formula_of(law, k, in);
    mbd_real x[DERIVED_MAX], v[DERIVED_MAX], reverse[DERIVED_MAX];
    if (mbd_none(s[k] != 0)) { continue; }
    values_of(law, k, in, x, v, NULL);
    mbd_real *xbar = x;
    formula_slopes(&at, v, s[k], reverse, xbar);
    formula_curves_reverse(&at, v, reverse, theta);
    for (int i = 0; i < at.f->nleaf; i++) {
      if (mbd_any(xbar[i] != 0)) { reverse_leaf(law, k, &at.f->leaf[i], p, in, xbar[i], theta); }
    }
  }
}
