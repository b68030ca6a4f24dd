// gradeval._core: what Python sees of the compiled core. A page of contents; the work is done in the headers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "from_python.hpp"
#include "judge.hpp"
#include "lines.hpp"
#include "pools.hpp"
#include "qrels.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace gradeval;

namespace {

nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

/// A read-only NumPy array over memory of `owner`.
template <class T>
auto view(const std::vector<T>& values, nb::handle owner, std::initializer_list<std::size_t> shape) {
    return nb::ndarray<nb::numpy, const T>(values.data(), shape, owner);
}
template <class T>
auto view(const std::vector<T>& values, nb::handle owner) {
    return view(values, owner, {values.size()});
}

Ties ties_named(const std::string& name) {
    if (name == "docid") return Ties::docid;
    if (name == "docid-float32") return Ties::docid_float32;
    if (name == "order") return Ties::order;
    throw InputError("ties: " + quoted(name) +
                     " is unknown; accepted are 'docid', 'docid-float32' and 'order'");
}

/// A run and, once somebody asked for its lines, where they stand.
struct PyLines {
    explicit PyLines(Lines given) : lines(std::move(given)) {}

    const Survey& survey() {
        if (!surveyed) {
            const nb::gil_scoped_release free_threads;
            surveyed = std::make_unique<Survey>(lines.survey());
        }
        return *surveyed;
    }

