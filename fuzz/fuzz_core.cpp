// The parsers and the meeting, fed with anything. Built with AddressSanitizer and
// UndefinedBehaviorSanitizer.
//
// The first byte of an input chooses what it is; the rest is copied into a buffer of just its size, so that
// one byte read too many is seen. Beside crashes, what must hold is checked: a run (or a table of features)
// says the same read whole and cut into parts, by one thread and by two, quickly and carefully; an error is
// one line that names its place.

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"
#include "judge/qrels.hpp"
#include "letor/letor.hpp"

namespace {

using namespace gradeval;

void require(bool holds, const char* what, std::string_view detail = "") {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s %.*s\n", what, static_cast<int>(detail.size()), detail.data());
    std::abort();
}

/// What came of an input, comparable.
struct Outcome {
    std::string error;
    std::vector<std::int32_t> numbers;
    std::vector<std::string> names;
    bool operator==(const Outcome&) const = default;
};

void check_error(const std::string& message) {
    require(message.starts_with("input"), "an error names its place", message);
    require(message.size() < 1000, "an error is short", message);
    require(is_utf8(message), "an error is UTF-8", message);
    for (const char c : message)
        require(static_cast<unsigned char>(c) >= 0x20, "an error is one line", message);
}

Outcome judged(const Pools& pools, const Lines& run, Ties ties, std::size_t threads,
               std::uint64_t part_bytes) {
    Outcome outcome;
    try {
        const Met met = judge(pools, {&run}, {ties, threads, part_bytes});
        outcome.numbers = met.rank;
        for (const auto* more : {&met.document, &met.retrieved, &met.tied})
            outcome.numbers.insert(outcome.numbers.end(), more->begin(), more->end());
        outcome.names = met.unjudged_topics[0];
    } catch (const InputError& error) {
        outcome.error = error.what();
        check_error(outcome.error);
    }
    return outcome;
}

const Pools& some_pools() {
    static const Pools pools = [] {
        const std::string_view text = "1 0 a 1\n1 0 b 0\n1 0 FT911-3 2\n2 0 a 1\n301 0 FT911-3 1\n";
        return read_qrels(text, "pools", Repeated::refuse);
    }();
    return pools;
}

/// The lines of a text as ranges of it are scanned, and where that ends.
struct Reading {
    std::vector<std::string> lines;
    std::string failure;

    void scan(const TextRun& text, const TextRun::Opening& opening, Range range) {
        std::vector<Line> room;
        Window window;
        try {
            Skipped skipped;
            text.scan(opening, std::span<const Range>(&range, 1), window, room, skipped, [&](std::string_view topic, std::span<const Line> group, Range) {
                for (const Line& line : group) {
                    const auto score = std::bit_cast<std::uint64_t>(line.score);
                    require(line.hash == hash_of(line.document()), "one hash for both ways");
                    lines.push_back(std::string(topic) + ' ' + std::string(line.document()) + ' ' +
                                    std::to_string(score));
                }
            });
        } catch (const Failure& met) {
            failure = std::to_string(met.position) + met.text;
        }
    }
};

/// The quick way, which needs a line before, reads what the careful way reads, which takes each line for
/// itself.
void compare_ways(std::string_view bytes) {
    const TextRun text(Text(bytes, "input"));
    try {
        const TextRun::Opening opening = text.open();
        Reading whole, single;
        whole.scan(text, opening, {opening.begin, bytes.size()});
        for (std::uint64_t at = opening.begin, next = at; at < bytes.size() && single.failure.empty();
             at = next) {
            next = next_line(bytes, at);
            single.scan(text, opening, {at, next});
        }
        require(whole.lines == single.lines, "both ways read the same lines");
        require(whole.failure == single.failure, "both ways meet the same failure", whole.failure);
    } catch (const Failure&) {  // there is not even a first line
    }
}

/// A file that holds some bytes, for as long as this lives.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view bytes) {
        const int descriptor = mkstemp(path_);
        require(descriptor >= 0 && write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                "a file can be written");
        close(descriptor);
    }
    ~TemporaryFile() { unlink(path_); }
    Text text() const { return Text(File(path_, "input"), "input"); }

  private:
    char path_[30] = "/tmp/gradeval-fuzz-XXXXXX";
};

void try_run(std::string_view bytes, Ties ties) {
    compare_ways(bytes);
    const Lines run(TextRun(Text(bytes, "input")), nullptr);
    const Outcome whole = judged(some_pools(), run, ties, 1, 0);
    for (const std::uint64_t part_bytes : {std::uint64_t{1}, std::uint64_t{20}, std::uint64_t{100}})
        require(judged(some_pools(), run, ties, 1, part_bytes) == whole, "parts change nothing", whole.error);
    if (bytes.size() % 16 == 0)
        require(judged(some_pools(), run, ties, 2, 30) == whole, "threads change nothing", whole.error);
    if (bytes.size() % 16 == 1) {
        const TemporaryFile file(bytes);
        const Lines in_file(TextRun(file.text()), nullptr);
        require(judged(some_pools(), in_file, ties, 1, 20) == whole, "a file is read like memory", whole.error);
    }
    try {
        const Survey survey = run.survey();
        Workbench bench;
        require(whole.error.empty(), "looking meets the same error", whole.error);
        for (std::size_t t = 0; t < survey.topics.size(); ++t) {
            require(run.of(survey, t, bench).size() == survey.lines(t), "lines are counted");
        }
    } catch (const InputError& error) {
        require(whole.error == error.what(), "looking meets the same error", error.what());
    }
}

