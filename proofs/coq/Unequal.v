(* Unequal ports: a port serves in some rounds only.

   serve r i says whether port i serves in round r. A port that does not serve gives up no ball
   and, if it is empty, throws none. S9_unequal: if each port serves in each s rounds in a row,
   the bound of S9 holds after s times the rounds. *)
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From Repslab Require Import Process Share PhaseOne PhaseTwo Whole.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.

Section Unequal.

Variables n tau : nat.
Hypothesis n_pos : 0 < n.
Hypothesis tau_pos : 0 < tau.

(* A round in which the ports of a mask serve. *)
Definition given (p : nat * bool) : nat := if p.2 && overfull tau p.1 then p.1.-1 else p.1.
Definition active (p : nat * bool) : bool := p.2 && ((p.1 == 0) || overfull tau p.1).
Definition removed_by (m : seq bool) (x : seq nat) : seq nat := [seq given p | p <- zip x m].
Definition throws_by (m : seq bool) (x : seq nat) : nat := count active (zip x m).
Definition round_by (m : seq bool) (s : seq nat * seq nat) : seq nat * seq nat :=
  let k := throws_by m s.1 in (receive (removed_by m s.1) (take k s.2), drop k s.2).

Variable serve : nat -> nat -> bool.

(* r rounds from round b on. *)
Fixpoint run_from (b r : nat) (s : seq nat * seq nat) : seq nat * seq nat :=
  if r is r'.+1 then run_from b.+1 r' (round_by (mkseq (serve b) n) s) else s.

(* Each port serves in each s rounds in a row. *)
Definition fair (s : nat) : Prop :=
  forall b i, i < n -> exists2 j, b <= j < b + s & serve j i.

Lemma run_from_add b r t s : run_from b (r + t) s = run_from (b + r) t (run_from b r s).
Proof. by elim: r b s => [|r IH] b s; rewrite ?addn0 //= IH addSnnS. Qed.

Let mask (b : nat) : seq bool := mkseq (serve b) n.

Lemma size_mask b : size (mask b) = n. Proof. exact: size_mkseq. Qed.

Lemma zip_mask (x : seq nat) b : size x = n -> size (zip x (mask b)) = n.
Proof. by move=> size_x; rewrite size_zip size_mask size_x minnn. Qed.

Lemma throws_by_le b x : size x = n -> throws_by (mask b) x <= n.
Proof. by move=> size_x; rewrite -[X in _ <= X](zip_mask b size_x) count_size. Qed.

Lemma size_removed_by b x : size x = n -> size (removed_by (mask b) x) = n.
Proof. by move=> size_x; rewrite size_map zip_mask. Qed.

Lemma nth_removed_by b x i :
  size x = n -> i < n -> nth 0 (removed_by (mask b) x) i = given (nth 0 x i, serve b i).
Proof.
move=> size_x lt_i; rewrite (nth_map (0, false)) ?zip_mask // nth_zip ?size_mask //.
by rewrite nth_mkseq.
Qed.

Lemma given_le p : given p <= p.1.
Proof. by rewrite /given; case: ifP => _ //; exact: leq_pred. Qed.

Lemma given_pos p : 0 < p.1 -> 0 < given p.
Proof. by rewrite /given /overfull; case: ifP => // /andP[_]; lia. Qed.

(* A round with enough throws left. *)
Lemma all_take_drop k (w : seq nat) :
  all (gtn n) w -> all (gtn n) (take k w) /\ all (gtn n) (drop k w).
Proof. by rewrite -{1}[w](cat_take_drop k) all_cat => /andP. Qed.

Lemma size_round_by b x (w : seq nat) :
  size x = n -> all (gtn n) w -> size (round_by (mask b) (x, w)).1 = n.
Proof.
move=> size_x all_w; rewrite /= size_receive ?size_removed_by //.
by case: (all_take_drop (throws_by (mask b) x) all_w).
Qed.

Lemma stays_filled b x (w : seq nat) i :
  size x = n -> 0 < nth 0 x i -> 0 < nth 0 (round_by (mask b) (x, w)).1 i.
