(* S4 to S7 and S9 as docs/proof.md prints them, with real numbers.

   S6_limit: the share of runs that have not converged after many rounds is at most
   n exp(1 - tau), in the limit.

   S9: for n >= 16 and an integer tau >= 4 ln n, the probability that a run from n empty bins
   has not converged within 2 n ln n + 2 (2 n ln n + n)/0.45 rounds is at most 2/n. *)
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect zify.
From Repslab Require Import Process PhaseOne PhaseTwo Naturals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition probability (n N : nat) (P : seq nat -> bool) : R := INR (number n N P) / INR n ^ N.

(* h *)
Definition absorption_real (n tau M : nat) : R :=
  (INR n * INR tau - INR M) / (INR n * (INR tau - 1)).

Lemma INR_mul a b : INR (a * b)%N = INR a * INR b.
Proof. exact: mult_INR. Qed.

Lemma INR_add a b : INR (a + b)%N = INR a + INR b.
Proof. exact: plus_INR. Qed.

Lemma INR_sub a b : (b <= a)%N -> INR (a - b)%N = INR a - INR b.
Proof. by move=> /leP; exact: minus_INR. Qed.

Lemma INR_exp a b : INR (a ^ b)%N = INR a ^ b.
Proof. by elim: b => // b IH; rewrite expnS INR_mul IH. Qed.

Lemma INR_leq a b : (a <= b)%N -> INR a <= INR b.
Proof. by move=> /leP; exact: le_INR. Qed.

Lemma INR_gt0 a : (0 < a)%N -> 0 < INR a.
Proof. by move=> /ltP; exact: lt_0_INR. Qed.

Lemma number_probability n N P (a b : nat) :
  (0 < n)%N -> (0 < b)%N -> (number n N P * b <= a * n ^ N)%N ->
  probability n N P <= INR a / INR b.
Proof.
move=> n_pos b_pos /INR_leq; rewrite !INR_mul INR_exp /probability => le_ab.
have pos_b := INR_gt0 b_pos; have pos_n := pow_lt _ N (INR_gt0 n_pos).
apply: (Rmult_le_reg_r (INR n ^ N * INR b)); first exact: Rmult_lt_0_compat.
have -> : INR (number n N P) / INR n ^ N * (INR n ^ N * INR b) = INR (number n N P) * INR b.
  by field; lra.
have -> : INR a / INR b * (INR n ^ N * INR b) = INR a * INR n ^ N by field; lra.
exact: le_ab.
Qed.

Lemma pow_le_exp u t : u <= 1 -> (1 - u) ^ t <= exp (- (u * INR t)).
Proof.
move=> le_u; elim: t => [|t IH]; first by rewrite /= Rmult_0_r Ropp_0 exp_0; lra.
rewrite S_INR -tech_pow_Rmult.
have -> : - (u * (INR t + 1)) = - u + - (u * INR t) by ring.
rewrite exp_plus; apply: Rmult_le_compat; [lra | apply: pow_le; lra | | exact: IH].
by have := exp_ineq1_le (- u); lra.
Qed.

Lemma missed_exp n m : (0 < n)%N -> (1 - / INR n) ^ m <= exp (- (/ INR n * INR m)).
Proof.
move=> n_pos; have pos_n := INR_gt0 n_pos; apply: pow_le_exp.
by apply: (Rmult_le_reg_r _ _ _ pos_n); rewrite Rinv_l; have := INR_leq n_pos; rewrite /=; lra.
Qed.

Lemma pow2_exp y : 2 ^ y = exp (INR y * ln 2).
Proof. by rewrite -Rpower_pow //; lra. Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. by case=> [lt_ab|->]; [left; exact: exp_increasing | right]. Qed.

