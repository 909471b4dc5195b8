#include "bootstrap/CpuList.h"

#include "mpl/Error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace mpl {

namespace {

constexpr int highest = 1 << 20; // far beyond any machine; keeps a wrong text from taking all memory

int takeNumber(std::string_view& left, std::string_view whole) {
  int number = -1;
  const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), number);
  if (error != std::errc() || number < 0 || number > highest)
    fail(MPI_ERR_OTHER, "'", whole, "' is not a list of processors");
  left.remove_prefix(static_cast<std::size_t>(end - left.data()));
  return number;
}

} // namespace

std::string formatCpuList(const std::vector<int>& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
      ++last;
    if (!out.empty())
      out += ',';
    out += std::to_string(cpus[i]);
    if (last > i)
      out += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return out;
}

std::vector<int> parseCpuList(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.remove_suffix(1);
  std::vector<int> cpus;
  for (std::string_view left = text; !left.empty();) {
    const int first = takeNumber(left, text);
    int last = first;
    if (left.starts_with('-')) {
      left.remove_prefix(1);
      last = takeNumber(left, text);
    }
    for (int cpu = first; cpu <= last; ++cpu)
      cpus.push_back(cpu);
    if (left.empty())
      break;
    if (left.front() != ',' || left.size() == 1)
      fail(MPI_ERR_OTHER, "'", text, "' is not a list of processors");
    left.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<int> allowedCpus() {
  // The kernel's own mask can be larger than cpu_set_t: grow until it fits.
  for (std::size_t count = 1024; count <= highest; count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(count),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (set == nullptr)
      break;
    if (::sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL)
        continue;
      break;
    }
    std::vector<int> cpus;
    for (std::size_t cpu = 0; cpu < count; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set.get()))
        cpus.push_back(static_cast<int>(cpu));
    return cpus;
  }
  std::vector<int> all(static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int>(i);
  return all;
}

} // namespace mpl
