# cmake -DSOURCE=ROOT -P all_apply.cmake: fails if a mutant's patch does not apply to the letter.
# The tests build every eighth mutant, but a change of the sources may leave any of them behind.
file(GLOB patches ${SOURCE}/models/mutants/*.patch)
if(NOT patches)
  message(FATAL_ERROR "no patches in ${SOURCE}/models/mutants")
endif()
set(left_behind "")
foreach(patch IN LISTS patches)
  execute_process(
    COMMAND patch --dry-run --force --strip=1 --fuzz=0 --directory=${SOURCE} --input=${patch}
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    string(APPEND left_behind "  ${patch}\n")
  endif()
endforeach()
if(left_behind)
  message(FATAL_ERROR "these do not apply any more; write the same bug into the present source and "
                      "take the difference anew:\n${left_behind}")
endif()