Proof.
move=> size_x; case: (ltnP i n) => [lt_i|le_i]; last by rewrite nth_default ?size_x.
by move=> pos; rewrite nth_receive addn_gt0 nth_removed_by // given_pos.
Qed.

Lemma sumn_removed_by (m : seq bool) x :
  size x = size m -> sumn (removed_by m x) + throws_by m x <= sumn x + empty x.
Proof.
rewrite /removed_by /throws_by /empty; elim: x m => [|l x IH] [|c m] //= [/IH].
by rewrite /given /active /overfull /=; case: c; case: (ltnP tau l); case: l => //=; lia.
Qed.

Lemma excess_removed_by (m : seq bool) x :
  size x = size m -> 0 \notin x -> excess tau (removed_by m x) + throws_by m x = excess tau x.
Proof.
rewrite /removed_by /throws_by /excess; elim: x m => [|l x IH] [|c m] //= [/IH eq_x].
rewrite inE negb_or => /andP[l_pos /eq_x].
by rewrite /given /active /overfull /=; case: c; case: (ltnP tau l); case: l l_pos => //=; lia.
Qed.

(* Without throws a round changes nothing. *)
Lemma quiet b x (w : seq nat) :
  size x = n -> throws_by (mask b) x = 0 -> round_by (mask b) (x, w) = (x, w).
Proof.
move=> size_x none; rewrite /round_by /= none take0 drop0 /=; congr pair.
apply: (@eq_from_nth _ 0) => [|i]; rewrite size_removed_by ?size_x // => lt_i.
rewrite nth_removed_by // /given; case: ifP => // /= /andP[on over].
have : has active (zip x (mask b)); last by rewrite has_count -/(throws_by _ _) none.
apply/(has_nthP (0, false)); exists i; first by rewrite zip_mask.
by rewrite nth_zip ?size_mask // nth_mkseq // /active /= on over orbT.
Qed.

Lemma converged_quiet b x : size x = n -> converged tau x -> throws_by (mask b) x = 0.
Proof.
move=> size_x conv; apply/eqP; rewrite -leqn0 leqNgt -has_count; apply/negP.
move=> /(has_nthP (0, false))[i]; rewrite zip_mask // => lt_i.
rewrite nth_zip ?size_mask // /active /= => /andP[_].
have := allP conv (nth 0 x i); rewrite mem_nth ?size_x // => /(_ isT).
by rewrite /overfull; lia.
Qed.

Lemma throws_by_pos b x i :
  size x = n -> i < n -> serve b i -> (nth 0 x i == 0) || overfull tau (nth 0 x i) ->
  0 < throws_by (mask b) x.
Proof.
move=> size_x lt_i on act; rewrite -has_count; apply/(has_nthP (0, false)).
by exists i; rewrite ?zip_mask // nth_zip ?size_mask // nth_mkseq // /active /= on.
Qed.

Lemma run_size b r x (w : seq nat) :
  size x = n -> all (gtn n) w ->
  [/\ size (run_from b r (x, w)).1 = n, all (gtn n) (run_from b r (x, w)).2
    & size w <= size (run_from b r (x, w)).2 + n * r].
Proof.
elim: r b x w => [|r IH] b x w size_x all_w; first by rewrite muln0 addn0.
have [size_y all_v le_v] :=
  IH b.+1 _ _ (size_round_by b size_x all_w) (proj2 (all_take_drop (throws_by (mask b) x) all_w)).
split=> //; move: (throws_by_le b size_x) le_v; rewrite /= /round_by /= size_drop mulnS /mask; lia.
Qed.

Lemma run_shrinks b r s : size (run_from b r s).2 <= size s.2.
Proof.
elim: r b s => //= r IH b s; apply: leq_trans (IH _ _) _.
by rewrite /= size_drop leq_subr.
Qed.

Lemma run_converged_by b r x (w : seq nat) :
  size x = n -> converged tau x -> run_from b r (x, w) = (x, w).
Proof.
by move=> size_x conv; elim: r b => //= r IH b; rewrite quiet ?converged_quiet.
Qed.

(* In s rounds a run that has not converged throws. *)
Lemma run_busy r b x (w : seq nat) i j :
  size x = n -> 0 < size w -> i < n -> (nth 0 x i == 0) || overfull tau (nth 0 x i) ->
  b <= j < b + r -> serve j i -> size (run_from b r (x, w)).2 < size w.
