// The lines of one run, wherever they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "judge/survey.hpp"
#include "runs/column_run.hpp"
#include "runs/mapping_run.hpp"
#include "runs/text_run.hpp"

namespace gradeval {

/// A run; immutable. Text and columns are read when they are needed, and `owner` keeps them alive. A text in a file
/// is read from there each time.
class Lines {
  public:
    using Source = std::variant<TextRun, MappingRun, ColumnRun>;

    Lines(Source source, std::shared_ptr<void> owner)
        : source_(std::make_shared<const Source>(std::move(source))), owner_(std::move(owner)) {}

    const Source& source() const noexcept { return *source_; }
    Repeated repeated() const noexcept { return repeated_; }

    /// The same lines, of which others count where documents come several times.
    Lines keeping(Repeated repeated) const {
        Lines lines = *this;
        lines.repeated_ = repeated;
        return lines;
    }

    /// The tag of the first line of a text; none for other sources. Throws an InputError where that line
    /// cannot be read.
    std::optional<std::string> tag() const {
        const auto* const text = std::get_if<TextRun>(source_.get());
        if (text == nullptr) return std::nullopt;
        try {
            return text->open().tag;
        } catch (const Failure& failure) {
            throw text->error(failure);
        }
    }

    /// The skipped lines of a text, where there are some.
    std::optional<SkippedLines> describe(const Skipped& skipped) const {
        const auto* const text = std::get_if<TextRun>(source_.get());
        if (text == nullptr || skipped.count == 0) return std::nullopt;
        return text->text().describe(skipped);
    }

    /// Reads and checks everything. Throws an InputError.
    Survey survey() const {
        return std::visit(
            [&](const auto& source) {
                try {
                    const auto opening = source.open();
                    const Pools none;
                    const Exclusion nothing;
                    const Rules rules{none, Ties::order, repeated_, nothing};
                    Workbench bench;
                    std::vector<Part> parts;
                    for (const Range& range : source.parts(opening, ~std::uint64_t{0}))
                        parts.push_back(read_part(source, opening, range, rules, bench));
                    Survey survey = combine(source, opening, parts, rules, bench);
                    if (survey.failure) throw std::move(*survey.failure);
                    return survey;
                } catch (const Failure& failure) {
                    throw source.error(failure);
                }
            },
            *source_);
    }

    /// The lines of a topic of survey(), in order; their ids stay in the bench.
    std::vector<Line> of(const Survey& survey, std::size_t topic, Workbench& bench) const {
        return std::visit(
            [&](const auto& source) {
                std::vector<Line> lines;
                try {
                    gather(source, source.open(), survey, topic, bench, lines);
                } catch (const Failure& failure) {  // the owner of the memory has changed it since the survey
                    throw source.error(failure);
                }
                if (repeated_ == Repeated::refuse || !bench.twins.find(lines)) return lines;
                bench.twins.keep_one(lines, repeated_, bench.distinct);
                return bench.distinct;
            },
            *source_);
    }

  private:
    std::shared_ptr<const Source> source_;
    std::shared_ptr<void> owner_;
    Repeated repeated_ = Repeated::refuse;
};

}  // namespace gradeval
