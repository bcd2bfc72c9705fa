# Build flavours. PTO2_SANITIZE is a list for -fsanitize: "address,undefined", "thread", or
# "memory", which is Clang's.
#
# A flavour also sets what tests run with: PTO2_TEST_ENVIRONMENT (the sanitizers' run-time options)
# and PTO2_TEST_SLOWDOWN, an integer by which time-outs are multiplied.
set(PTO2_SANITIZE "" CACHE STRING
    "sanitizers to build with: address,undefined | thread | memory | empty")
set_property(CACHE PTO2_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread" "memory")
# PTO2_HELGRIND: atomics that valgrind's helgrind and DRD can follow. Tests labelled "sanitize" run
# under helgrind then, where they are made for it (pto2_valgrind_test), and the others do not.
option(PTO2_HELGRIND "annotations for valgrind's helgrind and DRD" OFF)
if(PTO2_HELGRIND AND PTO2_SANITIZE)
  message(FATAL_ERROR "PTO2_HELGRIND with PTO2_SANITIZE=${PTO2_SANITIZE}: one flavour at a time")
endif()
set(PTO2_VALGRIND_SLOWDOWN 20)
# Tests make many small runs, as executors::keep_freed_memory() says; and the programs that they
# start do.
set(PTO2_TEST_ENVIRONMENT "")
if(NOT PTO2_SANITIZE)
  list(APPEND PTO2_TEST_ENVIRONMENT "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:\
glibc.malloc.trim_threshold=268435456:glibc.malloc.top_pad=1048576")
endif()
set(PTO2_TEST_SLOWDOWN 1)
# Whether "sanitize" is left to the tests that are made for the flavour.
set(PTO2_OWN_SANITIZE_TESTS OFF)
if(PTO2_HELGRIND OR PTO2_SANITIZE STREQUAL "memory")
  set(PTO2_OWN_SANITIZE_TESTS ON)
endif()
if(PTO2_SANITIZE)
  add_compile_options(-fsanitize=${PTO2_SANITIZE} -fno-sanitize-recover=all)
  add_compile_options(-fno-omit-frame-pointer)
  # GCC 12 takes members of the standard library for uninitialised in sanitized code.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${PTO2_SANITIZE})
  set(PTO2_TEST_SLOWDOWN 5)
elseif(PTO2_HELGRIND)
  set(PTO2_TEST_SLOWDOWN ${PTO2_VALGRIND_SLOWDOWN})
endif()
find_program(PTO2_VALGRIND valgrind DOC "for the tests under helgrind and DRD")
mark_as_advanced(PTO2_VALGRIND)
# Both tools, and their options: they stop at the first report.
# --vgdb=no: nobody attaches a debugger, and the pipes for it would stay behind.
set(PTO2_VALGRIND_OPTIONS --quiet --vgdb=no --fair-sched=try
    --error-exitcode=9 --exit-on-first-error=yes
    --suppressions=${PROJECT_SOURCE_DIR}/sanitizers/helgrind.supp)

# pto2_sanitizer_options(VARIABLE option=value...): sets VARIABLE for tests. All stop at the first
# report and name a suppression file, which stays empty; in quotes, since a value ends at a space, a
# colon or a comma.
function(pto2_sanitizer_options VARIABLE)
  list(JOIN ARGN ":" options)
  set(PTO2_TEST_ENVIRONMENT ${PTO2_TEST_ENVIRONMENT} "${VARIABLE}=${options}" PARENT_SCOPE)
endfunction()

if(PTO2_SANITIZE STREQUAL "memory")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PTO2_SANITIZE=memory needs Clang: CMAKE_CXX_COMPILER=clang++-19, or the "
                        "preset msan")
  endif()
  # The C++ library is not instrumented. What it has compiled of its templates, std::string above
  # all, is compiled here instead.
  add_compile_definitions(_GLIBCXX_EXTERN_TEMPLATE=0)
  add_compile_options(-fsanitize-memory-track-origins)
  pto2_sanitizer_options(MSAN_OPTIONS halt_on_error=1)
elseif(PTO2_SANITIZE STREQUAL "thread")
  # second_deadlock_stack shows both acquisitions of a lock-order report; history_size keeps the
  # other access's stack in long runs.
  # What TSan keeps of a thread lies on its stack, a megabyte that each new one touches: stacks are
  # kept for the next thread.
  list(APPEND PTO2_TEST_ENVIRONMENT "GLIBC_TUNABLES=glibc.pthread.stack_cache_size=2147483648")
  pto2_sanitizer_options(TSAN_OPTIONS halt_on_error=1 second_deadlock_stack=1 history_size=7
                         "suppressions='${PROJECT_SOURCE_DIR}/sanitizers/tsan.supp'")
elseif(PTO2_SANITIZE)
  pto2_sanitizer_options(ASAN_OPTIONS halt_on_error=1 detect_stack_use_after_return=1
                         strict_string_checks=1 check_initialization_order=1 detect_leaks=1)
  pto2_sanitizer_options(LSAN_OPTIONS print_suppressions=0
                         "suppressions='${PROJECT_SOURCE_DIR}/sanitizers/asan.supp'")
  pto2_sanitizer_options(UBSAN_OPTIONS halt_on_error=1 print_stacktrace=1)
endif()
