/// Replay tokens: one execution, or one run, in one line, which `pto2 replay` repeats.
///
///   KIND/SUBJECT[+WEAKENING]@PAYLOAD
///
/// Whoever makes a token knows what is in its parts. None but the payload has a '+' or an '@' in
/// it, and the kind has no '/'.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pto2::cli {

/// Which program has made it, and can repeat it.
enum class TokenKind { check, simulate };

struct ReplayToken {
  TokenKind kind;
  std::string subject;    ///< what runs
  std::string weakening;  ///< which memory order is weaker than written; empty: none
  std::string payload;    ///< how it runs
};

/// KIND/SUBJECT[+WEAKENING]@PAYLOAD
[[nodiscard]] std::string to_string(const ReplayToken& token);

/// Of a text that begins with a kind and '/', however it goes on.
[[nodiscard]] std::optional<TokenKind> token_kind_of(std::string_view text);

/// Parses a token of the kind `wanted`. Throws TokenError.
[[nodiscard]] ReplayToken parse_replay_token(const std::string& text, TokenKind wanted);

enum class TokenPart { kind, subject, weakening, payload };

/// A token that cannot be replayed. what() says what is wrong in which part of it and at which
/// character, and which forms there are.
class TokenError : public std::invalid_argument {
 public:
  /// `text` is the token, or what was given for one.
  TokenError(const std::string& text, TokenPart part, const std::string& reason);
};

/// The forms that there are, a line each.
inline constexpr const char* token_forms =
    R"(  check/SCENARIO[+ORDER=WEAKER]@pto2.2:...                        of pto2 check
  simulate/WORKLOAD:CASE[:stub][:faults=LIST][+ORDER]@STRATEGY:SEED[:SMALLER]
  simulate/graphs:KIND[:mistaken][:faults=LIST][+ORDER]@STRATEGY:SEED[:SMALLER]
                                                                  of pto2 simulate)";

}  // namespace pto2::cli
