#pragma once

#include "mpi.h"

#include "mpl/Attributes.h"
#include "mpl/Envelope.h"
#include "mpl/HandleTable.h"
#include "mpl/PackCursor.h"
#include "mpl/RefCounted.h"
#include "mpl/TypeMap.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace mpl {

/// An MPI datatype (chapter 5). All but the name, the attributes and the committed flag is fixed when it is
/// made, so any thread may use it at any time. References are held by the program's handle, by pending
/// operations (retain(), release()) and by the envelopes of datatypes made from it; predefined datatypes live
/// for ever and are not counted.
///
/// What every send and receive asks for lies in the object's first cache line.
class alignas(64) Datatype : public RefCounted<Datatype> {
public:
  /// A derived datatype, not committed and without a handle.
  Datatype(TypeMap map, Envelope envelope);
  /// A predefined datatype. An unnamed one (MPI_Type_create_f90_real ...) has an envelope and an empty name.
  Datatype(TypeMap map, TypeClass typeClass, std::string name, Envelope envelope = {});

  /// `count` elements at `buffer`, for any count, are one run of count * size() bytes, starting at
  /// buffer + trueLowerBound().
  bool isContiguous() const noexcept { return (flags() & contiguousFlag) != 0; }
  bool isCommitted() const noexcept { return (flags() & committedFlag) != 0; }
  /// Committed, contiguous, and the run starts at the buffer's address: nothing but size() matters to a
  /// message.
  bool isPlain() const noexcept { return plain_; }
  /// The same for one element only: gaps between elements do not matter.
  bool isOneBlock() const noexcept { return map_.bytes.isOneBlock(); }
  /// Not made by the program, and not to be freed by it.
  bool isPredefined() const noexcept { return (flags() & predefinedFlag) != 0; }

  /// Bytes of data in one element.
  std::size_t size() const noexcept { return size_; }
  MPI_Count lowerBound() const noexcept { return lowerBound_; }
  MPI_Count extent() const noexcept { return extent_; }
  MPI_Count trueLowerBound() const noexcept { return trueLowerBound_; }
  MPI_Count trueExtent() const noexcept { return map_.trueUpperBound - map_.trueLowerBound; }
  int alignment() const noexcept { return map_.alignment; }

  /// How many bytes of a buffer `count` elements span, from the lowest byte on (0 for no data), and where
  /// that byte lies relative to the buffer's address: what to allocate for a temporary copy.
  MPI_Count span(MPI_Count count, MPI_Count& lowest) const noexcept;

  const Layout& layout() const noexcept { return map_.bytes; }
  const TypeMap& map() const noexcept { return map_; }
  PackCursor cursor(const void* buffer, MPI_Count count) const noexcept {
    return PackCursor(map_.bytes, extent_, buffer, count);
  }

  /// The basic type of all data, or none where there are several. Holds for derived datatypes too.
  BasicType basic() const noexcept { return map_.bytes.basic(); }
  /// For predefined datatypes; none for derived ones.
  TypeClass typeClass() const noexcept { return typeClass_; }
  const Envelope& envelope() const noexcept { return *envelope_; }

  /// Makes it ready for communication; again does no harm.
  void commit() noexcept {
    if (isCommitted())
      return;
    flags_.fetch_or(committedFlag, std::memory_order_relaxed);
    plain_ = (flags() & plainFlags) == plainFlags;
  }

  /// The handle that the program has, or MPI_DATATYPE_NULL once it freed it.
  MPI_Datatype handle() const noexcept { return handle_.load(std::memory_order_relaxed); }

  /// Like this one, committed or not as this one is, without name, attributes and handle. Its envelope is
  /// that of MPI_Type_dup, or with sameEnvelope this one's.
  Ref<Datatype> duplicate(bool sameEnvelope = false);

  std::string name() const;
  void setName(std::string name);
  TypeAttributes& attributes() noexcept { return attributes_; }

