// Errors of input: what is wrong, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gradeval {

/// Input that cannot be accepted; its text is one line: place, given, accepted, remedy.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Something wrong at a position of a source (a byte, a row), before the position is spelled as a line
/// number: that costs a pass over the bytes, so it is done for the one failure that is reported. Of several
/// failures a sequential reader meets the one with the lowest position.
struct Failure {
    std::uint64_t position = 0;
    std::string text;                        ///< what is wrong
    std::optional<std::uint64_t> earlier{};  ///< a second place to name after `text`
    std::string rest{};                      ///< what follows that place
};

/// What to do about a document that comes twice in a topic.
inline constexpr const char* once_in_run =
    "a run names a document once per topic: of its chunks or hits, --repeated best (or first; with mean grades: mean,best) "
    "keeps one; in Python repeated='best'";
inline constexpr const char* once_in_qrels =
    "a topic judges a document once: of several raters, --repeated mean (or best, first) makes one grade, in Python "
    "read_qrels(FILE, repeated='mean') or qrels_from_frame(FRAME, repeated='mean'); to compare raters write a file "
    "for each: gradeval judges ANN.csv --judge BOB.csv";

/// Keeps the failure that a sequential reader would meet first.
inline void keep_first(std::optional<Failure>& kept, Failure failure) {
    if (!kept || failure.position < kept->position) kept = std::move(failure);
}

/// The error for a failure in the rows of a table (rows count from 0, as data frames do).
inline InputError error_in_rows(const std::string& where, const Failure& failure) {
    std::string message = where + ": row " + std::to_string(failure.position) + ": " + failure.text;
    if (failure.earlier) message += "row " + std::to_string(*failure.earlier);
    return InputError(message + failure.rest);
}

}  // namespace gradeval
