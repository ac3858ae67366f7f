/* A journal gives back what was written into it, and nothing else: damaged lines are found whatever is damaged, told, kept beside
 * and left out; what is no journal is refused and stays as it is. */
#include <sys/stat.h>
#include <unistd.h>

#include "evaluate/journal.h"
#include "evaluate/journal_line.h"
#include "test.h"

enum { N = 2, NC = 1, RECORDS = 4 };
static const char *const names[] = {"a", "b"}, *const c_names[] = {"limit"};
static const mbo_problem problem = {.name = "toy", .n = N, .names = names, .nc = NC, .c_names = c_names};

static char folder[] = "/tmp/mbopt_journal_XXXXXX", path[64], kept[96];

static void write_file(const char *text, size_t length) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_FATAL(out != NULL);
  CU_ASSERT_EQUAL(fwrite(text, 1, length, out), length);
  fclose(out);
}

/* With a zero behind it; NULL: there is no such file. */
static char *read_file(const char *name, size_t *length) {
  struct stat info;
  FILE *in = fopen(name, "r");
  if (!in || fstat(fileno(in), &info) != 0) { return NULL; }
  char *text = calloc((size_t)info.st_size + 1, 1);
  *length = fread(text, 1, (size_t)info.st_size, in);
  fclose(in);
  return text;
}

static int file_is(const char *name, const char *text, size_t length) {
  size_t found = 0;
  char *have = read_file(name, &found);
  const int is = have && found == length && memcmp(have, text, length) == 0;
  free(have);
  return is;
}

/* Number k, from 1; the third one failed. */
static mbd_status append(journal *j, int k) {
  double x[N] = {k / 3.0, -k}, g[N] = {1.0 / k, 2}, c[NC] = {k}, jac[N] = {3, 4}, H[N * N] = {1, 2, 2, 5};
  double hess[(1 + NC) * N * N] = {1, 0, 0, 1, 2, 0, 0, 2};
  char text[] = "it locks";
  double difference[] = {0.5, k / 9.0}, size[] = {1, 2};
  journal_record r = {.number = k,
                      .status = MBD_OK,
                      .seconds = 0.25,
                      .x = x,
                      .f = k / 7.0,
                      .c = c,
                      .g = g,
                      .jac = jac,
                      .H = H,
                      .hess = hess};
  if (k == 2) { r.nwatch = 2, r.difference = difference, r.size = size, r.deviation = 0.5; }
  if (k == 3) { r = (journal_record){.number = k, .status = MBD_SINGULAR, .seconds = 0.5, .x = x, .text = text}; }
  return journal_append(j, &r, NULL);
}

/* A whole journal as text. */
static char *make(size_t *length) {
  journal *j;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(journal_open(path, &problem, "print", &j, NULL, &err), MBD_OK);
  for (int k = 1; k <= RECORDS; k++) { CU_ASSERT_EQUAL(append(j, k), MBD_OK); }
  journal_close(j);
  return read_file(path, length);
}

static mbd_status open_again(journal_content *c, mbd_error *err) {
  journal *j;
  *c = (journal_content){0};
  const mbd_status status = journal_open(path, &problem, "print", &j, c, err);
  journal_close(j);
  return status;
}

static int is_whole(const journal_record *r, int k) {
  int whole = r->number == k && r->x[0] == k / 3.0 && r->x[1] == -k;
  if (k == 3) { return whole && r->status == MBD_SINGULAR && strcmp(r->text, "it locks") == 0 && !r->g; }
  return whole && r->status == MBD_OK && r->f == k / 7.0 && r->c[0] == k && r->g[0] == 1.0 / k && r->jac[1] == 4 &&
         r->H[3] == 5 && r->hess[7] == 2 && r->seconds == 0.25 &&
         (k == 2 ? r->nwatch == 2 && r->difference[1] == k / 9.0 && r->size[1] == 2 : r->nwatch == 0);
}

