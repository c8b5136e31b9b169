// Sends some packets through reps_htsim.h: marked EVs are not sent again, good ones are, and a time-out freezes.
#include <cstdio>
#include <memory>

#include "../reps_htsim.h"

static void must(bool good, const char* what) {
    if (!good) {
        std::printf("htsim: wrong: %s\n", what);
        std::exit(1);
    }
}

int main() {
    std::unique_ptr<UecMultipath> paths(new UecMpRepsC(64, false, 1));
    uint16_t good = paths->nextEntropy(0, 10);
    must(good < 64, "an EV that is no path");
    paths->processEv(good, UecMultipath::PATH_GOOD);
    paths->processEv(good ^ 1, UecMultipath::PATH_ECN);
    must(paths->nextEntropy(1, 10) == good, "the good EV is not sent again");
    paths->processEv(good, UecMultipath::PATH_TIMEOUT);
    for (int i = 0; i < 20; i++)
        must(paths->nextEntropy(2, 10) == good, "an EV that is not known to be good in freezing mode");
    EventList::getTheEventList()._now = 10000001ull * 1000; // 1 ns after the deadline
    paths->processEv(good, UecMultipath::PATH_GOOD);
    int others = 0;
    for (int i = 0; i < 100; i++)
        others += paths->nextEntropy(3, 10) != good;
    must(others > 50, "no exploration after freezing mode");
    UecMpRepsC all(0, false, 1, {0, 0, 0, 0, 0, 0, REPS_ULTRA_ETHERNET, 0, 0, 0});
    int high = 0;
    for (int i = 0; i < 20; i++)
        high += all.nextEntropy(4, 10) >= 64;
    must(high > 0, "only 64 of 65,536 EVs");
    bool refused = false;
    try {
        UecMpRepsC(64, false, 1, {0, 33, 0, 0, 0, 0, 0, 0, 0, 0});
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    must(refused, "a ring above 32 entries");
    std::puts("htsim: as documented");
}
