(* Each theorem as Coq reads it, and the axioms that its proof uses. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Repslab Require Import Process Share PhaseOne PhaseTwo Whole.

Check A3. Print Assumptions A3.
Check never_iff. Print Assumptions never_iff.
Check S6_finite. Print Assumptions S6_finite.
Check S1. Print Assumptions S1.
Check S2. Print Assumptions S2.
Check S3. Print Assumptions S3.
Check S5_finite. Print Assumptions S5_finite.
Check S9_finite. Print Assumptions S9_finite.