/* What the run has decided, of several lines the last, beside the records; after it the journal is open again. */
static void test_decided(void) {
  static const char first[] = "[{\"case\":\"a\",\"direct\":0.10000000000000001}]", later[] = "[1]";
  journal *j;
  journal_content c = {0};
  mbd_error err = {0};
  int open;
  CU_ASSERT_EQUAL_FATAL(journal_open(path, &problem, "print", &j, NULL, &err), MBD_OK);
  CU_ASSERT_EQUAL(journal_decide(j, first, &err), MBD_OK);
  CU_ASSERT_EQUAL(append(j, 1), MBD_OK);
  CU_ASSERT_EQUAL(journal_end(j, "CONVERGED", &err), MBD_OK);
  journal_close(j);
  CU_ASSERT_EQUAL_FATAL(journal_open(path, &problem, "print", &j, &c, &err), MBD_OK);
  CU_ASSERT_EQUAL(c.n, 1);
  CU_ASSERT_STRING_EQUAL(c.decided, first);
  CU_ASSERT_PTR_NULL(c.damage);
  journal_content_free(&c);
  CU_ASSERT_EQUAL(journal_decide(j, later, &err), MBD_OK);
  CU_ASSERT_EQUAL(journal_decide(j, "[", &err), MBD_BAD_INPUT);
  journal_close(j);
  CU_ASSERT_EQUAL(journal_is_open(path, &open, &err), MBD_OK);
  CU_ASSERT_EQUAL(open, 1);
  CU_ASSERT_EQUAL(open_again(&c, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(c.decided, later);
  journal_content_free(&c);
}

static void test_what_was_written(void) {
  size_t length = 0;
  char *text = make(&length);
  journal_content c;
  CU_ASSERT_EQUAL(open_again(&c, NULL), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(c.n, RECORDS);
  for (int k = 1; k <= RECORDS; k++) { CU_ASSERT(is_whole(&c.record[k - 1], k)); }
  CU_ASSERT(c.damage == NULL && file_is(path, text, length) && access(kept, F_OK) != 0);
  journal_content_free(&c);
  free(text);
}

/* Of a text, the line with this number, from 0. */
static char *line_at(char *text, int number, size_t *length) {
  for (; number > 0; number--) { text = strchr(text, '\n') + 1; }
  *length = strcspn(text, "\n");
  return text;
}

/* The journal with one damaged line, whose number is given: the others are read, the damage is told, the file is kept. */
static void expect_damage(const char *text, size_t length, const char *whole, int number, const char *why) {
  journal_content c;
  mbd_error err = {0};
  size_t line;
  write_file(text, length);
  CU_ASSERT_EQUAL(open_again(&c, &err), MBD_OK);
  CU_ASSERT_EQUAL(c.n, RECORDS - 1);
  for (int i = 0, k = 1; i < c.n; i++, k++) {
    k += k == number;
    CU_ASSERT(is_whole(&c.record[i], k));
  }
  CHECK_CONTAINS(c.damage, "1 of 5 lines is damaged, the first is line ");
  CHECK_CONTAINS(c.damage, "3 evaluations");
  CHECK_CONTAINS(c.damage, kept);
  CHECK_CONTAINS(c.damage, why);
  CU_ASSERT(file_is(kept, text, length));
  const char *at = line_at((char *)whole, number, &line);
  char *rest = calloc(strlen(whole) + 1, 1);
  memcpy(rest, whole, (size_t)(at - whole));
  strcat(rest, at + line + 1);
  CU_ASSERT(file_is(path, rest, strlen(rest)));
  unlink(kept);
  free(rest);
  journal_content_free(&c);
}

/* A bit of any byte of a record. */
static void test_every_byte(void) {
  size_t length = 0, line;
  char *text = make(&length), *copy = strdup(text);
  for (int number = 2; number <= 3; number++) {
    char *at = line_at(copy, number, &line);
    for (size_t k = 0; k < line; k += test_long() ? 1 : 5) {
      at[k] ^= 4;
      if (at[k] != '\n') { expect_damage(copy, length, text, number, ""); }
      at[k] ^= 4;
    }
  }
  free(text), free(copy);
}

/* What no record can say, with a hash that is right. */
static void test_every_field(void) {
  static const struct {
    const char *key, *value, *why;
  } wrong[] = {
      {"code", "-1", "'status' and 'code' are not those of a design"},
      {"code", "1", "'status' and 'code'"},
      {"code", "\"0\"", "'status' and 'code'"},
      {"status", "\"MBD_BAD_INPUT\"", "'status' and 'code'"},
      {"status", "\"OK\"", "'status' and 'code'"},
      {"status", "0", "'status' and 'code'"},
      {"evaluation", "0", "'evaluation'"},
      {"evaluation", "1.5", "'evaluation'"},
      {"evaluation", "1e300", "'evaluation'"},
      {"evaluation", "null", "'evaluation'"},
      {"x", "[1]", "'x' is not a list of 2 finite numbers"},
      {"x", "[1,2,3]", "'x'"},
      {"x", "[1,\"2\"]", "'x'"},
      {"f", "null", "'f'"},
      {"f", "\"1\"", "'f'"},
      {"c", "[]", "'c' is not a list of 1 finite numbers"},
      {"c", "[null]", "'c'"},
      {"g", "[1]", "'g'"},
      {"g", "{}", "'g'"},
      {"jac", "[1,2,3]", "'jac'"},
      {"H", "[1,2,3]", "'H'"},
      {"hessians", "[1,2,3,4]", "'hessians' is not a list of 8 finite numbers"},
      {"size", "[1]", "'difference' is not a list of 1 finite numbers"},
      {"size", "[null,1]", "'size' is not a list of 2 finite numbers"},
      {"seconds", "-1", "'seconds'"},
      {"seconds", "null", "'seconds'"},
      {"error", "\"why\"", "'error'"},
  };
  size_t length = 0, line;
  char *text = make(&length);
  const char *at = line_at(text, 2, &line);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    json_t *o = json_loadb(at, line, 0, NULL);
    json_object_del(o, "hash");
    json_object_set_new(o, wrong[i].key, json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
    char *changed = journal_line_text(o, 0), *all = NULL;
    CU_ASSERT_FATAL(asprintf(&all, "%.*s%s%s", (int)(at - text), text, changed, at + line + 1) > 0);
    expect_damage(all, strlen(all), text, 2, wrong[i].why);
    free(changed), free(all);
  }
  free(text);
}

/* A run that was killed while it wrote: the torn line goes, without a word. */
static void test_torn_end(void) {
  size_t length = 0, line;
  char *text = make(&length);
  const size_t last = (size_t)(line_at(text, RECORDS, &line) - text);
  for (size_t at = last; at < length; at++) {
    journal_content c;
    write_file(text, at);
    CU_ASSERT_EQUAL(open_again(&c, NULL), MBD_OK);
    CU_ASSERT(c.n == RECORDS - 1 && c.damage == NULL && file_is(path, text, last));
    journal_content_free(&c);
  }
  const size_t header = strcspn(text, "\n");
  for (size_t at = 0; at < header; at++) {
    journal_content c;
    write_file(text, at);
    CU_ASSERT_EQUAL(open_again(&c, NULL), MBD_OK);
    CU_ASSERT(c.n == 0 && c.damage == NULL && file_is(path, text, header + 1));
  }
  free(text);
}

/* After a loss of power a file may have its length, and nothing in it. */
static void test_zeros(void) {
  static const char zeros[5000];
  journal_content c;
  write_file(zeros, sizeof zeros);
  CU_ASSERT_EQUAL(open_again(&c, NULL), MBD_OK);
  CU_ASSERT(c.n == 0 && c.damage == NULL);
}

static void refused(const char *text, const char *why) {
  journal_content c;
  mbd_error err = {0};
  write_file(text, strlen(text));
  CU_ASSERT_EQUAL(open_again(&c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, why);
  CU_ASSERT(c.n == 0 && file_is(path, text, strlen(text)));
  journal_content_free(&c);
}

static void test_no_journal(void) {
  static const char is_none[] = "is not a journal of this program";
  size_t length = 0;
  char *text = make(&length), *copy = strdup(text), *later = NULL;
  refused("my thesis\n", is_none);
  refused("my thesis, on one line without an end", is_none);
  refused("{\"mine\":1}\n", is_none);
  refused("\n", is_none);
  strstr(copy, "toy")[0] = 'T';
  refused(copy, is_none);
  json_t *o = journal_line_header(&problem, "print");
  json_object_set_new(o, "journal", json_integer(1));
  later = journal_line_text(o, 0);
  refused(later, "journal of another version of this program (format 1, expected 2)");
  free(text), free(copy), free(later);
}

static void refused_for(const mbo_problem *p, const char *print) {
  size_t length = 0;
  char *text = make(&length);
  journal *j;
  journal_content c = {0};
  mbd_error err = {0};
  CU_ASSERT_EQUAL(journal_open(path, p, print, &j, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "is the journal of another problem");
  CU_ASSERT(file_is(path, text, length));
  free(text);
}

static void test_other_problem(void) {
  static const char *const others[] = {"a", "d"};
  mbo_problem other_names = problem, other_constraint = problem, other_size = problem;
  other_names.names = others, other_constraint.c_names = others, other_size.n = 1;
  refused_for(&problem, "other print");
  refused_for(&other_names, "print");
  refused_for(&other_constraint, "print");
  refused_for(&other_size, "print");
}

/* What has no end, or cannot be read, is not opened for writing. */
static void test_no_file(void) {
  journal *j;
  journal_content c = {0};
  mbd_error err = {0};
  CU_ASSERT_EQUAL(journal_open("/dev/zero", &problem, "print", &j, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "/dev/zero is not a file that a journal can be read from");
  CU_ASSERT_EQUAL(journal_open(folder, &problem, "print", &j, &c, &err), MBD_BAD_INPUT);
}

static int is_open(const char *file) {
  mbd_error err = {0};
  int open = 0;
  must(journal_is_open(file, &open, &err), &err);
  return open;
}

static void test_is_open(void) {
  size_t length = 0;
  mbd_error err = {0};
  journal *j;
  unlink(path);
  CU_ASSERT(!is_open(path));
  write_file("", 0);
  CU_ASSERT(!is_open(path));
  write_file("my thesis\n", 10);
  CU_ASSERT(is_open(path));
  unlink(path);
  CU_ASSERT_EQUAL(journal_open(path, &problem, "print", &j, NULL, &err), MBD_OK);
  CU_ASSERT(!is_open(path)); /* nothing was simulated */
  append(j, 1);
  CU_ASSERT(is_open(path));
  CU_ASSERT_EQUAL(journal_end(j, "CONVERGED", &err), MBD_OK);
  CU_ASSERT(!is_open(path));
  append(j, 2);
  CU_ASSERT(is_open(path));
  journal_end(j, "CONVERGED", &err);
  journal_close(j);
  char *text = read_file(path, &length);
  write_file(text, length - 1);
  CU_ASSERT(!is_open(path)); /* its last byte alone is missing */
  journal_content c;
  CU_ASSERT(open_again(&c, &err) == MBD_OK && c.n == 2 && c.damage == NULL);
  journal_content_free(&c);
  free(text);
}

/* Killed after its last line, a run that is resumed does not say twice how it ended. */
static void test_one_end(void) {
  size_t length = 0;
  mbd_error err = {0};
  journal *j;
  journal_content c = {0};
  free(make(&length));
  const char *const how[] = {"STOPPED_LIMIT", "STOPPED_LIMIT", "CONVERGED"};
  for (int i = 0; i < 3; i++) {
    must(journal_open(path, &problem, "print", &j, &c, &err), &err);
    CU_ASSERT(c.n == RECORDS && strcmp(c.end, i ? how[i - 1] : "") == 0);
    CU_ASSERT_EQUAL(journal_end(j, how[i], &err), MBD_OK);
    CU_ASSERT_EQUAL(journal_end(j, how[i], &err), MBD_OK);
    journal_close(j);
    journal_content_free(&c);
    char *text = read_file(path, &length);
    int lines = 0;
    for (size_t k = 0; k < length; k++) { lines += text[k] == '\n'; }
    CU_ASSERT_EQUAL(lines, 1 + RECORDS + (i == 2 ? 2 : 1));
    free(text);
  }
}

int main(void) {
  static const test_entry tests[] = {TEST(test_what_was_written), TEST(test_every_byte), TEST(test_every_field),
                                     TEST(test_torn_end),         TEST(test_zeros),      TEST(test_no_journal),
                                     TEST(test_other_problem),    TEST(test_no_file),    TEST(test_is_open),
                                     TEST(test_one_end),          TEST(test_decided)};
  if (!mkdtemp(folder)) { return 1; }
  snprintf(path, sizeof path, "%s/journal.jsonl", folder);
  snprintf(kept, sizeof kept, "%s.damaged", path);
  const int code = test_run(__FILE__, tests, (int)(sizeof tests / sizeof tests[0]));
  unlink(path), rmdir(folder);
  return code;
}