  /// A place for what the transport below needs to know of the datatype, made at its first use. nullptr at
  /// first.
  void* transportType() const noexcept { return transport_.load(std::memory_order_acquire); }
  /// Stores it, with the function that ends it when the datatype goes. Where another thread was faster,
  /// destroys `made`. Returns what is stored.
  void* setTransportType(void* made, void (*destroy)(void*)) const noexcept;
  /// Destroys it (before the transport is shut down).
  void clearTransportType() const noexcept;

private:
  friend class RefCounted<Datatype>;
  friend MPI_Datatype giveHandle(const Ref<Datatype>& type);
  friend void bindPredefined(Datatype& type, MPI_Datatype handle);
  friend void freeDatatype(MPI_Datatype handle);

  static constexpr std::uint32_t committedFlag = 1;
  static constexpr std::uint32_t contiguousFlag = 2;
  static constexpr std::uint32_t noOffsetFlag = 4;
  static constexpr std::uint32_t predefinedFlag = 8;
  static constexpr std::uint32_t plainFlags = committedFlag | contiguousFlag | noOffsetFlag;

  Datatype(TypeMap map, std::shared_ptr<const Envelope> envelope);
  ~Datatype();

  std::uint32_t flags() const noexcept { return flags_.load(std::memory_order_relaxed); }
  void setUp() noexcept;

  std::atomic<std::uint32_t> flags_{0};
  bool plain_ = false; ///< all of plainFlags, where one load tells it
  std::size_t size_ = 0;
  MPI_Count lowerBound_ = 0;
  MPI_Count extent_ = 0;
  MPI_Count trueLowerBound_ = 0;
  mutable std::atomic<void*> transport_{nullptr};

  mutable void (*destroyTransport_)(void*) = nullptr;
  TypeMap map_;
  TypeClass typeClass_ = TypeClass::none;
  std::atomic<MPI_Datatype> handle_{MPI_DATATYPE_NULL};
  std::shared_ptr<const Envelope> envelope_;
  mutable std::mutex nameMutex_;
  std::string name_;
  TypeAttributes attributes_;
};

/// All datatypes that have a handle. The predefined ones are there from the start of the process.
[[gnu::visibility("hidden")]] extern constinit Immortal<HandleTable<Datatype, MPI_Datatype>> datatypes;

/// The size of an element of the predefined datatypes that are plain, by handle; 0 for other handles.
[[gnu::visibility("hidden")]] extern constinit std::array<std::uint8_t, 4096> plainSizes;

/// In a few instructions: the size of an element of a predefined and plain datatype, 0 for all others.
inline std::uint8_t plainSizeOf(MPI_Datatype handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < plainSizes.size() ? plainSizes[value] : 0;
}

[[noreturn]] void failNoDatatype(MPI_Datatype handle);
[[noreturn]] void failNotCommitted(const Datatype& type);

/// The datatype of a handle that the program gave. Errors: MPI_ERR_TYPE (null, freed, or never a datatype).
inline Datatype& datatypeOf(MPI_Datatype handle) {
  Datatype* type = datatypes->find(handle);
  if (type == nullptr) [[unlikely]]
    failNoDatatype(handle);
  return *type;
}

/// The same for a datatype that is to be used in communication. Errors: MPI_ERR_TYPE, also where it is not
/// committed.
inline Datatype& committedDatatypeOf(MPI_Datatype handle) {
  Datatype& type = datatypeOf(handle);
  if (!type.isCommitted()) [[unlikely]]
    failNotCommitted(type);
  return type;
}

/// Gives a new datatype to the program: the handle owns a reference.
MPI_Datatype giveHandle(const Ref<Datatype>& type);

/// MPI_Type_free, attributes and all: the datatype lives on while it is in use. Errors: MPI_ERR_TYPE, also
/// for predefined datatypes; what an attribute's delete callback returned.
void freeDatatype(MPI_Datatype handle);

} // namespace mpl
