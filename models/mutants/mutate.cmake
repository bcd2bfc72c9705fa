# cmake -DSOURCE=ROOT -DPATCH=FILE -DOUT=FOLDER -P mutate.cmake: copies core/ to OUT and applies
# the patch there. One that does not apply to the letter is an error: the mutant has to follow its
# source.
file(REMOVE_RECURSE ${OUT}/core)
file(COPY ${SOURCE}/core DESTINATION ${OUT} FILES_MATCHING PATTERN *.hpp)
execute_process(COMMAND patch --strip=1 --fuzz=0 --silent --directory=${OUT} --input=${PATCH}
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "${PATCH} does not apply to core/ any more; write the same bug into the "
                      "present source and take the difference anew:\n${output}")
endif()
file(TOUCH ${OUT}/mutated)
