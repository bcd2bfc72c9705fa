/// Descriptors 0, 1 and 2 of a program that was started without some of them (`pto2 .. >&-`).
#pragma once

namespace pto2::cli {

/// Occupies those that are closed, or the next file to be opened would be one of them: its text and
/// what is printed would be mixed. To read or to write there fails as before (EBADF).
void occupy_standard_descriptors();

}  // namespace pto2::cli
