#include "bench/peers/update.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "bench/peers/page.hpp"

namespace pto2::bench {
namespace {

std::filesystem::path plots_of(const std::filesystem::path& page) {
  return page.parent_path() / "performance";
}

/// The text of the page with these tables.
std::string changed(const std::filesystem::path& page, const std::string& tables) {
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  return with_generated(text.str(), tables);
}

}  // namespace

void check_update(const std::filesystem::path& page, const Results& chosen) {
  if (!chosen.left_out.empty()) {
    const PeerName& peer = chosen.left_out.front();
    throw std::runtime_error(fmt::format("--update would lose the figures of {}, which needs {}",
                                         peer.title, peer.needs));
  }
  static_cast<void>(changed(page, ""));
  std::filesystem::create_directories(plots_of(page));
  std::vector<std::filesystem::path> written{page, plots_of(page)};
  for (const char* plot : plot_names) {
    if (exists(plots_of(page) / plot)) written.push_back(plots_of(page) / plot);
  }
  for (const std::filesystem::path& path : written) {
    if (access(path.c_str(), W_OK) != 0) throw std::runtime_error("cannot write " + path.string());
  }
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw std::runtime_error("--update needs gnuplot; install gnuplot-nox first");
  }
}

void update_page(const std::filesystem::path& page, const Results& results) {
  const std::string text = changed(page, tables_of(results, true));
  write_plots(plots_of(page), results);
  std::ofstream out(page);
  if (!(out << text << std::flush)) throw std::runtime_error("cannot write " + page.string());
}

}  // namespace pto2::bench
