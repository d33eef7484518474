# The Debian package: `cmake --build --preset release && cpack --config build/release/CPackConfig.cmake` makes
# caf_app_<version>_<architecture>.deb of what `cmake --install` installs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME caf_app)
set(CPACK_PACKAGE_VENDOR caf_app)
set(CPACK_PACKAGE_CONTACT "caf_app maintainers <root@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "distributed application server on the C++ Actor Framework")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_NAME caf-app) # Debian allows no underscore
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # the archives are large: xz takes minutes for a third less
# The evaluator compiles on the host; programs that link the library need what it was built with.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, libcaf-dev, libssl-dev, libboost-json1.81-dev, libspdlog-dev, libseccomp-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, systemd")
foreach(script IN ITEMS postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/${script}")
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Packing takes what is built; without this it would build every suite first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)

install(FILES "${CMAKE_CURRENT_LIST_DIR}/caf-node@.service" DESTINATION lib/systemd/system)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/caf_app.sysusers" DESTINATION lib/sysusers.d RENAME caf_app.conf)