    Lines lines;
    std::unique_ptr<Survey> surveyed;
};

Pools pools_of_bytes(nb::handle data, nb::str where) {
    const Buffer buffer(data);
    const std::string name = name_of(where);
    const nb::gil_scoped_release free_threads;
    return read_qrels(buffer.bytes(), name);
}

Pools pools_of_mapping(nb::handle mapping, nb::str where) {
    PoolsBuilder builder;
    std::uint32_t topic = 0;
    read_mapping(
        mapping, name_of(where), "grade", [&](std::string_view name) { topic = builder.topic(name); },
        [&](std::string_view document, double grade) { builder.add(topic, document, grade, 0); });
    return builder.build(judged_twice);
}

/// Columns of one length; `keep` holds what they look at.
template <class Make>
auto with_columns(nb::tuple topics, nb::tuple documents, Vector<double> numbers, nb::str where, Make&& make) {
    nb::list keep;
    const std::string name = name_of(where);
    const StringColumn topic_column = string_column(topics, name, "topics", keep);
    const StringColumn document_column = string_column(documents, name, "documents", keep);
    if (topic_column.rows() != numbers.shape(0) || document_column.rows() != numbers.shape(0))
        throw InputError(name + ": the columns have " + std::to_string(topic_column.rows()) + ", " +
                         std::to_string(document_column.rows()) + " and " + std::to_string(numbers.shape(0)) +
                         " rows; they must have the same number");
    if (numbers.shape(0) > 0xFFFFFFFFu)
        throw InputError(name + ": more than 4294967295 rows; give fewer at a time");
    return make(topic_column, document_column, std::span<const double>(numbers.data(), numbers.shape(0)),
                name, keep);
}

Pools pools_of_columns(nb::tuple topics, nb::tuple documents, Vector<double> grades, nb::str where) {
    return with_columns(topics, documents, grades, where, [](auto& t, auto& d, auto g, auto& name, nb::list) {
        return read_qrels(t, d, g, name);
    });
}

PyLines lines_of_bytes(nb::handle data, nb::str where) {
    auto buffer = std::make_shared<Buffer>(data);
    return PyLines(Lines(TextRun(buffer->bytes(), name_of(where), buffer->is_mapped_file()), buffer));
}

PyLines lines_of_mapping(nb::handle mapping, nb::str where) {
    const std::string name = name_of(where);
    MappingRun run(name);
    read_mapping(
        mapping, name, "score", [&](std::string_view topic) { run.add_topic(topic); },
        [&](std::string_view document, double score) { run.add_line(document, score); });
    return PyLines(Lines(std::move(run), nullptr));
}

PyLines lines_of_columns(nb::tuple topics, nb::tuple documents, Vector<double> scores, nb::str where) {
    return with_columns(topics, documents, scores, where,
                        [&](auto& t, auto& d, auto s, auto& name, nb::list keep) {
                            keep.append(nb::cast(scores));
                            return PyLines(Lines(ColumnRun(t, d, s, name), std::make_shared<nb::list>(keep)));
                        });
}

nb::list documents_of(const Pools& pools, std::size_t topic) {
    if (topic >= pools.topics()) throw nb::index_error("no such topic");
    nb::list documents;
    for (std::int64_t i = pools.offsets()[topic]; i < pools.offsets()[topic + 1]; ++i)
        documents.append(text(pools.document(i)));
    return documents;
}

nb::list topics_of(const Pools& pools) {
    nb::list topics;
    for (std::size_t t = 0; t < pools.topics(); ++t) topics.append(text(pools.topic(t)));
    return topics;
}

Pools select_topics(const Pools& pools, const std::vector<std::size_t>& topics) {
    std::vector<bool> seen(pools.topics());
    for (const std::size_t topic : topics) {
        if (topic >= pools.topics()) throw nb::index_error("no such topic");
        if (seen[topic]) throw nb::value_error("a topic is chosen twice");
        seen[topic] = true;
    }
    return pools.select(topics);
}

nb::dict lines_of_topic(PyLines& self, const std::string& topic) {
    const Survey& survey = self.survey();
    const std::uint32_t at = survey.topics.find(topic);
    if (at == Names::none) throw nb::key_error(topic.c_str());
    nb::dict scores;
    for (const Line& line : self.lines.of(survey, at)) scores[text(line.document())] = line.score;
    return scores;
}

nb::list topics_of_run(PyLines& self) {
    const Survey& survey = self.survey();
    nb::list topics;
    for (std::size_t t = 0; t < survey.topics.size(); ++t) topics.append(text(survey.topics[t]));
    return topics;
}

std::size_t count_lines(PyLines& self) {
    std::size_t count = 0;
    for (const Group& group : self.survey().groups) count += group.lines;
    return count;
}

Met judge_runs(const Pools& pools, const std::vector<PyLines*>& runs, const std::string& ties,
               std::size_t threads, std::size_t part_bytes) {
    std::vector<const Lines*> lines;
    for (const PyLines* run : runs) lines.push_back(&run->lines);
    const JudgeOptions options{ties_named(ties), threads, part_bytes};
    const nb::gil_scoped_release free_threads;
    return judge(pools, lines, options);
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of gradeval: bytes to tokens, and the meeting of runs and judgments.";
    nb::exception<InputError>(m, "InputError", PyExc_ValueError);

    nb::class_<Pools>(m, "Pools")
        .def_static("of_bytes", &pools_of_bytes, "data"_a, "where"_a)
        .def_static("of_mapping", &pools_of_mapping, "mapping"_a, "where"_a)
        .def_static("of_columns", &pools_of_columns, "topics"_a, "documents"_a, "grades"_a.noconvert(),
                    "where"_a)
        .def_prop_ro("topics", &topics_of)
        .def_prop_ro("offsets",
                     [](nb::handle_t<Pools> self) { return view(nb::cast<Pools&>(self).offsets(), self); })
        .def_prop_ro("grades",
                     [](nb::handle_t<Pools> self) { return view(nb::cast<Pools&>(self).grades(), self); })
        .def("documents", &documents_of, "topic"_a)
        .def("select", &select_topics, "topics"_a);

    nb::class_<PyLines>(m, "Lines")
        .def_static("of_bytes", &lines_of_bytes, "data"_a, "where"_a)
        .def_static("of_mapping", &lines_of_mapping, "mapping"_a, "where"_a)
        .def_static("of_columns", &lines_of_columns, "topics"_a, "documents"_a, "scores"_a.noconvert(),
                    "where"_a)
        .def("tag", [](const PyLines& self) { return self.lines.tag(); })
        .def("topics", &topics_of_run)
        .def("of", &lines_of_topic, "topic"_a)
        .def("__len__", &count_lines);

    nb::class_<Met>(m, "Met")
        .def_prop_ro("rank", [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).rank, self); })
        .def_prop_ro("document",
                     [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).document, self); })
        .def_prop_ro("offsets",
                     [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).offsets, self); })
        .def_prop_ro("retrieved",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.retrieved, self, {met.runs, met.topics});
                     })
        .def_prop_ro("tied",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.tied, self, {met.runs, met.topics});
                     })
        .def_ro("tags", &Met::tags)
        .def_ro("unjudged_topics", &Met::unjudged_topics);

    m.def("judge", &judge_runs, "pools"_a, "runs"_a, "ties"_a = "docid", "threads"_a = 0, "part_bytes"_a = 0);
}
