#pragma once

#include "mpl/Layout.h"

#include <cstddef>
#include <vector>

namespace mpl {

/// Joins layouts, one behind the other in the packed data, into one.
class LayoutJoiner {
public:
  /// With keepTypes, runs of different basic types stay apart, so that the result tells the type of each
  /// byte.
  explicit LayoutJoiner(bool keepTypes) : keepTypes_(keepTypes) {}

  void reserve(std::size_t entries) { entries_.reserve(entries); }
  /// Adds `count` times the layout, `stride` bytes apart, moved by `displacement`.
  void add(const Layout& layout, MPI_Count displacement, MPI_Count count, MPI_Count stride);
  Layout join();

private:
  struct Entry {
    MPI_Count offset;
    MPI_Count size;
    BasicType basic;
    LayoutNodePtr node; ///< null for one run
  };

  void add(MPI_Count offset, const LayoutNodePtr& node);
  void addRun(MPI_Count offset, MPI_Count size, BasicType basic);
  void addEntriesOf(MPI_Count offset, const LayoutNode& node);
  Layout joinRuns(bool equalSizes, BasicType basic);
  Layout joinSequence(BasicType basic);

  bool keepTypes_;
  std::vector<Entry> entries_;
  LayoutNodePtr lastPart_; ///< what was repeated last, and what came of it
  MPI_Count lastCount_ = 0;
  MPI_Count lastStride_ = 0;
  Layout lastRepeated_;
};

} // namespace mpl
