#include "mpl/Datatype.h"

#include <algorithm>

namespace mpl {

Datatype::Datatype(TypeMap map, Envelope envelope)
    : Datatype(std::move(map), std::make_shared<const Envelope>(std::move(envelope))) {}

Datatype::Datatype(TypeMap map, std::shared_ptr<const Envelope> envelope)
    : map_(std::move(map)), envelope_(std::move(envelope)) {
  setUp();
}

Datatype::Datatype(TypeMap map, TypeClass typeClass, std::string name, Envelope envelope)
    : RefCounted(ImmortalTag()), flags_(predefinedFlag | committedFlag), map_(std::move(map)),
      typeClass_(typeClass), envelope_(std::make_shared<const Envelope>(std::move(envelope))),
      name_(std::move(name)) {
  setUp();
}

Datatype::~Datatype() {
  clearTransportType();
}

void Datatype::setUp() noexcept {
  size_ = static_cast<std::size_t>(map_.size());
  lowerBound_ = map_.lowerBound;
  extent_ = map_.extent();
  trueLowerBound_ = map_.trueLowerBound;
  std::uint32_t shape = 0;
  if (size_ == 0 || (map_.bytes.isOneBlock() && extent_ == map_.size()))
    shape |= contiguousFlag;
  if (map_.bytes.offset() == 0)
    shape |= noOffsetFlag;
  flags_.fetch_or(shape, std::memory_order_relaxed);
  plain_ = (flags() & plainFlags) == plainFlags;
}

MPI_Count Datatype::span(MPI_Count count, MPI_Count& lowest) const noexcept {
  lowest = 0;
  if (count == 0 || size_ == 0)
    return 0;
  const MPI_Count shift = (count - 1) * extent_;
  lowest = trueLowerBound_ + std::min<MPI_Count>(shift, 0);
  return map_.trueUpperBound + std::max<MPI_Count>(shift, 0) - lowest;
}

Ref<Datatype> Datatype::duplicate(bool sameEnvelope) {
  Ref<Datatype> copy;
  if (sameEnvelope)
    copy = Ref<Datatype>(new Datatype(map_, envelope_));
  else
    copy = Ref<Datatype>(new Datatype(map_, Envelope{MPI_COMBINER_DUP, {}, {}, {}, {Ref<Datatype>(this)}}));
  if (isCommitted())
    copy->commit();
  return copy;
}

std::string Datatype::name() const {
  std::lock_guard guard(nameMutex_);
  return name_;
}

void Datatype::setName(std::string name) {
  std::lock_guard guard(nameMutex_);
  name_ = std::move(name);
}

void* Datatype::setTransportType(void* made, void (*destroy)(void*)) const noexcept {
  std::lock_guard guard(nameMutex_);
  if (void* stored = transport_.load(std::memory_order_relaxed)) {
    destroy(made);
    return stored;
  }
  destroyTransport_ = destroy;
  transport_.store(made, std::memory_order_release);
  return made;
}

void Datatype::clearTransportType() const noexcept {
  std::lock_guard guard(nameMutex_);
  if (void* stored = transport_.exchange(nullptr, std::memory_order_acq_rel))
    destroyTransport_(stored);
}

namespace {

std::string describe(const Datatype& type) {
  std::string name = type.name();
  return name.empty() ? text("a datatype of ", type.size(), " bytes") : name;
}

} // namespace

void failNoDatatype(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL)
    fail(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
  fail(MPI_ERR_TYPE, "datatype ", static_cast<const void*>(handle), " is not a datatype, or was freed");
}

void failNotCommitted(const Datatype& type) {
  fail(MPI_ERR_TYPE, "datatype (", describe(type), ") is not committed");
}

MPI_Datatype giveHandle(const Ref<Datatype>& type) {
  const MPI_Datatype handle = datatypes->insert(type.get());
  type->handle_.store(handle, std::memory_order_relaxed);
  type->retain();
  return handle;
}

void bindPredefined(Datatype& type, MPI_Datatype handle) {
  type.handle_.store(handle, std::memory_order_relaxed);
  datatypes->setPredefined(handle, &type);
  if (type.isPlain() && type.size() <= UINT8_MAX)
    plainSizes[reinterpret_cast<std::uintptr_t>(handle)] = static_cast<std::uint8_t>(type.size());
}

void freeDatatype(MPI_Datatype handle) {
  Datatype& type = datatypeOf(handle);
  const Ref<Datatype> keep(&type); // callbacks run before it goes
  if (type.isPredefined())
    fail(MPI_ERR_TYPE, "datatype (", describe(type), ") is predefined and cannot be freed");
  type.attributes().removeAll(handle);
  datatypes->erase(handle);
  type.handle_.store(MPI_DATATYPE_NULL, std::memory_order_relaxed);
  type.release();
}

} // namespace mpl
