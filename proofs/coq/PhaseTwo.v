(* Phase two: no bin is empty.

   x has n bins, none empty, and at most M balls; h = (n tau - M)/(n (tau - 1)).
   S1: a round's throws lower the excess Y by those that find a bin below tau. S2: whatever
   was thrown before, a throw finds such a bin with probability at least h. S3: the expected
   rounds to convergence are at most Y/h. S5, with the base 2 instead of e: after t rounds a
   run has not converged with probability at most 2^Y (1 - h/2)^t/2. *)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From Repslab Require Import Process Share PhaseOne.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Definition absorption (n tau M : nat) : rat := ((n * tau)%:R - M%:R) / (n * (tau - 1))%:R.

Section PhaseTwo.

Variables n tau M : nat.
Hypothesis tau_2 : (2 <= tau)%N.
Hypothesis n_pos : (0 < n)%N.
Hypothesis le_M : (M <= n * tau)%N.

Let h := absorption n tau M.
Let tau_pos : (0 < tau)%N. Proof. by lia. Qed.
Let n_gt0 : 0 < n%:R :> rat. Proof. by rewrite ltr0n. Qed.

(* No bin is empty, and k balls of at most M are still to be thrown. *)
Definition filled (k : nat) (x : seq nat) : Prop :=
  [/\ size x = n, 0%N \notin x & (sumn x + k <= M)%N].

Definition holes (x : seq nat) : nat := #|[set i : 'I_n | (nth 0%N x i < tau)%N]|.

Lemma holes_count (x : seq nat) : size x = n -> holes x = count (gtn tau) x.
Proof.
move=> size_x; rewrite -sum1_count (big_nth 0%N) size_x big_mkord /holes -sum1_card.
by apply: eq_bigl => i; rewrite inE.
Qed.

Lemma many_holes k x : filled k x -> h <= (holes x)%:R / n%:R.
Proof.
move=> [size_x no0 few]; rewrite holes_count //.
have sum_holes : (size x * tau <= sumn x + count (gtn tau) x * (tau - 1))%N.
  elim: x no0 {size_x few} => //= l x IH; rewrite inE negb_or => /andP[l_pos /IH].
  by rewrite mulSn mulnDl /=; case: ltnP => /= lt_l; rewrite ?mul1n ?mul0n; lia.
have tau1 : (0 < tau - 1)%N by lia.
rewrite /h /absorption ler_pdivr_mulr ?ltr0n ?muln_gt0 ?n_pos //.
rewrite [X in _ <= _ * X]natrM mulrA divfK ?lt0r_neq0 // ler_subl_addr -natrM -natrD ler_nat.
by move: sum_holes; rewrite size_x; lia.
Qed.

Lemma filled_incr k x i : (i < n)%N -> filled k.+1 x -> filled k (incr_nth x i).
Proof.
move=> lt_i [size_x no0 few]; rewrite /filled sumn_incr size_incr ?size_x //.
split=> //; last by lia.
apply/no_emptyP => j; rewrite size_incr ?size_x // => lt_j; rewrite nth_incr_nth.
by rewrite addn_gt0 (no_emptyP _ no0) ?size_x ?orbT.
Qed.

Lemma filled_receive k x (u : seq nat) :
  all (gtn n) u -> (size u <= k)%N -> filled k x -> filled (k - size u) (receive x u).
Proof.
elim: u k x => [|i u IH] k x /=; first by rewrite subn0.
move=> /andP[lt_i all_u]; case: k => // k le_u fill; apply: IH => //.
exact: filled_incr.
Qed.

Lemma filled_removed x : filled 0 x -> filled (throws tau x) (removed tau x).
Proof.
move=> [size_x no0 few]; split; first by rewrite size_removed.
  apply/no_emptyP => i; rewrite size_removed => lt_i.
  exact/nth_removed/(no_emptyP _ no0).
have := sumn_removed tau x; rewrite throwsE; move: no0; rewrite emptyE -eqn0Ngt => /eqP->.
by move: few; lia.
Qed.

Lemma filled_round x (w : seq nat) :
  all (gtn n) w -> (n <= size w)%N -> filled 0 x -> filled 0 (round tau (x, w)).1.
Proof.
move=> all_w enough fill; have [size_x _ _] := fill.
have le_k : (throws tau x <= size w)%N by rewrite (leq_trans (throws_le _ _)) ?size_x.
have size_u : size (take (throws tau x) w) = throws tau x by rewrite size_take_min; apply/minn_idPl.
rewrite -(subnn (size (take (throws tau x) w))); apply: filled_receive => //.
  by rewrite -[w](cat_take_drop (throws tau x)) all_cat in all_w; case/andP: all_w.
