#include "sinter/adapters/arithmetic/ordered_pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sinter::adapters {
namespace {

class Run {
 public:
  explicit Run(const OrderedPipeline& pipeline) : pipeline_(pipeline), made_(pipeline.slots) {}

  void work() {
    for (;;) {
      std::size_t piece = 0;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return ended() || next_ < taken_ + pipeline_.slots; });
        if (ended()) return;
        piece = next_++;
      }
      try {
        pipeline_.make(piece, piece % pipeline_.slots);
      } catch (...) {  // carried over to the caller's thread
        fail(std::current_exception());
        return;
      }
      const std::lock_guard lock(mutex_);
      made_[piece % pipeline_.slots] = true;
      ready_.notify_one();
    }
  }

  void take_all() {
    for (std::size_t piece = 0; piece < pipeline_.pieces; ++piece) {
      const std::size_t slot = piece % pipeline_.slots;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return failure_ != nullptr || made_[slot]; });
        if (failure_ != nullptr) return;
        made_[slot] = false;
      }
      try {
        pipeline_.take(piece, slot);
      } catch (...) {  // the workers have to end before it goes on
        fail(std::current_exception());
        return;
      }
      const std::lock_guard lock(mutex_);
      ++taken_;
      room_.notify_all();
    }
  }

  std::exception_ptr failure() const { return failure_; }

 private:
  bool ended() const { return failure_ != nullptr || next_ == pipeline_.pieces; }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(failure);
    room_.notify_all();
    ready_.notify_all();
  }

  const OrderedPipeline& pipeline_;
  std::mutex mutex_;
  std::condition_variable room_;   // a slot has become free, or it is over
  std::condition_variable ready_;  // a piece was made, or it is over
  std::vector<bool> made_;         // by slot
  std::size_t next_ = 0;           // piece to be made
  std::size_t taken_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void run_pipeline(const OrderedPipeline& pipeline) {
  Run run(pipeline);
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(pipeline.threads, pipeline.pieces);
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&run] { run.work(); });
    run.take_all();
  }
  if (run.failure() != nullptr) std::rethrow_exception(run.failure());
}

}  // namespace sinter::adapters
