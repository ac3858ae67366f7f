#include "files/xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/text_file.h"

void xml_free(xml_element *root) {
  if (!root) { return; }
  for (int i = 0; i < root->nchild; i++) { xml_free(root->child[i]); }
  for (int i = 0; i < root->nattribute; i++) { free(root->attribute[i].name), free(root->attribute[i].value); }
  free(root->child), free(root->attribute), free(root->name), free(root);
}

const char *xml_get(const xml_element *e, const char *name) {
  for (int i = 0; i < e->nattribute; i++) {
    if (strcmp(e->attribute[i].name, name) == 0) { return e->attribute[i].value; }
  }
  return NULL;
}

const xml_element *xml_child(const xml_element *e, const char *name) {
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, name) == 0) { return e->child[i]; }
  }
  return NULL;
}

void xml_escape(FILE *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '&': fputs("&amp;", out); break;
      case '<': fputs("&lt;", out); break;
      case '>': fputs("&gt;", out); break;
      case '"': fputs("&quot;", out); break;
      case '\'': fputs("&#39;", out); break;
      default: fputc(*text, out);
    }
  }
}

#ifndef MBO_HAVE_EXPAT

/* Fails, since this program was built without expat. */
mbd_status xml_read(const char *path, xml_element **root, mbd_error *err) {
  *root = NULL;
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "%s cannot be read: the program was built without expat; install the Debian package libexpat1-dev and build "
           "again",
           path);
}

#else

#include <expat.h>

/* State of the reader while a file is read; open: the element whose end comes next. */
typedef struct reader {
  XML_Parser parser;
  const char *path;
  xml_element *root, *open;
  int depth, skipped; /* lines before the parsed text */
  mbd_status status;
  mbd_error *err;
} reader;

static void stop(reader *q, mbd_status status) {
  q->status = status;
  XML_StopParser(q->parser, XML_FALSE);
}

static int line_of(const reader *q) {
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9 /* which deprecates the other function */
  return q->skipped + (int)XML_GetCurrentLineNumber64(q->parser);
#else
  return q->skipped + (int)XML_GetCurrentLineNumber(q->parser);
#endif
}

static void no_memory(reader *q) {
  stop(q, MBD_FAILED(q->err, MBD_NO_MEMORY, "no memory for %s", q->path));
}

/* Adds an element to its parent before its contents, so that xml_free also frees an incomplete element. 0: no
 * memory. */
static int add_element(reader *q, const char *name) {
  xml_element *parent = q->open, *e = calloc(1, sizeof *e);
  if (e && parent) {
    xml_element **grown = mbd_list_grow(parent->child, parent->nchild, sizeof *grown);
    if (!grown) {
      free(e);
      return 0;
    }
    parent->child = grown;
    grown[parent->nchild++] = e;
  }
  if (!e) { return 0; }
  if (!parent) { q->root = e; }
  e->parent = parent, e->line = line_of(q), e->name = mbd_strdup(name);
  q->open = e;
  return e->name != NULL;
}

static int add_attribute(xml_element *e, const char *name, const char *value) {
  xml_attribute *grown = mbd_list_grow(e->attribute, e->nattribute, sizeof *grown);
  if (!grown) { return 0; }
  e->attribute = grown;
  const xml_attribute a = grown[e->nattribute++] = (xml_attribute){mbd_strdup(name), mbd_strdup(value)};
  return a.name && a.value;
}

static void XMLCALL begins(void *user, const XML_Char *name, const XML_Char **attribute) {
  reader *q = user;
  if (q->status != MBD_OK) { return; }
  if (q->depth == XML_DEPTH) {
    stop(q, MBD_FAILED(q->err, MBD_BAD_INPUT, "%s:%d: <%.60s>: expected at most %d elements inside each other", q->path,
                       line_of(q), name, XML_DEPTH));
    return;
  }
  int fits = add_element(q, name);
  q->depth += fits;
  for (int i = 0; fits && attribute[i]; i += 2) { fits = add_attribute(q->open, attribute[i], attribute[i + 1]); }
  if (!fits) { no_memory(q); }
}

static void XMLCALL ends(void *user, const XML_Char *name) {
  reader *q = user;
  (void)name;
  if (q->status != MBD_OK) { return; }
  q->open = q->open->parent;
  q->depth--;
}

/* Refuses entities, since nested ones can expand a short file without limit. */
static void XMLCALL declares(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                             const XML_Char *base, const XML_Char *system, const XML_Char *public,
                             const XML_Char *notation) {
  reader *q = user;
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
  if (q->status != MBD_OK) { return; }
  stop(q, MBD_FAILED(q->err, MBD_BAD_INPUT, "%s:%d: <!ENTITY %.60s>: expected a file without entities of its own",
                     q->path, line_of(q), name));
}

/* Blank lines before the declaration <?xml ...?>, which other readers accept, are left out. */
static mbd_status parse(reader *q, const text_file *t) {
  const char *text = t->text;
  for (; *text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'; text++) { q->skipped += *text == '\n'; }
  XML_SetUserData(q->parser, q);
  XML_SetElementHandler(q->parser, begins, ends);
  XML_SetEntityDeclHandler(q->parser, declares);
  const enum XML_Status done =
      XML_Parse(q->parser, text, (int)(t->size - (size_t)(text - t->text)), 1); /* at most 64 MiB */
  if (q->status != MBD_OK || done == XML_STATUS_OK) { return q->status; }
  const enum XML_Error code = XML_GetErrorCode(q->parser);
  if (code == XML_ERROR_NO_MEMORY) { MBD_FAIL(q->err, MBD_NO_MEMORY, "no memory for %s", q->path); }
  MBD_FAIL(q->err, MBD_BAD_INPUT, "%s:%d: this is not well-formed XML: %s", q->path, line_of(q), XML_ErrorString(code));
}

/* Reads and parses the file; *root is NULL on failure. */
mbd_status xml_read(const char *path, xml_element **root, mbd_error *err) {
  text_file t = {0};
  reader q = {.path = path, .err = err};
  *root = NULL;
  MBD_TRY(text_file_read(path, TEXT_FILE_SETTINGS, &t, err));
  q.parser = XML_ParserCreate(NULL);
  mbd_status status = MBD_OK;
  if (q.parser) {
    status = parse(&q, &t);
    XML_ParserFree(q.parser);
  } else {
    status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory for %s", path);
  }
  text_file_free(&t);
  if (status == MBD_OK) {
    *root = q.root;
  } else {
    xml_free(q.root);
  }
  return status;
}

#endif
