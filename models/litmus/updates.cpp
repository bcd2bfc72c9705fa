#include "models/litmus/table.hpp"

namespace pto2::model::litmus {

namespace {

constexpr Entry entries[] = {
    {"adds-2", "x+1.rlx | x+1.rlx", 2, "0 1 / 2, 1 0 / 2", "0 0 / ?, 1 1 / ?"},
    {"adds-3", "x+1.rlx | x+1.rlx | x+1.rlx", 6,
     "0 1 2 / 3, 0 2 1 / 3, 1 0 2 / 3, 1 2 0 / 3, 2 0 1 / 3, 2 1 0 / 3", "0 0 ? / ?"},
    {"adds-4", "x+1.rlx | x+1.rlx | x+1.rlx | x+1.rlx", 24,
     "0 1 2 3 / 4, 0 1 3 2 / 4, 0 2 1 3 / 4, 0 2 3 1 / 4, 0 3 1 2 / 4, 0 3 2 1 / 4, 1 0 2 3 / 4, 1 "
     "0 3 2 / 4, 1 2 0 3 / 4, 1 2 3 0 / 4, 1 3 0 2 / 4, 1 3 2 0 / 4, 2 0 1 3 / 4, 2 0 3 1 / 4, 2 1 "
     "0 3 / 4, 2 1 3 0 / 4, 2 3 0 1 / 4, 2 3 1 0 / 4, 3 0 1 2 / 4, 3 0 2 1 / 4, 3 1 0 2 / 4, 3 1 2 "
     "0 / 4, 3 2 0 1 / 4, 3 2 1 0 / 4",
     "0 0 ? ? / ?"},
    {"adds-2x2", "x+1.rlx; x+1.rlx | x+1.rlx; x+1.rlx", 6,
     "0 1 2 3 / 4, 0 2 1 3 / 4, 0 3 1 2 / 4, 1 2 0 3 / 4, 1 3 0 2 / 4, 2 3 0 1 / 4", "? ? ? ? / 3"},
    {"exchanges", "x<1.rlx | x<2.rlx", 2, "0 1 / 2, 2 0 / 1", "2 1 / ?, 0 0 / ?"},
    {"exchange+store", "x<1.rlx | x=2.rlx", 2, "0 / 2, 2 / 1", ""},
    {"add+store", "x+1.rlx | x=5.rlx", 2, "0 / 5, 5 / 6", "? / 2"},
    {"add+two-stores", "x+1.rlx | x=5.rlx | x=7.rlx", 6, "0 / 5, 0 / 7, 5 / 6, 5 / 7, 7 / 5, 7 / 8",
     ""},
    {"CAS-race", "x?0>1.rlx.rlx | x?0>2.rlx.rlx", 2, "0 1 / 1, 2 0 / 2", "0 0 / ?"},
    {"CAS-chain", "x?0>1.rlx.rlx | x?1>2.rlx.rlx", 2, "0 0 / 1, 0 1 / 2", "? 0 / 2"},
    {"CAS-chain-3", "x?0>1.rlx.rlx | x?1>2.rlx.rlx | x?2>3.rlx.rlx", 5,
     "0 0 0 / 1, 0 0 1 / 1, 0 1 0 / 2, 0 1 1 / 2, 0 1 2 / 3", ""},
    {"CAS-fails", "x?7>1.rlx.rlx", 1, "0 / 0", "? / 1"},
    {"CAS-three", "x?0>1.rlx.rlx | x?0>2.rlx.rlx | x?0>3.rlx.rlx", 3,
     "0 1 1 / 1, 2 0 2 / 2, 3 3 0 / 3", "0 0 ? / ?"},
    {"CAS+store", "x?0>1.rlx.rlx | x=2.rlx", 2, "0 / 2, 2 / 2", ""},
    {"CAS-ABA", "x?0>1.rlx.rlx; x?1>0.rlx.rlx | x?0>2.rlx.rlx", 3,
     "0 1 0 / 2, 0 1 1 / 0, 2 2 0 / 2", ""},
    {"MP+failing-CAS-acq", "x=1.rlx; y=1.rel | y?7>9.rlx.acq; x.rlx", 3,
     "0 0 / 1 1, 0 1 / 1 1, 1 1 / 1 1", "1 0 / ? ?"},
    {"MP+failing-CAS-rlx", "x=1.rlx; y=1.rel | y?7>9.acq.rlx; x.rlx", 4,
     "0 0 / 1 1, 0 1 / 1 1, 1 0 / 1 1, 1 1 / 1 1", ""},
    {"MP+CAS-acq", "x=1.rlx; y=1.rel | y?1>2.acq.rlx; x.rlx", 3, "0 0 / 1 1, 0 1 / 1 1, 1 1 / 1 2",
     "1 0 / ? ?"},
    {"MP+CAS-acq-fails-rlx", "x=1.rlx; y=1.rel | y?0>2.acq.rlx; x.rlx", 4,
     "0 0 / 1 1, 0 1 / 1 1, 1 0 / 1 1, 1 1 / 1 1", ""},
    {"MP+add-rel", "x=1.rlx; y+1.rel | y.acq; x.rlx", 3, "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 1 / 1 1",
     "? 1 0 / ? ?"},
    {"MP+add-acq", "x=1.rlx; y=1.rel | y+0.acq; x.rlx", 3, "0 0 / 1 1, 0 1 / 1 1, 1 1 / 1 1",
     "1 0 / ? ?"},
    {"MP+add-rlx", "x=1.rlx; y+1.rlx | y.acq; x.rlx", 4,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 0 / 1 1, 0 1 1 / 1 1", ""},
    {"MP+adds-ar", "x=1.rlx; y+1.ar | y+1.ar; x.rlx", 3, "0 1 1 / 1 2, 1 0 0 / 1 2, 1 0 1 / 1 2",
     "? 1 0 / ? ?"},
    {"release-sequence-add", "x=1.rlx; y=1.rel | y+1.rlx | y.acq; x.rlx", 9,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 0 / 1 1, 0 1 1 / 1 1, 1 0 0 / 1 2, 1 0 1 / 1 2, 1 1 1 / 1 2, 1 "
     "2 1 / 1 2",
     "1 2 0 / ? ?"},
    {"release-sequence-exchange", "x=1.rlx; y=1.rel | y<5.rlx | y.acq; x.rlx", 9,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 1 / 1 1, 0 5 0 / 1 1, 0 5 1 / 1 1, 1 0 0 / 1 5, 1 0 1 / 1 5, 1 "
     "1 1 / 1 5, 1 5 1 / 1 5",
     "1 5 0 / ? ?"},
    {"release-sequence-CAS", "x=1.rlx; y=1.rel | y?1>2.rlx.rlx | y.acq; x.rlx", 7,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 1 / 1 1, 1 0 0 / 1 2, 1 0 1 / 1 2, 1 1 1 / 1 2, 1 2 1 / 1 2",
     "1 2 0 / ? ?"},
    {"release-sequence-own-store", "x=1.rlx; y=1.rel; y=2.rlx | y.acq; x.rlx", 5,
     "0 0 / 1 2, 0 1 / 1 2, 1 1 / 1 2, 2 0 / 1 2, 2 1 / 1 2", "1 0 / ? ?"},
    {"release-sequence-other-store", "x=1.rlx; y=1.rel | y=2.rlx | y.acq; x.rlx", 10,
     "0 0 / 1 1, 0 0 / 1 2, 0 1 / 1 1, 0 1 / 1 2, 1 1 / 1 1, 1 1 / 1 2, 2 0 / 1 1, 2 0 / 1 2, 2 1 "
     "/ 1 1, 2 1 / 1 2",
     "1 0 / ? ?"},
    {"release-sequence-two-adds", "x=1.rlx; y=1.rel | y+1.rlx; y+1.rlx | y.acq; x.rlx", 18,
     "0 1 0 0 / 1 1, 0 1 0 0 / 1 2, 0 1 0 1 / 1 1, 0 1 0 1 / 1 2, 0 1 1 0 / 1 1, 0 1 1 0 / 1 2, 0 "
     "1 1 1 / 1 1, 0 1 1 1 / 1 2, 0 1 2 0 / 1 1, 0 1 2 1 / 1 1, 0 1 2 1 / 1 2, 1 2 0 0 / 1 3, 1 2 "
     "0 1 / 1 3, 1 2 1 1 / 1 3, 1 2 2 1 / 1 3, 1 2 3 1 / 1 3",
     "1 2 3 0 / ? ?"},
    {"release-sequence-of-fence", "x=1.rlx; f.rel; y=1.rlx | y+1.rlx | y.acq; x.rlx", 9,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 0 / 1 1, 0 1 1 / 1 1, 1 0 0 / 1 2, 1 0 1 / 1 2, 1 1 1 / 1 2, 1 "
     "2 1 / 1 2",
     "1 2 0 / ? ?"},
    {"release-sequence-to-fence", "x=1.rlx; y=1.rel | y+1.rlx | y.rlx; f.acq; x.rlx", 9,
     "0 0 0 / 1 1, 0 0 1 / 1 1, 0 1 0 / 1 1, 0 1 1 / 1 1, 1 0 0 / 1 2, 1 0 1 / 1 2, 1 1 1 / 1 2, 1 "
     "2 1 / 1 2",
     "1 2 0 / ? ?"},
    {"SB+adds", "x+1.ar; y.rlx | y+1.ar; x.rlx", 4,
     "0 0 0 0 / 1 1, 0 0 0 1 / 1 1, 0 1 0 0 / 1 1, 0 1 0 1 / 1 1", ""},
    {"SB+adds-as-reads", "x=1.rlx; y+0.ar | y=1.rlx; x+0.ar", 4,
     "0 0 / 1 1, 0 1 / 1 1, 1 0 / 1 1, 1 1 / 1 1", ""},
    {"SB+exchanges-of-one", "x=1.rlx; z<1.ar; y.rlx | y=1.rlx; z<2.ar; x.rlx", 4,
     "0 0 1 1 / 1 1 2, 0 1 1 1 / 1 1 2, 2 1 0 0 / 1 1 1, 2 1 0 1 / 1 1 1", "? 0 ? 0 / ? ? ?"},
    {"LB+adds", "x+1.rlx; y=1.rlx | y+1.rlx; x=1.rlx", 3, "0 0 / 1 1, 0 1 / 1 2, 1 0 / 2 1", ""},
    {"reader-of-adds", "x+1.rlx | x+1.rlx | x.rlx", 6,
     "0 1 0 / 2, 0 1 1 / 2, 0 1 2 / 2, 1 0 0 / 2, 1 0 1 / 2, 1 0 2 / 2", ""},
    {"2+2W+exchanges", "x<1.rlx; y<2.rlx | y<1.rlx; x<2.rlx", 3,
     "0 0 2 1 / 2 1, 0 1 0 1 / 2 2, 2 1 0 0 / 1 2", ""},
    {"add-reads-own-store", "x=1.rlx; x+1.rlx | x=5.rlx", 3, "1 / 2, 1 / 5, 5 / 6", "0 / ?"},
    {"CAS-own-store", "x=1.rlx; x?1>2.rlx.rlx | x=5.rlx", 3, "1 / 2, 1 / 5, 5 / 5", ""},
    {"CAS-two-locations", "x?0>1.rlx.rlx; y?0>1.rlx.rlx | y?0>2.rlx.rlx; x?0>2.rlx.rlx", 3,
     "0 0 1 1 / 1 1, 0 2 0 1 / 1 2, 2 2 0 0 / 2 2", ""},
};

}  // namespace

std::span<const Entry> updates() {
  return entries;
}

}  // namespace pto2::model::litmus
