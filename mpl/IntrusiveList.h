#pragma once

namespace mpl {

/// What an object has to derive from to stand in an IntrusiveList of the same Tag; in one list at a time.
template <class Tag> class ListLink {
public:
  ListLink() noexcept = default;
  ListLink(const ListLink&) = delete;
  ListLink& operator=(const ListLink&) = delete;

  bool isListed() const noexcept { return after_ != nullptr; }
  /// Out of the list that it stands in.
  void unlist() noexcept {
    before_->after_ = after_;
    after_->before_ = before_;
    before_ = after_ = nullptr;
  }

private:
  template <class T, class ListTag> friend class IntrusiveList;

  ListLink* before_ = nullptr;
  ListLink* after_ = nullptr;
};

/// A list of objects in the order in which they were appended, linked through themselves: nothing is
/// allocated, and an object leaves in constant time. Owns nothing.
template <class T, class Tag> class IntrusiveList {
public:
  IntrusiveList() noexcept { head_.before_ = head_.after_ = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const noexcept { return head_.after_ == &head_; }

  void append(T& object) noexcept {
    ListLink<Tag>& link = object;
    link.before_ = head_.before_;
    link.after_ = &head_;
    head_.before_->after_ = &link;
    head_.before_ = &link;
  }

  /// In front of one that is in the list.
  void insertBefore(T& position, T& object) noexcept {
    ListLink<Tag>& link = object;
    ListLink<Tag>& next = position;
    link.before_ = next.before_;
    link.after_ = &next;
    next.before_->after_ = &link;
    next.before_ = &link;
  }

  /// nullptr where the list is empty.
  T* first() noexcept { return objectOf(head_.after_); }
  T* last() noexcept { return objectOf(head_.before_); }
  /// The one after `object`; nullptr after the last.
  T* after(T& object) noexcept { return objectOf(static_cast<ListLink<Tag>&>(object).after_); }

  /// The first for which `fits` is true, or nullptr.
  template <class Fits> T* find(Fits&& fits) {
    for (ListLink<Tag>* link = head_.after_; link != &head_; link = link->after_)
      if (T& object = static_cast<T&>(*link); fits(object))
        return &object;
    return nullptr;
  }

private:
  T* objectOf(ListLink<Tag>* link) noexcept { return link == &head_ ? nullptr : static_cast<T*>(link); }

  ListLink<Tag> head_;
};

/// For objects that stand in lists of several tags.
template <class Tag> bool isListed(const ListLink<Tag>& object) noexcept {
  return object.isListed();
}
template <class Tag> void unlist(ListLink<Tag>& object) noexcept {
  object.unlist();
}

} // namespace mpl
