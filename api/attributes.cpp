// Attributes on communicators and datatypes: MPI-5.0, section 7.7, and the deprecated calls of section 16.1.
// Between MPI_Init and MPI_Finalize, by any thread; callbacks run without any lock and may call MPI. Errors:
// MPI_ERR_KEYVAL for a key that is none, is of another kind of object, was freed, or is predefined and to be
// changed; MPI_ERR_COMM, MPI_ERR_TYPE for the object; MPI_ERR_ARG for null pointers; and what a delete
// callback returned, in which case the attribute stays.
#include "mpl/Attributes.h"

#include "api/Checks.h"
#include "api/Guard.h"
#include "mpl/Datatype.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Runtime.h"

using namespace mpl;
using namespace mpl::api;

namespace {

template <class Handle>
int createKeyval(const char* function, typename Keyval<Handle>::Copy* copy,
                 typename Keyval<Handle>::Delete* remove, int* keyval, void* extraState) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkPointer(keyval, "keyval");
    *keyval = Keyval<Handle>::create(copy, remove, extraState);
  });
}

template <class Handle> int freeKeyval(const char* function, int* keyval) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkPointer(keyval, "keyval");
    Keyval<Handle>::free(*keyval);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

// Each keeps the object while a callback, which may free it, runs.

int setAttribute(const char* function, MPI_Comm comm, int keyval, void* value) {
  return guarded(function, comm, [&] {
    const Ref<Communicator> object(&communicatorOf(comm));
    object->attributes().set(comm, keyval, value);
  });
}

int deleteAttribute(const char* function, MPI_Comm comm, int keyval) {
  return guarded(function, comm, [&] {
    const Ref<Communicator> object(&communicatorOf(comm));
    object->attributes().remove(comm, keyval);
  });
}

template <class Handle>
void readAttribute(const AttributeSet<Handle>& attributes, int keyval, void* attribute_val, int* flag) {
  checkPointer(attribute_val, "attribute_val");
  checkPointer(flag, "flag");
  const auto value = attributes.get(keyval);
  if (value)
    *static_cast<void**>(attribute_val) = *value;
  *flag = value.has_value();
}

int getAttribute(const char* function, MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return guarded(function, comm,
                 [&] { readAttribute(communicatorOf(comm).attributes(), keyval, attribute_val, flag); });
}

} // namespace

extern "C" {

/// The functions may be MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN and MPI_COMM_NULL_DELETE_FN.
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                            MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval,
                            void* extra_state) {
  return createKeyval<MPI_Comm>("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                                extra_state);
}

/// Sets *comm_keyval to MPI_KEYVAL_INVALID. Attributes that have the key keep it, and its callbacks.
int PMPI_Comm_free_keyval(int* comm_keyval) {
  return freeKeyval<MPI_Comm>("MPI_Comm_free_keyval", comm_keyval);
}

/// A value that was there is deleted first.
int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return setAttribute("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

/// attribute_val: address of a pointer, which gets the value where flag is set to 1. For predefined keys
/// (MPI_TAG_UB ...) the value points to an int.
int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return getAttribute("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return deleteAttribute("MPI_Comm_delete_attr", comm, comm_keyval);
}

// Deprecated names for the same.

int PMPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                       void* extra_state) {
  return createKeyval<MPI_Comm>("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}
int PMPI_Keyval_free(int* keyval) {
  return freeKeyval<MPI_Comm>("MPI_Keyval_free", keyval);
}
int PMPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return setAttribute("MPI_Attr_put", comm, keyval, attribute_val);
}
int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return getAttribute("MPI_Attr_get", comm, keyval, attribute_val, flag);
}
int PMPI_Attr_delete(MPI_Comm comm, int keyval) {
  return deleteAttribute("MPI_Attr_delete", comm, keyval);
}

// The same for datatypes, predefined ones included.

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                            MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval,
                            void* extra_state) {
  return createKeyval<MPI_Datatype>("MPI_Type_create_keyval", type_copy_attr_fn, type_delete_attr_fn,
                                    type_keyval, extra_state);
}
int PMPI_Type_free_keyval(int* type_keyval) {
  return freeKeyval<MPI_Datatype>("MPI_Type_free_keyval", type_keyval);
}

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return guarded("MPI_Type_set_attr", [&] {
    runtime.requireActive();
    const Ref<Datatype> object(&datatypeOf(datatype));
    object->attributes().set(datatype, type_keyval, attribute_val);
  });
}
int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  return guarded("MPI_Type_get_attr", [&] {
    runtime.requireActive();
    readAttribute(datatypeOf(datatype).attributes(), type_keyval, attribute_val, flag);
  });
}
int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  return guarded("MPI_Type_delete_attr", [&] {
    runtime.requireActive();
    const Ref<Datatype> object(&datatypeOf(datatype));
    object->attributes().remove(datatype, type_keyval);
  });
}

} // extern "C"

#include "api/attributes.aliases.h"
