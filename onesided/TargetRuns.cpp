#include "onesided/TargetRuns.h"

namespace mpl {

std::vector<UpdateRun> elementRuns(const Datatype& type, std::uint64_t at, MPI_Count count,
                                   ElementType element) {
  std::vector<UpdateRun> runs;
  const std::size_t size = element.packedSize();
  const std::size_t extent = element.extent();
  const auto add = [&](std::uint64_t address, std::uint64_t elements) {
    if (!runs.empty() && runs.back().address + runs.back().count * extent == address)
      runs.back().count += elements;
    else
      runs.push_back({address, elements});
  };
  std::size_t inElement = 0; // bytes of a pair that earlier runs held
  forEachRun(type, at, count, [&](std::uint64_t address, std::size_t bytes) {
    while (bytes != 0) {
      if (inElement == 0 && size == extent && bytes >= size) {
        const std::size_t whole = bytes / size;
        add(address, whole);
        address += whole * size;
        bytes -= whole * size;
        continue;
      }
      // A pair with gaps: its first byte tells where it is.
      if (inElement == 0)
        add(address, 1);
      const std::size_t taken = std::min(bytes, size - inElement);
      inElement = (inElement + taken) % size;
      address += taken;
      bytes -= taken;
    }
  });
  return runs;
}

} // namespace mpl
