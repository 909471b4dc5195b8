// What MPI_Type_get_envelope and MPI_Type_get_contents tell is enough to make the datatype again.
#include "test/mpi/Check.h"

#include <numeric>

namespace {

struct Contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
};

bool isPredefined(MPI_Datatype type) {
  MPI_Count n[4];
  int combiner = 0;
  MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER ||
         combiner == MPI_COMBINER_VALUE_INDEX;
}

Contents contentsOf(MPI_Datatype type) {
  MPI_Count n[4];
  Contents c;
  CHECK_EQ(MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &c.combiner), MPI_SUCCESS);
  c.integers.resize(static_cast<size_t>(n[0]));
  c.addresses.resize(static_cast<size_t>(n[1]));
  c.counts.resize(static_cast<size_t>(n[2]));
  c.types.resize(static_cast<size_t>(n[3]));
  CHECK_EQ(MPI_Type_get_contents_c(type, n[0], n[1], n[2], n[3], c.integers.data(), c.addresses.data(),
                                   c.counts.data(), c.types.data()),
           MPI_SUCCESS);
  if (c.counts.empty()) { // made with ints: the other form says the same
    int m[3];
    int combiner = 0;
    CHECK_EQ(MPI_Type_get_envelope(type, &m[0], &m[1], &m[2], &combiner), MPI_SUCCESS);
    CHECK_EQ(combiner, c.combiner);
    CHECK_EQ(m[0], n[0]);
    CHECK_EQ(m[1], n[1]);
    CHECK_EQ(m[2], n[3]);
  }
  return c;
}

/// Makes a datatype with the constructor and the arguments that the contents name.
MPI_Datatype remade(const Contents& c) {
  const int* i = c.integers.data();
  const MPI_Aint* a = c.addresses.data();
  const MPI_Count* l = c.counts.data();
  const MPI_Datatype old = c.types.at(0);
  const bool large = !c.counts.empty();
  MPI_Datatype made = MPI_DATATYPE_NULL;
  switch (c.combiner) {
  case MPI_COMBINER_DUP:
    MPI_Type_dup(old, &made);
    break;
  case MPI_COMBINER_CONTIGUOUS:
    large ? MPI_Type_contiguous_c(l[0], old, &made) : MPI_Type_contiguous(i[0], old, &made);
    break;
  case MPI_COMBINER_VECTOR:
    large ? MPI_Type_vector_c(l[0], l[1], l[2], old, &made) : MPI_Type_vector(i[0], i[1], i[2], old, &made);
    break;
  case MPI_COMBINER_HVECTOR:
    large ? MPI_Type_create_hvector_c(l[0], l[1], l[2], old, &made)
          : MPI_Type_create_hvector(i[0], i[1], a[0], old, &made);
    break;
  case MPI_COMBINER_INDEXED:
    large ? MPI_Type_indexed_c(l[0], l + 1, l + 1 + l[0], old, &made)
          : MPI_Type_indexed(i[0], i + 1, i + 1 + i[0], old, &made);
    break;
  case MPI_COMBINER_HINDEXED:
    large ? MPI_Type_create_hindexed_c(l[0], l + 1, l + 1 + l[0], old, &made)
          : MPI_Type_create_hindexed(i[0], i + 1, a, old, &made);
    break;
  case MPI_COMBINER_INDEXED_BLOCK:
    large ? MPI_Type_create_indexed_block_c(l[0], l[1], l + 2, old, &made)
          : MPI_Type_create_indexed_block(i[0], i[1], i + 2, old, &made);
    break;
  case MPI_COMBINER_HINDEXED_BLOCK:
    large ? MPI_Type_create_hindexed_block_c(l[0], l[1], l + 2, old, &made)
          : MPI_Type_create_hindexed_block(i[0], i[1], a, old, &made);
    break;
  case MPI_COMBINER_STRUCT:
    large ? MPI_Type_create_struct_c(l[0], l + 1, l + 1 + l[0], c.types.data(), &made)
          : MPI_Type_create_struct(i[0], i + 1, a, c.types.data(), &made);
    break;
  case MPI_COMBINER_SUBARRAY:
    large
        ? MPI_Type_create_subarray_c(i[0], l, l + i[0], l + 2 * i[0], i[1], old, &made)
        : MPI_Type_create_subarray(i[0], i + 1, i + 1 + i[0], i + 1 + 2 * i[0], i[1 + 3 * i[0]], old, &made);
    break;
  case MPI_COMBINER_DARRAY: {
    const int d = i[2];
    large ? MPI_Type_create_darray_c(i[0], i[1], d, l, i + 3, i + 3 + d, i + 3 + 2 * d, i[3 + 3 * d], old,
                                     &made)
          : MPI_Type_create_darray(i[0], i[1], d, i + 3, i + 3 + d, i + 3 + 2 * d, i + 3 + 3 * d,
                                   i[3 + 4 * d], old, &made);
    break;
  }
  case MPI_COMBINER_RESIZED:
    large ? MPI_Type_create_resized_c(old, l[0], l[1], &made)
          : MPI_Type_create_resized(old, a[0], a[1], &made);
    break;
  default:
    check::fail("unknown combiner " + std::to_string(c.combiner), __FILE__, __LINE__);
  }
  return made;
}

