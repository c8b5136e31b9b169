(* The random throws decide.

   throws_decide: after any rounds from n empty bins, with u the throws that were used, a bin
   has as many holes below tau as if it had every throw of u that hit it, and it is empty
   exactly if u missed it. throws_fate: so when phase one ends, a run never converges exactly if
   its excess is more than these holes. S6_never: at any time it never converges exactly if
   balls and empty bins exceed n tau. S4_drift: a round of phase two lowers the excess by h K on
   average. *)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From Repslab Require Import Process Share PhaseOne PhaseTwo Naturals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.

(* The throws that the first r rounds use. *)
Definition used (tau n r : nat) (w : seq nat) : seq nat :=
  take (size w - size (run tau r (nseq n 0, w)).2) w.

(* The holes of n bins that u would leave if no ball ever left a bin. *)
Definition room (tau n : nat) (u : seq nat) : nat :=
  sumn [seq tau - count_mem i u | i <- iota 0 n].

Section Throws.

Variable tau : nat.
Hypothesis tau_pos : 0 < tau.

(* x has the holes and the empty bins that u makes. *)
Definition alike (u x : seq nat) : Prop :=
  forall i, tau - nth 0 x i = tau - count_mem i u /\ (nth 0 x i == 0) = (i \notin u).

Lemma nth_removed_holes (x : seq nat) i :
  tau - nth 0 (removed tau x) i = tau - nth 0 x i /\
  (nth 0 (removed tau x) i == 0) = (nth 0 x i == 0).
Proof.
case: (ltnP i (size x)) => [lt_i|le_i]; last by rewrite !nth_default ?size_removed.
rewrite (nth_map 0) //; case: ifP; rewrite /overfull => over; last by [].
by split; [lia | apply/eqP/eqP; lia].
Qed.

Lemma alike_throws (u v x : seq nat) :
  alike u x -> alike (u ++ v) (receive (removed tau x) v).
Proof.
move=> like i; have [same_hole same_empty] := nth_removed_holes x i; have [hole mt] := like i.
rewrite nth_receive count_cat mem_cat; split.
  by rewrite !subnDA same_hole hole.
rewrite addn_eq0 same_empty mt -[(count _ _ == 0)]negbK -lt0n -has_count has_pred1.
by rewrite negb_or.
Qed.

Lemma run_alike r n (w : seq nat) : exists u v x,
  [/\ run tau r (nseq n 0, w) = (x, v), w = u ++ v & alike u x].
Proof.
elim: r => [|r [u [v [x [run_r eq_w like]]]]].
  exists [::], w, (nseq n 0); split=> // i.
  by rewrite nth_nseq if_same.
exists (u ++ take (throws tau x) v), (drop (throws tau x) v), (round tau (x, v)).1.
rewrite /run iterS -/(run tau r _) run_r -catA cat_take_drop; split=> //.
exact: alike_throws.
Qed.

Theorem throws_decide n r (w : seq nat) i :
  tau - nth 0 (loads tau n r w) i = tau - count_mem i (used tau n r w) /\
  (nth 0 (loads tau n r w) i == 0) = (i \notin used tau n r w).
Proof.
rewrite /used /loads; have [u [v [x [-> -> like]]]] := run_alike r n w.
by rewrite /= size_cat addnK take_size_cat //; exact: like.
Qed.

(* M = n tau + Y - holes. *)
Lemma balls_holes (x : seq nat) :
  sumn x + sumn [seq tau - l | l <- x] = size x * tau + excess tau x.
Proof. by rewrite /excess; elim: x => //= l x; lia. Qed.

Lemma room_alike (u x : seq nat) :
  alike u x -> sumn [seq tau - l | l <- x] = room tau (size x) u.
Proof.
move=> like; rewrite /room -{1}[x](mkseq_nth 0) /mkseq -map_comp.
by congr sumn; apply: eq_map => i /=; case: (like i).
Qed.

Lemma room_loads n r (w : seq nat) :
  size (loads tau n r w) = n ->
  sumn [seq tau - l | l <- loads tau n r w] = room tau n (used tau n r w).
Proof. by move=> size_x; rewrite -{2}size_x; apply: room_alike => i; exact: throws_decide. Qed.

Theorem throws_fate n r (w : seq nat) :
  0 < n -> all (gtn n) w -> n * r <= size w -> 0 \notin loads tau n r w ->
  never tau (loads tau n r w) <-> room tau n (used tau n r w) < excess tau (loads tau n r w).
