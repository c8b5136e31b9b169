(* The process runs: for each system of Systems.v, Coq prints n, tau, the number of throws,
   the throws, and for each round the loads and 1 if the run has converged, else 0. A test of
   package proofs compares them with package recycled. *)
From mathcomp Require Import all_ssreflect.
From Repslab Require Import Process Systems.

Fixpoint trace (tau r : nat) (s : seq nat * seq nat) : seq nat :=
  if r is r'.+1 then
    let s' := round tau s in s'.1 ++ (converged tau s'.1 : nat) :: trace tau r' s'
  else [::].

Compute [seq let: (n, tau, w) := s in
             [:: n, tau, size w & w] ++ trace tau rounds (nseq n 0, w) | s <- systems].
