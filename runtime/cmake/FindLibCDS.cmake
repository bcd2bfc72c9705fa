# Finds libcds (concurrent data structures). Debian's own LibCDSConfig.cmake names files that its
# package does not contain, so this module looks for the header and the library themselves.
#
# Result: LibCDS_FOUND and the imported target LibCDS::LibCDS. On x86-64 it compiles with -mcx16,
# which the double-width compare-and-swap in libcds's tagged pointers needs.
find_path(LibCDS_INCLUDE_DIR cds/init.h)
find_library(LibCDS_LIBRARY cds)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibCDS
  REQUIRED_VARS LibCDS_LIBRARY LibCDS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libcds-dev, or ./dev deps")
mark_as_advanced(LibCDS_INCLUDE_DIR LibCDS_LIBRARY)

if(LibCDS_FOUND AND NOT TARGET LibCDS::LibCDS)
  find_package(Threads REQUIRED)
  add_library(LibCDS::LibCDS UNKNOWN IMPORTED)
  set_target_properties(
    LibCDS::LibCDS PROPERTIES IMPORTED_LOCATION ${LibCDS_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${LibCDS_INCLUDE_DIR})
  target_link_libraries(LibCDS::LibCDS INTERFACE Threads::Threads)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(LibCDS::LibCDS INTERFACE -mcx16)
  endif()
endif()
