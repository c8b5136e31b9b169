/*
 * reps_htsim.h: REPS as a path selector of htsim (UecMultipath, in uec_mp.h of the Ultra Ethernet simulator).
 *
 * Copy this file, reps.h, reps.c and reps_common.h into htsim/sim, add reps.c to its sources, include this file where
 * main_uec.cpp creates a UecMpReps, and create a UecMpRepsC there.
 */
#ifndef REPS_HTSIM_H
#define REPS_HTSIM_H

#include <random>
#include <stdexcept>

#include "eventlist.h"
#include "uec_mp.h"

#include "reps.h"

class UecMpRepsC : public UecMultipath {
public:
    /* The EVs are 0 to no_of_paths - 1, under all rules all 65,536 if it is 0. Each flow needs its own seed. The rules,
     * config has the ring, of up to 32 EVs, and the other options; 0 is a default. */
    UecMpRepsC(uint16_t no_of_paths, bool debug, uint64_t seed, reps_config config = {})
        : UecMultipath(debug), _words(seed) {
        config.size = sizeof config;
        config.evs_size = no_of_paths == 0 ? 65536 : no_of_paths;
        if (uint32_t wrong = reps_init(&_reps, &config, _ring, sizeof _ring / sizeof _ring[0]))
            throw std::invalid_argument("UecMpRepsC: field " + std::to_string(wrong) + " of reps_config");
    }
    UecMpRepsC(const UecMpRepsC&) = delete; /* a copy would share the ring */
    UecMpRepsC& operator=(const UecMpRepsC&) = delete;

    void processEv(uint16_t path_id, PathFeedback feedback) override {
        uint32_t now_ns = static_cast<uint32_t>(EventList::getTheEventList().now() / 1000); /* of picoseconds */
        switch (feedback) {
        case PATH_GOOD: reps_on_ack(&_reps, now_ns, path_id, false); break;
        case PATH_ECN: reps_on_ack(&_reps, now_ns, path_id, true); break;
        case PATH_NACK: reps_on_nack(&_reps, now_ns); break;
        case PATH_TIMEOUT: reps_on_failure(&_reps, now_ns); break;
        }
    }

    uint16_t nextEntropy(uint64_t, uint64_t) override {
        uint16_t ev;
        reps_next_ev(&_reps, _words(), &ev);
        return ev;
    }

private:
    std::mt19937_64 _words;
    uint16_t _ring[32];
    reps_connection _reps;
};

#endif
