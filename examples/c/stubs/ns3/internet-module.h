// See network-module.h.
#pragma once
#include "ns3/network-module.h"

namespace ns3 {

class UdpSocketFactory {
public:
    static TypeId GetTypeId();
};

} // namespace ns3
