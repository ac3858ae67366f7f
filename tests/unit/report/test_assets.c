/* The texts in the program are the files. */
#include "report/assets.h"
#include "test.h"

/* They have no indentation, and a hash of 32 bytes in base64. */
static void same_as_file(const char *name, const mbo_asset *asset) {
  char path[600];
  const char *at = asset->text;
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
  CU_ASSERT(at > asset->text && *at == '\0');
  CU_ASSERT(strlen(asset->sha256) == 44 && asset->sha256[43] == '=');
}

static void test_texts(void) {
  same_as_file("page.css", &mbo_asset_page_css);
  same_as_file("common.js", &mbo_asset_common_js);
  same_as_file("page.js", &mbo_asset_page_js);
  same_as_file("begin.js", &mbo_asset_begin_js);
  same_as_file("engine.js", &mbo_asset_engine_js);
  same_as_file("try.css", &mbo_asset_try_css);
  same_as_file("try.js", &mbo_asset_try_js);
  same_as_file("live.js", &mbo_asset_live_js);
  same_as_file("scene.css", &mbo_asset_scene_css);
  same_as_file("share.js", &mbo_asset_share_js);
  same_as_file("scene.js", &mbo_asset_scene_js);
  same_as_file("vectors.js", &mbo_asset_vectors_js);
  same_as_file("shapes.js", &mbo_asset_shapes_js);
  same_as_file("centres.js", &mbo_asset_centres_js);
  same_as_file("study.css", &mbo_asset_study_css);
  same_as_file("study_tools.js", &mbo_asset_study_tools_js);
  same_as_file("study_density.js", &mbo_asset_study_density_js);
  same_as_file("study_contours.js", &mbo_asset_study_contours_js);
  same_as_file("study_points.js", &mbo_asset_study_points_js);
  same_as_file("study_parallel.js", &mbo_asset_study_parallel_js);
  same_as_file("study_plane.js", &mbo_asset_study_plane_js);
  same_as_file("study.js", &mbo_asset_study_js);
  same_as_file("curves.css", &mbo_asset_curves_css);
  same_as_file("curves.js", &mbo_asset_curves_js);
  same_as_file("plot.js", &mbo_asset_plot_js);
  same_as_file("linear.js", &mbo_asset_linear_js);
}

TEST_MAIN(TEST(test_texts))
