(* The definitions, as Coq prints them, and shares that it computes: for each (n, tau, r) the
   number of the n^(n r) sequences of n r throws after which a run of r rounds has not
   converged, and of those after which it never will; then the longest queues of networks with a rotation
   for each destination. Tests of package proofs compare them with packages recycled and proofs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Repslab Require Import Process Share PhaseOne PhaseTwo Naturals Throws Unequal Rotation.

Print overfull. Print removed. Print throws. Print receive. Print round. Print run. Print loads.
Print converged. Print excess. Print empty.
Print share. Print misses. Print number. Print never. Print doomed. Print absorption.
Print filled. Print holes. Print not_yet. Print later.
Print used. Print room. Print words. Print mean.
Print given. Print active. Print removed_by. Print throws_by. Print round_by. Print run_from. Print fair.

Definition computed (n tau r : nat) : seq nat :=
  let ws := words n (n * r) in
  [:: n; tau; r; count (fun w => ~~ converged tau (loads tau n r w)) ws;
      count (fun w => doomed tau (loads tau n r w)) ws; size ws].

(* Two ports, of which port 1 serves in every second round only, not in the first. *)
Definition every_second (r i : nat) : bool := (i == 0) || odd r.
Definition unequal (n tau r : nat) : nat :=
  count (fun w => ~~ converged tau (run_from n tau every_second 0 r (nseq n 0, w)).1) (words n (n * r)).

Eval vm_compute in [:: computed 2 2 3; computed 2 3 4; computed 3 2 3].
Eval vm_compute in [:: unequal 2 2 4; unequal 2 3 5].

(* n, k, D, t and the longest uplink, downlink and port of a host after t slots. Hosts send to the hosts with their
   number in D leaves in turn; where k = 2 D these are package leafspine's alternating hosts. *)
Definition across (n k D h r : nat) : nat := (h %/ n %/ D * D + D + r) %% k * n + h %% n.
Definition longest (n k D : nat) (begin group : nat -> nat) (start : nat * nat -> nat) (t : nat) : seq nat :=
  let most f s := foldr maxn 0 (map f s) in
  let up l j := size (queue (uplink n k D begin (across n k D) group start l j) t) in
  let down j l := size (queue (downlink n k D begin (across n k D) group start j l) t) in
  let last x := size (queue (port n k D begin (across n k D) group start x) t) in
  [:: n; k; D; t; most (fun l => most (up l) (iota 0 n)) (iota 0 k);
      most (fun j => most (down j) (iota 0 k)) (iota 0 n); most last (iota 0 (k * n))].

Eval vm_compute in [:: longest 4 8 2 (fun _ => 0) id (fun _ => 0) 2; longest 3 6 2 (fun _ => 0) id (fun _ => 0) 2].
Eval vm_compute in [seq longest 2 4 2 (fun h => h %% 3) id (fun g => g.1 + g.2) t | t <- iota 1 7].
Eval vm_compute in [seq longest 2 3 3 (fun h => h %% 3) id (fun g => g.1 + g.2) t | t <- iota 1 7].
