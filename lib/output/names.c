/* The grammar of names of outputs.
 *
 *   name      = object "." quantity [ "@" body ] [ "." component ]
 *             | relation "(" object { "," object } ")" [ "." quantity ] [ "." component ]
 *   relation  = "distance" | "angle" | ...: the word of a kind of objects that has one (output_object.relation)
 *   component = "x" | "y" | "z" | "norm"
 *   object    = the name of a body, a joint's coordinate, a force, ..., POINT or POINT@BODY; it may have dots
 *
 * Words are made of letters, digits, '_' and '-'. In an expression '-' is an operator; a name has it only between the
 * parentheses of a relation. QUANTITY@BODY is the quantity relative to that body. */
#include "output/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const output_components[N_COMPONENTS] = {"x", "y", "z", "norm"};

static int component_of(const char *word) {
  for (int k = 0; k < N_COMPONENTS; k++) {
    if (strcmp(word, output_components[k]) == 0) { return k; }
  }
  return -1;
}

/* ---- in a text ---- */

static int is_relation(const char *word, size_t length) {
  const output_object *of;
  for (int i = 0; (of = output_object_at(i)) != NULL; i++) {
    if (of->relation && strlen(of->relation) == length && strncmp(of->relation, word, length) == 0) { return 1; }
  }
  return 0;
}

static size_t word_span(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_') { n++; }
  return n;
}

size_t mbd_output_name_span(const char *text) {
  size_t n = word_span(text), next;
  if (n == 0 || isdigit((unsigned char)*text)) { return 0; }
  const size_t blanks = strspn(text + n, " \t");
  if (text[n + blanks] == '(') {
    if (!is_relation(text, n)) { return 0; }
    n += blanks + strcspn(text + n + blanks, ")"); /* without a closing parenthesis: to the end of the text */
    n += text[n] != '\0';
  }
  while ((text[n] == '.' || text[n] == '@') && (next = word_span(text + n + 1)) > 0) { n += 1 + next; }
  return n;
}

/* ---- its parts ---- */

static void copy_trimmed(char *to, size_t size, const char *from, size_t length) {
  while (length && isspace((unsigned char)*from)) { from++, length--; }
  while (length && isspace((unsigned char)from[length - 1])) { length--; }
  snprintf(to, size, "%.*s", (int)length, from);
}

/* Reads the names between the parentheses; returns the text behind them. */
static const char *parse_references(const char *open, asked_name *n) {
  const char *end = strchr(open, ')'), *from = open + 1;
  n->nref = end ? 0 : -1;
  while (end && from <= end) {
    const size_t length = strcspn(from, ",)");
    if (n->nref < OUTPUT_REFS) { copy_trimmed(n->ref[n->nref], sizeof n->ref[0], from, length); }
    n->nref++;
    from += length + 1;
  }
  size_t at = (size_t)snprintf(n->object, sizeof n->object, "%s(", n->relation);
  for (int i = 0; i < n->nref && i < OUTPUT_REFS; i++) {
    at += (size_t)snprintf(n->object + at, sizeof n->object - at, "%s%s", i ? ", " : "", n->ref[i]);
  }
  snprintf(n->object + at, sizeof n->object - at, ")");
  return end ? end + 1 : open + strlen(open);
}

static void parse_relation(const char *name, const char *open, asked_name *n) {
  copy_trimmed(n->relation, sizeof n->relation, name, (size_t)(open - name));
  const char *behind = parse_references(open, n);
  snprintf(n->quantity, sizeof n->quantity, "%s", *behind == '.' ? behind + 1 : behind);
  char *dot = strrchr(n->quantity, '.'), *last = dot ? dot + 1 : n->quantity;
  n->component = component_of(last);
  if (n->component >= 0) { *(dot ? dot : last) = '\0'; }
}

/* Cuts off the last word, behind a dot; NULL: there is none. */
static const char *cut_word(char *text) {
  char *dot = strrchr(text, '.');
  if (dot) { *dot = '\0'; }
  return dot ? dot + 1 : NULL;
}

static void cut_component(asked_name *n) {
  const char *dot = strrchr(n->object, '.');
  n->component = dot ? component_of(dot + 1) : -1;
  if (n->component >= 0) { cut_word(n->object); }
}

/* Objects may contain dots ("J1.angle"), so the name is read from its end. */
void name_parse(const char *name, asked_name *n) {
  const char *open = strchr(name, '('), *word;
  *n = (asked_name){.full = name, .component = -1};
  if (open) {
    parse_relation(name, open, n);
    return;
  }
  snprintf(n->object, sizeof n->object, "%s", name);
  cut_component(n);
  if ((word = cut_word(n->object)) != NULL) { snprintf(n->quantity, sizeof n->quantity, "%s", word); }
}

int name_parse_seen(const char *name, asked_name *n) {
  const char *word;
  *n = (asked_name){.full = name, .component = -1};
  snprintf(n->object, sizeof n->object, "%s", name);
  cut_component(n);
  char *at = strrchr(n->object, '@');
  if (!at) { return 0; }
  snprintf(n->from, sizeof n->from, "%s", at + 1);
  *at = '\0';
  word = cut_word(n->object);
  if (word) { snprintf(n->quantity, sizeof n->quantity, "%s", word); }
  return word != NULL;
}
