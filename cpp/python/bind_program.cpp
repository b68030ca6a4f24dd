// gradeval._core.Program: formulas that were recorded, run on rankings
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formula/program.hpp"
#include "judge/meeting.hpp"
#include "judge/pools.hpp"
#include "python/bindings.hpp"
#include "python/judge_mappings.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

template <class T>
using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

void demand(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

Program program_of(nb::list steps, const std::vector<double>& numbers, const std::vector<std::vector<double>>& tables,
                   const std::vector<std::uint32_t>& given) {
    Program program(numbers, tables);
    for (const nb::handle one : nb::tuple(steps)) {
        const auto step = nb::cast<nb::tuple>(one);
        demand(step.size() == 4, "a step is its name and three operands");
        program.append(nb::cast<std::string>(step[0]), {nb::cast<std::uint32_t>(step[1]), nb::cast<std::uint32_t>(step[2]),
                                                        nb::cast<std::uint32_t>(step[3])});
    }
    for (const std::uint32_t step : given) program.give(step);
    return program;
}

/// What is known of the documents and topics of the pools.
struct Judgments {
    Judgments(const Program& program, const Array<const double>& grades, const Array<const bool>& judged,
              const Array<const std::int64_t>& first, const Array<const double>& of_pool)
        : grades(grades.data(), grades.size()), judged(judged.data(), judged.size()), first(first.data(), first.size()),
          of_pool(of_pool.data()), width(program.of_pool()) {
        demand(grades.size() == judged.size(), "a grade for each document that is judged or not");
        demand(of_pool.ndim() == 2 && of_pool.shape(0) == first.size() && of_pool.shape(1) == width,
               "the numbers that the program needs of each pool");
    }

    std::span<const double> grades;
    std::span<const bool> judged;
    std::span<const std::int64_t> first;  ///< where the documents of each topic begin
    const double* of_pool;
    std::size_t width;
};

/// Runs a program on rankings that are put together document by document.
class Scorer {
  public:
    Scorer(const Program& program, const Judgments& judgments) : machine_(program), judgments_(judgments) {}

    void begin() {
        grades_.clear();
        ranks_.clear();
        judged_.clear();
    }

    void add(std::size_t topic, std::int32_t document, double rank) {
        const auto place = static_cast<std::uint64_t>(judgments_.first[topic] + document);
        demand(place < judgments_.grades.size(), "a document of the pools");
        grades_.push_back(judgments_.grades[place]);
        ranks_.push_back(rank);
        judged_.push_back(judgments_.judged[place] ? 1.0 : 0.0);
    }

    void score(std::size_t topic, std::size_t retrieved, double* values) {
        machine_.run({grades_, ranks_, judged_, static_cast<double>(retrieved)},
                     judgments_.of_pool + topic * judgments_.width, values);
    }

  private:
    Machine machine_;
    const Judgments& judgments_;
    std::vector<double> grades_, ranks_, judged_;
};

/// values[row, i] of rows whose documents are offsets[row] .. offsets[row + 1]; the topics repeat from run to run.
void score_rows(const Program& program, Array<const double> rank, Array<const std::int32_t> document,
                Array<const std::int64_t> offsets, Array<const std::int32_t> retrieved, Array<const double> grades,
                Array<const bool> judged, Array<const std::int64_t> first, Array<const double> of_pool,
                Array<double> values) {
    const Judgments judgments(program, grades, judged, first, of_pool);
    const std::size_t rows = retrieved.size();
    const std::size_t given = program.given().size();
    demand(rank.size() == document.size() && offsets.size() == rows + 1 && values.size() == rows * given &&
               (rows == 0 || first.size() > 0),
           "arrays of the same rows");
    const nb::gil_scoped_release free_threads;
    Scorer scorer(program, judgments);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t topic = row % first.size();
        scorer.begin();
        const auto end = static_cast<std::uint64_t>(offsets.data()[row + 1]);
        for (auto at = static_cast<std::uint64_t>(offsets.data()[row]); at < end; ++at) {
            if (at >= rank.size()) throw std::invalid_argument("rows lie inside the documents");
            scorer.add(topic, document.data()[at], rank.data()[at]);
        }
        scorer.score(topic, static_cast<std::size_t>(retrieved.data()[row]), values.data() + row * given);
    }
}

