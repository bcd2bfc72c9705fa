# Build flavours. PTO2_SANITIZE is a list for -fsanitize: "address,undefined" or "thread".
set(PTO2_SANITIZE "" CACHE STRING "sanitizers to build with: address,undefined | thread | empty")
set_property(CACHE PTO2_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")
if(PTO2_SANITIZE)
  add_compile_options(-fsanitize=${PTO2_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${PTO2_SANITIZE})
endif()
