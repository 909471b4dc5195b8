#include "mpl/ScratchMemory.h"

#include <mutex>
#include <vector>

namespace mpl {

namespace {

struct Piece {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
};

// Few, so that looking at all of them costs nothing beside what such pieces are used for. In the order in
// which they came.
class Kept {
public:
  Kept() { pieces_.reserve(most); }

  /// The smallest that has the room, unless most of it would lie idle; an empty one if there is none.
  Piece take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece)
      if (piece->size >= bytes && piece->size / 4 <= bytes &&
          (best == pieces_.end() || piece->size < best->size))
        best = piece;
    return best == pieces_.end() ? Piece{} : takeOut(best);
  }

  /// The oldest ones make room.
  void put(Piece piece) noexcept {
    if (piece.size > ScratchMemory::keptBytes)
      return;
    const std::lock_guard lock(mutex_);
    while (pieces_.size() == most || bytes_ + piece.size > ScratchMemory::keptBytes)
      takeOut(pieces_.begin());
    bytes_ += piece.size;
    pieces_.push_back(std::move(piece)); // there is room: it cannot fail
  }

private:
  static constexpr std::size_t most = 8;

  Piece takeOut(std::vector<Piece>::iterator at) noexcept {
    Piece piece = std::move(*at);
    pieces_.erase(at);
    bytes_ -= piece.size;
    return piece;
  }

  std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t bytes_ = 0;
};

// Never destroyed: requests may be freed in exit handlers.
Kept& kept() {
  static auto* const pieces = new Kept();
  return *pieces;
}

} // namespace

ScratchMemory::ScratchMemory(std::size_t bytes) {
  if (bytes >= leastKept) {
    Piece piece = kept().take(bytes);
    memory_ = std::move(piece.memory);
    size_ = piece.size;
  }
  if (!memory_) {
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }
}

void ScratchMemory::giveBack() noexcept {
  if (size_ >= leastKept)
    kept().put({std::move(memory_), size_});
}

} // namespace mpl
