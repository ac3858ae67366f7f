#include "files/xml.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_file.h"

void xml_free(xml_element *root) {
  if (!root) { return; }
  for (int i = 0; i < root->nchild; i++) { xml_free(root->child[i]); }
  for (int i = 0; i < root->nattribute; i++) { free(root->attribute[i].name), free(root->attribute[i].value); }
  free(root->child), free(root->attribute), free(root->text), free(root->name), free(root);
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
  for (; text && *text; text++) {
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
  long lost;          /* mbd_memory_lost() at the beginning */
  mbd_status status;
  mbd_error *err;
} reader;

static void stop(reader *in, mbd_status status) {
  in->status = status;
  XML_StopParser(in->parser, XML_FALSE);
}

static int line_of(const reader *in) {
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9 /* which deprecates the other function */
  return in->skipped + (int)XML_GetCurrentLineNumber64(in->parser);
#else
  return in->skipped + (int)XML_GetCurrentLineNumber(in->parser);
#endif
}

/* Adds an element to its parent before its contents, so that xml_free also frees an incomplete element. */
static void add_element(reader *in, const char *name) {
  xml_element *parent = in->open, *e = mbd_zeros(1, sizeof *e), **grown = NULL;
  if (e && parent) { grown = mbd_list_grow(parent->child, parent->nchild, sizeof *grown); }
  if (!e || (parent && !grown)) {
    free(e);
    return;
  }
  if (parent) {
    parent->child = grown;
    grown[parent->nchild++] = e;
  } else {
    in->root = e;
  }
  e->parent = parent, e->path = in->path, e->line = line_of(in), e->name = mbd_strdup(name);
  in->open = e;
}

static void add_attribute(xml_element *e, const char *name, const char *value) {
  xml_attribute *grown = mbd_list_grow(e->attribute, e->nattribute, sizeof *grown);
  if (!grown) { return; }
  e->attribute = grown;
  grown[e->nattribute++] = (xml_attribute){mbd_strdup(name), mbd_strdup(value)};
}

static void XMLCALL begins(void *user, const XML_Char *name, const XML_Char **attribute) {
  reader *in = user;
  if (in->status != MBD_OK) { return; }
  if (in->depth == XML_DEPTH) {
    stop(in, MBD_FAILED(in->err, MBD_BAD_INPUT, "%s:%d: <%.60s>: expected at most %d elements inside each other",
                        in->path, line_of(in), name, XML_DEPTH));
    return;
  }
  add_element(in, name);
  in->depth++;
  for (int i = 0; in->open && attribute[i]; i += 2) { add_attribute(in->open, attribute[i], attribute[i + 1]); }
  if (mbd_memory_lost() > in->lost) { stop(in, MEMORY_NONE(in->err, "%s", in->path)); }
}

static void add_character(reader *in, char c) {
  xml_element *e = in->open;
  char *grown = mbd_list_grow(e->text, e->ntext, 1);
  if (!grown) { return; }
  e->text = grown;
  grown[e->ntext++] = c;
}

/* Keeps texts from the first character on that is no blank. */
static void XMLCALL contains(void *user, const XML_Char *text, int n) {
  reader *in = user;
  for (int i = 0; i < n && in->status == MBD_OK && in->open; i++) {
    if (in->open->text || !strchr(" \t\r\n", text[i])) { add_character(in, text[i]); }
  }
  if (mbd_memory_lost() > in->lost && in->status == MBD_OK) { stop(in, MEMORY_NONE(in->err, "%s", in->path)); }
}

static void XMLCALL ends(void *user, const XML_Char *name) {
  reader *in = user;
  (void)name;
  if (in->status != MBD_OK) { return; }
  if (in->open->text) { add_character(in, '\0'); }
  in->open = in->open->parent;
  in->depth--;
}

/* Refuses entities, since nested ones can expand a short file without limit. */
static void XMLCALL declares(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                             const XML_Char *base, const XML_Char *system, const XML_Char *public,
                             const XML_Char *notation) {
  reader *in = user;
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
  if (in->status != MBD_OK) { return; }
  stop(in, MBD_FAILED(in->err, MBD_BAD_INPUT, "%s:%d: <!ENTITY %.60s>: expected a file without entities of its own",
                      in->path, line_of(in), name));
}

/* Blank lines before the declaration <?xml ...?>, which other readers accept, are left out. */
static mbd_status parse(reader *in, const text_file *t) {
  const char *text = t->text;
  for (; *text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'; text++) { in->skipped += *text == '\n'; }
  XML_SetUserData(in->parser, in);
  XML_SetElementHandler(in->parser, begins, ends);
  XML_SetCharacterDataHandler(in->parser, contains);
  XML_SetEntityDeclHandler(in->parser, declares);
  const enum XML_Status done =
      XML_Parse(in->parser, text, (int)(t->size - (size_t)(text - t->text)), 1); /* at most 64 MiB */
  if (in->status != MBD_OK || done == XML_STATUS_OK) { return in->status; }
  const enum XML_Error code = XML_GetErrorCode(in->parser);
  MEMORY_TRY(code != XML_ERROR_NO_MEMORY, in->err, "%s", in->path);
  MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: this is not well-formed XML: %s", in->path, line_of(in),
           XML_ErrorString(code));
}

/* Reads and parses the file; *root is NULL on failure. */
mbd_status xml_read(const char *path, xml_element **root, mbd_error *err) {
  text_file t = {0};
  reader q = {.path = path, .lost = mbd_memory_lost(), .err = err};
  *root = NULL;
  MBD_TRY(text_file_read(path, TEXT_FILE_SETTINGS, &t, err));
  q.parser = XML_ParserCreate(NULL);
  mbd_status status = MBD_OK;
  if (q.parser) {
    status = parse(&q, &t);
    XML_ParserFree(q.parser);
  } else {
    status = MEMORY_NONE(err, "%s", path);
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
