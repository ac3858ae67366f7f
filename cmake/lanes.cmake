# libmbd_lanesW: the sources of libmbd with the numbers of W designs in a scalar (lib/include/base/designs.h), for lib/lanes/open.c to load. The scalar is
# a vector of clang, which compiles these libraries whatever the compiler of the others is: by rules of their own.
set(MBOPT_LANES "4" CACHE STRING "designs in lockstep: the numbers of lanes of which there are libraries, of 2, 4 and 8; empty: none")
find_program(MBOPT_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 DOC "clang (Debian: clang)")
set(lanes ${MBOPT_LANES})
if(EMSCRIPTEN OR CMAKE_CROSSCOMPILING OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(lanes)
elseif(lanes AND NOT MBOPT_CLANG)
  set(lanes)
  message(STATUS "clang not found: designs are simulated one by one (Debian: clang)")
elseif(lanes)
  execute_process(COMMAND ${MBOPT_CLANG} -std=c11 -fsyntax-only -Wno-psabi -DMBD_DESIGNS=2 -I${CMAKE_CURRENT_SOURCE_DIR}/lib/include -x c
                          ${CMAKE_CURRENT_SOURCE_DIR}/lib/include/base/real.h RESULT_VARIABLE lanes_refused OUTPUT_QUIET ERROR_QUIET)
  if(lanes_refused)
    set(lanes)
    message(STATUS "${MBOPT_CLANG} does not compile vectors as scalars: designs are simulated one by one; expected clang 14 or later")
  endif()
endif()
foreach(width ${lanes})
  if(NOT width MATCHES "^[248]$")
    message(FATAL_ERROR "MBOPT_LANES has ${width}, expected some of 2, 4 and 8")
  endif()
endforeach()
if(lanes AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64") # vectors of two numbers are common to the others
  set(lanes 2)
endif()

# Instructions of each, which open.c asks the processor for.
set(lanes_flags_2)
set(lanes_flags_4 -mavx2)
set(lanes_flags_8 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)

# What a library and libmbd have in common, by which one of another build is known (lib/lanes/lanes.h).
file(GLOB_RECURSE lanes_headers CONFIGURE_DEPENDS lib/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lanes_headers})
set(lanes_hashes)
foreach(header ${lanes_headers})
  file(SHA256 ${header} lanes_hash)
  string(APPEND lanes_hashes ${lanes_hash})
endforeach()
string(SHA256 lanes_hash "${lanes_hashes}")
set(lanes_key MBD_LANES_HEADERS="${PROJECT_VERSION} ${lanes_hash}")

set(lanes_sources ${product_sources} ${CMAKE_CURRENT_SOURCE_DIR}/lib/lanes/lanes.c)
list(REMOVE_ITEM lanes_sources ${CMAKE_CURRENT_SOURCE_DIR}/lib/lanes/open.c ${CMAKE_CURRENT_SOURCE_DIR}/lib/lanes/describe.c
  ${CMAKE_CURRENT_SOURCE_DIR}/lib/dynamics/inverse.c)
# The numbers of the scalar program: no fused multiply-adds. By -O3 they are no faster, and take a fifth longer to compile.
set(lanes_options -std=c11 -fPIC -fvisibility=hidden -DNDEBUG -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi -D_GNU_SOURCE
                  -I${CMAKE_CURRENT_SOURCE_DIR}/lib -I${CMAKE_CURRENT_SOURCE_DIR}/lib/include -I${generated})
# With sanitizers (cmake --preset sanitize -DMBOPT_LANES=4) these libraries have them too; their functions are those of the program that loads the library.
separate_arguments(lanes_sanitizers UNIX_COMMAND "${CMAKE_C_FLAGS}")
list(FILTER lanes_sanitizers INCLUDE REGEX "^-f(no-)?(sanitize|omit-frame-pointer)")
set(lanes_undefined -Wl,-z,defs)
if(lanes_sanitizers)
  list(APPEND lanes_options ${lanes_sanitizers} -gline-tables-only)
  set(lanes_undefined)
endif()

foreach(width ${lanes})
  set(name mbd_lanes${width})
  set(objects)
  foreach(source ${lanes_sources})
    file(RELATIVE_PATH file ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}/${file}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    set(optimized -O2)
    if(MBOPT_LIGHT)
      set(optimized -O0)
    elseif(lanes_sanitizers) # not at all what hardly takes time
      set(optimized -O1)
      if(source MATCHES "/lib/(natural|model|output|objective|simulate)/")
        set(optimized -O0)
      endif()
    endif()
    set(key)
    if(source MATCHES "/lib/lanes/lanes.c$")
      set(key "-D${lanes_key}")
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${MBOPT_CLANG} ${lanes_options} ${optimized} ${lanes_flags_${width}} -DMBD_DESIGNS=${width} ${key} -MD -MF
              ${object}.d -MT ${object} -o ${object} -c ${source}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Building C object ${name}/${file}.o" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_library(${name} SHARED ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C SOVERSION ${interface} LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/lanes.map)
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic ${lanes_undefined} -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/lanes.map)
  target_link_libraries(${name} PRIVATE m)
  list(APPEND lanes_targets ${name})
endforeach()
