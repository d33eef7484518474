# Build rules shared by every target: language level, warnings, sanitizers, ccache, the dependencies that Debian
# ships without CMake files, and caf_app_room(), which declares a folder as a library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1") # asserts stay on; full debug info would double the build time
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")

find_program(CAF_APP_CCACHE ccache)
if(CAF_APP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this it never hits where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CAF_APP_CCACHE})
endif()

# A build from nothing takes half of the time if what actors include is compiled once and several sources are one unit.
# With ccache, which hits in the file that changed nothing, that is the smaller gain, and one change would be a miss for all.
if(CAF_APP_CCACHE)
  set(from_nothing OFF)
else()
  set(from_nothing ON)
endif()
option(CAF_APP_AT_ONCE "compile several sources as one and precompile headers: faster from nothing, slower after a change"
       ${from_nothing})
if(CAF_APP_AT_ONCE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=500000) # KiB before garbage is looked for: a tenth of the time
endif()

find_program(CAF_APP_GOLD ld.gold)
if(CAF_APP_GOLD)
  add_link_options(-fuse-ld=gold) # a third of the time of ld.bfd, for some three hundred programs
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(spdlog REQUIRED)
find_package(boost_json 1.81 REQUIRED CONFIG)
find_package(CAF 0.17.6 REQUIRED) # FindCAF.cmake beside this file

# Flags of every target of ours, not of its users.
add_library(caf_app_flags INTERFACE)
target_compile_options(caf_app_flags INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter)
set(CAF_APP_SANITIZE "" CACHE STRING "sanitizers to build with: address,undefined or thread")
if(CAF_APP_SANITIZE)
  # CAF's spawn binds null references, hence no null check.
  set(sanitize -fsanitize=${CAF_APP_SANITIZE} -fno-sanitize=null -fno-sanitize-recover=all)
  target_compile_options(caf_app_flags INTERFACE ${sanitize})
  target_link_options(caf_app_flags INTERFACE ${sanitize})
endif()

# caf_app_room(NAME [ACTORS] [SOURCES ...] [USES ...]): declares the static library NAME. USES are public dependencies;
# that a room links with nothing else is what its link test checks. ACTORS: most of its files include CAF whole.
function(caf_app_room name)
  cmake_parse_arguments(room "ACTORS" "" "SOURCES;USES" ${ARGN})
  if(NOT room_SOURCES)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${room_USES})
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}/libcaf_app" "${PROJECT_SOURCE_DIR}")
    return()
  endif()
  add_library(${name} STATIC ${room_SOURCES})
  target_link_libraries(${name} PUBLIC ${room_USES} PRIVATE $<BUILD_INTERFACE:caf_app_flags>)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/libcaf_app>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Hence a name in an unnamed namespace is used once per room.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${CAF_APP_AT_ONCE} UNITY_BUILD_BATCH_SIZE 10)
  if(room_ACTORS AND CAF_APP_AT_ONCE)
    if(TARGET caf_app_messages AND NOT name STREQUAL "caf_app_messages")
      target_precompile_headers(${name} REUSE_FROM caf_app_messages)
    else()
      target_precompile_headers(${name} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/precompiled.hpp")
    endif()
  endif()
endfunction()