Proof.
elim: r b => [|r IH] b size_x w_pos lt_i act; first by lia.
move=> range on /=; case: (posnP (throws_by (mask b) x)) => [none|some].
  rewrite quiet //; apply: IH => //; case: (eqVneq j b) on => [->|ne_jb]; last by lia.
  by move=> on; have := throws_by_pos size_x lt_i on act; rewrite none.
by apply: leq_ltn_trans (run_shrinks _ _ _) _; move: some; rewrite /mask /round_by /= size_drop; lia.
Qed.

Lemma block_busy s b x (w : seq nat) :
  fair s -> size x = n -> 0 < size w -> ~~ converged tau x ->
  size (run_from b s (x, w)).2 < size w.
Proof.
move=> is_fair size_x w_pos; rewrite /converged => /allPn[l /(nthP 0)[i lt_i <-]] bad.
rewrite size_x in lt_i; have [j range on] := is_fair b i lt_i.
apply: (run_busy (i := i) (j := j)) => //; move: bad; rewrite /overfull negb_and -leqNgt leqn0.
by rewrite -ltnNge.
Qed.

(* So k blocks throw k balls at least, unless the run converges. *)
Lemma blocks_busy s k b x (w : seq nat) :
  fair s -> size x = n -> all (gtn n) w -> n * (s * k) <= size w -> 0 < s ->
  ~~ converged tau (run_from b (s * k) (x, w)).1 ->
  size (run_from b (s * k) (x, w)).2 + k <= size w.
Proof.
move=> is_fair; elim: k b x w => [|k IH] b x w size_x all_w enough s_pos; first by rewrite muln0 addn0.
rewrite mulnS run_from_add.
case: (boolP (converged tau x)) => [conv|open_x].
  by rewrite !run_converged_by // conv.
have := run_size b s size_x all_w.
have := @block_busy s b x w is_fair size_x _ open_x.
case: (run_from b s (x, w)) => y v /= busy [size_y all_v le_v] open_y.
have : size v < size w by apply: busy; nia.
by have := IH _ _ _ size_y all_v _ s_pos open_y; nia.
Qed.

(* Phase one, as in PhaseOne.v. *)
Definition early_by (m : nat) (w u x : seq nat) : Prop :=
  [/\ size x = n, forall i, i \in u -> 0 < nth 0 x i, sumn x <= size u
    & misses n m w \/ sumn x + empty x < m + n].

Lemma sumn_removed_le (m : seq bool) x : size x = size m -> sumn (removed_by m x) <= sumn x.
Proof.
rewrite /removed_by; elim: x m => [|l x IH] [|c m] //= [/IH le_x].
by apply: leq_add => //; exact: (given_le (l, c)).
Qed.

Lemma early_round_by b m (u v x : seq nat) :
  all (gtn n) v -> n <= size v -> early_by m (u ++ v) u x ->
  early_by m (u ++ v) (u ++ take (throws_by (mask b) x) v) (round_by (mask b) (x, v)).1.
Proof.
move=> all_v enough [size_x hit le_u few].
have le_k := leq_trans (throws_by_le b size_x) enough.
have size_x' := size_round_by b size_x all_v.
have hit' i : i \in u ++ take (throws_by (mask b) x) v -> 0 < nth 0 (round_by (mask b) (x, v)).1 i.
  rewrite mem_cat => /orP[/hit|in_v]; first exact: stays_filled.
  by rewrite nth_receive addn_gt0 -has_count has_pred1 in_v orbT.
have size_k : size (take (throws_by (mask b) x) v) = throws_by (mask b) x.
  by rewrite size_take_min (minn_idPl le_k).
have sum_x' : sumn (round_by (mask b) (x, v)).1 = sumn (removed_by (mask b) x) + throws_by (mask b) x.
  by rewrite /= sumn_receive size_k.