(* Bounds on logarithms, from 1 + x <= exp x. *)
Lemma ln2_bounds : 0.6875 <= ln 2 <= 0.75.
Proof.
have exp_ln2 : exp (ln 2) = 2 by apply: exp_ln; lra.
split; apply: Rnot_lt_le => /exp_increasing; rewrite exp_ln2; apply: Rle_not_lt.
  have le_exp : (1 - 11 / 1024) ^ 64 <= exp (- (11 / 1024 * INR 64)) by apply: pow_le_exp; lra.
  have -> : 0.6875 = 11 / 1024 * INR 64 by rewrite INR_IZR_INZ /=; lra.
  have half : 1 / 2 <= (1 - 11 / 1024) ^ 64 by rewrite /=; lra.
  move: (11 / 1024 * INR 64) le_exp => a le_exp.
  apply: (Rmult_le_reg_r (exp (- a))); first exact: exp_pos.
  by rewrite -exp_plus Rplus_opp_r exp_0; lra.
have : (1 - - (3 / 32)) ^ 8 <= exp (- (- (3 / 32) * INR 8)) by apply: pow_le_exp; lra.
have -> : - (- (3 / 32) * INR 8) = 0.75 by rewrite INR_IZR_INZ /=; lra.
by rewrite /=; lra.
Qed.

Lemma ln_from_16 x : 16 <= x -> 2.75 <= ln x.
Proof.
move=> x_16; have ln_16 : ln 16 = 4 * ln 2.
  have -> : 16 = 2 * (2 * (2 * 2)) by lra.
  by rewrite !ln_mult; lra.
have := ln2_bounds; suff : ln 16 <= ln x by lra.
by case: x_16 => [lt_x|<-]; [left; apply: ln_increasing; lra | right].
Qed.

(* S4. *)
Theorem S4 n tau M :
  (16 <= n)%N -> 4 * ln (INR n) <= INR tau ->
  INR M <= 2 * INR n * ln (INR n) + INR n -> 0.45 <= absorption_real n tau M.
Proof.
move=> n_16 le_tau le_M.
have R_16 : 16 <= INR n by have := INR_leq n_16; rewrite /=; lra.
have log_16 := ln_from_16 R_16.
have tau_1 : 0 < INR n * (INR tau - 1) by apply: Rmult_lt_0_compat; lra.
apply: (Rmult_le_reg_r _ _ _ tau_1); rewrite /absorption_real /Rdiv Rmult_assoc Rinv_l; last by lra.
have : 0 <= INR n * (INR tau - 2 * ln (INR n) - 1 - 0.45 * (INR tau - 1)).
  by apply: Rmult_le_pos; lra.
by lra.
Qed.

(* S6. *)
Theorem S6 n tau r N :
  (0 < n)%N -> (0 < tau)%N -> (n * r <= N)%N ->
  probability n N (fun w => doomed tau (loads tau n r w)) <= INR n * exp (1 - INR tau).
Proof.
move=> n_pos tau_pos enough.
have b_pos : (0 < n ^ (n * (tau - 1)))%N by rewrite expn_gt0 n_pos.
apply: (Rle_trans _ _ _ (number_probability n_pos b_pos (S6_number n_pos tau_pos enough))).
move: b_pos; set m := (n * (tau - 1))%N => b_pos; have pos_n := INR_gt0 n_pos.
rewrite INR_mul !INR_exp INR_sub // /=.
have -> : INR n * (INR n - 1) ^ m / INR n ^ m = INR n * (1 - / INR n) ^ m.
  have -> : INR n - 1 = INR n * (1 - / INR n) by field; lra.
  rewrite Rpow_mult_distr; field.
  by apply: pow_nonzero; lra.
apply: Rmult_le_compat_l; first by lra.
apply: (Rle_trans _ _ _ (missed_exp m n_pos)); apply: exp_le; 
rewrite /m INR_mul INR_sub // -Rmult_assoc Rinv_l /=; lra.
Qed.

(* 1 - h/2 as a fraction. *)
Lemma later_real n tau M :
  (0 < n)%N -> (2 <= tau)%N -> (M <= n * tau)%N ->
  INR (later n tau M) / INR (2 * (n * (tau - 1))) = 1 - absorption_real n tau M / 2.
