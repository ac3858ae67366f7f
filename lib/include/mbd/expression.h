/* An expression in its compiled form: a list of operations in the order of evaluation, the last of which is its value. Operands are the
 * results of earlier operations. Numbers from outside come in by leaves, of which the user of the expression knows what they are (of a
 * quantity: mbd_leaf in mbd/spec.h). (x + y)*2 of leaves 0 and 1 is
 *   {MBD_OP_LEAF, .a = 0}, {MBD_OP_LEAF, .a = 1}, {MBD_OP_ADD, .a = 0, .b = 1}, {MBD_OP_NUMBER, .number = 2}, {MBD_OP_MUL, .a = 2, .b = 3}
 * In quantities, values of forces and rates of states MBD_OP_CURVE is a curve at the result a, or with number = 1 or 2 its derivative of this
 * order; b is the number of the curve, as mbd_spec_curve described them. Its structures keep their layout; later operators come last. */
#ifndef MBD_EXPRESSION_H
#define MBD_EXPRESSION_H

/* clang-format off */
/* The operators: MBD_OP_NUMBER, MBD_OP_LEAF and so on. POWER is a^b; from SIN on they are functions, POW is pow(a, b); CURVE is not written. */
#define MBD_OPERATORS(X) \
  X(NUMBER) X(LEAF) X(ADD) X(SUB) X(MUL) X(DIV) X(POWER) X(NEG) \
  X(SIN) X(COS) X(TAN) X(ASIN) X(ACOS) X(ATAN) X(SQRT) X(EXP) X(LOG) X(ABS) X(MIN) X(MAX) X(ATAN2) X(HYPOT) X(POW) X(CURVE)
/* clang-format on */
#define X(name) MBD_OP_##name,
/* Operators: MBD_OP_ and a name of MBD_OPERATORS. */
typedef enum mbd_operator { MBD_OPERATORS(X) } mbd_operator;
#undef X

/* One operation on results of earlier ones. */
typedef struct mbd_operation {
  mbd_operator op;
  int a, b;      /* operands: numbers of earlier operations; one operand is a. Of a leaf, a is its number */
  double number; /* MBD_OP_NUMBER: the number; MBD_OP_CURVE: order of the derivative */
} mbd_operation;

/* The operations of an expression. */
typedef struct mbd_expression {
  int n;
  mbd_operation *op; /* [n] */
} mbd_expression;

#endif