have same_size : size x = size (mask b) by rewrite size_mask.
have le_sum := sumn_removed_le same_size; have le_all := sumn_removed_by same_size.
split=> //; first by rewrite size_cat size_k sum_x'; lia.
case: few => [|few]; [by left | case missed: (misses n m (u ++ v)); [by left | right]].
case: (boolP (0 \in (round_by (mask b) (x, v)).1)) => [empty'|]; last by rewrite emptyE; lia.
have := @uncovered n m (u ++ take (throws_by (mask b) x) v) (drop (throws_by (mask b) x) v) _
  size_x' hit' empty'.
rewrite -catA cat_take_drop missed size_cat size_k => /(_ isT).
have : empty (round_by (mask b) (x, v)).1 <= n by rewrite -size_x' count_size.
by lia.
Qed.

Lemma run_early_by m (w : seq nat) r b (u v x : seq nat) :
  all (gtn n) v -> n * r <= size v -> w = u ++ v -> early_by m w u x -> exists u' v' x',
  [/\ run_from b r (x, v) = (x', v'), w = u' ++ v' & early_by m w u' x'].
Proof.
elim: r b u v x => [|r IH] b u v x all_v enough eq_w early_x; first by exists u, v, x.
have [size_x _ _ _] := early_x.
have le_k := throws_by_le b size_x.
have enough_n : n <= size v by lia.
rewrite eq_w in early_x.
apply: (IH b.+1 (u ++ take (throws_by (mask b) x) v) (drop (throws_by (mask b) x) v)).
- by case: (all_take_drop (throws_by (mask b) x) all_v).
- by rewrite size_drop; lia.
- by rewrite -catA cat_take_drop.
- by rewrite eq_w; apply: early_round_by.
Qed.

Theorem phase_one_by s m (w : seq nat) :
  fair s -> 0 < s -> all (gtn n) w -> n * (s * m) <= size w -> ~~ misses n m w ->
  [/\ size (run_from 0 (s * m) (nseq n 0, w)).1 = n,
      0 \notin (run_from 0 (s * m) (nseq n 0, w)).1
    & sumn (run_from 0 (s * m) (nseq n 0, w)).1 < m + n].
Proof.
move=> is_fair s_pos all_w enough covered.
have early_0 : early_by m w [::] (nseq n 0).
  split; rewrite ?size_nseq ?sumn_nseq //; right; rewrite /empty count_nseq /= mul1n.
  case: (m) covered => [|m']; last by lia.
  by rewrite /misses take0 has_predT size_iota n_pos.
have [u [v [x [run_r eq_w [size_x hit le_u few]]]]] :=
  @run_early_by m w (s * m) 0 [::] w _ all_w enough (erefl _) early_0.
have := @blocks_busy s m 0 (nseq n 0) w is_fair (size_nseq _ _) all_w enough s_pos.
rewrite run_r /= => busy; split=> //; last first.
  by case: few; [rewrite (negbTE covered) | lia].
apply/negP => empty_x; have not_conv : ~~ converged tau x.
  by apply/negP => conv; have := allP conv 0 empty_x.
rewrite eq_w in covered; have := uncovered size_x hit empty_x covered.
by have := busy not_conv; rewrite eq_w size_cat; lia.
Qed.

End Unequal.

Local Open Scope ring_scope.

Lemma mean_scale n N (f : seq nat -> rat) c : mean n N (fun w => f w * c) = mean n N f * c.
Proof.
elim: N f => //= N IH f; rewrite [RHS]mulrAC [in RHS]mulr_suml; congr (_ / _).
by apply: eq_bigr => i _; rewrite IH.
Qed.

Section Late.

Variables n tau M : nat.
Hypothesis n_pos : (0 < n)%N.
Hypothesis tau_2 : (2 <= tau)%N.
Hypothesis le_M : (M <= n * tau)%N.
Variable serve : nat -> nat -> bool.

Let h := absorption n tau M.
Let q := 1 - h / 2%:R.
Let tau_pos : (0 < tau)%N. Proof. by lia. Qed.
Let mask (b : nat) : seq bool := mkseq (serve b) n.
Let run := run_from n tau serve.

Lemma two_q : 2%:R - h = 2%:R * q.
Proof. by rewrite /q mulrBr mulr1 mulrCA divff ?mulr1 // pnatr_eq0. Qed.

Lemma filled_removed_by b x :
  filled n M 0 x -> filled n M (throws_by tau (mask b) x) (removed_by tau (mask b) x).
Proof.
move=> [size_x no0 few]; have size_y := size_removed_by tau serve b size_x; split=> //.
  apply/no_emptyP => i; rewrite size_y => lt_i; rewrite (nth_removed_by tau serve b size_x lt_i).
  by apply: (given_pos n_pos tau_pos); apply: (no_emptyP _ no0); rewrite size_x.
have same_size : size x = size (mask b) by rewrite size_mkseq.
by have := sumn_removed_by n_pos tau_pos same_size; move: no0 few; rewrite emptyE -eqn0Ngt => /eqP->; lia.
Qed.

Lemma drift_half k x c :
  0 <= c -> filled n M k.+1 x ->
  \sum_(i < n) (2%:R ^+ excess tau (incr_nth x i) * (2%:R - h) ^+ k * c) <=
  n%:R * (2%:R ^+ excess tau x * (2%:R - h) ^+ k.+1 * c).
Proof.
move=> c_ge0 fill; have [size_x _ _] := fill.
rewrite -!mulr_suml (@sum_incr n tau (fun l => 2%:R ^+ l)) // !mulrA.
rewrite ler_wpmul2r // [(_ - h) ^+ _.+1]exprS mulrA ler_wpmul2r //.
  by rewrite exprn_ge0 // subr_ge0 (le_trans (h_le1 tau_2 n_pos le_M fill)) // ler1n.
have := many_holes tau_2 n_pos le_M fill; rewrite ler_pdivl_mulr ?ltr0n // => many.
rewrite natrB ?size_holes // exprS -subr_ge0.
rewrite -[X in 0 <= X](_ : 2%:R ^+ excess tau x * ((holes n tau x)%:R - h * n%:R) = _); last by ring.
by rewrite mulr_ge0 ?exprn_ge0 ?subr_ge0 ?ler0n.
Qed.

Lemma mean_potential b r N x :
  filled n M 0 x -> (n * r <= N)%N ->
  mean n N (fun w => 2%:R ^+ excess tau (run b r (x, w)).1 * q ^+ size (run b r (x, w)).2) <=
  2%:R ^+ excess tau x * q ^+ N.
Proof.
elim: r b N x => [|r IH] b N x fill enough.
  rewrite -[X in _ <= X](mean_const N _ n_pos); apply: mean_le => w size_w _.
  by rewrite /run /= size_w.
have [size_x no0 _] := fill; have le_k := throws_by_le tau serve b size_x.
pose F (s : seq nat * seq nat) : rat := 2%:R ^+ excess tau s.1 * q ^+ size s.2.
pose G y w := F (run b.+1 r (y, w)).
pose K := throws_by tau (mask b) x; have eq_N : (K + (N - K))%N = N.
  by apply: subnKC; move: le_k; rewrite -/(mask b) -/K; lia.
pose V k y := 2%:R ^+ excess tau y * (2%:R - h) ^+ k * q ^+ (N - K).
have q_ge0 : 0 <= q by exact: half_ge0.
apply: (@le_trans _ _ (V K (removed_by tau (mask b) x))).
  rewrite -{1}eq_N; apply: (@mean_throws n tau M tau_2 n_pos le_M V G) => [k y fill_y|y fill_y|].
  - by apply: drift_half => //; rewrite exprn_ge0.
  - by rewrite /V expr0 mulr1; apply: IH => //; move: le_k; rewrite -/(mask b) -/K; nia.
  - exact: filled_removed_by.
have same_size : size x = size (mask b) by rewrite size_mkseq.
rewrite -(excess_removed_by n_pos tau_pos same_size no0).
by rewrite /V two_q exprMn mulrA -exprD -mulrA -exprD -/K eq_N.
Qed.

Lemma run_filled b r x (w : seq nat) :
  size x = n -> all (gtn n) w -> 0%N \notin x -> 0%N \notin (run b r (x, w)).1.
Proof.
rewrite /run; elim: r b x w => //= r IH b x w size_x all_w no0; apply: IH.
- exact: size_round_by.
- by case: (all_take_drop (throws_by tau (mask b) x) all_w).
apply/no_emptyP => i; rewrite (size_round_by tau serve b size_x all_w) => lt_i.
apply: (stays_filled n_pos tau_pos serve b w size_x); apply: (no_emptyP _ no0).
by rewrite size_x.
Qed.

Lemma excess_pos (x : seq nat) : 0%N \notin x -> ~~ converged tau x -> (0 < excess tau x)%N.
Proof.
rewrite /excess /converged; elim: x => //= l x IH; rewrite inE negb_or => /andP[l_pos no0].
by rewrite negb_and => /orP[|/(IH no0)]; move: l_pos; lia.
Qed.

Lemma mean_late_by s t b N x :
  fair n serve s -> (0 < s)%N -> filled n M 0 x -> (n * (s * t) <= N)%N ->
  mean n N (fun w => (~~ converged tau (run b (s * t) (x, w)).1)%:R) <=
  2%:R ^+ excess tau x * (q ^+ t / 2%:R).
Proof.
move=> is_fair s_pos fill enough; have [size_x no0 few] := fill.
have q_ge : 2%:R^-1 <= q.
  rewrite /q ler_subr_addr -ler_subr_addl (_ : 1 - 2%:R^-1 = 1 / 2%:R :> rat) //.
  by rewrite ler_pmul2r ?invr_gt0 ?ltr0n //; exact: (h_le1 tau_2 n_pos le_M fill).
have q_gt0 : 0 < q by apply: lt_le_trans q_ge; rewrite invr_gt0 ltr0n.
have q_le1 : q <= 1.
  by rewrite /q ler_subl_addr ler_addl divr_ge0 ?ler0n //; exact: h_ge0.
have le_t : (t <= N)%N by apply: leq_trans enough; rewrite mulnA leq_pmull ?muln_gt0 ?n_pos.
pose c := (2%:R * q ^+ (N - t))^-1.
have c_ge0 : 0 <= c by rewrite invr_ge0 mulr_ge0 ?ler0n ?exprn_ge0 // ltW.
pose F w : rat := 2%:R ^+ excess tau (run b (s * t) (x, w)).1 * q ^+ size (run b (s * t) (x, w)).2.
apply: (@le_trans _ _ (mean n N (fun w => F w * c))).
  apply: mean_le => w size_w all_w; case: (boolP (converged _ _)) => [_|open] /=.
    by rewrite mulr_ge0 // mulr_ge0 ?exprn_ge0 ?ler0n // ltW.
  have enough_w : (n * (s * t) <= size w)%N by rewrite size_w.
  have le_v := blocks_busy n_pos tau_pos is_fair size_x all_w enough_w s_pos open.
  have pos := excess_pos (run_filled b (s * t) size_x all_w no0) open.
  rewrite /c invfM mulrA ler_pdivl_mulr ?exprn_gt0 // mul1r /F.
  rewrite mulrAC -[q ^+ (N - t)]mul1r; apply: ler_pmul; rewrite ?exprn_ge0 ?ler01 ?(ltW q_gt0) //.
    rewrite ler_pdivl_mulr ?ltr0n // mul1r -[X in X <= _]expr1.
    by rewrite ler_weexpn2l // ler1n.
  by rewrite ler_wiexpn2l ?(ltW q_gt0) //; move: le_v; rewrite -/run size_w; lia.
rewrite mean_scale; apply: le_trans (ler_wpmul2r c_ge0 (mean_potential b fill enough)) _.
rewrite /c invfM -{1}(subnK le_t) exprD -!mulrA ler_pmul2l ?exprn_gt0 ?ltr0n // le_eqVlt.
apply/orP; left; apply/eqP; rewrite [q ^+ (N - t) * _]mulrC -!mulrA [_^-1 * _]mulrC.
by rewrite mulrCA mulrA mulVf ?mul1r ?expf_neq0 ?lt0r_neq0 // mulrC.
Qed.

Lemma mean_run_by (G : seq nat * seq nat -> rat) B b r N x :
  size x = n -> (n * r <= N)%N ->
  (forall y N', size y = n -> (N <= N' + n * r)%N -> mean n N' (fun w => G (y, w)) <= B) ->
  mean n N (fun w => G (run b r (x, w))) <= B.
Proof.
rewrite /run; elim: r b N x => [|r IH] b N x size_x enough bound.
  by apply: (bound x N); rewrite ?muln0 ?addn0.
have le_k := throws_by_le tau serve b size_x.
rewrite -(@subnKC (throws_by tau (mask b) x) N); last by move: le_k; rewrite -/(mask b); lia.
pose F y v := G (run_from n tau serve b.+1 r (y, v)).
apply: (@mean_split n F B _ _ (removed_by tau (mask b) x)) => //; first exact: size_removed_by.
move=> y size_y; apply: IH => // [|z N' size_z le_N'].
  by move: le_k; rewrite -/(mask b); lia.
by apply: bound => //; move: le_k; rewrite -/(mask b); lia.
Qed.

End Late.

(* S9 with s times the rounds. *)
Theorem S9_unequal n tau serve s m t N :
  (2 <= n)%N -> (2 <= tau)%N -> (m + n < n * tau)%N -> (0 < s)%N -> fair n serve s ->
  (n * (s * (m + t)) <= N)%N ->
  share n N (fun w => ~~ converged tau (run_from n tau serve 0 (s * (m + t)) (nseq n 0%N, w)).1) <=
  n%:R * (1 - n%:R^-1) ^+ m + 2%:R ^+ (m + n) * (1 - absorption n tau (m + n) / 2%:R) ^+ t.
Proof.
move=> n_2 tau_2 lt_m s_pos is_fair enough; have n_pos := ltnW n_2.
have le_M := ltnW lt_m; have tau_pos := ltnW tau_2; set M := (m + n)%N in le_M *.
have split_N : (n * (s * m) + n * (s * t) <= N)%N by rewrite -!mulnDr.
have le_m : (m <= N)%N.
  apply: leq_trans (leq_trans (leq_addr _ _) split_N).
  by rewrite mulnA leq_pmull ?muln_gt0 ?n_pos.
pose good (x : seq nat) := [&& size x == n, 0%N \notin x & (sumn x <= M)%N].
pose G (p : seq nat * seq nat) : rat :=
  (good p.1 && ~~ converged tau (run_from n tau serve (s * m) (s * t) p).1)%:R.
pose start w := run_from n tau serve 0 (s * m) (nseq n 0%N, w).
apply: (@le_trans _ _ (mean n N (fun w => (misses n m w)%:R + G (start w)))).
  rewrite share_mean //; apply: mean_le => w size_w all_w.
  case: (boolP (misses n m w)) => [_|covered].
    by rewrite (@le_trans _ _ 1) ?lern1 ?leq_b1 // ler_addl ler0n.
  have enough_m : (n * (s * m) <= size w)%N by lia.
  have [size_x no0 few] := phase_one_by n_pos tau_pos is_fair s_pos all_w enough_m covered.
  rewrite /G /good /start size_x eqxx no0 (ltnW few) add0r mulnDr run_from_add add0n.
  exact: lexx.
rewrite mean_add -share_mean //; apply: ler_add; first exact: share_missing.
have q_ge0 : 0 <= (1 - absorption n tau M / 2%:R) ^+ t by rewrite exprn_ge0 ?half_ge0.
apply: (mean_run_by n_pos tau_2 le_M) => //; rewrite ?size_nseq //; first by lia.
move=> x N' size_x le_N'; rewrite /G /=; case: (boolP (good x)) => [|_] /=; last first.
  by rewrite mean_const // mulr_ge0 // exprn_ge0 ?ler0n.
case/and3P=> _ no0 few_x.
have fill : filled n M 0 x by split; rewrite ?addn0.
apply: le_trans (mean_late_by n_pos tau_2 le_M (s * m) is_fair s_pos fill _) _; first by lia.
apply: ler_pmul; [by rewrite exprn_ge0 ?ler0n | by rewrite divr_ge0 ?ler0n | |].
  by rewrite ler_weexpn2l ?ler1n // (leq_trans (excess_sum _ _)).
by rewrite ler_pdivr_mulr ?ltr0n // ler_pemulr // ler1n.
Qed.