by rewrite {1}size_u; apply: filled_removed.
Qed.

Theorem S1 x (w : seq nat) :
  filled 0 x -> all (gtn n) w -> (n <= size w)%N ->
  (excess tau (round tau (x, w)).1 + absorbed tau (removed tau x) (take (throws tau x) w))%N
  = excess tau x.
Proof.
move=> fill all_w enough; have [size_x no0 _] := fill; rewrite /round /=.
have le_k : (throws tau x <= size w)%N by rewrite (leq_trans (throws_le _ _)) ?size_x.
rewrite excess_receive; last first.
  rewrite size_removed size_x; rewrite -[w](cat_take_drop (throws tau x)) all_cat in all_w.
  by case/andP: all_w.
rewrite size_take_min (minn_idPl le_k) throwsE -[RHS](excess_removed tau).
by move: no0; rewrite emptyE -eqn0Ngt => /eqP->.
Qed.

Theorem S2 x (u : seq nat) :
  filled 0 x -> all (gtn n) u -> (size u <= throws tau x)%N ->
  h <= #|[set i : 'I_n | (nth 0%N (receive (removed tau x) u) i < tau)%N]|%:R / n%:R.
Proof.
move=> fill all_u le_u.
exact: many_holes (filled_receive all_u le_u (filled_removed fill)).
Qed.

Lemma h_ge0 : 0 <= h.
Proof. by rewrite divr_ge0 ?ler0n // subr_ge0 ler_nat. Qed.

Lemma h_le1 k x : filled k x -> h <= 1.
Proof.
move=> fill; apply: le_trans (many_holes fill) _.
by rewrite ler_pdivr_mulr // mul1r ler_nat -[X in (_ <= X)%N]card_ord max_card.
Qed.

