#include "onesided/AtomicUpdate.h"

#include "mpl/OpKernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace mpl {

namespace {

constexpr std::size_t largestElement = 64; // more than any pair has

class HeldElement {
public:
  HeldElement(UpdateGate& gate, const Updater& updater, std::uint64_t place)
      : lock_(gate.elements.of(place)) {
    updater.take(lock_);
  }
  ~HeldElement() { lock_.release(); }
  HeldElement(const HeldElement&) = delete;
  HeldElement& operator=(const HeldElement&) = delete;

private:
  SharedLock& lock_;
};

template <class Word> Word loadWord(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// What an operation does to elements of one machine word.
template <class Word> class WordUpdate {
public:
  WordUpdate(Op::Kind kind, BasicType basic) : kind_(kind), basic_(basic) {}

  void run(std::byte* target, std::size_t count, const std::byte* operand, std::byte* previous) const {
    switch (kind_) {
    case Op::Kind::noOp:
      return each(target, count, previous, [](auto word, std::size_t) { return word.load(); });
    case Op::Kind::replace:
      return each(target, count, previous,
                  [=](auto word, std::size_t i) { return word.exchange(value(operand, i)); });
    case Op::Kind::sum:
      if (isWhole())
        return each(target, count, previous,
                    [=](auto word, std::size_t i) { return word.fetch_add(value(operand, i)); });
      break;
    case Op::Kind::band:
      return each(target, count, previous,
                  [=](auto word, std::size_t i) { return word.fetch_and(value(operand, i)); });
    case Op::Kind::bor:
      return each(target, count, previous,
                  [=](auto word, std::size_t i) { return word.fetch_or(value(operand, i)); });
    case Op::Kind::bxor:
      return each(target, count, previous,
                  [=](auto word, std::size_t i) { return word.fetch_xor(value(operand, i)); });
    default:
      break;
    }
    each(target, count, previous, [=, this](auto word, std::size_t i) {
      Word before = word.load(std::memory_order_relaxed);
      for (;;) {
        Word after = before;
        opKernels::reduce(kind_, basic_, operand + i * sizeof(Word), &after, 1);
        if (word.compare_exchange_weak(before, after))
          return before;
      }
    });
  }

private:
  static Word value(const std::byte* operand, std::size_t i) {
    return loadWord<Word>(operand + i * sizeof(Word));
  }

  template <class Step>
  static void each(std::byte* target, std::size_t count, std::byte* previous, Step&& step) {
    auto* words = reinterpret_cast<Word*>(target);
    for (std::size_t i = 0; i < count; ++i) {
      const Word before = step(std::atomic_ref<Word>(words[i]), i);
      if (previous != nullptr)
        std::memcpy(previous + i * sizeof(Word), &before, sizeof before);
    }
  }

  bool isWhole() const {
    switch (basic_) {
    case BasicType::half:
    case BasicType::single:
    case BasicType::real64:
    case BasicType::complexHalf:
    case BasicType::complexSingle:
      return false;
    default:
      return true;
    }
  }

  Op::Kind kind_;
  BasicType basic_;
};

/// Calls visit with a value of the unsigned type of the element's size where processor instructions update it
/// at this address; false where they do not.
template <class Visit> bool asWord(ElementType type, const std::byte* at, Visit&& visit) {
  const std::size_t size = type.packedSize();
  if (type.isPair() || reinterpret_cast<std::uintptr_t>(at) % size != 0)
    return false;
  switch (size) {
  case 1:
    visit(std::uint8_t{});
    return true;
  case 2:
    visit(std::uint16_t{});
    return true;
  case 4:
    visit(std::uint32_t{});
    return true;
  case 8:
    visit(std::uint64_t{});
    return true;
  default:
    return false;
  }
}

/// Several elements that lie together: inout = operand op inout.
void combineRun(Op::Kind kind, ElementType type, const std::byte* operand, void* inout, std::size_t count) {
  if (kind == Op::Kind::replace)
    std::memcpy(inout, operand, count * type.packedSize());
  else if (kind != Op::Kind::noOp)
    opKernels::reduce(kind, type.value, operand, inout, count);
}

/// Whole words of elements, 8 bytes each and aligned. The operation is made on a copy of some of them, which
/// then replace the old ones, each by one instruction and where it is still what was copied. Instructions on
/// single elements may meet them: processors order both.
void updateWords(Op::Kind kind, ElementType type, std::uint64_t* target, std::size_t count,
                 const std::byte* operand, std::byte* previous) {
  using Word = std::uint64_t;
  constexpr std::size_t some = 64;
  const std::size_t elements = sizeof(Word) / type.packedSize(); // of a word
  std::array<Word, some> before;
  std::array<Word, some> after;
  for (std::size_t done = 0; done < count; done += some) {
    const std::size_t now = std::min(some, count - done);
    const std::byte* with = operand != nullptr ? operand + done * sizeof(Word) : nullptr;
    for (std::size_t i = 0; i < now; ++i)
      after[i] = before[i] = std::atomic_ref<Word>(target[done + i]).load(std::memory_order_relaxed);
    combineRun(kind, type, with, after.data(), now * elements);
    for (std::size_t i = 0; i < now; ++i) {
      const std::atomic_ref<Word> word(target[done + i]);
      while (after[i] != before[i] && !word.compare_exchange_strong(before[i], after[i])) {
        after[i] = before[i];
        combineRun(kind, type, with + i * sizeof(Word), &after[i], elements);
      }
    }
    if (previous != nullptr)
      std::memcpy(previous + done * sizeof(Word), before.data(), now * sizeof(Word));
  }
}

/// Elements that nobody else updates meanwhile.
void updateAlone(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                 std::byte* previous) {
  if (previous != nullptr)
    std::memcpy(previous, target.at, target.count * type.packedSize());
  combineRun(kind, type, operand, target.at, target.count);
}

/// Many elements that others may update too: single ones up to the first whole word, words, and single ones.
template <class Word>
void updateMany(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                std::byte* previous) {
  constexpr std::size_t wide = sizeof(std::uint64_t);
  constexpr std::size_t size = sizeof(Word);
  const auto operandAt = [operand](std::size_t at) { return operand != nullptr ? operand + at : nullptr; };
  const auto previousAt = [previous](std::size_t at) {
    return previous != nullptr ? previous + at : nullptr;
  };
  const auto singles = [&](std::size_t from, std::size_t count) {
    const std::size_t at = from * size;
    WordUpdate<Word>(kind, type.value).run(target.at + at, count, operandAt(at), previousAt(at));
  };
  const std::size_t ahead =
      std::min(target.count, -reinterpret_cast<std::uintptr_t>(target.at) % wide / size);
  const std::size_t words = (target.count - ahead) * size / wide;
  const std::size_t done = ahead + words * wide / size;
  singles(0, ahead);
  updateWords(kind, type, reinterpret_cast<std::uint64_t*>(target.at + ahead * size), words,
              operandAt(ahead * size), previousAt(ahead * size));
  singles(done, target.count - done);
}

/// One element or many of a machine word each.
template <class Word>
void updateElements(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                    std::byte* previous, UpdateGate& gate, const Updater& updater) {
  if (target.count == 1) {
    const Updater::Entry entry(updater, gate, Updater::Amount::single);
    return entry.isAlone() ? updateAlone(kind, type, target, operand, previous)
                           : WordUpdate<Word>(kind, type.value).run(target.at, 1, operand, previous);
  }
  // Others may enter in between.
  constexpr std::size_t piece = 64 * 1024 / sizeof(Word);
  for (std::size_t done = 0; done < target.count; done += piece) {
    const std::size_t at = done * sizeof(Word);
    const ElementRun now{target.at + at, target.place + at, std::min(piece, target.count - done)};
    const std::byte* with = operand != nullptr ? operand + at : nullptr;
    std::byte* before = previous != nullptr ? previous + at : nullptr;
    Updater::Entry entry(updater, gate, Updater::Amount::many);
    entry.countMany(now.count * sizeof(Word) / sizeof(std::uint64_t));
    if (entry.isAlone())
      updateAlone(kind, type, now, with, before);
    else
      updateMany<Word>(kind, type, now, with, before);
  }
  updater.settle(gate);
}

void pack(ElementType type, const std::byte* element, std::byte* packed) {
  const std::size_t valueSize = basicTypeInfo(type.value).size;
  std::memcpy(packed, element, valueSize);
  if (type.isPair())
    std::memcpy(packed + valueSize, element + type.indexOffset(), basicTypeInfo(type.index).size);
}

// Gaps stay as they are.
void unpack(ElementType type, const std::byte* packed, std::byte* element) {
  const std::size_t valueSize = basicTypeInfo(type.value).size;
  std::memcpy(element, packed, valueSize);
  if (type.isPair())
    std::memcpy(element + type.indexOffset(), packed + valueSize, basicTypeInfo(type.index).size);
}

void combine(Op::Kind kind, ElementType type, const std::byte* operand, std::byte* element) {
  switch (kind) {
  case Op::Kind::noOp:
    return;
  case Op::Kind::replace:
    return unpack(type, operand, element);
  case Op::Kind::minloc:
  case Op::Kind::maxloc: {
    std::array<std::byte, largestElement> spread{};
    unpack(type, operand, spread.data());
    return opKernels::reducePairs(kind, {type.value, type.index}, type.extent(), spread.data(), element, 1);
  }
  default:
    return opKernels::reduce(kind, type.value, operand, element, 1);
  }
}

} // namespace

void updateAtomically(Op::Kind kind, ElementType type, const ElementRun& target, const std::byte* operand,
                      std::byte* previous, UpdateGate& gate, const Updater& updater, Others others) {
  const bool byWord = asWord(type, target.at, [&](auto word) {
    if (others == Others::none && target.count != 1)
      updateAlone(kind, type, target, operand, previous);
    else
      updateElements<decltype(word)>(kind, type, target, operand, previous, gate, updater);
  });
  if (byWord)
    return;
  const std::size_t size = type.packedSize();
  const std::size_t extent = type.extent();
  for (std::size_t i = 0; i < target.count; ++i) {
    std::byte* element = target.at + i * extent;
    const HeldElement held(gate, updater, target.place + i * extent);
    if (previous != nullptr)
      pack(type, element, previous + i * size);
    combine(kind, type, operand != nullptr ? operand + i * size : nullptr, element);
  }
}

void compareAndSwap(ElementType type, const ElementRun& target, const std::byte* compare,
                    const std::byte* value, std::byte* previous, UpdateGate& gate, const Updater& updater) {
  const std::size_t size = type.packedSize();
  const auto swapAlone = [&] {
    std::memcpy(previous, target.at, size);
    if (std::memcmp(target.at, compare, size) == 0)
      std::memcpy(target.at, value, size);
  };
  const bool byWord = asWord(type, target.at, [&](auto word) {
    using Word = decltype(word);
    const Updater::Entry entry(updater, gate, Updater::Amount::single);
    if (entry.isAlone())
      return swapAlone();
    auto expected = loadWord<Word>(compare);
    std::atomic_ref<Word>(*reinterpret_cast<Word*>(target.at))
        .compare_exchange_strong(expected, loadWord<Word>(value));
    std::memcpy(previous, &expected, sizeof expected);
  });
  if (byWord)
    return;
  const HeldElement held(gate, updater, target.place);
  swapAlone();
}

} // namespace mpl
