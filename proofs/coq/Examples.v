(* The definitions, as Coq prints them, and shares that it computes: for each (n, tau, r) the
   number of the n^(n r) sequences of n r throws after which a run of r rounds has not
   converged, and of those after which it never will. Tests of package proofs compare them
   with package recycled. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Repslab Require Import Process Share PhaseOne PhaseTwo Naturals Throws Unequal.

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
