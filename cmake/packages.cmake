# Packages for Debian: `cpack -G DEB` in the build folder of the preset "package"; scripts/packages does all of it.
#   libmbd1, libmbo1   the shared libraries, by the number of their interface
#   libmbo-dev         headers, pkg-config, CMake package, examples in C
#   mbopt              the program, its manual pages and documents, configs and problems
#   python3-mbopt      the Python package
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mbopt)
set(CPACK_PACKAGE_VENDOR "the mbopt authors")
set(CPACK_PACKAGE_CONTACT "the mbopt authors <mbopt@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "optimal design of mechanisms and vehicles with exact gradients")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL libmbd libmbo development program python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
set(same_version "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_LIBMBD_PACKAGE_NAME libmbd${interface})
set(CPACK_COMPONENT_LIBMBD_DESCRIPTION "dynamics of closed-loop multibody systems with analytical sensitivities")
set(CPACK_DEBIAN_LIBMBO_PACKAGE_NAME libmbo${interface})
set(CPACK_DEBIAN_LIBMBO_PACKAGE_DEPENDS "libmbd${interface} ${same_version}")
if(IPOPT_FOUND) # it is opened when it is first used, so no library names it
  string(APPEND CPACK_DEBIAN_LIBMBO_PACKAGE_DEPENDS ", coinor-libipopt1v5")
endif()
set(CPACK_COMPONENT_LIBMBO_DESCRIPTION "optimal design of mechanisms: run files, evaluations, optimizers")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmbo-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libmbd${interface} ${same_version}, libmbo${interface} ${same_version}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "headers of libmbd and libmbo, with examples")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME mbopt)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libmbo${interface} ${same_version}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "optimal design of mechanisms and vehicles with exact gradients")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-mbopt)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libmbo${interface} (>= ${PROJECT_VERSION}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS mbopt) # pages, descriptions and studies are made by the program
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-scipy, python3-pandas, python3-xarray, python3-matplotlib, python3-tqdm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "mechanisms and their exact gradients as NumPy arrays")
# The licence, where Debian looks for it.
foreach(package libmbd libmbo development program python)
  string(TOUPPER ${package} upper)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${package})
endforeach()
include(CPack)
