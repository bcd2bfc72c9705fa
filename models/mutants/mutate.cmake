# cmake -DSOURCE=ROOT -DPATCH=FILE -DFILES=FILE,FILE.. -DOUT=FOLDER -P mutate.cmake: copies the
# files that the patch names to OUT and applies it there. One that does not apply to the letter is
# an error: the mutant has to follow its source.
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  get_filename_component(folder ${OUT}/${file} DIRECTORY)
  file(COPY ${SOURCE}/${file} DESTINATION ${folder})
endforeach()
execute_process(COMMAND patch --strip=1 --fuzz=0 --silent --directory=${OUT} --input=${PATCH}
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  file(REMOVE_RECURSE ${OUT}/core ${OUT}/runtime)
  message(FATAL_ERROR "${PATCH} does not apply any more; write the same bug into the present "
                      "source and take the difference anew:\n${output}")
endif()
file(TOUCH ${OUT}/mutated)
