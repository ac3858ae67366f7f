/* The texts in the program are the files. */
#include "report/assets.h"
#include "test.h"

static void same_as_file(const char *name, const char *text) {
  char path[600], part[4096];
  size_t at = 0, n;
  snprintf(path, sizeof path, MBOPT_SOURCE_DIR "/opt/report/assets/%s", name);
  FILE *in = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  while ((n = fread(part, 1, sizeof part, in)) > 0) {
    CU_ASSERT_EQUAL_FATAL(strncmp(text + at, part, n), 0);
    at += n;
  }
  fclose(in);
  CU_ASSERT(at > 0);
  CU_ASSERT_EQUAL(strlen(text), at);
}

/* A script has no indentation, and a hash of 32 bytes in base64. */
static void same_script(const char *name, const mbo_script *script) {
  char path[600];
  const char *at = script->text;
  snprintf(path, sizeof path, MBOPT_SOURCE_DIR "/opt/report/assets/%s", name);
  FILE *in = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  for (int c, begins = 1; (c = fgetc(in)) != EOF;) {
    if (begins && c == ' ') { continue; }
    CU_ASSERT_EQUAL_FATAL((unsigned char)*at, c);
    begins = c == '\n';
    at++;
  }
  fclose(in);
  CU_ASSERT(at > script->text && *at == '\0');
  CU_ASSERT(strlen(script->sha256) == 44 && script->sha256[43] == '=');
}

static void test_texts(void) {
  same_as_file("page.css", mbo_asset_page_css);
  same_script("page.js", &mbo_asset_page_js);
  same_script("begin.js", &mbo_asset_begin_js);
  same_script("try.js", &mbo_asset_try_js);
  same_script("live.js", &mbo_asset_live_js);
  same_as_file("scene.css", mbo_asset_scene_css);
  same_script("share.js", &mbo_asset_share_js);
  same_script("scene.js", &mbo_asset_scene_js);
  same_script("vectors.js", &mbo_asset_vectors_js);
  same_script("shapes.js", &mbo_asset_shapes_js);
  same_script("centres.js", &mbo_asset_centres_js);
  same_as_file("study.css", mbo_asset_study_css);
  same_script("study_tools.js", &mbo_asset_study_tools_js);
  same_script("study_density.js", &mbo_asset_study_density_js);
  same_script("study_contours.js", &mbo_asset_study_contours_js);
  same_script("study_points.js", &mbo_asset_study_points_js);
  same_script("study_parallel.js", &mbo_asset_study_parallel_js);
  same_script("study_plane.js", &mbo_asset_study_plane_js);
  same_script("study.js", &mbo_asset_study_js);
  same_as_file("curves.css", mbo_asset_curves_css);
  same_script("curves.js", &mbo_asset_curves_js);
  same_script("plot.js", &mbo_asset_plot_js);
  same_script("linear.js", &mbo_asset_linear_js);
}

TEST_MAIN(TEST(test_texts))
