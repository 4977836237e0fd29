# Language, warnings and build options shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Line tables are enough for a backtrace and a sanitizer report, and a third of the disk and link time of -g.
# Without NDEBUG: assertions run in every test.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

include(GNUInstallDirs)
set(SINTER_INSTALL_LIBRARIES lib/sinter)  # what the program loads at run time; sinter/runtime looks there

option(SINTER_FUZZ "build the fuzz targets with libFuzzer (clang)" OFF)
set(SINTER_SANITIZE "" CACHE STRING "sanitizers, for example address,undefined")
set(SINTER_DEPS ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "the pieces that scripts/setup fetched")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(sinter_warnings INTERFACE)
target_compile_options(sinter_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wformat=2 -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sinter_warnings INTERFACE -Wduplicated-cond -Wlogical-op)
  # g++ 12 reports these inside the standard library's own inlined code (bugs 105651 and 105329).
  target_compile_options(sinter_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()

if(SINTER_SANITIZE)
  add_compile_options(-fsanitize=${SINTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SINTER_SANITIZE})
endif()
if(SINTER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