Proof.
move=> n_pos tau_2 le_M; have pos_n := INR_gt0 n_pos.
have R_tau : 2 <= INR tau by have := INR_leq tau_2; rewrite /=; lra.
have le_D : (n * tau <= 2 * (n * (tau - 1)))%N.
  by rewrite mulnCA leq_mul2l; apply/orP; right; lia.
rewrite /later /absorption_real INR_sub; last by lia.
by rewrite INR_sub // !INR_mul INR_sub ?(ltnW tau_2) //=; field; lra.
Qed.

Lemma absorption_le1 n tau M :
  (0 < n)%N -> (2 <= tau)%N -> (n <= M)%N -> absorption_real n tau M <= 1.
Proof.
move=> n_pos tau_2 /INR_leq le_M; have pos_n := INR_gt0 n_pos.
have R_tau : 2 <= INR tau by have := INR_leq tau_2; rewrite /=; lra.
have pos_D : 0 < INR n * (INR tau - 1) by apply: Rmult_lt_0_compat; lra.
by apply: (Rmult_le_reg_r _ _ _ pos_D); rewrite /absorption_real /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

Lemma filled_balls n M x : filled n M 0 x -> (n <= M)%N.
Proof.
move=> [<- no0]; rewrite addn0 => /(leq_trans _)->//.
elim: x no0 => //= l x IH; rewrite inE negb_or => /andP[l_pos /IH le_x]; lia.
Qed.

(* S5. *)
Theorem S5 n tau M t N x (y : R) :
  (2 <= tau)%N -> (0 < n)%N -> (M < n * tau)%N -> filled n M 0 x -> (n * t <= N)%N ->
  INR (excess tau x) <= y -> 1 <= y -> 2 * y / absorption_real n tau M < INR t + 1 ->
  probability n N (fun w => not_yet tau t (x, w)) <= exp (- (1 / 4 * y)).
Proof.
move=> tau_2 n_pos lt_M fill enough le_y y_1.
have D_pos : (0 < 2 * (n * (tau - 1)))%N by rewrite !muln_gt0 n_pos; lia.
have le_M := ltnW lt_M; have h_1 := absorption_le1 n_pos tau_2 (filled_balls fill).
have h_pos : 0 < absorption_real n tau M.
  have R_tau : 2 <= INR tau by have := INR_leq tau_2; rewrite /=; lra.
  apply: Rdiv_lt_0_compat; last by apply: Rmult_lt_0_compat; [exact: INR_gt0 | lra].
  by have := lt_INR _ _ (ltP lt_M); rewrite INR_mul; lra.
have := later_real n_pos tau_2 le_M.
move: (absorption_real _ _ _) h_1 h_pos => h h_1 h_pos later_h long.
have b_pos : (0 < (2 * (n * (tau - 1))) ^ t * 2)%N by rewrite muln_gt0 expn_gt0 D_pos.
have bound := S5_number tau_2 n_pos le_M fill enough.
apply: (Rle_trans _ _ _ (number_probability n_pos b_pos bound)).
rewrite !INR_mul !INR_exp; have pos_D := INR_gt0 D_pos.
have -> : INR 2 ^ excess tau x * INR (later n tau M) ^ t /
          (INR (2 * (n * (tau - 1))) ^ t * INR 2) = 2 ^ excess tau x * (1 - h / 2) ^ t / 2.
  rewrite -later_h (_ : INR 2 = 2) //; move: (INR _) pos_D => D pos_D.
  rewrite /Rdiv Rpow_mult_distr pow_inv; field.
  by apply: pow_nonzero; lra.
have -> : 2 ^ excess tau x * (1 - h / 2) ^ t / 2 = 2 ^ excess tau x * (1 - h / 2) ^ t * exp (- ln 2).
  by rewrite exp_Ropp exp_ln; lra.
