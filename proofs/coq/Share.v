(* Shares of sequences of throws: probabilities as counting.

   share n N P is the number of sequences of N throws into n bins that have the property P,
   over n^N. Proofs use mean n N f, the mean of f over all these sequences, computed throw
   by throw. share_missing is B2: the share of sequences whose first m throws miss a bin is
   at most n (1 - 1/n)^m. *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Repslab Require Import Process.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Definition share (n N : nat) (P : seq nat -> bool) : rat :=
  #|[set w : N.-tuple 'I_n | P (map val w)]|%:R / n%:R ^+ N.

Fixpoint mean (n N : nat) (f : seq nat -> rat) : rat :=
  if N is N'.+1 then (\sum_(i < n) mean n N' (fun w => f (val i :: w))) / n%:R else f [::].

Lemma sum_tuples n N (f : seq nat -> rat) :
  \sum_(w : N.+1.-tuple 'I_n) f (map val w) =
  \sum_(i < n) \sum_(w : N.-tuple 'I_n) f (val i :: map val w).
Proof.
rewrite pair_big (reindex (fun p : 'I_n * N.-tuple 'I_n => cons_tuple p.1 p.2)) //=.
exists (fun w : N.+1.-tuple 'I_n => (thead w, behead_tuple w)).
  by move=> [i w] _ /=; congr pair; apply: val_inj.
by move=> w _; apply: val_inj; rewrite /= [in RHS](tuple_eta w).
Qed.

Lemma sum_mean n N (f : seq nat -> rat) :
  (0 < n)%N -> \sum_(w : N.-tuple 'I_n) f (map val w) = n%:R ^+ N * mean n N f.
Proof.
move=> n_pos; have n_neq0 : n%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
elim: N f => [|N IH] f.
  rewrite expr0 mul1r /= (eq_bigr (fun=> f [::])) => [|w _]; last by rewrite tuple0.
  by rewrite sumr_const card_tuple expn0.
rewrite sum_tuples /= (eq_bigr (fun i : 'I_n => n%:R ^+ N * mean n N (fun w => f (val i :: w)))).
  by rewrite -mulr_sumr exprSr -mulrA [n%:R * _]mulrC divfK.
by move=> i _; rewrite -(IH (fun w => f (val i :: w))).
Qed.

Lemma share_mean n N P : (0 < n)%N -> share n N P = mean n N (fun w => (P w)%:R).
Proof.
move=> n_pos; have n_neq0 : n%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
apply: (mulfI (expf_neq0 N n_neq0)); rewrite -sum_mean // /share mulrC divfK ?expf_neq0 //.
rewrite -sum1_card natr_sum big_mkcond /=; apply: eq_bigr => w _; rewrite inE.
by case: (P _).
Qed.

Lemma mean_le n N (f g : seq nat -> rat) :
  (forall w, size w = N -> all (gtn n) w -> f w <= g w) -> mean n N f <= mean n N g.
Proof.
elim: N f g => [|N IH] f g le_fg /=; first exact: le_fg.
rewrite ler_wpmul2r ?invr_ge0 ?ler0n //; apply: ler_sum => i _; apply: IH => w size_w all_w.
by apply: le_fg => /=; rewrite ?size_w ?ltn_ord.
Qed.

Lemma mean_const n N c : (0 < n)%N -> mean n N (fun=> c) = c.
Proof.
move=> n_pos; elim: N => //= N ->; rewrite sumr_const card_ord -(mulr_natr c) mulfK //.
by rewrite pnatr_eq0 -lt0n.
Qed.

Lemma mean_add n N (f g : seq nat -> rat) :
  mean n N (fun w => f w + g w) = mean n N f + mean n N g.
Proof.
elim: N f g => //= N IH f g; rewrite -mulrDl -big_split /=; congr (_ / _).
by apply: eq_bigr => i _; rewrite IH.
Qed.

Lemma mean_sum n N (I : Type) (s : seq I) (f : I -> seq nat -> rat) :
  mean n N (fun w => \sum_(i <- s) f i w) = \sum_(i <- s) mean n N (f i).
Proof.
elim: N f => //= N IH f; rewrite -mulr_suml exchange_big /=; congr (_ / _).
by apply: eq_bigr => i _; rewrite IH.
Qed.

Lemma eq_mean n N (f g : seq nat -> rat) :
  (forall w, size w = N -> all (gtn n) w -> f w = g w) -> mean n N f = mean n N g.
Proof.
by move=> eq_fg; apply/eqP; rewrite eq_le; apply/andP; split;
  apply: mean_le => w size_w all_w; rewrite eq_fg.
Qed.

(* A bin is missed by m of the throws with probability (1 - 1/n)^m. *)
Lemma mean_missed n N m i :
  (i < n)%N -> (m <= N)%N ->
  mean n N (fun w => (i \notin take m w)%:R) = (1 - n%:R^-1) ^+ m.
Proof.
move=> lt_i; have n_pos : (0 < n)%N by lia.
have n_neq0 : n%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
elim: m N => [|m IH] N le_m.
  rewrite expr0 -[RHS](mean_const N _ n_pos).
  by apply: eq_mean => w _ _; rewrite take0.
case: N le_m => // N le_m /=; pose a := (1 - n%:R^-1) ^+ m : rat.
rewrite (bigD1 (Ordinal lt_i)) //= (eq_bigr (fun=> a)) => [|j ne_ji]; last first.
  rewrite /a -(IH N) //; apply: eq_mean => w _ _; congr (nat_of_bool _)%:R.
  by rewrite inE negb_or eq_sym ne_ji.
rewrite -[X in X + _](_ : 0 = _); last first.
  rewrite -[LHS](mean_const N 0 n_pos); apply: eq_mean => w _ _.
  by rewrite inE eqxx.
rewrite add0r sumr_const cardC1 card_ord exprSr -/a -(mulr_natr a) -mulrA; congr (_ * _).
by rewrite -subn1 natrB // mulrBl mulfV // mul1r.
Qed.

(* B2. *)
Definition misses (n m : nat) (w : seq nat) : bool :=
  has (fun i => i \notin take m w) (iota 0 n).

Theorem share_missing n N m :
  (0 < n)%N -> (m <= N)%N -> share n N (misses n m) <= n%:R * (1 - n%:R^-1) ^+ m.
Proof.
move=> n_pos le_m; rewrite share_mean //.
apply: (@le_trans _ _ (mean n N (fun w => \sum_(i <- iota 0 n) (i \notin take m w)%:R))).
  apply: mean_le => w _ _; rewrite /misses.
  elim: (iota 0 n) => [|i s IH]; first by rewrite big_nil.
  rewrite big_cons /=; case: (i \in _) => /=; first by rewrite add0r.
  by rewrite ler_addl; apply: sumr_ge0 => j _; exact: ler0n.
rewrite mean_sum (eq_big_seq (fun=> (1 - n%:R^-1) ^+ m)) => [|i].
  by rewrite big_const_seq count_predT size_iota iter_addr_0 mulr_natl.
by rewrite mem_iota => /andP[_ lt_i]; rewrite mean_missed.
Qed.
