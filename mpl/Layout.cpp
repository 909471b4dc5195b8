#include "mpl/Layout.h"

#include "mpl/CheckedMath.h"

#include <algorithm>

namespace mpl {

using Kind = LayoutNode::Kind;

Layout Layout::block(MPI_Count bytes, BasicType basic) {
  if (bytes == 0)
    return {};
  auto node = std::make_shared<LayoutNode>();
  node->kind = Kind::block;
  node->basic = basic;
  node->size = bytes;
  if (basic != BasicType::none)
    node->elements = bytes / basicTypeInfo(basic).size;
  return {0, std::move(node)};
}

Layout Layout::repeated(MPI_Count count, MPI_Count stride) const {
  if (count == 0 || isEmpty())
    return {};
  if (count == 1)
    return *this;
  const MPI_Count bytes = checkedMultiply(count, root_->size);
  if (root_->kind == Kind::block && root_->size == stride)
    return block(bytes, root_->basic).moved(offset_);

  auto node = std::make_shared<LayoutNode>();
  node->kind = Kind::loop;
  node->basic = root_->basic;
  node->size = bytes;
  node->elements = count * root_->elements;
  MPI_Count innerSpan = 0;
  const bool continues = root_->kind == Kind::loop &&
                         !__builtin_mul_overflow(root_->count, root_->stride, &innerSpan) &&
                         innerSpan == stride;
  if (continues) {
    node->count = count * root_->count;
    node->stride = root_->stride;
    node->child = root_->child;
  } else {
    node->count = count;
    node->stride = stride;
    node->child = root_;
  }
  return {offset_, std::move(node)};
}

namespace {

MPI_Count elementsBefore(const LayoutNode& node, MPI_Count bytes, MPI_Count& rest) noexcept {
  if (node.basic != BasicType::none) {
    const MPI_Count each = basicTypeInfo(node.basic).size;
    rest = bytes % each;
    return bytes / each;
  }
  if (node.kind == Kind::loop) {
    const LayoutNode& child = *node.child;
    return bytes / child.size * child.elements + elementsBefore(child, bytes % child.size, rest);
  }
  const auto after = std::upper_bound(node.starts.begin(), node.starts.end() - 1, bytes);
  const auto entry = static_cast<std::size_t>(after - node.starts.begin() - 1);
  return node.firsts[entry] + elementsBefore(*node.children[entry], bytes - node.starts[entry], rest);
}

MPI_Count bytesBefore(const LayoutNode& node, MPI_Count elements) noexcept {
  if (node.basic != BasicType::none)
    return elements * basicTypeInfo(node.basic).size;
  if (node.kind == Kind::loop) {
    const LayoutNode& child = *node.child;
    return elements / child.elements * child.size + bytesBefore(child, elements % child.elements);
  }
  const auto after = std::upper_bound(node.firsts.begin(), node.firsts.end(), elements);
  const auto entry = static_cast<std::size_t>(after - node.firsts.begin() - 1);
  return node.starts[entry] + bytesBefore(*node.children[entry], elements - node.firsts[entry]);
}

} // namespace

MPI_Count elementsInBytes(const Layout& typed, MPI_Count bytes, MPI_Count& rest) noexcept {
  const LayoutNode& root = *typed.root();
  return bytes / root.size * root.elements + elementsBefore(root, bytes % root.size, rest);
}

MPI_Count bytesOfElements(const Layout& typed, MPI_Count elements) {
  const LayoutNode& root = *typed.root();
  return checkedAdd(checkedMultiply(elements / root.elements, root.size),
                    bytesBefore(root, elements % root.elements));
}

} // namespace mpl