have log_2 := ln2_bounds.
have slow : y - h / 2 <= h / 2 * INR t.
  have : 2 * y < (INR t + 1) * h.
    apply: (Rmult_lt_reg_r (/ h)); first exact: Rinv_0_lt_compat.
    by rewrite [X in _ < X]Rmult_assoc Rinv_r; lra.
  by lra.
apply: (@Rle_trans _ (exp (y * ln 2) * exp (- (h / 2 * INR t)) * exp (- ln 2))).
  apply: Rmult_le_compat_r; first by left; exact: exp_pos.
  apply: Rmult_le_compat; [by apply: pow_le; lra | by apply: pow_le; lra | |].
    by rewrite pow2_exp; apply: exp_le; apply: Rmult_le_compat_r; lra.
  by apply: pow_le_exp; lra.
rewrite -!exp_plus; apply: exp_le.
have : y * ln 2 <= y * 0.75 by apply: Rmult_le_compat_l; lra.
by lra.
Qed.

(* The bound of Whole.v. *)
Lemma whole_real n tau M m t N :
  (0 < n)%N -> (2 <= tau)%N -> (m + n <= M.+1)%N -> (M <= n * tau)%N -> (n * (m + t) <= N)%N ->
  probability n N (fun w => ~~ converged tau (loads tau n (m + t) w)) <=
  INR n * (1 - / INR n) ^ m + 2 ^ M * (1 - absorption_real n tau M / 2) ^ t.
Proof.
move=> n_pos tau_2 few le_M enough; have pos_n := INR_gt0 n_pos.
have D_pos : (0 < 2 * (n * (tau - 1)))%N by rewrite !muln_gt0 n_pos; lia.
have b_pos : (0 < n ^ m * (2 * (n * (tau - 1))) ^ t)%N by rewrite muln_gt0 !expn_gt0 n_pos D_pos.
have bound := S9_number n_pos tau_2 few le_M enough.
apply: (Rle_trans _ _ _ (number_probability n_pos b_pos bound)); right.
have -> : 1 - / INR n = (INR n - 1) * / INR n by field; lra.
rewrite -later_real // INR_add INR_mul [INR (2 ^ _ * _ * _)]INR_mul [INR (2 ^ _ * _)]INR_mul.
rewrite [INR (n ^ m * _)]INR_mul [INR (n * _)]INR_mul !INR_exp INR_sub //.
rewrite (_ : INR 2 = 2) // (_ : INR 1 = 1) //; have := INR_gt0 D_pos; move: (INR (2 * _)) => D pos_D.
rewrite /Rdiv !Rpow_mult_distr !pow_inv; field.
by split; apply: pow_nonzero; lra.
Qed.

(* S6 and S7 in the limit of many rounds: the share of runs that have not converged. *)
Lemma probability_le1 n N P : (0 < n)%N -> probability n N P <= 1.
Proof.
move=> n_pos; have -> : 1 = INR 1 / INR 1 by rewrite /=; field.
apply: number_probability => //; rewrite muln1 mul1n.
by rewrite (leq_trans (max_card _)) // card_tuple card_ord.
Qed.

Theorem S6_limit n tau (delta : R) :
  (0 < n)%N -> (0 < tau)%N -> 0 < delta -> exists r0, forall r N,
  (r0 <= r)%N -> (n * r <= N)%N ->
  probability n N (fun w => ~~ converged tau (loads tau n r w)) <=
  INR n * exp (1 - INR tau) + delta.
Proof.
move=> n_pos tau_pos delta_pos; have pos_n := INR_gt0 n_pos.
have n_1 : 1 <= INR n by have := INR_leq n_pos; rewrite /=; lra.
case: (leqP tau 1) => [tau_1|tau_2].
  exists 0%N => r N _ _; apply: (Rle_trans _ _ _ (probability_le1 _ _ n_pos)).
  have -> : tau = 1%N by lia.
  by rewrite Rminus_diag_eq // exp_0; lra.
