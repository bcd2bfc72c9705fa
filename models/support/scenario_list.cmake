# The scenarios of the tree, found from their files.
#
# models/PIECE/NAME.hpp is a scenario, and has a class of the file's name: push_against_park.hpp the
# class PushAgainstPark. What scenarios share is in models/support. The template parameters say how
# often it runs:
#
#   <Policy P>                                         once
#   <Policy P, template <class> class F>               with each fan-out, or in models/runtime with
#                                                      the task word; a number behind them may have
#                                                      a default
#   <Policy P, template <class> class F, uint32_t N>   the same per number in a line of the file,
#                                                      "/// Instances: 0 1 2"
#
# The checker explores the same, unless a line "/// Explored with: word" or "/// Explored with: word
# lock" says otherwise.
#
# pto2_write_scenario_lists(FOLDER): writes FOLDER/models/scenarios.hpp and, for those of
# models/runtime, which need the whole runtime, FOLDER/models/runtime_scenarios.hpp. Both call
# visit.template operator()<Scenario>(name) for each of theirs, by the name
# piece/name[/number][/fan-out].
include(${CMAKE_CURRENT_LIST_DIR}/scenario_of.cmake)

# Sets PARAMETERS to the template parameters of class CLASS behind the policy, or to NOTFOUND.
function(pto2_parameters_of CLASS TEXT)
  set(PARAMETERS NOTFOUND PARENT_SCOPE)
  if(TEXT MATCHES "template <Policy P([^\n]*)>\n(class|struct) ${CLASS}[ \n]")
    set(PARAMETERS "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# Sets CALLS to the calls for the scenario PIECE/NAME of class CLASS.
function(pto2_calls_of SCENARIO_NAME CLASS TEXT PARAMETERS)
  set(visit "  visit.template operator()")
  if(PARAMETERS STREQUAL "")
    set(CALLS "${visit}<${CLASS}<P>>(\"${SCENARIO_NAME}\");\n" PARENT_SCOPE)
  elseif(PARAMETERS MATCHES "^, template <class> class F(, [^,]* = [0-9]+)?$")
    set(CALLS "${visit}<${CLASS}<P, F>>(\"${SCENARIO_NAME}\" + fan_out);\n" PARENT_SCOPE)
  else()
    if(NOT TEXT MATCHES "\n/// Instances: ([0-9 ]+)\n")
      message(FATAL_ERROR "models/${SCENARIO_NAME}.hpp: a scenario with a number needs a line "
                          "'/// Instances: 0 1 2' that gives those to run")
    endif()
    string(REPLACE " " ";" numbers "${CMAKE_MATCH_1}")
    set(calls "")
    foreach(number IN LISTS numbers)
      string(APPEND calls "${visit}<${CLASS}<P, F, ${number}>>(\"${SCENARIO_NAME}/${number}\" + "
                          "fan_out);\n")
    endforeach()
    set(CALLS "${calls}" PARENT_SCOPE)
  endif()
endfunction()

function(pto2_write_scenario_lists FOLDER)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/models
       ${PROJECT_SOURCE_DIR}/models/*/*.hpp)
  list(FILTER files EXCLUDE REGEX "^(pto2_check|checker|litmus|mutants|seeded|support)/")
  foreach(list piece fan_out fan_out_lock runtime runtime_lock)
    set(${list}_calls "")
    set(${list}_headers "")
  endforeach()
  list(SORT files)
  foreach(file IN LISTS files)
    string(REGEX REPLACE "\\.hpp$" "" name ${file})
    pto2_class_of(${name} class)
    file(READ ${PROJECT_SOURCE_DIR}/models/${file} text)
    pto2_parameters_of(${class} "${text}")
    if(PARAMETERS STREQUAL "NOTFOUND")
      message(FATAL_ERROR "models/${file} has no template <Policy P..> class ${class}; what "
                          "scenarios share belongs to models/support")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${PROJECT_SOURCE_DIR}/models/${file})
    pto2_calls_of(${name} ${class} "${text}" "${PARAMETERS}")
    set(list piece)
    if(name MATCHES "^runtime/")
      set(list runtime)
    elseif(PARAMETERS)
      set(list fan_out)
    endif()
    string(APPEND ${list}_calls "${CALLS}")
    string(APPEND ${list}_headers "#include \"models/${file}\"\n")
    set(explored_with "word lock")
    if(list STREQUAL "runtime")
      set(explored_with word)
    endif()
    if(text MATCHES "\n/// Explored with: ([a-z ]+)\n")
      set(explored_with "${CMAKE_MATCH_1}")
    endif()
    if(explored_with MATCHES "lock")
      string(APPEND ${list}_lock_calls "${CALLS}")
    endif()
  endforeach()
  set(counted "${piece_calls}${fan_out_calls}${fan_out_calls}${runtime_calls}")
  string(REGEX MATCHALL "visit[.]" counted "${counted}")
  list(LENGTH counted scenario_count)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/scenario_count.hpp.in
                 ${FOLDER}/models/scenario_count.hpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/scenarios.hpp.in
                 ${FOLDER}/models/scenarios.hpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/runtime_scenarios.hpp.in
                 ${FOLDER}/models/runtime_scenarios.hpp @ONLY)
endfunction()
