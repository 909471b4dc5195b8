// Attributes of datatypes (MPI-5.0, section 7.7.4).
#include "test/mpi/ground/AttributeLog.h"

namespace {

int copyType(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  seen.lines.push_back("copy type " + std::to_string(indexOf(in)));
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = seen.copyFlag;
  return seen.copyResult;
}

int deleteType(MPI_Datatype, int, void* value, void*) {
  seen.lines.push_back("delete type " + std::to_string(indexOf(value)));
  return seen.deleteResult;
}

int typeValue(MPI_Datatype type, int key) {
  void* value = nullptr;
  int flag = 0;
  CHECK_EQ(MPI_Type_get_attr(type, key, &value, &flag), MPI_SUCCESS);
  return flag ? indexOf(value) : -1;
}

void datatypes() {
  seen = {};
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(MPI_Type_create_keyval(copyType, deleteType, &key, nullptr), MPI_SUCCESS);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &type);
  CHECK_EQ(typeValue(type, key), -1);
  CHECK_EQ(MPI_Type_set_attr(type, key, &cells[6]), MPI_SUCCESS);
  CHECK_EQ(typeValue(type, key), 6);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_dup(type, &copy), MPI_SUCCESS);
  CHECK(logged({"copy type 6"}));
  CHECK_EQ(typeValue(copy, key), 7);
  CHECK_EQ(MPI_Type_delete_attr(copy, key), MPI_SUCCESS);
  CHECK(logged({"delete type 7"}));
  MPI_Type_free(&copy);
  CHECK(logged({}));
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, type, &vector);
  CHECK_EQ(typeValue(vector, key), -1);
  MPI_Type_free(&vector);
  CHECK(logged({}));
  MPI_Type_free(&type);
  CHECK(logged({"delete type 6"}));
  CHECK_EQ(MPI_Type_set_attr(MPI_DOUBLE, key, &cells[8]), MPI_SUCCESS);
  CHECK_EQ(typeValue(MPI_DOUBLE, key), 8);
  CHECK_EQ(typeValue(MPI_INT, key), -1);
  CHECK_EQ(MPI_Type_delete_attr(MPI_DOUBLE, key), MPI_SUCCESS);
  CHECK(logged({"delete type 8"}));
  CHECK_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
}

void theStandardsOwnFunctionsForDatatypes() {
  int plain = MPI_KEYVAL_INVALID;
  int dup = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup, nullptr);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_attr(type, plain, &cells[1]);
  MPI_Type_set_attr(type, dup, &cells[2]);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &copy);
  MPI_Type_free(&type);
  CHECK_EQ(typeValue(copy, plain), -1);
  CHECK_EQ(typeValue(copy, dup), 2);
  MPI_Type_free(&copy);
  MPI_Type_free_keyval(&plain);
  MPI_Type_free_keyval(&dup);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {
                        {"datatypes", datatypes},
                        {"standard-functions", theStandardsOwnFunctionsForDatatypes},
                    });
}