pose m := (n * (tau - 1))%N; pose M := (n * tau - 1)%N.
have m_n : (m + n = n * tau)%N by rewrite /m -mulnSr subn1 prednK.
have le_n : (n <= m)%N by rewrite /m leq_pmulr //; lia.
have [few le_M] : (m + n <= M.+1)%N /\ (M <= n * tau)%N by rewrite m_n /M; lia.
have h_1 : absorption_real n tau M <= 1 by apply: absorption_le1 => //; rewrite /M -m_n; lia.
have h_pos : 0 < absorption_real n tau M.
  have R_tau : 2 <= INR tau by have := INR_leq tau_2; rewrite /=; lra.
  apply: Rdiv_lt_0_compat; last by apply: Rmult_lt_0_compat; lra.
  rewrite /M INR_sub ?INR_mul /=; [lra | by rewrite -m_n; lia].
have bound t N := @whole_real n tau M m t N n_pos tau_2 few le_M.
move: (absorption_real _ _ _) h_1 h_pos bound => h h_1 h_pos bound.
have small : 0 < delta / 2 ^ M by apply: Rdiv_lt_0_compat => //; apply: pow_lt; lra.
have [|t0 late] := pow_lt_1_zero (1 - h / 2) _ _ small; first by rewrite Rabs_pos_eq; lra.
exists (m + t0)%N => r N le_r enough; have eq_r : (m + (r - m))%N = r by lia.
rewrite -{1}eq_r; apply: (Rle_trans _ _ _ (bound _ _ _)); first by rewrite eq_r.
apply: Rplus_le_compat.
  apply: Rmult_le_compat_l; first by lra.
  apply: (Rle_trans _ _ _ (missed_exp m n_pos)); apply: exp_le.
  by rewrite /m INR_mul INR_sub // -Rmult_assoc Rinv_l /=; lra.
have /late : (r - m >= t0)%coq_nat by apply/leP; lia.
rewrite Rabs_pos_eq; last by apply: pow_le; lra.
have pos_2 : 0 < 2 ^ M by apply: pow_lt; lra.
move=> /(Rmult_lt_compat_l _ _ _ pos_2); have -> : 2 ^ M * (delta / 2 ^ M) = delta by field; lra.
by lra.
Qed.

Theorem S7 n tau (epsilon delta : R) :
  (2 <= n)%N -> 0 < epsilon -> (1 + epsilon) * ln (INR n) + 1 <= INR tau -> 0 < delta ->
  exists r0, forall r N, (r0 <= r)%N -> (n * r <= N)%N ->
  probability n N (fun w => ~~ converged tau (loads tau n r w)) <=
  Rpower (INR n) (- epsilon) + delta.
Proof.
move=> n_2 eps_pos le_tau delta_pos; have n_pos := ltnW n_2.
have R_2 : 2 <= INR n by have := INR_leq n_2; rewrite /=; lra.
have log_pos : 0 < ln (INR n) by rewrite -ln_1; apply: ln_increasing; lra.
have mul_pos : 0 < (1 + epsilon) * ln (INR n) by apply: Rmult_lt_0_compat; lra.
have tau_pos : (0 < tau)%N by apply/ltP; apply: INR_lt; rewrite /=; lra.
have [r0 late] := S6_limit n_pos tau_pos delta_pos; exists r0 => r N le_r enough.
apply: (Rle_trans _ _ _ (late r N le_r enough)); apply: Rplus_le_compat_r.
have -> : INR n * exp (1 - INR tau) = exp (ln (INR n) + (1 - INR tau)).
  by rewrite exp_plus exp_ln; lra.
by apply: exp_le; lra.
Qed.

(* S9. *)
Theorem S9 n tau r N :
  (16 <= n)%N -> 4 * ln (INR n) <= INR tau ->
  2 * INR n * ln (INR n) + 2 * (2 * INR n * ln (INR n) + INR n) / 0.45 < INR r + 1 ->
  (n * r <= N)%N ->
  probability n N (fun w => ~~ converged tau (loads tau n r w)) <= 2 / INR n.