(* A quantity that is no larger on average after a throw bounds a round's mean. *)
Lemma mean_throws (V : nat -> seq nat -> rat) (G : seq nat -> seq nat -> rat) K N x :
  (forall k y, filled k.+1 y -> \sum_(i < n) V k (incr_nth y i) <= n%:R * V k.+1 y) ->
  (forall y, filled 0 y -> mean n N (G y) <= V 0%N y) ->
  filled K x -> mean n (K + N) (fun w => G (receive x (take K w)) (drop K w)) <= V K x.
Proof.
move=> drift last_V; elim: K x => [|K IH] x fill /=.
  apply: le_trans (last_V _ fill); apply: mean_le => w _ _.
  by rewrite take0 drop0.
rewrite ler_pdivr_mulr // mulrC; apply: le_trans (drift _ _ fill).
by apply: ler_sum => i _; apply: IH; apply: filled_incr.
Qed.

Lemma mean_round (V : nat -> seq nat -> rat) (G : seq nat * seq nat -> rat) N x :
  (forall k y, filled k.+1 y -> \sum_(i < n) V k (incr_nth y i) <= n%:R * V k.+1 y) ->
  (forall y, filled 0 y -> mean n (N - throws tau x) (fun w => G (y, w)) <= V 0%N y) ->
  filled 0 x -> (n <= N)%N ->
  mean n N (fun w => G (round tau (x, w))) <= V (throws tau x) (removed tau x).
Proof.
move=> drift last_V fill enough; have [size_x _ _] := fill.
have le_k : (throws tau x <= N)%N by rewrite (leq_trans (throws_le _ _)) ?size_x.
rewrite -{1}(subnKC le_k).
exact: (@mean_throws V (fun y w => G (y, w)) _ _ _ drift last_V (filled_removed fill)).
Qed.

Lemma sum_incr (f : nat -> rat) x :
  size x = n ->
  \sum_(i < n) f (excess tau (incr_nth x i)) =
  (holes x)%:R * f (excess tau x) + (n - holes x)%:R * f (excess tau x).+1.
Proof.
move=> size_x; rewrite (bigID (mem [set i : 'I_n | (nth 0%N x i < tau)%N])) /=.
congr (_ + _).
  rewrite mulr_natl -sumr_const; apply: eq_bigr => i; rewrite inE => lt_i.
  by rewrite excess_incr ?size_x // leqNgt lt_i addn0.
rewrite (eq_bigr (fun=> f (excess tau x).+1)) => [|i]; last first.
  by rewrite inE -leqNgt => le_i; rewrite excess_incr ?size_x // le_i addn1.
rewrite sumr_const mulr_natl; congr (_ *+ _).
have := cardC [set i : 'I_n | (nth 0%N x i < tau)%N]; rewrite card_ord => cards.
by rewrite -[n in RHS]cards addKn; apply: eq_card.
Qed.

Lemma size_holes x : (holes x <= n)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.

Lemma not_converged x : filled 0 x -> ~~ converged tau x -> (0 < throws tau x)%N.
Proof. by rewrite convergedE lt0n. Qed.

Lemma throws_overfull x : filled 0 x -> throws tau x = count (overfull tau) x.
Proof. by move=> [_ no0 _]; rewrite throwsE; move: no0; rewrite emptyE -eqn0Ngt => /eqP->. Qed.

Lemma run_converged r x (w : seq nat) : converged tau x -> run tau r (x, w) = (x, w).
Proof. by move=> conv; elim: r => //= r ->; rewrite converged_stays. Qed.

(* S3, summed over t rounds: the mean of min(T2, t) is at most Y/h. *)
Definition not_yet r s := ~~ converged tau (run tau r s).1.

Lemma mean_rounds t N x :
  0 < h -> filled 0 x -> (n * t <= N)%N ->
  mean n N (fun w => \sum_(r < t) (not_yet r (x, w))%:R) <= (excess tau x)%:R / h.
Proof.
move=> h_pos; have bound_ge0 l : 0 <= l%:R / h := divr_ge0 (ler0n _ l) (ltW h_pos).
elim: t N x => [|t IH] N x fill enough.
  rewrite -[X in _ <= X](mean_const N _ n_pos); apply: mean_le => w _ _.
  by rewrite big_ord0; exact: bound_ge0.
have [size_x no0 _] := fill; have le_k := throws_le tau x.
case: (boolP (converged tau x)) => [conv|/(not_converged fill) k_pos].
  rewrite -[X in _ <= X](mean_const N _ n_pos); apply: mean_le => w _ _.
  rewrite big1 => [|r _]; first exact: bound_ge0.
  by rewrite /not_yet (run_converged _ _ conv) /= conv.
pose V k y := ((excess tau y)%:R + k%:R * (1 - h)) / h.
pose G (s : seq nat * seq nat) : rat := \sum_(r < t) (not_yet r s)%:R.
apply: (@le_trans _ _ (1 + V (throws tau x) (removed tau x))).
  rewrite (eq_mean (g := fun w => 1 + G (round tau (x, w)))); last first.
    move=> w _ _; rewrite big_ord_recl /= {1}/not_yet /=; congr (_ + _).
      by rewrite convergedE -lt0n k_pos.
    by apply: eq_bigr => r _; rewrite /not_yet /run iterSr.
  rewrite mean_add mean_const // ler_add2l; apply: mean_round => //; last by lia.
    move=> k y fill_y; have [size_y _ _] := fill_y.
    rewrite /V -mulr_suml mulrA ler_pmul2r ?invr_gt0 // big_split /=.
    rewrite (@sum_incr (fun l => l%:R)) // sumr_const card_ord.
    have := many_holes fill_y; rewrite ler_pdivl_mulr // => many.
    rewrite natrB ?size_holes // -subr_ge0 -[X in 0 <= X](_ : (holes y)%:R - h * n%:R = _) ?subr_ge0 //.
    by rewrite -mulr_natl; ring.
  move=> y fill_y; rewrite /V mul0r addr0; apply: IH => //; lia.
have := excess_removed tau x; rewrite -throws_overfull // => sum_ex.
rewrite -(ler_pmul2r h_pos) mulrDl !divfK ?lt0r_neq0 // mul1r -sum_ex natrD -subr_ge0.
rewrite -[X in 0 <= X](_ : ((throws tau x)%:R - 1) * h = _); last by ring.
by apply: mulr_ge0; [rewrite subr_ge0 ler1n | exact: ltW].
Qed.

Theorem S3 t N x :
  (M < n * tau)%N -> filled 0 x -> (n * t <= N)%N ->
  \sum_(r < t) share n N (fun w => not_yet r (x, w)) <= (excess tau x)%:R / h.
Proof.
move=> lt_M fill enough; have h_pos : 0 < h.
  by rewrite divr_gt0 ?subr_gt0 ?ltr_nat // ltr0n muln_gt0 n_pos; lia.
apply: le_trans (mean_rounds h_pos fill enough); rewrite mean_sum.
by apply: ler_sum => r _; rewrite share_mean.
Qed.

(* S5 in finite form. *)
Lemma not_converged_excess x : filled 0 x -> ~~ converged tau x -> (0 < excess tau x)%N.
Proof.
move=> fill /(not_converged fill); rewrite throws_overfull // -(excess_removed tau).
by move=> pos; rewrite addn_gt0 pos orbT.
Qed.

Lemma mean_late t N x :
  filled 0 x -> (n * t <= N)%N ->
  mean n N (fun w => (not_yet t (x, w))%:R) <=
  2%:R ^+ excess tau x * ((1 - h / 2%:R) ^+ t / 2%:R).
Proof.
elim: t N x => [|t IH] N x fill enough; have [size_x no0 _] := fill.
  rewrite expr0 -[X in _ <= X](mean_const N _ n_pos); apply: mean_le => w _ _.
  rewrite /not_yet /=; case: (boolP (converged tau x)) => [_|/(not_converged_excess fill)].
    by rewrite mulr_ge0 ?exprn_ge0 ?divr_ge0 ?ler0n.
  case: (excess tau x) => // y _; rewrite exprSr mul1r mulfK ?pnatr_eq0 //.
  by rewrite exprn_ege1 // ler1n.
have le_k := throws_le tau x.
have half_ge0 : 0 <= 1 - h / 2%:R.
  rewrite subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r (le_trans (h_le1 fill)) //; exact: ler1n.
case: (boolP (converged tau x)) => [conv|/(not_converged fill) k_pos].
  rewrite -[X in _ <= X](mean_const N _ n_pos); apply: mean_le => w _ _.
  rewrite /not_yet (run_converged _ _ conv) /= conv.
  by rewrite mulr_ge0 ?exprn_ge0 ?divr_ge0 ?ler0n ?exprn_ge0.
pose q := 1 - h / 2%:R.
have [c c_ge0 c_def] : exists2 c, 0 <= c & q ^+ t / 2%:R = c.
  by exists (q ^+ t / 2%:R); rewrite // divr_ge0 ?exprn_ge0 ?ler0n.
pose V k y := 2%:R ^+ excess tau y * (2%:R - h) ^+ k * c.
pose G (s : seq nat * seq nat) : rat := (not_yet t s)%:R.
rewrite (eq_mean (g := fun w => G (round tau (x, w)))) => [|w _ _]; last first.
  by rewrite /G /not_yet /run iterSr.
apply: (@le_trans _ _ (V (throws tau x) (removed tau x))).
  apply: mean_round => //; last by lia.
    move=> k y fill_y; have [size_y _ _] := fill_y.
    rewrite /V -!mulr_suml (@sum_incr (fun l => 2%:R ^+ l)) // !mulrA.
    rewrite ler_wpmul2r // [(_ - h) ^+ _.+1]exprS mulrA ler_wpmul2r //.
      by rewrite exprn_ge0 // subr_ge0 (le_trans (h_le1 fill)) // ler1n.
    have := many_holes fill_y; rewrite ler_pdivl_mulr // => many.
    rewrite natrB ?size_holes // exprS -subr_ge0.
    rewrite -[X in 0 <= X](_ : 2%:R ^+ excess tau y * ((holes y)%:R - h * n%:R) = _); last by ring.
    by rewrite mulr_ge0 ?exprn_ge0 ?subr_ge0 ?ler0n.
  move=> y fill_y; rewrite /V expr0 mulr1 -c_def; apply: IH => //; lia.
have := excess_removed tau x; rewrite -throws_overfull // => <-.
have two_q : 2%:R - h = 2%:R * q by rewrite /q mulrBr mulr1 mulrCA divff ?mulr1 // pnatr_eq0.
rewrite /V exprD two_q exprMn -/q [q ^+ t.+1]exprS -[q * _ / _]mulrA c_def !mulrA ler_wpmul2r //.
rewrite ler_wpmul2l ?mulr_ge0 ?exprn_ge0 ?ler0n // -[X in _ <= X]expr1.
by rewrite ler_wiexpn2l // ler_subl_addr ler_addl divr_ge0 ?h_ge0 ?ler0n.
Qed.

Theorem S5_finite t N x :
  filled 0 x -> (n * t <= N)%N ->
  share n N (fun w => not_yet t (x, w)) <=
  2%:R ^+ excess tau x * ((1 - h / 2%:R) ^+ t / 2%:R).
Proof. by move=> fill enough; rewrite share_mean //; apply: mean_late. Qed.

End PhaseTwo.
