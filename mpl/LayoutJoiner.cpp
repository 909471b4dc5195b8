#include "mpl/LayoutJoiner.h"

#include "mpl/CheckedMath.h"

namespace mpl {

using Kind = LayoutNode::Kind;

namespace {

/// Lists up to this length are taken apart when they are joined to others: their runs may touch their new
/// neighbours, and a flat list is walked faster than a nested one. Long ones stay shared.
constexpr std::size_t spliceLimit = 64;

LayoutNodePtr runNode(MPI_Count size, BasicType basic) {
  return Layout::block(size, basic).rootPointer();
}

} // namespace

void LayoutJoiner::add(const Layout& layout, MPI_Count displacement, MPI_Count count, MPI_Count stride) {
  if (layout.isEmpty() || count == 0)
    return;
  const LayoutNode& node = *layout.root();
  const MPI_Count offset = layout.offset() + displacement;
  if (count == 1)
    return add(offset, layout.rootPointer());
  if (node.kind == Kind::block && node.size == stride)
    return addRun(offset, checkedMultiply(count, node.size), node.basic);
  // Lists of equal blocks share what one of them is.
  if (lastPart_ != layout.rootPointer() || lastCount_ != count || lastStride_ != stride) {
    lastRepeated_ = Layout(0, layout.rootPointer()).repeated(count, stride);
    lastPart_ = layout.rootPointer();
    lastCount_ = count;
    lastStride_ = stride;
  }
  add(offset, lastRepeated_.rootPointer());
}

void LayoutJoiner::add(MPI_Count offset, const LayoutNodePtr& node) {
  switch (node->kind) {
  case Kind::block:
    return addRun(offset, node->size, node->basic);
  case Kind::loop:
    break;
  case Kind::blocks:
  case Kind::runs:
  case Kind::sequence:
    if (entries_.size() + node->offsets.size() <= spliceLimit)
      return addEntriesOf(offset, *node);
    break;
  }
  entries_.push_back({offset, node->size, node->basic, node});
}

void LayoutJoiner::addRun(MPI_Count offset, MPI_Count size, BasicType basic) {
  if (!entries_.empty()) {
    Entry& last = entries_.back();
    if (last.node == nullptr && last.offset + last.size == offset && (last.basic == basic || !keepTypes_)) {
      last.size = checkedAdd(last.size, size);
      if (last.basic != basic)
        last.basic = BasicType::none;
      return;
    }
  }
  entries_.push_back({offset, size, basic, nullptr});
}

void LayoutJoiner::addEntriesOf(MPI_Count offset, const LayoutNode& node) {
  for (std::size_t i = 0; i < node.offsets.size(); ++i) {
    if (node.kind == Kind::sequence)
      add(offset + node.offsets[i], node.children[i]);
    else if (node.kind == Kind::runs)
      addRun(offset + node.offsets[i], node.starts[i + 1] - node.starts[i], node.basic);
    else
      addRun(offset + node.offsets[i], node.length, node.basic);
  }
}

namespace {

bool isApart(MPI_Count first, MPI_Count second, MPI_Count stride) {
  MPI_Count distance = 0;
  return !__builtin_sub_overflow(second, first, &distance) && distance == stride;
}

} // namespace

Layout LayoutJoiner::join() {
  if (entries_.empty())
    return {};
  const Entry& first = entries_.front();
  if (entries_.size() == 1)
    return {first.offset, first.node ? first.node : runNode(first.size, first.basic)};

  // Two offsets can be further apart than MPI_Count reaches; that is no stride.
  MPI_Count stride = 0;
  bool regular = !__builtin_sub_overflow(entries_[1].offset, first.offset, &stride);
  bool onlyRuns = true;
  bool equalSizes = true;
  BasicType basic = first.basic;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    onlyRuns = onlyRuns && entry.node == nullptr;
    equalSizes = equalSizes && entry.size == first.size;
    regular = regular && entry.node == first.node && entry.size == first.size && entry.basic == first.basic &&
              (i == 0 || isApart(entries_[i - 1].offset, entry.offset, stride));
    if (entry.basic != basic)
      basic = BasicType::none;
  }
  if (regular) {
    const Layout one(first.offset, first.node ? first.node : runNode(first.size, first.basic));
    return one.repeated(static_cast<MPI_Count>(entries_.size()), stride);
  }
  if (onlyRuns && (!keepTypes_ || basic != BasicType::none))
    return joinRuns(equalSizes, basic);
  return joinSequence(basic);
}

Layout LayoutJoiner::joinRuns(bool equalSizes, BasicType basic) {
  auto node = std::make_shared<LayoutNode>();
  node->kind = equalSizes ? Kind::blocks : Kind::runs;
  node->basic = basic;
  node->offsets.reserve(entries_.size());
  if (!equalSizes)
    node->starts.reserve(entries_.size() + 1);
  for (const Entry& entry : entries_) {
    node->offsets.push_back(entry.offset);
    if (!equalSizes)
      node->starts.push_back(node->size);
    node->size = checkedAdd(node->size, entry.size);
  }
  if (equalSizes)
    node->length = entries_.front().size;
  else
    node->starts.push_back(node->size);
  if (basic != BasicType::none)
    node->elements = node->size / basicTypeInfo(basic).size;
  return {0, std::move(node)};
}

Layout LayoutJoiner::joinSequence(BasicType basic) {
  auto node = std::make_shared<LayoutNode>();
  node->kind = Kind::sequence;
  node->basic = basic;
  node->offsets.reserve(entries_.size());
  node->starts.reserve(entries_.size() + 1);
  node->children.reserve(entries_.size());
  LayoutNodePtr lastRun;
  for (Entry& entry : entries_) {
    if (entry.node == nullptr) {
      if (lastRun == nullptr || lastRun->size != entry.size || lastRun->basic != entry.basic)
        lastRun = runNode(entry.size, entry.basic);
      entry.node = lastRun;
    }
    node->offsets.push_back(entry.offset);
    node->starts.push_back(node->size);
    if (keepTypes_)
      node->firsts.push_back(node->elements);
    node->size = checkedAdd(node->size, entry.size);
    node->elements += entry.node->elements;
    node->children.push_back(entry.node);
  }
  node->starts.push_back(node->size);
  return {0, std::move(node)};
}

} // namespace mpl
