/* The page: what it is made of, in which order, and that no text becomes markup. */
#include <math.h>
#include <unistd.h>

#include "report/page.h"
#include "test.h"

static char path[] = "/tmp/mbopt_page_XXXXXX";

static char *read_all(void) {
  FILE *in = fopen(path, "r");
  char *text = NULL;
  size_t size = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  CU_ASSERT(getdelim(&text, &size, '\0', in) > 0);
  fclose(in);
  return text;
}

static void fill(page *p) {
  static const char *const heading[] = {"variable", "result <m>"};
  page_section(p, "What was run?");
  page_facts_open(p);
  page_fact(p, "model", "a & \"b\".ini");
  page_fact(p, "nothing", "");
  page_fact(p, "nothing", NULL);
  page_facts_close(p);
  page_text(p, "objective %s = %d", "<script>alert('x')</script>", 3);
  page_verdict_owned(p, 0, strdup("a < b"));
  page_folded_section(p, "Table 1");
  page_table_open(p, 2, heading);
  page_row(p);
  page_cell(p, "k<f>");
  page_cell_number(p, 0.1 + 0.2, 6, "at its lower bound");
  page_row_of_body(p, "<bar>");
  page_cell(p, NULL);
  page_cell_number(p, NAN, 6, NULL);
  page_table_close(p);
  page_graph(p, "<svg width=\"500\"></svg>", 1.1, "a <figure>");
}

static char *make(void) {
  mbd_error err = {0};
  page *p;
  must(page_create("five_bar <&>", &p, &err), &err);
  fill(p);
  json_t *data = json_pack("{s:s, s:f}", "name", "</script><!--", "x", 0.5);
  page_container(p, "scene");
  page_json(p, "data", data);
  page_script(p, &(mbo_asset){"\nshow('scene');\n", "HASH="});
  json_decref(data);
  must(page_write(p, path, &err), &err);
  page_destroy(p);
  return read_all();
}

/* The parts stand in the text, one after the other. */
static void in_order(const char *text, int n, const char *const *part) {
  const char *at = text;
  for (int i = 0; i < n && at; i++) {
    const char *found = strstr(at, part[i]);
    CU_ASSERT_PTR_NOT_NULL(found);
    if (!found) { printf("\n  expected %s after %.60s\n", part[i], at); }
    at = found ? found + strlen(part[i]) : at;
  }
}

static int count(const char *text, const char *part) {
  int n = 0;
  for (const char *s = text; (s = strstr(s, part)); s += strlen(part)) { n++; }
  return n;
}

static void test_structure(void) {
  char *text = make();
  const char *const part[] = {
      "<!DOCTYPE html>\n<html lang=\"en\">",
      "<meta charset=\"utf-8\">",
      "<title>five_bar &lt;&amp;&gt;</title>",
      "default-src 'none'; script-src 'sha256-",
      " 'sha256-HASH='; style-src 'sha256-",
      "<style>",
      "prefers-color-scheme: dark",
      "</style>",
      "<h1>five_bar &lt;&amp;&gt;</h1>",
      "<nav",
      "<li><a href=\"#what-was-run\">What was run?</a></li>",
      "<li><a href=\"#table-1\">Table 1</a></li>",
      "</nav>",
      "<section id=\"what-was-run\">",
      "<dt>model</dt><dd>a &amp; &quot;b&quot;.ini</dd>",
      "<p>objective &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; = 3</p>",
      "<p class=\"verdict bad\">a &lt; b</p>",
      "</section>\n<section id=\"table-1\">\n<details class=\"fold\"><summary><h2>Table 1</h2></summary>",
      "result &lt;m&gt;</button></th></tr></thead>",
      "<tr><td>k&lt;f&gt;</td><td class=\"number\" data-value=\"0.30000000000000004\">",
      "<span class=\"mark\">at its lower bound</span> 0.3</td></tr>",
      "<tr data-body=\"&lt;bar&gt;\"><td></td><td class=\"number\">–</td></tr>",
      "</tbody></table>",
      "<figure class=\"graph\" data-style=\"--least: 550px\"><div class=\"wide\"><svg width=\"500\"></svg></div>",
      "<figcaption>a &lt;figure&gt;</figcaption></figure>",
      "<div id=\"scene\"></div>",
      "</details>\n</section>\n</main>",
      "aria-sort",
      "<script type=\"application/json\" id=\"data\">{\"name\":\"\\u003c/script>\\u003c!--\",\"x\":0.5}</script>",
      "<script>\nshow('scene');\n</script>",
      "</body>\n</html>\n"};
  in_order(text, (int)(sizeof part / sizeof part[0]), part);
  CU_ASSERT_PTR_NULL(strstr(text, "nothing"));
  CU_ASSERT_PTR_NULL(strstr(text, "unsafe-inline"));
  CU_ASSERT_EQUAL(count(text, "://"), count(text, "\"http://www.w3.org/2000/svg\"")); /* a name, which nothing loads */
  free(text);
}

static void test_balance(void) {
  static const char *const element[] = {"section", "table", "tbody",  "tr",     "td",
                                        "th",      "dl",    "figure", "script", "main"};
  char *text = make(), open[20], close[20];
  for (size_t i = 0; i < sizeof element / sizeof element[0]; i++) {
    snprintf(open, sizeof open, "<%s", element[i]);
    snprintf(close, sizeof close, "</%s>", element[i]);
    const int also = strcmp(element[i], "th") == 0 ? count(text, "<thead") : 0;
    CU_ASSERT_EQUAL(count(text, open) - also, count(text, close));
    CU_ASSERT(count(text, close) > 0);
  }
  free(text);
}

static void test_cannot_write(void) {
  mbd_error err = {0};
  page *p;
  must(page_create("x", &p, &err), &err);
  CU_ASSERT_EQUAL(page_write(p, "/nowhere/report.html", &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "/nowhere/report.html cannot be written");
  page_destroy(p);
  page_destroy(NULL);
}

int main(void) {
  const test_entry all[] = {TEST(test_structure), TEST(test_balance), TEST(test_cannot_write)};
  const int file = mkstemp(path);
  if (file < 0) { return 2; }
  close(file);
  const int failed = test_run(__FILE__, all, (int)(sizeof all / sizeof all[0]));
  unlink(path);
  return failed;
}
