/*
 * reps_ns3.cc: an ns-3 application that sprays the packets of a flow by REPS, and the receiver.
 *
 * An EV is the source port of a UDP packet: switches that hash the five-tuple spread EVs over their paths, and ns-3
 * needs no change. The sender has a socket for each of 64 EVs. The receiver answers each packet with a byte that says
 * whether it was marked; the answer comes to the socket of the EV, so it need not name the EV.
 *
 * Copy this file, reps.h, reps.c and reps_common.h into scratch/reps of ns-3, where it is built with them. Install the
 * two applications as any other: they need the modules network and internet.
 */
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include "reps.h"

using namespace ns3;

class RepsReceiver : public Application {
public:
    explicit RepsReceiver(uint16_t port) : m_port(port) {}

private:
    void StartApplication() override {
        m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        m_socket->SetIpRecvTos(true);
        m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
        m_socket->SetRecvCallback(MakeCallback(&RepsReceiver::Receive, this));
    }
    void StopApplication() override { m_socket->Close(); }

    void Receive(Ptr<Socket> socket) {
        Address from;
        while (Ptr<Packet> packet = socket->RecvFrom(from)) {
            SocketIpTosTag tos;
            uint8_t marked = packet->RemovePacketTag(tos) && (tos.GetTos() & 3) == 3; // Congestion Experienced
            socket->SendTo(Create<Packet>(&marked, 1), 0, from);
        }
    }

    uint16_t m_port;
    Ptr<Socket> m_socket;
};

class RepsSender : public Application {
public:
    /* Sends packets of some bytes to a receiver, of which window ones are on the way; with no answer for timeout, the
     * window counts as lost. */
    RepsSender(InetSocketAddress to, uint32_t packets, uint32_t bytes, uint32_t window, Time timeout)
        : m_to(to), m_left(packets), m_bytes(bytes), m_window(window), m_timeout(timeout) {}

    uint32_t Acknowledged() const { return m_acknowledged; }
    uint32_t Lost() const { return m_lost; }

private:
    static constexpr uint32_t EVS = 64;

    void StartApplication() override {
        reps_config config = {};
        config.size = sizeof config;
        config.evs_size = EVS;
        NS_ABORT_IF(reps_init(&m_reps, &config, m_ring, sizeof m_ring / sizeof m_ring[0]) != 0);
        for (auto& socket : m_sockets) {
            socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
            socket->Bind();
            socket->SetIpTos(2); // ECN-capable
            socket->Connect(m_to);
            socket->SetRecvCallback(MakeCallback(&RepsSender::Receive, this));
        }
        Send();
    }
    void StopApplication() override {
        m_timer.Cancel();
        for (auto& socket : m_sockets)
            socket->Close();
    }

    static uint32_t Now() { return static_cast<uint32_t>(Simulator::Now().GetNanoSeconds()); }

    void Send() {
        while (m_left > 0 && m_flying < m_window) {
            uint64_t word = static_cast<uint64_t>(m_random->GetInteger(0, UINT32_MAX)) << 32;
            uint16_t ev;
            reps_next_ev(&m_reps, word | m_random->GetInteger(0, UINT32_MAX), &ev);
            m_sockets[ev]->Send(Create<Packet>(m_bytes));
            m_left--;
            m_flying++;
        }
        m_timer.Cancel();
        if (m_flying > 0)
            m_timer = Simulator::Schedule(m_timeout, &RepsSender::TimedOut, this);
    }

    void Receive(Ptr<Socket> socket) {
        while (Ptr<Packet> packet = socket->Recv()) {
            uint8_t marked = 0;
            packet->CopyData(&marked, 1);
            for (uint16_t ev = 0; ev < EVS; ev++)
                if (m_sockets[ev] == socket)
                    reps_on_ack(&m_reps, Now(), ev, marked != 0);
            m_flying -= m_flying > 0;
            m_acknowledged++;
        }
        Send();
    }

    void TimedOut() {
        reps_on_failure(&m_reps, Now());
        m_left += m_flying; // they are sent again
        m_lost += m_flying;
        m_flying = 0;
        Send();
    }

    InetSocketAddress m_to;
    uint32_t m_left, m_bytes, m_window, m_flying = 0, m_acknowledged = 0, m_lost = 0;
    Time m_timeout;
    EventId m_timer;
    Ptr<Socket> m_sockets[EVS];
    Ptr<UniformRandomVariable> m_random = CreateObject<UniformRandomVariable>();
    uint16_t m_ring[8];
    reps_connection m_reps;
};
