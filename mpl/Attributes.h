#pragma once

#include "mpi.h"

#include "mpl/RefCounted.h"

#include <mutex>
#include <optional>
#include <vector>

namespace mpl {

/// Caching of values on communicators, datatypes and windows, MPI-5.0 section 7.7. Handle is MPI_Comm,
/// MPI_Datatype or MPI_Win; each has keys of its own, and a key is never valid for another kind, nor given
/// twice. Any thread may call any function; no lock is held while a callback of the program's runs, so
/// callbacks may call MPI, on the same object too.
template <class Handle> class Keyval : public RefCounted<Keyval<Handle>> {
public:
  using Copy = int(Handle, int, void*, void*, void*, int*);
  using Delete = int(Handle, int, void*, void*);

  /// A new key. copy and remove may be the standard's constants (MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN,
  /// MPI_COMM_NULL_DELETE_FN and their like).
  static int create(Copy* copy, Delete* remove, void* extraState);

  /// MPI_X_free_keyval: no more attributes can be set with the key; it lives on while attributes have it, and
  /// until then freeing it again is allowed (callbacks do). Errors: MPI_ERR_KEYVAL.
  static void free(int key);

  /// The key, freed ones too as long as they live; nullptr for others.
  static Ref<Keyval> find(int key);

  int key() const noexcept { return key_; }
  bool isFreed() const noexcept { return freed_; }

  /// Whether the value goes to the copy of the object, and as what. Errors: what the callback returned.
  std::optional<void*> copied(Handle from, void* value) const;

  /// Errors: what the callback returned.
  void deleted(Handle object, void* value) const;

private:
  friend class RefCounted<Keyval>;

  Keyval(int key, Copy* copy, Delete* remove, void* extraState)
      : key_(key), copy_(copy), remove_(remove), extraState_(extraState) {}
  ~Keyval();

  int key_;
  Copy* copy_;
  Delete* remove_;
  void* extraState_;
  std::atomic<bool> freed_{false};
};

/// The attributes of one object.
template <class Handle> class AttributeSet {
public:
  AttributeSet() = default;
  AttributeSet(const AttributeSet&) = delete;
  AttributeSet& operator=(const AttributeSet&) = delete;

  /// An attribute's value, or nothing. Predefined keys of communicators (MPI_TAG_UB ...) are the same for
  /// all. Errors: MPI_ERR_KEYVAL.
  std::optional<void*> get(int key) const;

  /// Sets a value; one that was there is deleted first, with its callback.
  /// Errors: MPI_ERR_KEYVAL, also for predefined keys; what the delete callback returned (the old value
  /// stays).
  void set(Handle self, int key, void* value);

  /// Errors: MPI_ERR_KEYVAL where the key is none, predefined, or not set here; what the delete callback
  /// returned (the attribute stays).
  void remove(Handle self, int key);

  /// When `self` is duplicated: asks each attribute's copy callback, in the order of setting, and puts what
  /// it gives into `copy`, the new object's set. Errors: what a callback returned; the caller then gives up
  /// the new object, with removeAll().
  void copyTo(Handle self, AttributeSet& copy) const;

  /// When `self` is freed: deletes all attributes with their callbacks, the last set first. Errors: what a
  /// callback returned; that attribute and those set before it stay, and the object is not to be freed.
  void removeAll(Handle self);

  /// removeAll() for an object that goes whatever the callbacks say (MPI_Finalize, a duplicate that failed).
  void discardAll(Handle self);

  /// Sets a predefined attribute (MPI_WIN_BASE ...), which the program can read only. Not copied.
  void setPredefined(int key, void* value);

  bool isEmpty() const;

private:
  struct Entry {
    int key;
    void* value;
    Ref<Keyval<Handle>> keyval; ///< none for predefined attributes
    bool going = false;         ///< its delete callback is running
  };

  Entry* locate(int key);
  const Entry* locate(int key) const;
  void drop(int key);
  /// Runs the delete callback of the attribute and takes it out.
  void take(Handle self, int key, std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_; ///< in the order of setting
};

using CommAttributes = AttributeSet<MPI_Comm>;
using TypeAttributes = AttributeSet<MPI_Datatype>;
using WinAttributes = AttributeSet<MPI_Win>;

/// Gives a predefined key of communicators (MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM,
/// MPI_UNIVERSE_SIZE) its value; those without one read as "not set". Called when the library is initialised.
void setPredefinedAttribute(int key, int value) noexcept;

} // namespace mpl
