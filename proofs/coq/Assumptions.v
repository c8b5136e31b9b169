(* Each theorem as Coq reads it, and the axioms that its proof uses: none for the finite forms,
   those of Coq's real numbers for the printed ones. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Repslab Require Import Process Share PhaseOne PhaseTwo Whole Naturals Throws Unequal Fate RoundTrip PerFlow.

Check A3. Print Assumptions A3.
Check S1. Print Assumptions S1.
Check S2. Print Assumptions S2.
Check S3. Print Assumptions S3.
Check S5_finite. Print Assumptions S5_finite.
Check never_iff. Print Assumptions never_iff.
Check S6_finite. Print Assumptions S6_finite.
Check S9_finite. Print Assumptions S9_finite.
Check throws_decide. Print Assumptions throws_decide.
Check throws_fate. Print Assumptions throws_fate.
Check S4_drift. Print Assumptions S4_drift.
Check S6_never. Print Assumptions S6_never.
Check S9_unequal. Print Assumptions S9_unequal.
Print missed.
Check S21_never. Print Assumptions S21_never.
Check S22_never. Print Assumptions S22_never.
Print returns.
Print piled.
Check S24_load. Print Assumptions S24_load.
Check S25_marks. Print Assumptions S25_marks.
Print top.
Check S25_settles. Print Assumptions S25_settles.
Check S26_marks. Print Assumptions S26_marks.
Check S27_entries. Print Assumptions S27_entries.
Check S27_tokens. Print Assumptions S27_tokens.
Check S27_pool. Print Assumptions S27_pool.
Check S27_settles. Print Assumptions S27_settles.
Check S28_pool. Print Assumptions S28_pool.
Check number_words. Print Assumptions number_words.

From Repslab Require Import Rotation.

Print queue. Print served. Print senders. Print spine. Print sent. Print uplink. Print merge. Print downlink. Print port. Print source.
Check S29_queue. Print Assumptions S29_queue.
Check S29_waits. Print Assumptions S29_waits.
Check S29_turns. Print Assumptions S29_turns.
Check S29_uplink. Print Assumptions S29_uplink.
Check S29_downlink. Print Assumptions S29_downlink.
Check S29_port. Print Assumptions S29_port.

From Coq Require Import Reals.
From Repslab Require Import Naturals Printed.

Check S4. Print Assumptions S4.
Check S5. Print Assumptions S5.
Check S6. Print Assumptions S6.
Check S6_limit. Print Assumptions S6_limit.
Check S7. Print Assumptions S7.
Check S9. Print Assumptions S9.
