# The programs that are measured are optimised as a whole when they are linked: 7 to 12 % fewer
# instructions per task. The libraries keep their machine code beside what that needs, so that all
# others, tests above all, are linked as ever.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT PTO2_SANITIZE)
  set(default ON)
else()
  set(default OFF)
endif()
option(PTO2_LTO "optimise what runs tasks, programs and benches, when it is linked" ${default})

# The sources of this folder and those below it can take part.
macro(pto2_optimise_at_link)
  if(PTO2_LTO)
    add_compile_options(-flto=auto -ffat-lto-objects)
  endif()
endmacro()

# These programs are optimised so. GCC 12 takes the copy of a short text into a string for one that
# reads past its end when it sees all of the program (as with -Wrestrict, GCC bug 105329).
function(pto2_optimised_at_link)
  if(PTO2_LTO)
    foreach(target IN LISTS ARGN)
      target_link_options(${target} PRIVATE
        -flto=auto -Wno-stringop-overread -Wno-stringop-overflow)
    endforeach()
  endif()
endfunction()
