# Writes the C file OUT with the bytes of every file in FOLDER, each ended by a zero: with PREFIX mbo_asset, scene.js becomes
# `const char mbo_asset_scene_js[]`, which HEADER declares. Character constants, since compilers need not take string literals beyond
# 4095 bytes.
file(GLOB assets ${FOLDER}/*)
list(SORT assets)
set(text "/* Made by cmake/assets.cmake */\n#include \"${HEADER}\"\n")
foreach(asset ${assets})
  get_filename_component(name ${asset} NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name ${name})
  file(READ ${asset} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "\nconst char ${PREFIX}_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
