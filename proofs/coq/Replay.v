(* The processes run: for each system of Systems.v, Coq prints n, tau, the number of throws,
   the throws, and for each round the loads and 1 if the run has converged, else 0; for each system
   of per-flow senders n, tau, d, W, R, and the loads of each round. A test of package proofs
   compares them with package recycled. *)
From mathcomp Require Import all_ssreflect.
From Repslab Require Import Process PerFlow Systems.

Fixpoint trace (tau r : nat) (s : seq nat * seq nat) : seq nat :=
  if r is r'.+1 then
    let s' := round tau s in s'.1 ++ (converged tau s'.1 : nat) :: trace tau r' s'
  else [::].

Compute [seq let: (n, tau, w) := s in
             [:: n, tau, size w & w] ++ trace tau rounds (nseq n 0, w) | s <- systems].

Definition played (s : nat * nat * nat * nat * nat * seq (seq nat)) : seq nat :=
  let: (n, tau, d, W, R, draws) := s in
  let state := PerFlow.run n tau d W R (fun f => nth 0 (nth [::] draws f)) in
  [:: n, tau, d, W, R & flatten (mkseq (fun t => mkseq (fun j => size (queue (state t.+1) j)) n) flow_rounds)].

Compute [seq played s | s <- flows].
