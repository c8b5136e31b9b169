// The interface that htsim's uec_mp.h declares.
#pragma once
#include <cstdint>
#include <string>

using std::string;

class UecMultipath {
public:
    enum PathFeedback { PATH_GOOD, PATH_ECN, PATH_NACK, PATH_TIMEOUT };
    UecMultipath(bool debug) : _debug(debug) {}
    virtual ~UecMultipath() {}
    virtual void set_debug_tag(string debug_tag) { _debug_tag = debug_tag; }
    virtual void processEv(uint16_t path_id, PathFeedback feedback) = 0;
    virtual uint16_t nextEntropy(uint64_t seq_sent, uint64_t cur_cwnd_in_pkts) = 0;

protected:
    bool _debug;
    string _debug_tag;
};