std::vector<unsigned char> packedForm(MPI_Datatype type) {
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Type_get_true_extent_c(type, &lb, &extent);
  std::vector<unsigned char> memory(static_cast<size_t>(extent) + 1);
  std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(1));
  MPI_Count size = 0;
  MPI_Pack_size_c(1, type, MPI_COMM_SELF, &size);
  std::vector<unsigned char> packed(static_cast<size_t>(size) + 1);
  MPI_Count position = 0;
  CHECK_EQ(MPI_Pack_c(memory.data() - lb, 1, type, packed.data(), size, &position, MPI_COMM_SELF),
           MPI_SUCCESS);
  CHECK_EQ(position, size);
  return packed;
}

/// Takes the datatype apart and makes it again, its parts likewise; frees it.
void roundTrip(MPI_Datatype type) {
  Contents contents = contentsOf(type);
  MPI_Datatype again = remade(contents);
  MPI_Count found[4];
  MPI_Count wanted[4];
  MPI_Type_get_extent_c(again, &found[0], &found[1]);
  MPI_Type_get_true_extent_c(again, &found[2], &found[3]);
  MPI_Type_get_extent_c(type, &wanted[0], &wanted[1]);
  MPI_Type_get_true_extent_c(type, &wanted[2], &wanted[3]);
  for (int i = 0; i < 4; ++i)
    CHECK_EQ(found[i], wanted[i]);
  const Contents second = contentsOf(again);
  CHECK(second.integers == contents.integers);
  CHECK(second.addresses == contents.addresses);
  CHECK(second.counts == contents.counts);
  MPI_Type_commit(&type);
  MPI_Type_commit(&again);
  CHECK(packedForm(again) == packedForm(type));
  for (MPI_Datatype part : second.types)
    if (!isPredefined(part))
      CHECK_EQ(MPI_Type_free(&part), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&again), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  for (const MPI_Datatype part : contents.types)
    if (!isPredefined(part))
      roundTrip(part); // new datatypes: ours to free
}

const int lengths[] = {2, 1, 3};
const int places[] = {7, 0, 3};
const MPI_Aint offsets[] = {96, -40, 8};
const MPI_Count largeLengths[] = {2, 1, 3};
const MPI_Count largePlaces[] = {96, -40, 8};

template <class Make> void each(Make make) {
  // On a predefined datatype, and on a derived one that is freed at once.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(make(MPI_INT, &type), MPI_SUCCESS);
  roundTrip(type);
  MPI_Datatype old = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &old);
  CHECK_EQ(make(old, &type), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&old), MPI_SUCCESS);
  CHECK(old == MPI_DATATYPE_NULL);
  roundTrip(type);
}

