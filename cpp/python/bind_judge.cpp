// gradeval._core.judge and what it returns, gradeval._core.Met
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/pools.hpp"
#include "python/bindings.hpp"
#include "python/judge_mappings.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

Met judge_runs(const Pools& pools, nb::handle runs, const std::string& ties, std::size_t threads,
               std::size_t part_bytes, bool tied_ranks, bool itself, nb::tuple pairs) {
    const nb::tuple kept(runs);  // whatever another thread does to the list meanwhile
    std::vector<const Lines*> lines;
    for (const nb::handle run : kept) {
        if (!nb::isinstance<PyLines>(run)) throw nb::type_error("runs must be Lines");
        lines.push_back(&nb::cast<const PyLines&>(run).lines);
    }
    const JudgeOptions options{ties_named(ties), threads, part_bytes, tied_ranks, exclusion_of(itself, pairs)};
    const nb::gil_scoped_release free_threads;
    return judge(pools, lines, options);
}

/// None where a run holds something that only Lines.of_mapping() can take.
std::optional<Met> judge_mappings(const Pools& pools, nb::handle mappings, nb::handle names, const std::string& ties,
                                  bool tied_ranks, bool itself, nb::tuple pairs) {
    const nb::tuple kept(mappings);
    const nb::tuple called(names);
    if (kept.size() != called.size()) throw nb::value_error("one name for each mapping");
    const Exclusion excluded = exclusion_of(itself, pairs);
    MappingJudge judge(pools, ties_named(ties), tied_ranks, excluded, kept.size());
    for (std::size_t run = 0; run < kept.size(); ++run) {
        if (!judge.read(kept[run], name_of(nb::cast<nb::str>(called[run])))) return std::nullopt;
    }
    return judge.finish();
}

}  // namespace

void bind_judge(nb::module_& m) {
    nb::class_<Met>(m, "Met")
        .def_prop_ro("rank", [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).rank, self); })
        .def_prop_ro("document",
                     [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).document, self); })
        .def_prop_ro("first", [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).first, self); })
        .def_prop_ro("last", [](nb::handle_t<Met> self) { return view(nb::cast<Met&>(self).last, self); })
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
        .def_prop_ro("contradicting",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.contradicting, self, {met.runs, met.topics});
                     })
        .def_prop_ro("repeated",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.repeated, self, {met.runs, met.topics});
                     })
        .def_prop_ro("excluded",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.excluded, self, {met.runs, met.topics});
                     })
        .def_prop_ro("itself",
                     [](nb::handle_t<Met> self) {
                         const Met& met = nb::cast<Met&>(self);
                         return view(met.itself, self, {met.runs, met.topics});
                     })
        .def_ro("tags", &Met::tags)
        .def_ro("unjudged_topics", &Met::unjudged_topics)
        .def_prop_ro("skipped", [](const Met& self) {
            nb::list by_run;
            for (const std::optional<SkippedLines>& one : self.skipped)
                by_run.append(one ? nb::object(nb::make_tuple(one->count, one->line, text(one->text))) : nb::none());
            return by_run;
        });

    m.def("judge", &judge_runs, "pools"_a, "runs"_a, "ties"_a = "docid", "threads"_a = 0, "part_bytes"_a = 0,
          "tied_ranks"_a = false, "itself"_a = false, "pairs"_a = nb::make_tuple());
    m.def("judge_mappings", &judge_mappings, "pools"_a, "mappings"_a, "names"_a, "ties"_a = "docid",
          "tied_ranks"_a = false, "itself"_a = false, "pairs"_a = nb::make_tuple());
}

}  // namespace gradeval
