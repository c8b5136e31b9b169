// What reps_ns3.cc uses of ns-3: declarations alone, to compile against. Names and types are from ns-3.37.
#pragma once
#include <cstdint>

#define NS_ABORT_IF(condition) ((condition) ? ns3::Abort() : void())

namespace ns3 {

void Abort();

template <typename T> class Ptr {
public:
    Ptr();
    explicit operator bool() const;
    bool operator==(const Ptr& other) const;
    T* operator->() const;
};

template <typename T> Ptr<T> CreateObject();
template <typename T, typename... Arguments> Ptr<T> Create(Arguments... arguments);

class Time {
public:
    int64_t GetNanoSeconds() const;
};

class EventId {
public:
    void Cancel();
};

class Simulator {
public:
    static Time Now();
    template <typename T> static EventId Schedule(const Time& delay, void (T::*method)(), T* object);
};

class UniformRandomVariable {
public:
    uint32_t GetInteger(uint32_t min, uint32_t max);
};

class Address {};

class Ipv4Address {
public:
    static Ipv4Address GetAny();
};

class InetSocketAddress {
public:
    InetSocketAddress(Ipv4Address address, uint16_t port);
    operator Address() const;
};

class SocketIpTosTag {
public:
    uint8_t GetTos() const;
};

class Packet {
public:
    explicit Packet(uint32_t size);
    Packet(const uint8_t* data, uint32_t size);
    bool RemovePacketTag(SocketIpTosTag& tag);
    uint32_t CopyData(uint8_t* data, uint32_t size) const;
};

class Node;
class TypeId {};

template <typename Argument> class Callback {};

class Socket {
public:
    static Ptr<Socket> CreateSocket(Ptr<Node> node, TypeId type);
    int Bind();
    int Bind(const Address& address);
    int Connect(const Address& address);
    int Close();
    int Send(Ptr<Packet> packet);
    int SendTo(Ptr<Packet> packet, uint32_t flags, const Address& to);
    Ptr<Packet> Recv();
    Ptr<Packet> RecvFrom(Address& from);
    void SetRecvCallback(Callback<Ptr<Socket>> received);
    void SetIpTos(uint8_t tos);
    void SetIpRecvTos(bool wanted);
};

template <typename T> Callback<Ptr<Socket>> MakeCallback(void (T::*method)(Ptr<Socket>), T* object);

class Application {
public:
    virtual ~Application();
    Ptr<Node> GetNode() const;

private:
    virtual void StartApplication();
    virtual void StopApplication();
};

} // namespace ns3