/// The judgments by a rule for a document judged twice; nothing where the text is refused.
std::optional<Pools> judgments(std::string_view bytes, Repeated repeated) {
    try {
        return read_qrels(bytes, "input", repeated);
    } catch (const InputError& error) {
        check_error(error.what());
        return std::nullopt;
    }
}

void find_all(const Pools& pools) {
    for (std::size_t t = 0; t < pools.topics(); ++t) {
        require(pools.find_topic(pools.topic(t)) == t, "a topic is found");
        for (std::int64_t i = pools.offsets()[t]; i < pools.offsets()[t + 1]; ++i) {
            const std::string_view id = pools.document(i);
            const Line line{id.data(), 0, hash_of(id), static_cast<std::uint32_t>(id.size()), 0};
            require(pools.find(t, line) == i - pools.offsets()[t], "a document is found");
        }
    }
}

void try_qrels(std::string_view bytes) {
    const std::optional<Pools> once = judgments(bytes, Repeated::refuse);
    if (once) find_all(*once);
    for (const Repeated rule : {Repeated::first, Repeated::best, Repeated::same, Repeated::mean}) {
        const std::optional<Pools> pools = judgments(bytes, rule);
        if (pools) find_all(*pools);
        if (!once) continue;
        require(pools.has_value() && pools->repeated() == 0, "a rule changes nothing where no document comes again");
        require(pools->offsets() == once->offsets() && pools->grades() == once->grades(), "the grades stay");
    }
}

/// What came of features, as text.
std::string features(std::string_view bytes, const LetorOptions& options) {
    try {
        const Letor letor = read_letor(Text(bytes, "input"), options);
        const LetorShape& shape = letor.shape;
        require(letor.grades.size() == shape.rows, "each row has its grade");
        require(letor.ends.size() == shape.rows + 1, "each row has its document");
        require(static_cast<std::size_t>(letor.ends.back()) == letor.documents.size(), "documents are whole");
        require(static_cast<std::uint64_t>(letor.offsets.back()) == shape.rows, "queries hold all rows");
        require(is_utf8(letor.documents), "documents are UTF-8");
        std::string told = std::to_string(shape.first) + ' ' + letor.documents;
        for (const std::string& query : letor.queries) told += ' ' + query;
        for (const auto* more : {&letor.offsets, &letor.ends}) {
            for (const std::int64_t number : *more) told += ' ' + std::to_string(number);
        }
        for (const double grade : letor.grades) {
            require(grade >= 0 || std::isnan(grade), "a grade is 0 or more, or missing");
            told += ' ' + std::to_string(std::bit_cast<std::uint64_t>(grade));
        }
        for (std::uint64_t i = 0; i < shape.rows * shape.width && i < 100'000; ++i) {
            const double number = letor.wide ? letor.numbers<double>()[i] : letor.numbers<float>()[i];
            require(!std::isinf(number), "a feature is finite, or missing");
            told += ' ' + std::to_string(std::bit_cast<std::uint64_t>(number));
        }
        return told;
    } catch (const InputError& error) {
        check_error(error.what());
        return error.what();
    }
}

/// The text again so that no line takes the quick way: each is read for itself.
std::string features_carefully(std::string_view bytes) {
    LetorOptions options;
    options.part_bytes = 1;
    return features(bytes, options);
}

/// A second look at a text that sees other rows than the first did: an error, and nothing beyond the table.
void try_changed_features(std::string_view bytes) {
    const Text text(bytes, "input");
    Window window;
    const Piece& piece = text.load({text.begin(), text.size()}, window);
    Extent extent = extent_of(piece);
    if (extent.rows < 2 || extent.highest > 1000) return;
    --extent.rows;
    const LetorShape shape = shape_of(text.size(), std::span<Extent>(&extent, 1), 0, true);
    const std::unique_ptr<float[]> table(new float[shape.rows * shape.width]());
    const std::unique_ptr<double[]> grades(new double[shape.rows]);
    try {
        const LetorPart part = LetorScan<float>(text, shape, table.get(), grades.get()).read(piece, extent);
        require(part.failure.has_value() || part.needs_double, "a row too many is an error");
    } catch (const InputError& error) {
        check_error(error.what());
    }
}

void try_features(std::string_view bytes) {
    if (bytes.size() % 8 == 0) try_changed_features(bytes);
    const std::string whole = features(bytes, {});
    require(features_carefully(bytes) == whole, "both ways say the same", whole);
    for (const std::uint64_t part_bytes : {std::uint64_t{20}, std::uint64_t{100}}) {
        LetorOptions options;
        options.part_bytes = part_bytes;
        options.threads = bytes.size() % 16 == 0 ? 2 : 1;
        require(features(bytes, options) == whole, "parts and threads change nothing", whole);
    }
    const std::int64_t sizes[] = {1, 2};
    LetorOptions sized;
    sized.sizes = sizes;
    sized.sized = true;
    const std::string counted = features(bytes, sized);
    sized.part_bytes = 1;
    require(features(bytes, sized) == counted, "parts change nothing where sizes are given", counted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::unique_ptr<char[]> exact(new char[size - 1]);
    std::copy(data + 1, data + size, exact.get());
    const std::string_view bytes(exact.get(), size - 1);
    switch (data[0] % 8) {
        case 0: try_qrels(bytes); break;
        case 1: try_run(bytes, Ties::docid); break;
        case 2: try_run(bytes, Ties::docid_float32); break;
        case 3: try_run(bytes, Ties::order); break;
        default: try_features(bytes); break;
    }
    return 0;
}