void smallForms() {
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_dup(old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_contiguous(3, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_vector(3, 2, -4, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_create_hvector(3, 2, 77, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_indexed(3, lengths, places, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_hindexed(3, lengths, offsets, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_indexed_block(3, 2, places, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_hindexed_block(3, 2, offsets, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_create_resized(old, -8, 64, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const MPI_Datatype types[] = {old, MPI_DOUBLE_INT, MPI_CHAR};
    return MPI_Type_create_struct(3, lengths, offsets, types, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const int sizes[] = {4, 5};
    const int subsizes[] = {2, 3};
    const int starts[] = {1, 2};
    return MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const int sizes[] = {7, 5};
    const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
    const int grid[] = {2, 3};
    return MPI_Type_create_darray(6, 4, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, old, type);
  });
}

void largeForms() {
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_contiguous_c(3, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_vector_c(3, 2, -4, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_create_hvector_c(3, 2, 77, old, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_indexed_c(3, largeLengths, largePlaces, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_hindexed_c(3, largeLengths, largePlaces, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_indexed_block_c(3, 2, largePlaces, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_hindexed_block_c(3, 2, largePlaces, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) { return MPI_Type_create_resized_c(old, -8, 64, type); });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const MPI_Datatype types[] = {old, MPI_DOUBLE_INT, MPI_CHAR};
    return MPI_Type_create_struct_c(3, largeLengths, largePlaces, types, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const MPI_Count sizes[] = {4, 5};
    const MPI_Count subsizes[] = {2, 3};
    const MPI_Count starts[] = {1, 2};
    return MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, old, type);
  });
  each([](MPI_Datatype old, MPI_Datatype* type) {
    const MPI_Count sizes[] = {7, 5};
    const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
    const int grid[] = {2, 3};
    return MPI_Type_create_darray_c(6, 4, 2, sizes, distributions, arguments, grid, MPI_ORDER_FORTRAN, old,
                                    type);
  });
}

void unnamedTypes() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &type), MPI_SUCCESS);
  Contents contents = contentsOf(type);
  CHECK_EQ(contents.combiner, MPI_COMBINER_F90_REAL);
  CHECK((contents.integers == std::vector<int>{12, MPI_UNDEFINED}));
  CHECK_EQ(MPI_Type_create_f90_integer(7, &type), MPI_SUCCESS);
  CHECK((contentsOf(type).integers == std::vector<int>{7}));
  CHECK_EQ(MPI_Type_create_f90_complex(12, 30, &type), MPI_SUCCESS);
  CHECK_EQ(contentsOf(type).combiner, MPI_COMBINER_F90_COMPLEX);
  CHECK_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &type), MPI_SUCCESS);
  contents = contentsOf(type);
  CHECK_EQ(contents.combiner, MPI_COMBINER_VALUE_INDEX);
  CHECK(contents.types.at(0) == MPI_DOUBLE && contents.types.at(1) == MPI_LONG);
  CHECK_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type), MPI_SUCCESS);
  CHECK(type == MPI_DOUBLE_INT);
  CHECK_EQ(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &type), MPI_SUCCESS);
  CHECK(type == MPI_DATATYPE_NULL);
}

void badCalls() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int n[4] = {-1, -1, -1, -1};
  int integers[8] = {-5, -5, -5};
  MPI_Aint addresses[4];
  MPI_Datatype types[4] = {MPI_DATATYPE_NULL};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK_EQ(check::errorClass(MPI_Type_get_contents(MPI_INT, 8, 4, 4, integers, addresses, types)),
           MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Type_get_envelope(MPI_DATATYPE_NULL, &n[0], &n[1], &n[2], &n[3])),
           MPI_ERR_TYPE);
  MPI_Type_contiguous_c(3, MPI_INT, &type);
  CHECK_EQ(check::errorClass(MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &n[3])), MPI_ERR_TYPE);
  CHECK_EQ(check::errorClass(MPI_Type_get_contents(type, 8, 4, 4, integers, addresses, types)), MPI_ERR_TYPE);
  CHECK_EQ(n[0], -1);
  MPI_Type_free(&type);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  CHECK_EQ(check::errorClass(MPI_Type_get_contents(type, 2, 0, 1, integers, addresses, types)), MPI_ERR_ARG);
  CHECK_EQ(check::errorClass(MPI_Type_get_contents(type, 3, 0, 0, integers, addresses, types)), MPI_ERR_ARG);
  CHECK_EQ(integers[0], -5);
  CHECK(types[0] == MPI_DATATYPE_NULL);
  CHECK_EQ(MPI_Type_get_contents(type, 3, 0, 1, integers, addresses, types), MPI_SUCCESS);
  CHECK_EQ(integers[2], 2);
  CHECK(types[0] == MPI_INT);
  MPI_Type_free(&type);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"small-forms", smallForms},
                     {"large-forms", largeForms},
                     {"unnamed-types", unnamedTypes},
                     {"bad-calls", badCalls}});
}
