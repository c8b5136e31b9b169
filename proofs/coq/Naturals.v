(* The finite bounds of S5, S6 and S9 with the denominators cleared: numbers of sequences of
   throws, as Printed.v needs them. *)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From Repslab Require Import Process Share PhaseOne PhaseTwo Whole.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.

Definition number (n N : nat) (P : seq nat -> bool) : nat :=
  #|[set w : N.-tuple 'I_n | P (map val w)]|.

Lemma number_le n N P (a b : nat) :
  0 < n -> 0 < b -> (share n N P <= a%:R / b%:R)%R -> number n N P * b <= a * n ^ N.
Proof.
move=> n_pos b_pos; rewrite /share -/(number n N P) -natrX.
rewrite ler_pdivr_mulr ?ltr0n ?expn_gt0 ?n_pos // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat.
Qed.

Lemma missed_ratio n : 0 < n -> (1 - n%:R^-1 = (n - 1)%:R / n%:R :> rat)%R.
Proof. by move=> n_pos; rewrite natrB // mulrBl mulfV ?mul1r // pnatr_eq0 -lt0n. Qed.

(* 1 - h/2 as a fraction. *)
Definition later (n tau M : nat) : nat := 2 * (n * (tau - 1)) - (n * tau - M).

Lemma later_ratio n tau M :
  0 < n -> 2 <= tau -> M <= n * tau ->
  (1 - absorption n tau M / 2%:R = (later n tau M)%:R / (2 * (n * (tau - 1)))%:R :> rat)%R.
Proof.
move=> n_pos tau_2 le_M.
have le_D : n * tau <= 2 * (n * (tau - 1)).
  by rewrite mulnCA leq_mul2l; apply/orP; right; lia.
rewrite /later natrB; last by lia.
rewrite (natrB _ le_M) [(2 * _)%:R%R]natrM /absorption; field.
by rewrite !pnatr_eq0 -!lt0n n_pos; lia.
Qed.

Theorem S6_number n tau r N :
  0 < n -> 0 < tau -> n * r <= N ->
  number n N (fun w => doomed tau (loads tau n r w)) * n ^ (n * (tau - 1)) <=
  n * (n - 1) ^ (n * (tau - 1)) * n ^ N.
Proof.
move=> n_pos tau_pos enough; apply: number_le; rewrite ?expn_gt0 ?n_pos //.
apply: le_trans (S6_finite tau_pos n_pos enough) _.
rewrite missed_ratio //; move: (n * (tau - 1)) => m.
by rewrite expr_div_n natrM !natrX mulrA.
Qed.

Theorem S5_number n tau M t N x :
  2 <= tau -> 0 < n -> M <= n * tau -> filled n M 0 x -> n * t <= N ->
  number n N (fun w => not_yet tau t (x, w)) * ((2 * (n * (tau - 1))) ^ t * 2) <=
  2 ^ excess tau x * later n tau M ^ t * n ^ N.
Proof.
move=> tau_2 n_pos le_M fill enough.
have D_pos : 0 < 2 * (n * (tau - 1)) by rewrite !muln_gt0 n_pos; lia.
apply: number_le; rewrite ?muln_gt0 ?expn_gt0 ?D_pos //.
apply: le_trans (S5_finite tau_2 n_pos le_M fill enough) _.
rewrite later_ratio //; move: (2 * (n * (tau - 1))) => D.
by rewrite expr_div_n !natrM !natrX invfM !mulrA.
Qed.

Theorem S9_number n tau M m t N :
  0 < n -> 2 <= tau -> m + n <= M.+1 -> M <= n * tau -> n * (m + t) <= N ->
  number n N (fun w => ~~ converged tau (loads tau n (m + t) w)) *
    (n ^ m * (2 * (n * (tau - 1))) ^ t) <=
  (n * (n - 1) ^ m * (2 * (n * (tau - 1))) ^ t + 2 ^ M * later n tau M ^ t * n ^ m) * n ^ N.
Proof.
move=> n_pos tau_2 few le_M enough.
have D_pos : 0 < 2 * (n * (tau - 1)) by rewrite !muln_gt0 n_pos; lia.
apply: number_le; rewrite ?muln_gt0 ?expn_gt0 ?n_pos ?D_pos //.
apply: le_trans (whole n_pos tau_2 few le_M enough) _.
rewrite later_ratio // missed_ratio // !expr_div_n -!natrX !mulrA -!natrM addf_div.
- by rewrite -!natrM -natrD.
- by rewrite pnatr_eq0 -lt0n expn_gt0 n_pos.
- by rewrite pnatr_eq0 -lt0n expn_gt0 D_pos.
Qed.
