#include "mpl/Op.h"

#include "mpl/OpKernels.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace mpl {

constinit Immortal<HandleTable<Op, MPI_Op>> ops;

struct PredefinedOps {
  struct Named {
    MPI_Op handle;
    Op::Kind kind;
  };

  static bool bind() {
    static const Named all[] = {
        {MPI_SUM, Op::Kind::sum},         {MPI_PROD, Op::Kind::prod},     {MPI_MIN, Op::Kind::min},
        {MPI_MAX, Op::Kind::max},         {MPI_LAND, Op::Kind::land},     {MPI_LOR, Op::Kind::lor},
        {MPI_LXOR, Op::Kind::lxor},       {MPI_BAND, Op::Kind::band},     {MPI_BOR, Op::Kind::bor},
        {MPI_BXOR, Op::Kind::bxor},       {MPI_MINLOC, Op::Kind::minloc}, {MPI_MAXLOC, Op::Kind::maxloc},
        {MPI_REPLACE, Op::Kind::replace}, {MPI_NO_OP, Op::Kind::noOp},
    };
    for (const Named& named : all) {
      auto* op = new Op(Op::ImmortalTag(), named.kind);
      op->handle_.store(named.handle, std::memory_order_relaxed);
      ops->setPredefined(named.handle, op);
    }
    return true;
  }
};

namespace {

/// Runs when the library is loaded, in the file that also has the table, so that the table is never seen
/// empty.
const bool bound = PredefinedOps::bind();

/// The table of section 6.9.2: which classes of datatypes an operation takes.
bool accepts(Op::Kind kind, TypeClass type) {
  const bool integer = type == TypeClass::cInteger || type == TypeClass::fortranInteger;
  const bool ordered = integer || type == TypeClass::floatingPoint || type == TypeClass::multiLanguage;
  switch (kind) {
  case Op::Kind::sum:
  case Op::Kind::prod:
    return ordered || type == TypeClass::complex;
  case Op::Kind::min:
  case Op::Kind::max:
    return ordered;
  case Op::Kind::land:
  case Op::Kind::lor:
  case Op::Kind::lxor:
    return type == TypeClass::cInteger || type == TypeClass::logical;
  case Op::Kind::band:
  case Op::Kind::bor:
  case Op::Kind::bxor:
    return integer || type == TypeClass::byte || type == TypeClass::multiLanguage;
  case Op::Kind::minloc:
  case Op::Kind::maxloc:
    return type == TypeClass::valueIndex;
  case Op::Kind::replace:
  case Op::Kind::noOp:
  case Op::Kind::user:
    return false;
  }
  return false;
}

/// Copies the data of predefined datatypes, not what lies between.
void copyData(const void* from, void* to, MPI_Count count, const Datatype& type) {
  if (type.isContiguous()) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * type.size());
    return;
  }
  unsigned char element[64]; // more than any pair has
  const PackCursor source = type.cursor(from, count);
  const PackCursor target = type.cursor(to, count);
  for (std::size_t offset = 0; offset < source.totalBytes(); offset += type.size()) {
    source.pack(offset, element, type.size());
    target.unpack(offset, element, type.size());
  }
}

/// The handle to show to the program's function. Where the program has freed the datatype while an operation
/// was pending, it gets one for as long as its function runs.
class ShownHandle {
public:
  explicit ShownHandle(const Datatype& type)
      : handle_(type.handle()), temporary_(handle_ == MPI_DATATYPE_NULL) {
    if (temporary_)
      handle_ = datatypes->insert(const_cast<Datatype*>(&type));
  }
  ~ShownHandle() {
    if (temporary_)
      datatypes->erase(handle_);
  }
  ShownHandle(const ShownHandle&) = delete;
  ShownHandle& operator=(const ShownHandle&) = delete;

  MPI_Datatype get() const { return handle_; }

private:
  MPI_Datatype handle_;
  bool temporary_;
};

} // namespace

Ref<Op> Op::create(Function function, bool commutative) {
  if (function == nullptr)
    fail(MPI_ERR_ARG, "user_fn is a null pointer");
  return Ref<Op>(new Op(std::variant<Function, LargeFunction>(function), commutative));
}