Proof.
move=> n_16 le_tau long enough; have n_pos : (0 < n)%N by lia.
have R_16 : 16 <= INR n by have := INR_leq n_16; rewrite /=; lra.
have pos_n : 0 < INR n by lra.
have log_16 := ln_from_16 R_16.
have inv_n : exp (- ln (INR n)) = / INR n by rewrite exp_Ropp exp_ln.
have tau_2 : (2 <= tau)%N by apply/leP; apply: INR_le; rewrite /=; lra.
move: log_16 le_tau long inv_n; set L := ln (INR n) => log_16 le_tau long inv_n.
have nL : 16 * 2.75 <= INR n * L by apply: Rmult_le_compat; lra.
have [m [m_ge m_le]] : exists m : nat, 2 * INR n * L <= INR m /\ INR m <= 2 * INR n * L + 1.
  have [up_gt up_le] := archimed (2 * INR n * L).
  exists (Z.to_nat (up (2 * INR n * L))); rewrite (INR_IZR_INZ (Z.to_nat _)) Z2Nat.id; first by lra.
  by apply: le_IZR; lra.
have le_M : INR (m + n - 1) <= 2 * INR n * L + INR n.
  by rewrite INR_sub ?INR_add; [rewrite /=; lra | lia].
have h_large := S4 n_16 le_tau le_M.
have le_r : (m <= r)%N by apply/leP; apply: INR_le; lra.
have few : (m + n <= (m + n - 1).+1)%N by lia.
have le_nM : (m + n - 1 <= n * tau)%N.
  apply/leP; apply: INR_le; apply: (Rle_trans _ _ _ le_M); rewrite INR_mul.
  have : 0 <= INR n * (INR tau - 2 * L - 1) by apply: Rmult_le_pos; lra.
  by lra.
set t := (r - m)%N.
have eq_r : (m + t)%N = r by rewrite /t; lia.
rewrite -eq_r in enough *.
apply: (Rle_trans _ _ _ (whole_real n_pos tau_2 few le_nM enough)).
have h_1 : absorption_real n tau (m + n - 1) <= 1.
  apply: absorption_le1 => //; suff : (0 < m)%N by lia.
  by apply/ltP; apply: INR_lt; rewrite /=; lra.
move: (absorption_real _ _ _) h_large h_1 => h h_large h_1.
have nL_16 : 16 * L <= INR n * L by apply: Rmult_le_compat_r; lra.
have first : INR n * (1 - / INR n) ^ m <= / INR n.
  apply: (@Rle_trans _ (INR n * (exp (- L) * exp (- L)))); last first.
    by rewrite inv_n -Rmult_assoc Rinv_r; lra.
  apply: Rmult_le_compat_l; first by lra.
  apply: (Rle_trans _ _ _ (missed_exp m n_pos)); rewrite -exp_plus; apply: exp_le.
  suff : 2 * L <= / INR n * INR m by lra.
  by apply: (Rmult_le_reg_l _ _ _ pos_n); rewrite -[X in _ <= X]Rmult_assoc Rinv_r; lra.
have second : 2 ^ (m + n - 1) * (1 - h / 2) ^ t <= / INR n.
  rewrite -inv_n.
  apply: (@Rle_trans _ (exp (INR (m + n - 1) * 0.75) * exp (- (h / 2 * INR t)))).
    apply: Rmult_le_compat; [by apply: pow_le; lra | by apply: pow_le; lra | |].
      rewrite pow2_exp; apply: exp_le; apply: Rmult_le_compat_l; first exact: pos_INR.
      by have := ln2_bounds; lra.
    by apply: pow_le_exp; lra.
  have mn_pos : (1 <= m + n)%N by lia.
  rewrite -exp_plus; apply: exp_le; rewrite INR_sub // in le_M *.
  have le_t : 0.225 * INR t <= h / 2 * INR t by apply: Rmult_le_compat_r; [exact: pos_INR | lra].
  by rewrite -eq_r INR_add in long; lra.
have -> : 2 / INR n = / INR n + / INR n by field; lra.
exact: Rplus_le_compat.
Qed.