Proof.
move=> n_pos all_w enough filled; have size_x := size_loads tau_pos n_pos all_w enough.
rewrite never_iff ?size_x // /doomed -room_loads // size_x.
have := balls_holes (loads tau n r w); rewrite size_x.
by move: filled; rewrite emptyE -eqn0Ngt => /eqP->; rewrite addn0; split; lia.
Qed.

(* The equality of S6, in every run and at any time; while no bin is empty it says M > n tau. *)
Theorem S6_never n r (w : seq nat) :
  0 < n -> all (gtn n) w -> n * r <= size w ->
  never tau (loads tau n r w) <-> n * tau < sumn (loads tau n r w) + empty (loads tau n r w).
Proof.
move=> n_pos all_w enough; have size_x := size_loads tau_pos n_pos all_w enough.
by rewrite never_iff ?size_x // /doomed size_x.
Qed.

End Throws.

Local Open Scope ring_scope.

(* The drift of S4: with h = absorption n tau M, the excess of a round's end is Y - h K or less
   on average over all throws, and throws tau x is K. *)
Theorem S4_drift n tau M N x :
  (2 <= tau)%N -> (0 < n)%N -> (M <= n * tau)%N -> filled n M 0 x -> (n <= N)%N ->
  mean n N (fun w => (excess tau (round tau (x, w)).1)%:R) <=
  (excess tau x)%:R - absorption n tau M * (throws tau x)%:R.
Proof.
move=> tau_2 n_pos le_M fill enough; set h := absorption n tau M.
pose V k y : rat := (excess tau y)%:R + k%:R * (1 - h).
have := excess_removed tau x; rewrite -(throws_overfull tau fill) => sum_ex.
apply: (@le_trans _ _ (V (throws tau x) (removed tau x))); last first.
  by rewrite /V -sum_ex natrD -subr_ge0 (_ : _ - _ = 0) //; ring.
pose G (s : seq nat * seq nat) : rat := (excess tau s.1)%:R.
apply: (@mean_round n tau M tau_2 n_pos le_M V G) => // [k y fill_y|y fill_y].
  have [size_y _ _] := fill_y.
  rewrite big_split /= (@sum_incr n tau (fun l => l%:R)) // sumr_const card_ord.
  have := many_holes tau_2 n_pos le_M fill_y; rewrite ler_pdivl_mulr ?ltr0n // => many.
  rewrite natrB ?size_holes // -subr_ge0 -[X in 0 <= X](_ : (holes n tau y)%:R - h * n%:R = _).
    by rewrite subr_ge0.
  by rewrite /V -mulr_natl; ring.
by rewrite mean_const // /V mul0r addr0.
Qed.

Local Close Scope ring_scope.

(* All sequences of N throws, as a list that Coq can compute. *)
Fixpoint words (n N : nat) : seq (seq nat) :=
  if N is N'.+1 then flatten [seq [seq i :: w | w <- words n N'] | i <- iota 0 n] else [:: [::]].

Lemma mean_words n N (P : seq nat -> bool) :
  0 < n -> (mean n N (fun w => (P w)%:R) = (count P (words n N))%:R / n%:R ^+ N :> rat)%R.
Proof.
move=> n_pos; have n_neq0 : (n%:R != 0 :> rat)%R by rewrite pnatr_eq0 -lt0n.
elim: N P => [|N IH] P; first by rewrite /= addn0 expr0 divr1.
rewrite /= (eq_bigr (fun i : 'I_n =>
  (count (fun w => P (val i :: w)) (words n N))%:R / n%:R ^+ N)%R) => [|i _]; last exact: IH.
rewrite -mulr_suml -mulrA -invfM -exprSr; congr (_ / _)%R.
rewrite -natr_sum; congr (_%:R)%R.
rewrite count_flatten -map_comp sumnE big_map -(big_mkord xpredT (fun i => count (fun w => P (i :: w)) (words n N))).
by rewrite /index_iota subn0; apply: eq_bigr => i _ /=; rewrite count_map.
Qed.

Theorem number_words n N (P : seq nat -> bool) : 0 < n -> number n N P = count P (words n N).
Proof.
move=> n_pos; have n_neq0 : (n%:R != 0 :> rat)%R by rewrite pnatr_eq0 -lt0n.
have := share_mean N P n_pos; rewrite mean_words // /share -/(number n N P) => /(congr1 (fun x => x * n%:R ^+ N)%R).
by rewrite !divfK ?expf_neq0 // => /eqP; rewrite eqr_nat => /eqP.
Qed.
