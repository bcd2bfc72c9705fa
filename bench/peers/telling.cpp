#include "bench/peers/telling.hpp"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "bench/peers/page.hpp"
#include "bench/peers/update.hpp"

namespace pto2::bench {
namespace {

void append_rows(const std::string& file, const Results& results) {
  std::ofstream out(file, std::ios::app);
  for (const nlohmann::json& row : rows_of(results)) out << row.dump() << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace

int tell(const Results& results, const std::string& rows_file, const std::filesystem::path& page) {
  std::cout << tables_of(results, false);
  for (const Failure& failure : results.failures) {
    std::cerr << "peers: " << failure.peer.title << ": " << failure.told << '\n';
  }
  if (!rows_file.empty()) append_rows(rows_file, results);
  if (!results.failures.empty()) return 3;
  if (!page.empty()) update_page(page, results);
  return 0;
}

}  // namespace pto2::bench
