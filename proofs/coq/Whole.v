(* S9 in finite form: the share of runs from n empty bins that have not converged after
   m + t rounds is at most n (1 - 1/n)^m + 2^(m + n) (1 - h/2)^t, with
   h = (n tau - (m + n))/(n (tau - 1)), for all n >= 2, tau >= 2, m, t with m + n < n tau. *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Repslab Require Import Process Share PhaseOne PhaseTwo.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* A bound for every state after r rounds bounds the mean. *)
Lemma mean_split n (G : seq nat -> seq nat -> rat) B K N x :
  (0 < n)%N -> size x = n -> (forall y, size y = n -> mean n N (G y) <= B) ->
  mean n (K + N) (fun w => G (receive x (take K w)) (drop K w)) <= B.
Proof.
move=> n_pos size_x bound; elim: K x size_x => [|K IH] x size_x /=.
  by apply: le_trans (bound _ size_x); apply: mean_le => w _ _; rewrite take0 drop0.
rewrite ler_pdivr_mulr ?ltr0n // mulr_natr -[n in B *+ n]card_ord -sumr_const.
by apply: ler_sum => i _; apply: IH; rewrite size_incr ?size_x.
Qed.

Lemma mean_run n tau (G : seq nat * seq nat -> rat) B r N x :
  (0 < n)%N -> size x = n -> (n * r <= N)%N ->
  (forall y N', size y = n -> (N <= N' + n * r)%N -> mean n N' (fun w => G (y, w)) <= B) ->
  mean n N (fun w => G (run tau r (x, w))) <= B.
Proof.
move=> n_pos; elim: r N x => [|r IH] N x size_x enough bound.
  by apply: (bound x N); rewrite ?muln0 ?addn0.
have le_k : (throws tau x <= n)%N by rewrite -size_x throws_le.
rewrite -(@subnKC (throws tau x) N); last by lia.
pose F y v := G (run tau r (y, v)).
rewrite (eq_mean (g := fun w => F (receive (removed tau x) (take (throws tau x) w))
                                  (drop (throws tau x) w))) => [|w _ _]; last first.
  by rewrite /F /run iterSr.
apply: (@mean_split n F); rewrite ?size_removed // => y size_y; apply: IH => // [|z N' size_z le_N'].
  by lia.
by apply: bound => //; lia.
Qed.

Lemma excess_sum tau x : (excess tau x <= sumn x)%N.
Proof. by rewrite /excess; elim: x => //= l x IH; lia. Qed.

Lemma half_ge0 n tau M : (0 < n)%N -> (2 <= tau)%N -> 0 <= 1 - absorption n tau M / 2%:R.
Proof.
move=> n_pos tau_2; rewrite subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r.
rewrite ler_pdivr_mulr ?ltr0n ?muln_gt0 ?n_pos; last by lia.
rewrite ler_subl_addr -natrM -natrD ler_nat (@leq_trans (n * (2 * (tau - 1)))) //.
  by rewrite leq_mul2l; apply/orP; right; lia.
by rewrite mulnCA leq_addr.
Qed.

(* M is any bound of the balls that phase one leaves. *)
Theorem whole n tau M m t N :
  (0 < n)%N -> (2 <= tau)%N -> (m + n <= M.+1)%N -> (M <= n * tau)%N -> (n * (m + t) <= N)%N ->
  share n N (fun w => ~~ converged tau (loads tau n (m + t) w)) <=
  n%:R * (1 - n%:R^-1) ^+ m + 2%:R ^+ M * (1 - absorption n tau M / 2%:R) ^+ t.
Proof.
move=> n_pos tau_2 few le_M enough; have le_m : (m <= N)%N by nia.
pose good (x : seq nat) := [&& size x == n, 0%N \notin x & (sumn x <= M)%N].
pose G (s : seq nat * seq nat) : rat := (good s.1 && not_yet tau t s)%:R.
apply: (@le_trans _ _ (mean n N (fun w => (misses n m w)%:R + G (run tau m (nseq n 0%N, w))))).
  rewrite share_mean //; apply: mean_le => w size_w all_w.
  case: (boolP (misses n m w)) => [_|covered].
    by rewrite (@le_trans _ _ 1) ?lern1 ?leq_b1 // ler_addl ler0n.
  have enough_m : (n * m <= size w)%N by nia.
  have tau_pos : (0 < tau)%N by lia.
  have filled_m := no_empty tau_pos n_pos all_w enough_m covered (leqnn m).
  have few_m := few_balls tau_pos n_pos all_w enough_m covered.
  have size_m := size_loads tau_pos n_pos all_w enough_m.
  rewrite /G /good /not_yet -/(loads tau n m w) size_m eqxx filled_m (_ : (sumn _ <= M)%N); last by lia.
  by rewrite add0r /loads /run addnC iterD.
rewrite mean_add -share_mean //; apply: ler_add; first exact: share_missing.
apply: mean_run; rewrite ?size_nseq //; first by nia.
move=> x N' size_x le_N'; rewrite /G /=; case: (boolP (good x)) => [|_] /=; last first.
  by rewrite mean_const // mulr_ge0 ?exprn_ge0 ?half_ge0 ?ler0n.
case/and3P=> _ no0 few_x.
have fill : filled n M 0 x by split; rewrite ?addn0.
apply: le_trans (mean_late tau_2 n_pos le_M fill _) _; first by nia.
have q_ge0 : 0 <= (1 - absorption n tau M / 2%:R) ^+ t by rewrite exprn_ge0 ?half_ge0.
apply: ler_pmul; [by rewrite exprn_ge0 ?ler0n | by rewrite divr_ge0 ?ler0n | |].
  by rewrite ler_weexpn2l ?ler1n // (leq_trans (excess_sum _ _)).
by rewrite ler_pdivr_mulr ?ltr0n // ler_pemulr // ler1n.
Qed.

Theorem S9_finite n tau m t N :
  (2 <= n)%N -> (2 <= tau)%N -> (m + n < n * tau)%N -> (n * (m + t) <= N)%N ->
  share n N (fun w => ~~ converged tau (loads tau n (m + t) w)) <=
  n%:R * (1 - n%:R^-1) ^+ m + 2%:R ^+ (m + n) * (1 - absorption n tau (m + n) / 2%:R) ^+ t.
Proof.
move=> n_2 tau_2 lt_m enough; have n_pos := ltnW n_2.
exact: (whole n_pos tau_2 (leqnSn (m + n)) (ltnW lt_m) enough).
Qed.
