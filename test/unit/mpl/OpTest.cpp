#include "mpl/Op.h"

#include "mpl/DatatypeConstructors.h"
#include "mpl/PredefinedTypes.h"

#include <gtest/gtest.h>

#include <climits>
#include <set>

namespace mpl::test {
namespace {

template <class Run> Error errorOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  return {MPI_SUCCESS, ""};
}

/// A handle that nobody gave; the compiler is not to know its value.
MPI_Op invented(std::uintptr_t value) {
  volatile std::uintptr_t hidden = value;
  return reinterpret_cast<MPI_Op>(hidden);
}

using Types = std::set<MPI_Datatype>;

const Types cInteger = {MPI_INT,         MPI_LONG,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
                        MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
                        MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_INT16_T,
                        MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
                        MPI_UINT32_T,    MPI_UINT64_T};
const Types fortranInteger = {MPI_INTEGER,  MPI_INTEGER1, MPI_INTEGER2,
                              MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
const Types floating = {MPI_FLOAT, MPI_DOUBLE, MPI_REAL,  MPI_DOUBLE_PRECISION, MPI_LONG_DOUBLE, MPI_REAL2,
                        MPI_REAL4, MPI_REAL8,  MPI_REAL16};
const Types logical = {MPI_LOGICAL,  MPI_C_BOOL,   MPI_CXX_BOOL, MPI_LOGICAL1,
                       MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16};
const Types complex = {MPI_COMPLEX,
                       MPI_C_FLOAT_COMPLEX,
                       MPI_C_DOUBLE_COMPLEX,
                       MPI_C_LONG_DOUBLE_COMPLEX,
                       MPI_CXX_FLOAT_COMPLEX,
                       MPI_CXX_DOUBLE_COMPLEX,
                       MPI_CXX_LONG_DOUBLE_COMPLEX,
                       MPI_DOUBLE_COMPLEX,
                       MPI_COMPLEX4,
                       MPI_COMPLEX8,
                       MPI_COMPLEX16,
                       MPI_COMPLEX32};
const Types bytes = {MPI_BYTE};
const Types multiLanguage = {MPI_AINT, MPI_OFFSET, MPI_COUNT};
const Types pairs = {MPI_FLOAT_INT,       MPI_DOUBLE_INT, MPI_LONG_INT,          MPI_2INT,    MPI_SHORT_INT,
                     MPI_LONG_DOUBLE_INT, MPI_2REAL,      MPI_2DOUBLE_PRECISION, MPI_2INTEGER};
const Types nothing = {MPI_CHAR, MPI_CHARACTER, MPI_WCHAR, MPI_PACKED};

Types joined(std::initializer_list<Types> parts) {
  Types all;
  for (const Types& part : parts)
    all.insert(part.begin(), part.end());
  return all;
}

// Section 6.9.2, word by word.
TEST(Op, DefinedForTheTypesOfTheStandard) {
  const Types ordered = joined({cInteger, fortranInteger, floating, multiLanguage});
  const Types arithmetic = joined({ordered, complex});
  const Types truth = joined({cInteger, logical});
  const Types bits = joined({cInteger, fortranInteger, bytes, multiLanguage});
  const std::pair<MPI_Op, Types> table[] = {
      {MPI_MAX, ordered}, {MPI_MIN, ordered}, {MPI_SUM, arithmetic}, {MPI_PROD, arithmetic},
      {MPI_LAND, truth},  {MPI_LOR, truth},   {MPI_LXOR, truth},     {MPI_BAND, bits},
      {MPI_BOR, bits},    {MPI_BXOR, bits},   {MPI_MINLOC, pairs},   {MPI_MAXLOC, pairs},
      {MPI_REPLACE, {}},  {MPI_NO_OP, {}},
  };
  const Types all = joined({arithmetic, truth, bits, pairs, nothing});
  std::size_t known = 0;
  for (std::uintptr_t value = 0; value < 4096; ++value)
    known += datatypes->find(reinterpret_cast<MPI_Datatype>(value)) != nullptr;
  ASSERT_EQ(all.size(), known) << "a predefined datatype is missing in the sets above";
  for (const auto& [handle, types] : table) {
    const Op& op = opOf(handle);
    for (const MPI_Datatype type : all) {
      const bool expected = types.count(type) != 0;
      EXPECT_EQ(op.isDefinedFor(datatypeOf(type)), expected) << op.name() << " " << datatypeOf(type).name();
      const bool accumulates = expected || handle == MPI_REPLACE || handle == MPI_NO_OP;
      EXPECT_EQ(op.isDefinedForAccumulate(datatypeOf(type)), accumulates) << op.name();
      EXPECT_EQ(errorOf([&] { op.requireFor(datatypeOf(type)); }).errorClass(),
                expected ? MPI_SUCCESS : MPI_ERR_OP);
    }
  }
}

TEST(Op, UnnamedAndDerivedTypes) {
  EXPECT_TRUE(opOf(MPI_SUM).isDefinedFor(datatypeOf(f90Real(6, 30))));
  EXPECT_TRUE(opOf(MPI_SUM).isDefinedFor(datatypeOf(f90Complex(6, 30))));
  EXPECT_FALSE(opOf(MPI_MAX).isDefinedFor(datatypeOf(f90Complex(6, 30))));
  EXPECT_TRUE(opOf(MPI_BAND).isDefinedFor(datatypeOf(f90Integer(3))));
  const MPI_Datatype pair = valueIndexPair(datatypeOf(MPI_DOUBLE), datatypeOf(MPI_INT64_T));
  EXPECT_TRUE(opOf(MPI_MAXLOC).isDefinedFor(datatypeOf(pair)));
  const Ref<Datatype> derived = makeContiguous(2, datatypeOf(MPI_INT));
  EXPECT_FALSE(opOf(MPI_SUM).isDefinedFor(*derived));
  EXPECT_FALSE(opOf(MPI_REPLACE).isDefinedForAccumulate(*derived));
  const Error error = errorOf([&] { opOf(MPI_SUM).requireFor(*derived); });
  EXPECT_NE(error.message().find("MPI_SUM"), std::string::npos);
}

TEST(Op, PredefinedHandles) {
  const std::pair<MPI_Op, const char*> all[] = {
      {MPI_SUM, "MPI_SUM"},     {MPI_PROD, "MPI_PROD"},      {MPI_MIN, "MPI_MIN"},
      {MPI_MAX, "MPI_MAX"},     {MPI_LAND, "MPI_LAND"},      {MPI_LOR, "MPI_LOR"},
      {MPI_LXOR, "MPI_LXOR"},   {MPI_BAND, "MPI_BAND"},      {MPI_BOR, "MPI_BOR"},
      {MPI_BXOR, "MPI_BXOR"},   {MPI_MINLOC, "MPI_MINLOC"},  {MPI_MAXLOC, "MPI_MAXLOC"},
      {MPI_NO_OP, "MPI_NO_OP"}, {MPI_REPLACE, "MPI_REPLACE"}};
  for (const auto& [handle, name] : all) {
    const Op& op = opOf(handle);
    EXPECT_STREQ(op.name(), name);
    EXPECT_EQ(op.handle(), handle);
    EXPECT_TRUE(op.isPredefined());
    EXPECT_TRUE(op.isCommutative());
    EXPECT_EQ(errorOf([&handle = handle] { freeOp(handle); }).errorClass(), MPI_ERR_OP);
  }
}

TEST(Op, BadHandles) {
  const Error null = errorOf([] { opOf(MPI_OP_NULL); });
  EXPECT_EQ(null.errorClass(), MPI_ERR_OP);
  EXPECT_NE(null.message().find("MPI_OP_NULL"), std::string::npos);
  EXPECT_EQ(errorOf([] { opOf(invented(0x7fffffffffff)); }).errorClass(), MPI_ERR_OP);
  EXPECT_EQ(errorOf([] { Op::create(static_cast<MPI_User_function*>(nullptr), true); }).errorClass(),
            MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { Op::create(static_cast<MPI_User_function_c*>(nullptr), true); }).errorClass(),
            MPI_ERR_ARG);
}

std::vector<MPI_Count> seenLengths;
MPI_Datatype seenType;

// The buffers of other types are too small to be added to.
bool isInt(MPI_Datatype type) {
  return datatypeOf(type).size() != 0 && datatypeOf(type).basic() == BasicType::int32;
}

void addTwice(void* in, void* inout, int* length, MPI_Datatype* type) {
  seenLengths.push_back(*length);
  seenType = *type;
  for (int i = 0; isInt(*type) && i < *length; ++i)
    static_cast<int*>(inout)[i] += 2 * static_cast<int*>(in)[i];
}

void addTwiceLarge(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  seenLengths.push_back(*length);
  seenType = *type;
  for (MPI_Count i = 0; isInt(*type) && i < *length; ++i)
    static_cast<int*>(inout)[i] += 2 * static_cast<int*>(in)[i];
}

TEST(Op, FunctionsOfTheProgram) {
  const int in[] = {1, 2, 3};
  int inout[] = {10, 20, 30};
  const Ref<Op> op = Op::create(addTwice, false);
  EXPECT_FALSE(op->isCommutative());
  EXPECT_TRUE(op->isDefinedFor(datatypeOf(MPI_CHAR)));
  EXPECT_FALSE(op->isDefinedForAccumulate(datatypeOf(MPI_INT)));
  seenLengths.clear();
  op->apply(in, inout, 3, datatypeOf(MPI_INT));
  EXPECT_EQ(seenLengths, (std::vector<MPI_Count>{3}));
  EXPECT_EQ(seenType, MPI_INT);
  EXPECT_EQ(std::vector<int>(inout, inout + 3), (std::vector<int>{12, 24, 36}));
  op->apply(in, inout, 0, datatypeOf(MPI_INT));
  EXPECT_EQ(seenLengths.size(), 1U) << "not called for nothing";

  const Ref<Op> large = Op::create(addTwiceLarge, true);
  EXPECT_TRUE(large->isCommutative());
  large->apply(in, inout, 3, datatypeOf(MPI_INT));
  EXPECT_EQ(std::vector<int>(inout, inout + 3), (std::vector<int>{14, 28, 42}));
}

// An extent of zero: huge counts without huge memory.
TEST(Op, CountsBeyondAnIntAreCutForFunctionsThatTakeAnInt) {
  const Ref<Datatype> type = makeResized(datatypeOf(MPI_DOUBLE), 0, 0, false);
  const MPI_Datatype handle = giveHandle(type);
  double in = 0;
  double inout = 0;
  const MPI_Count count = MPI_Count{2} * INT_MAX + 5;
  seenLengths.clear();
  Op::create(addTwice, true)->apply(&in, &inout, count, *type);
  EXPECT_EQ(seenLengths, (std::vector<MPI_Count>{INT_MAX, INT_MAX, 5}));
  EXPECT_EQ(seenType, handle);
  seenLengths.clear();
  Op::create(addTwiceLarge, true)->apply(&in, &inout, count, *type);
  EXPECT_EQ(seenLengths, (std::vector<MPI_Count>{count}));
  freeDatatype(handle);
}

TEST(Op, ADatatypeFreedMeanwhileStillHasAHandleInTheFunction) {
  const Ref<Datatype> type = makeContiguous(1, datatypeOf(MPI_INT));
  freeDatatype(giveHandle(type));
  const std::size_t live = datatypes->live();
  const int in = 1;
  int inout = 1;
  Op::create(addTwice, true)->apply(&in, &inout, 1, *type);
  EXPECT_EQ(inout, 3) << "the function could look the datatype up";
  EXPECT_EQ(datatypes->live(), live);
  EXPECT_EQ(datatypes->find(seenType), nullptr);
}

TEST(Op, LivesWhileItIsUsed) {
  const Ref<Op> op = Op::create(addTwice, true);
  const MPI_Op handle = giveHandle(op);
  EXPECT_EQ(&opOf(handle), op.get());
  EXPECT_EQ(op->references(), 2);
  freeOp(handle);
  EXPECT_EQ(op->references(), 1);
  EXPECT_EQ(op->handle(), MPI_OP_NULL);
  EXPECT_EQ(errorOf([&] { opOf(handle); }).errorClass(), MPI_ERR_OP);
  EXPECT_EQ(errorOf([&] { freeOp(handle); }).errorClass(), MPI_ERR_OP);
}

TEST(Op, ReplaceAndNoOp) {
  struct Pair {
    double value;
    int index;
    int gap;
  };
  const Pair in[2] = {{1, 2, 3}, {4, 5, 6}};
  Pair inout[2] = {{10, 20, 30}, {40, 50, 60}};
  opOf(MPI_NO_OP).apply(in, inout, 2, datatypeOf(MPI_DOUBLE_INT));
  EXPECT_EQ(inout[0].value, 10);
  opOf(MPI_REPLACE).apply(in, inout, 2, datatypeOf(MPI_DOUBLE_INT));
  EXPECT_EQ(inout[1].value, 4);
  EXPECT_EQ(inout[1].index, 5);
  EXPECT_EQ(inout[0].gap, 30) << "what lies between is not the datatype's";
  EXPECT_EQ(inout[1].gap, 60);
  char text[] = "abc";
  opOf(MPI_REPLACE).apply("xyz", text, 3, datatypeOf(MPI_CHAR));
  EXPECT_STREQ(text, "xyz");
}

} // namespace
} // namespace mpl::test
