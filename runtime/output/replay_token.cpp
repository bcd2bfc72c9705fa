#include "runtime/output/replay_token.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pto2::cli {
namespace {

const char* name_of(TokenKind kind) {
  return kind == TokenKind::check ? "check" : "simulate";
}

const char* name_of(TokenPart part) {
  switch (part) {
    case TokenPart::kind:
      return "kind";
    case TokenPart::subject:
      return "subject";
    case TokenPart::weakening:
      return "weakening";
    case TokenPart::payload:
      break;
  }
  return "payload";
}

/// Where the parts of a text meet; one that is missing is where it should be.
struct Seams {
  explicit Seams(std::string_view text)
      : at(std::min(text.find('@'), text.size())),
        slash(std::min(text.find('/'), at)),
        plus(std::min(text.find('+', slash), at)) {}

  std::size_t at;
  std::size_t slash;
  std::size_t plus;
};

/// From `begin`, if there is such a place, to `end`.
std::string_view between(std::string_view text, std::size_t begin, std::size_t end) {
  begin = std::min(begin, end);
  return text.substr(begin, end - begin);
}

/// A part is empty if it is missing.
std::string_view part_of(std::string_view text, TokenPart part) {
  const Seams seams(text);
  switch (part) {
    case TokenPart::kind:
      return between(text, 0, seams.slash);
    case TokenPart::subject:
      return between(text, seams.slash + 1, seams.plus);
    case TokenPart::weakening:
      return between(text, seams.plus + 1, seams.at);
    case TokenPart::payload:
      break;
  }
  return between(text, seams.at + 1, text.size());
}

std::string message_of(const std::string& text, TokenPart part, const std::string& reason) {
  const std::string_view wrong = part_of(text, part);
  return fmt::format("the {} of the token {}, '{}' at character {}: {}; tokens are\n{}",
                     name_of(part), text, wrong, wrong.data() - text.data() + 1, reason,
                     token_forms);
}

}  // namespace

TokenError::TokenError(const std::string& text, TokenPart part, const std::string& reason)
    : std::invalid_argument(message_of(text, part, reason)) {}

std::string to_string(const ReplayToken& token) {
  return fmt::format("{}/{}{}{}@{}", name_of(token.kind), token.subject,
                     token.weakening.empty() ? "" : "+", token.weakening, token.payload);
}

std::optional<TokenKind> token_kind_of(std::string_view text) {
  for (const TokenKind kind : {TokenKind::check, TokenKind::simulate}) {
    const std::string_view name = name_of(kind);
    if (text.starts_with(name) && text.substr(name.size()).starts_with('/')) return kind;
  }
  return std::nullopt;
}

ReplayToken parse_replay_token(const std::string& text, TokenKind wanted) {
  const auto part = [&](TokenPart which) { return std::string(part_of(text, which)); };
  const std::optional<TokenKind> kind = token_kind_of(text);
  if (!kind) throw TokenError(text, TokenPart::kind, "neither check/ nor simulate/");
  if (*kind != wanted) {
    throw TokenError(text, TokenPart::kind, fmt::format("not {}", name_of(wanted)));
  }
  ReplayToken token{*kind, part(TokenPart::subject), part(TokenPart::weakening),
                    part(TokenPart::payload)};
  const Seams seams(text);
  if (token.subject.empty()) throw TokenError(text, TokenPart::subject, "nothing");
  if (seams.plus != seams.at && token.weakening.empty()) {
    throw TokenError(text, TokenPart::weakening, "nothing behind the +");
  }
  if (token.weakening.find('+') != std::string::npos) {
    throw TokenError(text, TokenPart::weakening, "more than one memory order");
  }
  if (token.payload.empty()) throw TokenError(text, TokenPart::payload, "nothing behind an @");
  return token;
}

}  // namespace pto2::cli