Ref<Op> Op::create(LargeFunction function, bool commutative) {
  if (function == nullptr)
    fail(MPI_ERR_ARG, "user_fn is a null pointer");
  return Ref<Op>(new Op(std::variant<Function, LargeFunction>(function), commutative));
}

bool Op::isDefinedFor(const Datatype& type) const noexcept {
  return kind_ == Kind::user || accepts(kind_, type.typeClass());
}

bool Op::isDefinedForAccumulate(const Datatype& type) const noexcept {
  if (kind_ == Kind::replace || kind_ == Kind::noOp)
    return type.isPredefined();
  return kind_ != Kind::user && accepts(kind_, type.typeClass());
}

void Op::requireFor(const Datatype& type) const {
  if (isDefinedFor(type))
    return;
  const std::string typeName = type.name();
  fail(MPI_ERR_OP, "op ", name(), " is not defined for ",
       typeName.empty() ? "a datatype that is not predefined" : typeName.c_str());
}

void Op::apply(const void* in, void* inout, MPI_Count count, const Datatype& type) const {
  if (count == 0 || type.size() == 0)
    return;
  const auto number = static_cast<std::size_t>(count);
  switch (kind_) {
  case Kind::user:
    return applyUser(in, inout, count, type);
  case Kind::minloc:
  case Kind::maxloc:
    return opKernels::reducePairs(kind_, pairTypes(type), static_cast<std::size_t>(type.extent()), in, inout,
                                  number);
  case Kind::replace:
    return copyData(in, inout, count, type);
  case Kind::noOp:
    return;
  default:
    return opKernels::reduce(kind_, type.basic(), in, inout, number);
  }
}

void Op::applyUser(const void* in, void* inout, MPI_Count count, const Datatype& type) const {
  const ShownHandle shown(type);
  MPI_Datatype handle = shown.get();
  if (const auto* function = std::get_if<LargeFunction>(&function_))
    return (*function)(const_cast<void*>(in), inout, &count, &handle);
  const Function function = std::get<Function>(function_);
  auto from = reinterpret_cast<std::uintptr_t>(in);
  auto to = reinterpret_cast<std::uintptr_t>(inout);
  while (count > 0) {
    auto length = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
    const auto bytes = static_cast<std::uintptr_t>(type.extent()) * static_cast<std::uintptr_t>(length);
    count -= length;
    function(reinterpret_cast<void*>(from), reinterpret_cast<void*>(to), &length, &handle);
    from += bytes;
    to += bytes;
  }
}

const char* Op::name() const noexcept {
  return opName(kind_);
}

const char* opName(Op::Kind kind) noexcept {
  using Kind = Op::Kind;
  switch (kind) {
  case Kind::sum:
    return "MPI_SUM";
  case Kind::prod:
    return "MPI_PROD";
  case Kind::min:
    return "MPI_MIN";
  case Kind::max:
    return "MPI_MAX";
  case Kind::land:
    return "MPI_LAND";
  case Kind::lor:
    return "MPI_LOR";
  case Kind::lxor:
    return "MPI_LXOR";
  case Kind::band:
    return "MPI_BAND";
  case Kind::bor:
    return "MPI_BOR";
  case Kind::bxor:
    return "MPI_BXOR";
  case Kind::minloc:
    return "MPI_MINLOC";
  case Kind::maxloc:
    return "MPI_MAXLOC";
  case Kind::replace:
    return "MPI_REPLACE";
  case Kind::noOp:
    return "MPI_NO_OP";
  case Kind::user:
    return "the program's own";
  }
  return "";
}

void failNoOp(MPI_Op handle) {
  if (handle == MPI_OP_NULL)
    fail(MPI_ERR_OP, "op is MPI_OP_NULL");
  fail(MPI_ERR_OP, "op ", static_cast<const void*>(handle), " is not an operation, or was freed");
}

MPI_Op giveHandle(const Ref<Op>& op) {
  const MPI_Op handle = ops->insert(op.get());
  op->handle_.store(handle, std::memory_order_relaxed);
  op->retain();
  return handle;
}

void freeOp(MPI_Op handle) {
  Op& op = opOf(handle);
  if (op.isPredefined())
    fail(MPI_ERR_OP, "op ", op.name(), " is predefined and cannot be freed");
  ops->erase(handle);
  op.handle_.store(MPI_OP_NULL, std::memory_order_relaxed);
  op.release();
}

} // namespace mpl
