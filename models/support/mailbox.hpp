/// A scheduler (role 0) and one core (role 1), which runs what it finds in its mailbox.
#pragma once

#include "core/core_mailbox.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class Mailbox : public Roles<P, 2> {
 protected:
  /// Role 1: until exit. A dispatch of number n leaves n in the result.
  void run_core() {
    mailbox_.report_ready();
    this->bells[0].ring();
    for (;;) {
      CoreCommand command = CoreCommand::none;
      P::await([&] { return (command = mailbox_.peek()) != CoreCommand::none; });
      if (command == CoreCommand::exit) break;
      {
        const auto payload = mailbox_.take();
        check<P>(*payload == executed_ + 1, "the core runs each dispatch once, in order");
        result_.write(++executed_);
      }
      mailbox_.finish();
      this->bells[0].ring();
    }
    mailbox_.acknowledge_exit();
    this->bells[0].ring();
  }

  void await_ready() {
    P::await([&] { return mailbox_.is_ready(); });
    check_mailbox();
  }

  void dispatch(uint32_t number) {
    mailbox_.dispatch(number);
    check_mailbox();
    this->bells[1].ring();
  }

  void await_completion(uint32_t number) {
    P::await([&] { return mailbox_.has_ended(); });
    check<P>(mailbox_.take_end(), "what has ended stays so");
    check_mailbox();
    check<P>(result_.read() == number, "the results are there when the end is seen");
  }

  void exit() {
    mailbox_.send_exit();
    this->bells[1].ring();
    P::await([&] { return mailbox_.has_exited(); });
  }

  /// After the roles: how many dispatches were run.
  [[nodiscard]] uint32_t executed() const { return executed_; }

  /// After the roles: `dispatches` were run.
  void expect_executed(uint32_t dispatches) {
    check<P>(executed_ == dispatches, "every dispatch was run, and nothing else");
    check_mailbox();
  }

 private:
  void check_mailbox() { check<P>(mailbox_.invariant_holds(), "the mailbox is whole"); }

  CoreMailbox<P, uint32_t, 2> mailbox_;  // dispatch numbers start over after 2
  typename P::template cell<uint32_t> result_;
  uint32_t executed_ = 0;  // role 1's
};

}  // namespace pto2::scenarios
