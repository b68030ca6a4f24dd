// The page that somebody wants who searches for a word stands first. Sphinx calls score() for each page that it found;
// pages that do not hold the word are not found, so each page below has it.

const WANTED = {
  significance: "studies", "p value": "studies", "t test": "studies", interval: "inference", confidence: "inference",
  leaderboard: "report", dashboard: "report", llm: "judges", "llm judge": "judges", umbrela: "judges",
  pandas: "getting-started/evaluate-frames", polars: "getting-started/evaluate-frames", latex: "guide",
  mrr: "measures/precision/RR", alpha_ndcg: "measures", err_ia: "measures", diversity: "measures", install: "install",
  "confidence interval": "inference", "confidence intervals": "inference", excel: "files",
  "a/b test": "getting-started/compare-two-variants", "ab test": "getting-started/compare-two-variants",
  "a/b": "getting-started/compare-two-variants", rag: "coming-from/rag", ratings: "ratings",
  significant: "studies", trec_eval: "coming-from/trec_eval", pytrec_eval: "coming-from/pytrec_eval",
};

var Scorer = {
  score: ([page, , , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
    return WANTED[asked] === page ? score + 1000 : page.startsWith("reference/") ? score / 2 : score;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
