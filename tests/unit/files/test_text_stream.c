/* Texts that grow, and JSON while memory runs out: whole or not there. */
#include "files/json.h"
#include "files/text_stream.h"
#include "test.h"

static void test_text(void) {
  text_stream s;
  FILE *out = text_begin(&s);
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  for (int i = 0; i < 5000; i++) { fprintf(out, "%04d\n", i); }
  char *text = text_end(&s);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  CU_ASSERT_EQUAL(s.size, 25000);
  CU_ASSERT_EQUAL(strlen(text), 25000);
  CU_ASSERT_STRING_EQUAL(text + 24995, "4999\n");
  free(text);
  text_begin(&s);
  text = text_end(&s); /* nothing is a text, too */
  CU_ASSERT_STRING_EQUAL(text, "");
  free(text);
}

/* ---- jansson's memory ---- */

static int exhausted;

static void *limited(size_t n) {
  return exhausted ? NULL : malloc(n);
}

static json_t *make(void) {
  json_t *o = json_object();
  json_object_set_new(o, "number", json_real(0.1));
  json_object_set_new(o, "text", json_string("a text of more than sixteen characters"));
  return o;
}

static void test_json(void) {
  json_set_alloc_funcs(limited, free);
  json_memory_watch(), json_memory_watch();
  const long before = mbd_memory_lost();
  json_t *o = make();
  char *text = json_memory_dumps(o, JSON_COMPACT, before);
  CU_ASSERT_PTR_NOT_NULL(text);
  CHECK_CONTAINS(text, "\"number\":0.1");
  free(text), json_decref(o);
  exhausted = 1; /* jansson gets on, for it has a little to spare; what it made is not trusted */
  o = make();
  exhausted = 0;
  CU_ASSERT(mbd_memory_lost() > before);
  CU_ASSERT_PTR_NULL(json_memory_dumps(o, JSON_COMPACT, before));
  json_decref(o);
  const long after = mbd_memory_lost();
  o = make();
  text = json_memory_dumps(o, JSON_COMPACT, after);
  CU_ASSERT_PTR_NOT_NULL(text);
  mbd_memory_note();
  CU_ASSERT_PTR_NULL(json_memory_dumps(o, JSON_COMPACT, after));
  free(text), json_decref(o);
}

TEST_MAIN(TEST(test_text), TEST(test_json))
