# Every library outside the project, one owner folder each (docs/design.md says why it is there).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(Protobuf REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()


# The fetched pieces. scripts/setup touches .have when it brings one, which may add an optional part of the build.
foreach(piece openvino/include onnxruntime/include onnxruntime/lib onnx/onnx.proto clip tree_sitter tree_sitter_python)
  if(NOT EXISTS ${SINTER_DEPS}/${piece})
    message(FATAL_ERROR "${SINTER_DEPS}/${piece} is missing; run scripts/setup first (make does it)")
  endif()
endforeach()
if(EXISTS ${SINTER_DEPS}/.have)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SINTER_DEPS}/.have)
endif()

# The wheel's own CMake package hard-codes its layout; headers and one library are all that is needed.
set(SINTER_OPENVINO_LIBRARY libopenvino.so.2641)
add_library(openvino_runtime SHARED IMPORTED)
set_target_properties(openvino_runtime PROPERTIES
  IMPORTED_LOCATION ${SINTER_DEPS}/openvino/libs/${SINTER_OPENVINO_LIBRARY}
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SINTER_DEPS}/openvino/include)

add_library(onnxruntime_headers INTERFACE)
target_include_directories(onnxruntime_headers SYSTEM INTERFACE ${SINTER_DEPS}/onnxruntime/include)

# The headers of TensorRT-RTX, and of TensorRT: those of 11.4 when set-up brought them, or those of the user's installation, which
# must be of its major version.
set(SINTER_TENSORRT_INCLUDE "" CACHE PATH "the folder with the NvInfer.h of your TensorRT 10 or 11")
if(EXISTS ${SINTER_DEPS}/tensorrt_rtx/include/NvInfer.h)
  set(SINTER_TENSORRT_RTX_HEADERS ${SINTER_DEPS}/tensorrt_rtx/include)
endif()
if(SINTER_TENSORRT_INCLUDE)
  if(NOT EXISTS ${SINTER_TENSORRT_INCLUDE}/NvInfer.h)
    message(FATAL_ERROR "SINTER_TENSORRT_INCLUDE is ${SINTER_TENSORRT_INCLUDE}, which has no NvInfer.h")
  endif()
  set(SINTER_TENSORRT_HEADERS ${SINTER_TENSORRT_INCLUDE})
elseif(EXISTS ${SINTER_DEPS}/tensorrt/include/NvInfer.h)
  set(SINTER_TENSORRT_HEADERS ${SINTER_DEPS}/tensorrt/include)
endif()

# Python's syntax trees; the library is made to be compiled as one file.
add_library(tree_sitter STATIC ${SINTER_DEPS}/tree_sitter/src/lib.c
  ${SINTER_DEPS}/tree_sitter_python/src/parser.c ${SINTER_DEPS}/tree_sitter_python/src/scanner.c)
target_include_directories(tree_sitter
  PUBLIC $<BUILD_INTERFACE:${SINTER_DEPS}/tree_sitter/include>
  PRIVATE ${SINTER_DEPS}/tree_sitter/src ${SINTER_DEPS}/tree_sitter/grammar)

# Nothing of these is linked, so an installed sinter does not ask for them.
set(SINTER_HEADER_ONLY nlohmann_json::nlohmann_json CLI11::CLI11 onnxruntime_headers)
