(* Phase one, and the runs that never converge.

   B3, B5: if the first m throws miss no bin, then after m rounds no bin is empty, and there
   are never m + n balls or more. never_iff (part of S18): a state never converges, whatever
   is thrown, exactly if its balls and its empty bins together exceed n tau. S6_finite: the
   share of runs in such a state is at most n (1 - 1/n)^(n (tau - 1)). *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Repslab Require Import Process Share.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory Order.Theory.

Section PhaseOne.

Variable tau : nat.
Hypothesis tau_pos : 0 < tau.

Lemma nth_removed x i : 0 < nth 0 x i -> 0 < nth 0 (removed tau x) i.
Proof.
case: (ltnP i (size x)) => [lt_i|le_i]; last by rewrite nth_default.
by rewrite (nth_map 0) //; case: ifP; rewrite /overfull; lia.
Qed.

(* A3: a bin that is not empty stays so. *)
Theorem A3 x w i : 0 < nth 0 x i -> 0 < nth 0 (round tau (x, w)).1 i.
Proof. by move=> /nth_removed; rewrite nth_receive addn_gt0 => ->. Qed.

Lemma no_emptyP x : reflect (forall i, i < size x -> 0 < nth 0 x i) (0 \notin x).
Proof.
apply: (iffP idP) => [no0 i lt_i|filled].
  by rewrite lt0n; apply: contraNneq no0 => <-; apply: mem_nth.
by apply/negP => /(nthP 0)[i lt_i eq0]; have := filled i lt_i; rewrite eq0.
Qed.

Lemma no_empty_stays x w :
  all (gtn (size x)) w -> 0 \notin x -> 0 \notin (round tau (x, w)).1.
Proof.
move=> all_w /no_emptyP filled; apply/no_emptyP => i; rewrite size_round // => lt_i.
exact/A3/filled.
Qed.

(* What holds after r rounds from empty bins that used the throws u of w. *)
Definition early (n m : nat) (w : seq nat) (r : nat) (u x : seq nat) : Prop :=
  [/\ size x = n, forall i, i \in u -> 0 < nth 0 x i, sumn x <= size u,
      0 \in x -> r <= size u & misses n m w \/ sumn x + empty x < m + n].

Lemma uncovered n m (u v x : seq nat) :
  size x = n -> (forall i, i \in u -> 0 < nth 0 x i) -> 0 \in x ->
  ~~ misses n m (u ++ v) -> size u < m.
Proof.
move=> size_x hit /(nthP 0)[i lt_i eq0] /hasPn/(_ i); rewrite mem_iota -size_x => /(_ lt_i).
rewrite negbK take_cat; case: ltnP => [_ /mem_take/hit|le_u]; first by rewrite eq0.
case: ltngtP le_u => // eq_m _; rewrite eq_m subnn take0 cats0 => /hit.
by rewrite eq0.
Qed.

Lemma early_round n m r (u v x : seq nat) :
  all (gtn n) v -> n <= size v -> early n m (u ++ v) r u x ->
  early n m (u ++ v) r.+1 (u ++ take (throws tau x) v) (round tau (x, v)).1.
Proof.
move=> all_v enough [size_x hit le_u le_r few].
have le_k : throws tau x <= size v by rewrite (leq_trans (throws_le _ _)) ?size_x.
have size_x' : size (round tau (x, v)).1 = n by rewrite size_round ?size_x.
have hit' i : i \in u ++ take (throws tau x) v -> 0 < nth 0 (round tau (x, v)).1 i.
  rewrite mem_cat => /orP[/hit/A3//|in_v].
  by rewrite nth_receive addn_gt0 -has_count has_pred1 in_v orbT.
have size_u' : size (u ++ take (throws tau x) v) = size u + throws tau x.
  by rewrite size_cat size_take_min (minn_idPl le_k).
have sum_x' := sumn_round le_k; have k_sum := throwsE tau x.
have was_empty : 0 \in (round tau (x, v)).1 -> 0 \in x.
  by apply: contraTT => no0; apply: no_empty_stays; rewrite ?size_x.
split=> // [|empty'|]; rewrite ?size_u'; first by lia.
  by have := le_r (was_empty empty'); have := was_empty empty'; rewrite emptyE; lia.
case: few => [|few]; [by left | case missed: (misses _ _ _); [by left | right]].
case: (boolP (0 \in (round tau (x, v)).1)) => [empty'|]; last by rewrite emptyE; lia.
have := @uncovered n m (u ++ take (throws tau x) v) (drop (throws tau x) v) _ size_x' hit' empty'.
rewrite -catA cat_take_drop missed size_u' => /(_ isT).
have : empty (round tau (x, v)).1 <= n by rewrite -size_x' count_size.
by lia.
Qed.

Lemma run_early n m (w : seq nat) r :
  0 < n -> all (gtn n) w -> n * r <= size w -> exists (u v x : seq nat),
  [/\ run tau r (nseq n 0, w) = (x, v), w = u ++ v, size u <= n * r & early n m w r u x].
Proof.
move=> n_pos all_w; elim: r => [_|r IH enough].
  exists [::], w, (nseq n 0); split=> //; split; rewrite ?size_nseq ?sumn_nseq //.
  case missed: (misses n m w); [by left | right].
  rewrite /empty count_nseq /= mul1n; case: (m) missed => [|m']; last by lia.
  by rewrite /misses take0 has_predT size_iota n_pos.
have enough_r : n * r <= size w by lia.
have [u [v [x [run_r eq_w le_u early_x]]]] := IH enough_r.
have size_w : size w = size u + size v by rewrite eq_w size_cat.
have all_v : all (gtn n) v by move: all_w; rewrite eq_w all_cat => /andP[].
have enough_v : n <= size v by lia.
exists (u ++ take (throws tau x) v), (drop (throws tau x) v), (round tau (x, v)).1.
rewrite /run iterS -/(run tau r _) run_r -catA cat_take_drop; split=> //.
  rewrite size_cat size_take_min; have [size_x _ _ _ _] := early_x.
  by have := throws_le tau x; rewrite size_x; lia.
by rewrite eq_w; apply: early_round; rewrite -?eq_w.
Qed.

(* B3, B5: phase one ends within m rounds, with fewer than m + n balls. *)
Theorem few_balls n m w r :
  0 < n -> all (gtn n) w -> n * r <= size w -> ~~ misses n m w ->
  sumn (loads tau n r w) + empty (loads tau n r w) < m + n.
Proof.
move=> n_pos all_w enough /negbTE covered.
have [u [v [x [run_r _ _ [_ _ _ _]]]]] := run_early m n_pos all_w enough.
by rewrite /loads run_r covered => -[].
Qed.

Theorem no_empty n m w r :
  0 < n -> all (gtn n) w -> n * r <= size w -> ~~ misses n m w -> m <= r ->
  0 \notin loads tau n r w.
Proof.
move=> n_pos all_w enough covered le_r.
have [u [v [x [run_r eq_w _ [size_x hit _ le_u _]]]]] := run_early m n_pos all_w enough.
rewrite /loads run_r; apply/negP => /= empty_x.
have := le_u empty_x; rewrite eq_w in covered.
by have := uncovered size_x hit empty_x covered; lia.
Qed.

(* A run never converges exactly if balls and empty bins exceed n tau. *)
Definition never x : Prop :=
  forall r w, all (gtn (size x)) w -> size x * r <= size w ->
    ~~ converged tau (run tau r (x, w)).1.
Definition doomed x : bool := size x * tau < sumn x + empty x.

Lemma doomed_not_converged x : doomed x -> ~~ converged tau x.
Proof.
apply: contraTN; rewrite /doomed /converged; elim: x => //= l x IH /andP[l_ok /IH].
by rewrite /empty /=; lia.
Qed.

Lemma doomed_never x : doomed x -> never x.
Proof.
move=> doom r; elim: r x doom => [|r IH] x doom w all_w enough.
  exact: doomed_not_converged.
have le_k := throws_le tau x.
rewrite /run iterSr -/(run tau r _) [round tau _]surjective_pairing; apply: IH.
- by rewrite /doomed size_round // sumn_round; move: doom; rewrite /doomed; lia.
- rewrite size_round //=; move: all_w; rewrite -{1}[w](cat_take_drop (throws tau x)) all_cat.
  by case/andP.
- by rewrite size_round //= size_drop; lia.
Qed.

(* Otherwise some throws lead to convergence: into empty bins first, then below tau. *)
Lemma empty_incr x i : i < size x -> empty (incr_nth x i) + (nth 0 x i == 0) = empty x.
Proof.
rewrite /empty; elim: x i => [|l x IH] [|i] //=; first by lia.
by rewrite ltnS => /IH<-; rewrite addnA.
Qed.

Lemma some_hole x : sumn x < size x * tau -> exists2 i, i < size x & nth 0 x i < tau.
Proof.
elim: x => //= l x IH lt_sum; case: (ltnP l tau) => [lt_l|le_l]; first by exists 0.
by have [|i lt_i lt_hole] := IH; [lia | exists i.+1].
Qed.

Lemma fill k (x : seq nat) :
  sumn x + k <= size x * tau -> exists u,
  [/\ size u = k, all (gtn (size x)) u, excess tau (receive x u) = excess tau x
    & empty (receive x u) = empty x - k].
Proof.
elim: k x => [|k IH] x le_sum; first by exists [::]; rewrite subn0.
have [i lt_i [lt_hole first]] :
    exists2 i, i < size x & nth 0 x i < tau /\ (0 < empty x -> nth 0 x i = 0).
  case: (posnP (empty x)) => [no0|]; last first.
    by rewrite -emptyE => /(nthP 0)[i lt_i eq0]; exists i; rewrite ?eq0.
  by have [|i lt_i lt_hole] := @some_hole x; [lia | exists i].
have [|u [size_u all_u same fewer]] := IH (incr_nth x i).
  by rewrite sumn_incr size_incr //; lia.
rewrite size_incr // in all_u; exists (i :: u); split=> [|||] /=; rewrite ?size_u ?lt_i //.
  by rewrite same excess_incr //; lia.
by rewrite fewer; have := empty_incr lt_i; case: (posnP (empty x)) first => [|pos /(_ isT)->]; lia.
Qed.

Lemma round_cat x (w p : seq nat) :
  throws tau x <= size w ->
  round tau (x, w ++ p) = ((round tau (x, w)).1, (round tau (x, w)).2 ++ p).
Proof.
move=> le_k; rewrite /round /= takel_cat // drop_cat; case: ltngtP le_k => // -> _.
by rewrite subnn drop0 drop_size.
Qed.

Lemma run_cat r x (w p : seq nat) :
  all (gtn (size x)) w -> size x * r <= size w ->
  (run tau r (x, w ++ p)).1 = (run tau r (x, w)).1.
Proof.
elim: r x w => // r IH x w all_w enough; have le_k := throws_le tau x.
rewrite /run !iterSr -/(run tau r _) round_cat; last by lia.
rewrite -/(run tau r _) [round tau (x, w) in RHS]surjective_pairing; apply: IH.
  by rewrite size_round //; move: all_w; rewrite -{1}[w](cat_take_drop (throws tau x)) all_cat => /andP[].
by rewrite size_round //= size_drop; lia.
Qed.

Lemma empty_removed x : empty (removed tau x) = empty x.
Proof.
rewrite /empty; elim: x => //= l x ->; congr (_ + _).
by case: ifP => //; rewrite /overfull; case: l => [|[|l]] //=; lia.
Qed.

Lemma can_converge x :
  ~~ doomed x -> exists r w,
  [/\ all (gtn (size x)) w, size w = size x * r & converged tau (run tau r (x, w)).1].
Proof.
have [b] := ubnP (excess tau x + empty x); elim: b x => // b IH x lt_b safe.
case conv: (converged tau x); first by exists 0, [::]; rewrite muln0.
have k_pos : 0 < throws tau x by rewrite lt0n -convergedE conv.
have k_sum := throwsE tau x.
have [|u [size_u all_u same fewer]] := @fill (throws tau x) (removed tau x).
  by move: safe; rewrite /doomed size_removed; have := sumn_removed tau x; lia.
rewrite size_removed in all_u; rewrite empty_removed in fewer.
have round_x p : round tau (x, u ++ p) = (receive (removed tau x) u, p).
  by rewrite /round /= -size_u take_size_cat ?drop_size_cat.
have size_y : size (receive (removed tau x) u) = size x.
  by rewrite size_receive ?size_removed.
have sum_y := sumn_receive (removed tau x) u; have sum_x := sumn_removed tau x.
have ex_x := excess_removed tau x.
have [||r [w [all_w size_w conv_w]]] := IH (receive (removed tau x) u).
- by rewrite same fewer; lia.
- by move: safe; rewrite /doomed size_y fewer sum_y; lia.
pose pad := nseq (size x - throws tau x) 0; exists r.+1, (u ++ w ++ pad).
have le_k := throws_le tau x; rewrite size_y in all_w size_w.
have pos_x : 0 < size x by lia.
split; first by rewrite !all_cat all_u all_w all_nseq /= pos_x orbT.
  by rewrite !size_cat size_u size_w size_nseq; lia.
by rewrite /run iterSr -/(run tau r _) round_x run_cat ?size_y ?size_w.
Qed.

Theorem never_iff x : 0 < size x -> never x <-> doomed x.
Proof.
move=> pos_x; split=> [no_run|]; last exact: doomed_never.
apply: contraT => /can_converge[r [w [all_w size_w conv_w]]].
by have := no_run r w all_w; rewrite size_w conv_w => /(_ (leqnn _)).
Qed.

Lemma size_loads n r (w : seq nat) :
  0 < n -> all (gtn n) w -> n * r <= size w -> size (loads tau n r w) = n.
Proof.
move=> n_pos all_w enough.
by have [u [v [x [run_r _ _ [size_x _ _ _ _]]]]] := run_early 0 n_pos all_w enough; rewrite /loads run_r.
Qed.

Lemma doomed_misses n r (w : seq nat) :
  0 < n -> all (gtn n) w -> n * r <= size w -> doomed (loads tau n r w) ->
  n * (tau - 1) <= size w /\ misses n (n * (tau - 1)) w.
Proof.
move=> n_pos all_w enough; rewrite /doomed size_loads // => beyond.
have : n * (tau - 1) + n = n * tau by rewrite -mulnSr subn1 prednK.
move: (n * (tau - 1)) => m eq_m; split; last by apply: contraT => /(few_balls n_pos all_w enough); lia.
have [u [v [x [run_r eq_w _ [size_x _ le_u _ _]]]]] := run_early 0 n_pos all_w enough.
move: beyond; rewrite /loads run_r /= => beyond.
have : empty x <= n by rewrite -size_x count_size.
by move: le_u; rewrite eq_w size_cat; lia.
Qed.

(* S6 in finite form: after any number r of rounds, for every N >= n r. *)
Theorem S6_finite n r N :
  0 < n -> n * r <= N ->
  (share n N (fun w => doomed (loads tau n r w)) <=
   n%:R * (1 - n%:R^-1) ^+ (n * (tau - 1)))%R.
Proof.
move=> n_pos enough; case: (leqP (n * (tau - 1)) N) => [le_m|lt_N].
  apply: le_trans (share_missing n_pos le_m).
  rewrite !share_mean //; apply: mean_le => w size_w all_w; rewrite ler_nat.
  case doom: (doomed _) => //; rewrite -size_w in enough.
  by have [_ ->] := doomed_misses n_pos all_w enough doom.
apply: (@le_trans _ _ 0%R); last first.
  by rewrite mulr_ge0 ?ler0n // exprn_ge0 // subr_ge0 invf_le1 ?ler1n ?ltr0n.
rewrite share_mean // -[X in (_ <= X)%R](mean_const N 0%R n_pos).
apply: mean_le => w size_w all_w; rewrite -size_w in enough lt_N.
by case doom: (doomed _) => //; have [] := doomed_misses n_pos all_w enough doom; lia.
Qed.

End PhaseOne.
