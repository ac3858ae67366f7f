/* The grammar of names of outputs.
 *
 *   name      = object "." quantity [ "@" body ] [ "." component ]
 *             | relation "(" object { "," object } ")" [ "." quantity ]
 *   relation  = one of the words below: "distance(P1, P2)", "angle(u, wheel.y).rate"
 *   component = "x" | "y" | "z" | "norm"
 *   object    = the name of a body, a joint's coordinate, a force, ..., POINT or POINT@BODY; it may have dots
 *
 * Words are made of letters, digits, '_' and '-'. In an expression, '-' is a sign, and a name there has one between the
 * parentheses of a relation only. QUANTITY@BODY is the quantity as an observer sees it who is fixed to that body. */
#include <ctype.h>
#include <string.h>

#include "output/output.h"

static const char *const relations[] = {"distance", "angle"};

static int is_relation(const char *word, size_t length) {
  for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
    if (strlen(relations[i]) == length && strncmp(relations[i], word, length) == 0) { return 1; }
  }
  return 0;
}

static size_t word_span(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_') { n++; }
  return n;
}

/* "(...)" with what is between; without its end: all of the text. */
static size_t parentheses_span(const char *text) {
  const size_t n = strcspn(text, ")");
  return text[n] ? n + 1 : n;
}

size_t mbd_output_name_span(const char *text) {
  size_t n = word_span(text), next;
  if (n == 0 || isdigit((unsigned char)*text)) { return 0; }
  const size_t blanks = strspn(text + n, " \t");
  if (text[n + blanks] == '(') {
    if (!is_relation(text, n)) { return 0; }
    n += blanks + parentheses_span(text + n + blanks);
  }
  while ((text[n] == '.' || text[n] == '@') && (next = word_span(text + n + 1)) > 0) { n += 1 + next; }
  return n;
}
