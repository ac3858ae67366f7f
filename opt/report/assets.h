/* Texts that are part of the program: the files of report/assets/, which cmake/assets.cmake converts to C. A new file
 * is declared here under its file name, with _ in place of all characters that are not letters or digits. */
#ifndef MBO_ASSETS_H
#define MBO_ASSETS_H

/* A script or a style sheet as it stands between the tags of a page, and its SHA-256 in base64, by which the policy of the page allows it. */
typedef struct mbo_asset {
  const char *text, *sha256;
} mbo_asset;

extern const mbo_asset mbo_asset_page_css;  /* of every page */
extern const mbo_asset mbo_asset_common_js; /* likewise, before all other scripts */
extern const mbo_asset mbo_asset_page_js;
extern const mbo_asset mbo_asset_begin_js;   /* likewise: the last one */
extern const mbo_asset mbo_asset_live_js;    /* of one that is written anew while its work goes on */
extern const mbo_asset mbo_asset_scene_css;  /* of the animation */
extern const mbo_asset mbo_asset_vectors_js; /* of three numbers, for all scripts of mechanisms */
extern const mbo_asset mbo_asset_share_js;   /* what of it is saved; before it */
extern const mbo_asset mbo_asset_scene_js;
extern const mbo_asset mbo_asset_shapes_js;  /* shapes of bodies, for scene.js */
extern const mbo_asset mbo_asset_centres_js; /* instantaneous centres, for scene.js */
extern const mbo_asset mbo_asset_plot_js;    /* figures as <svg>, for curves and pages */
extern const mbo_asset mbo_asset_curves_css; /* of both */
extern const mbo_asset mbo_asset_engine_js;  /* the program in a Worker */
extern const mbo_asset mbo_asset_try_js;     /* a design that the reader moves, for pages with an engine */
extern const mbo_asset mbo_asset_try_css;
extern const mbo_asset mbo_asset_linear_js; /* root loci and modes */
extern const mbo_asset mbo_asset_curves_js;
extern const mbo_asset mbo_asset_study_css;      /* of the figures of many runs */
extern const mbo_asset mbo_asset_study_tools_js; /* before the others */
extern const mbo_asset mbo_asset_study_density_js;
extern const mbo_asset mbo_asset_study_contours_js;
extern const mbo_asset mbo_asset_study_points_js;
extern const mbo_asset mbo_asset_study_parallel_js;
extern const mbo_asset mbo_asset_study_plane_js;
extern const mbo_asset mbo_asset_study_js;
extern const mbo_asset mbo_asset_dygraph_js; /* the library dygraphs with its licence; "": built without it */

#endif
