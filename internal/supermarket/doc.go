// Package supermarket models one dispatcher and n servers with queues, the supermarket model. The
// dispatcher samples servers, remembers one server, remembers observed queues, or remembers names that
// idle servers send (join-idle-queue with few tokens). The model shows how many bits of memory and how
// many messages a dispatcher needs, also if servers differ in speed or have failed.
//
//	symbol  name               unit                meaning
//	n       Config.Servers     servers
//	λ       Config.Lambda      jobs per unit of time and server
//	m       Config.Jobs        jobs                of a closed system
//	μ_i     Config.Rates       jobs per unit of time; a server's mean service time is 1/μ_i
//	d       Config.Choices     servers             sampled for a job
//	c       Config.Names       servers             remembered under Pull
//	α       Config.Alpha       names per unit of time that an idle server sends
//	s_k                        1                   share of the servers with at least k jobs
//
// Service times are exponential. In an open system jobs arrive as a Poisson process of rate λ n; in a
// closed system each of the m jobs is dispatched again as soon as it is completed. Messages tell the
// dispatcher the queue of a server or the name of an idle server; they take no time. A job in service
// counts in the queue.
//
// # Limits of many servers
//
// For λ < 1, equal rates and n to infinity, in stationarity, s_k is
//
//	JSQ      s_k = λ s_{k-1}^d                                                              (1)
//	Memory   s_k = λ s_{k-1}^d v_{k-1},
//	         v_k = v_{k-1} s_k^d / (1 - d (s_{k-1} - s_k) s_k^(d-1))                        (2)
//	Pull     s_k = λ (λ P)^(k-1),   1/P = sum over j = 0, ..., c of (α (1-λ)/λ)^j           (3)
//
// s_0 = v_0 = 1. (1) is [Mitzenmacher01]; a job joins a queue of at least k if all its candidates hold at
// least k jobs. In (2) the remembered server is one of the candidates, and v_k is the share of jobs that
// find at least k jobs there. For large n its queue changes between two jobs only by dispatching. After a
// job has joined the shortest candidate, the shortest queue holds at least k jobs if all candidates held
// at least k before, or all but one, which held k-1:
//
//	v_k = s_k^d v_k + s_k^d (v_{k-1} - v_k) + d (s_{k-1} - s_k) s_k^(d-1) v_k,
//
// which is (2); [Mitzenmacher02] has the limit, and [Luczak13] proved it. In (3), P is the
// probability that no name is remembered: names come at rate α (1-λ) n and leave at λ n [Gamarnik18].
//
// # What is exact and what is not
//
// Asymptotic: (1) to (3), fixed points of the mean-field equations. [Process] simulates; its averages are
// estimates, for any n and rates.
//
// Left out: delay of messages, several dispatchers, other laws of service times. For senders with a round
// trip see package recycled.
//
// References (docs/references.md): [AnselmiDufour20], [Gamarnik18], [Luczak13], [Mitzenmacher01],
// [Mitzenmacher02], [Shah02].
package supermarket
