// What reps_htsim.h uses of htsim's eventlist.h: names and types, and a clock that tests set.
#pragma once
#include <cstdint>

typedef uint64_t simtime_picosec;

class EventList {
public:
    static EventList& getTheEventList() {
        static EventList list;
        return list;
    }
    simtime_picosec now() { return _now; }
    simtime_picosec _now = 0;
};
