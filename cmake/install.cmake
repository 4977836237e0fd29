# `cmake --install`: the sinter program, the libraries that it loads, and sinter::<module> for other CMake projects
# (examples/consumer shows their use). What sinter loads lies in one folder that its own rpath names, so that the
# whole prefix can be moved.
include(CMakePackageConfigHelpers)

if(TARGET sinter)
  set_target_properties(sinter PROPERTIES INSTALL_RPATH "$ORIGIN/../${SINTER_INSTALL_LIBRARIES}")
  install(TARGETS sinter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# TensorRT-RTX stays behind: its licence leaves passing it on to NVIDIA.
install(DIRECTORY ${SINTER_DEPS}/openvino/libs/ ${SINTER_DEPS}/onnxruntime/lib/
  DESTINATION ${SINTER_INSTALL_LIBRARIES} USE_SOURCE_PERMISSIONS PATTERN licenses EXCLUDE)
install(DIRECTORY ${SINTER_DEPS}/openvino/licenses/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses/openvino)
install(DIRECTORY ${SINTER_DEPS}/onnxruntime/lib/licenses/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses/onnxruntime)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/sinter-config.cmake.in sinter-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
write_basic_package_version_file(sinter-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinter-config.cmake ${CMAKE_BINARY_DIR}/sinter-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
install(EXPORT sinter NAMESPACE sinter:: FILE sinter-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
