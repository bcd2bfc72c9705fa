// Another module of pybind11 in the same interpreter.
#include <pybind11/pybind11.h>

#include <system_error>

PYBIND11_MODULE(other_module, module) {
  module.def("refuse", [] {
    throw std::system_error(std::make_error_code(std::errc::no_such_device), "it");
  });
}
