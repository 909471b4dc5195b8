#include "coll/Verification.h"

#include "mpl/Config.h"
#include "mpl/Error.h"

#include <cstring>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace mpl {

namespace {

struct AllFacts {
  int rank;
  int size;
  CallFacts* of; // one for each rank
};

// The ranks that do not say what most do, and what these say.
template <class Value> struct Dissent {
  Value common{};
  std::vector<int> ranks;

  template <class Get> Dissent(const AllFacts& facts, Get&& get) {
    int most = 0;
    for (int a = 0; a < facts.size && most * 2 <= facts.size; ++a) {
      int alike = 0;
      for (int b = 0; b < facts.size; ++b)
        alike += get(facts.of[b]) == get(facts.of[a]) ? 1 : 0;
      if (alike > most) {
        most = alike;
        common = get(facts.of[a]);
      }
    }
    for (int rank = 0; rank < facts.size; ++rank)
      if (!(get(facts.of[rank]) == common))
        ranks.push_back(rank);
  }
};

std::string withArticle(const char* name) {
  return text(std::strchr("aeiou", name[0]) != nullptr ? "an " : "a ", name);
}

template <class Get, class Show>
void compare(const AllFacts& facts, int errorClass, const char* what, Get&& get, Show&& show) {
  const Dissent<decltype(get(facts.of[0]))> dissent(facts, get);
  if (dissent.ranks.empty())
    return;
  constexpr std::size_t mostNamed = 8;
  std::string list;
  for (std::size_t i = 0; i < dissent.ranks.size() && i < mostNamed; ++i)
    list +=
        text(i == 0 ? "" : ", ", "rank ", dissent.ranks[i], " has ", show(get(facts.of[dissent.ranks[i]])));
  if (dissent.ranks.size() > mostNamed)
    list += text(" and ", dissent.ranks.size() - mostNamed, " more differ");
  fail(errorClass, "the ranks do not agree on the ", what, " of ", withArticle(facts.of[facts.rank].name),
       ": ", list, "; the others have ", show(dissent.common));
}

std::string mannerName(CallFacts::Manner manner) {
  return manner == CallFacts::Manner::blocking          ? "blocking"
         : manner == CallFacts::Manner::inTheBackground ? "not blocking"
                                                        : "persistent";
}

void compareAll(void* argument) {
  const AllFacts& facts = *static_cast<const AllFacts*>(argument);
  const auto name = [](const CallFacts& f) { return std::string(f.name); };
  compare(facts, MPI_ERR_OTHER, "kind", name, [](const std::string& kind) { return kind; });
  compare(
      facts, MPI_ERR_OTHER, "manner", [](const CallFacts& f) { return f.manner; }, mannerName);
  compare(
      facts, MPI_ERR_ROOT, "root", [](const CallFacts& f) { return f.root; }, [](int root) { return root; });
  compare(
      facts, MPI_ERR_OP, "operation", [](const CallFacts& f) { return f.op; },
      [](int op) { return op == CallFacts::noOp ? "none" : opName(static_cast<Op::Kind>(op)); });
  compare(
      facts, MPI_ERR_COUNT, "size", [](const CallFacts& f) { return f.bytes; },
      [](std::uint64_t bytes) { return text(bytes, " bytes"); });
}

} // namespace

CallFacts CallFacts::of(const char* name, std::uint64_t bytes, int root, const Op* op) {
  CallFacts facts;
  std::strncpy(facts.name, name, sizeof facts.name - 1);
  facts.root = root;
  facts.op = op != nullptr ? static_cast<int>(op->kind()) : noOp;
  facts.bytes = bytes;
  return facts;
}

bool isChecking() noexcept {
  static const bool on = Config::get().flag(Setting::check);
  return on;
}

void addVerification(Schedule& schedule, Members me, const CallFacts& facts) {
  const auto size = static_cast<std::size_t>(me.size);
  auto* const list = reinterpret_cast<CallFacts*>(schedule.scratch(size * sizeof(CallFacts)));
  for (std::size_t i = 0; i < size; ++i)
    new (list + i) CallFacts(facts);
  auto* const all = new (schedule.scratch(sizeof(AllFacts))) AllFacts{me.rank, me.size, list};
  algorithm::allgather(schedule, me, Block{MPI_IN_PLACE, 0, nullptr},
                       Parts(list, sizeof(CallFacts), datatypeOf(MPI_BYTE)));
  schedule.waitAll();
  schedule.call(compareAll, all);
}

} // namespace mpl