/// values[row, i] of rows [row, j] of documents by rank; those at infinity are padding.
void score_rectangle(const Program& program, Array<const double> grades, Array<const double> ranks, Array<const bool> judged,
                     Array<const std::int64_t> retrieved, Array<const double> of_pool, Array<double> values) {
    const std::size_t rows = retrieved.size();
    const std::size_t width = rows > 0 ? ranks.size() / rows : 0;
    const std::size_t given = program.given().size();
    demand(ranks.size() == rows * width && grades.size() == ranks.size() && judged.size() == ranks.size() &&
               values.size() == rows * given && of_pool.size() == rows * program.of_pool(),
           "arrays of the same rows");
    const nb::gil_scoped_release free_threads;
    Machine machine(program);
    std::vector<double> known(width);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first = row * width;
        std::size_t length = 0;
        for (; length < width && std::isfinite(ranks.data()[first + length]); ++length)
            known[length] = judged.data()[first + length] ? 1.0 : 0.0;
        machine.run({{grades.data() + first, length}, {ranks.data() + first, length}, {known.data(), length},
                     static_cast<double>(retrieved.data()[row])},
                    of_pool.data() + row * program.of_pool(), values.data() + row * given);
    }
}

void set(nb::handle dictionary, nb::handle key, nb::handle value) {
    if (PyDict_SetItem(dictionary.ptr(), key.ptr(), value.ptr()) != 0) nb::raise_python_error();
}

/// {topic: {name: value}} of the topics of a mapping {topic: {document: score}} that are judged. None where a ranking is
/// longer than `longest` or holds something that only Lines.of_mapping() can take.
nb::object score_mapping(const Program& program, const Pools& pools, Array<const double> grades, Array<const bool> judged,
                         Array<const double> of_pool, nb::handle mapping, nb::str where, const std::string& ties,
                         nb::list names, std::size_t longest) {
    const nb::tuple called(names);
    demand(called.size() == program.given().size(), "a name for each value that the program gives");
    nb::dict pattern;  // inner dictionaries begin as a copy of it, so that none has to grow
    for (const nb::handle name : called) set(pattern, name, nb::none());
    const std::size_t topics = pools.topics();
    const Judgments judgments(program, grades, judged, {pools.offsets().data(), {topics}}, of_pool);
    const Ties treatment = ties_named(ties);
    const std::string name = name_of(where);
    Scorer scorer(program, judgments);
    Workbench bench;
    std::vector<Entry> entries;
    std::vector<double> values(called.size());
    struct Found {
        nb::object key;
        std::vector<double> values;
    };
    std::vector<Found> found;
    MappingReader reader;
    const bool whole = reader.read(mapping, name, [&](PyObject* key, std::string_view text, std::span<const Line> lines) {
        if (lines.size() > longest) return false;
        const std::uint32_t topic = pools.find_topic(text);
        if (topic == Names::none) return true;
        entries.clear();
        rank_and_look_up(lines, pools, topic, treatment, bench, entries);
        scorer.begin();
        for (const Entry& entry : entries) scorer.add(topic, entry.document, entry.rank);
        scorer.score(topic, lines.size(), values.data());
        found.push_back({nb::borrow(key), values});
        return true;
    });
    if (!whole) return nb::none();
    nb::dict nested;  // made last: it may run Python, which must not change the mapping while that is read
    for (const Found& one : found) {
        const nb::object inner = nb::steal(PyDict_Copy(pattern.ptr()));
        if (!inner.is_valid()) nb::raise_python_error();
        for (std::size_t i = 0; i < called.size(); ++i) set(inner, called[i], nb::float_(one.values[i]));
        set(nested, one.key, inner);
    }
    return nested;
}

}  // namespace

void bind_program(nb::module_& m) {
    nb::class_<Program>(m, "Program")
        .def("__init__",
             [](Program* self, nb::list steps, const std::vector<double>& numbers,
                const std::vector<std::vector<double>>& tables, const std::vector<std::uint32_t>& given) {
                 new (self) Program(program_of(steps, numbers, tables, given));
             },
             "steps"_a, "numbers"_a, "tables"_a, "given"_a)
        .def("score_rows", &score_rows, "rank"_a.noconvert(), "document"_a.noconvert(), "offsets"_a.noconvert(),
             "retrieved"_a.noconvert(), "grades"_a.noconvert(), "judged"_a.noconvert(), "first"_a.noconvert(),
             "of_pool"_a.noconvert(), "values"_a.noconvert())
        .def("score_rectangle", &score_rectangle, "grades"_a.noconvert(), "ranks"_a.noconvert(), "judged"_a.noconvert(),
             "retrieved"_a.noconvert(), "of_pool"_a.noconvert(), "values"_a.noconvert())
        .def("score_mapping", &score_mapping, "pools"_a, "grades"_a.noconvert(), "judged"_a.noconvert(),
             "of_pool"_a.noconvert(), "mapping"_a, "where"_a, "ties"_a, "names"_a, "longest"_a);
}

}  // namespace gradeval
