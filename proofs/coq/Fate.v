(* Two conditions on the random throws that decide a run from n empty bins.

   With e(k) the bins that the first k throws w miss and g(k) the holes that they leave:
   S21_never: if 2 e(k1) (k1 - k0) >= g(k0) (2 e(k0) + g(k0)) for some k0 < k1, with e(k1) > 0,
   the run never converges. S22_never: if no bin is hit more than tau + z(k) times by k throws, and some B
   that never rises has 4 e(k) + 2 B(k) <= g(k), and e(k') + B(k') <= B(k) wherever 2 z(k) (k' - k) >= g(k),
   for example B(k) = the sum of 2 z(i) e(i)/g(i) over i > k, rounded down, no state is doomed. *)
From mathcomp Require Import all_ssreflect zify.
From Repslab Require Import Process Share PhaseOne Throws.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The bins that u misses. *)
Definition missed (n : nat) (u : seq nat) : nat := count (fun i => i \notin u) (iota 0 n).

Lemma missed_cat n u v : missed n (u ++ v) <= missed n u.
Proof. by apply: sub_count => i /=; rewrite mem_cat negb_or => /andP[]. Qed.

Lemma room_cat tau n u v : room tau n (u ++ v) <= room tau n u.
Proof.
rewrite /room; elim: (iota 0 n) => //= i s IH.
by apply: leq_add IH; rewrite count_cat; lia.
Qed.

Section Fate.

Variables tau n : nat.
Hypothesis tau_pos : 0 < tau.
Hypothesis n_pos : 0 < n.

Let e u := missed n u.
Let g u := room tau n u.

(* What the throws u say of the loads x. *)
Definition from_throws (u x : seq nat) : Prop :=
  [/\ size x = n, alike tau u x & forall i, nth 0 x i <= count_mem i u].

Lemma from_throws_empty u x : from_throws u x -> empty x = e u.
Proof.
move=> [size_x like _]; rewrite /empty /e /missed -[x](mkseq_nth 0) /mkseq count_map size_x.
by apply: eq_count => i /=; case: (like i).
Qed.

Lemma from_throws_sum u x : from_throws u x -> sumn x + g u = n * tau + excess tau x.
Proof. by move=> [size_x like _]; rewrite /g -size_x -(room_alike like) balls_holes. Qed.

Lemma from_throws_more u v x :
  all (gtn n) v -> from_throws u x -> from_throws (u ++ v) (receive (removed tau x) v).
Proof.
move=> all_v [size_x like few]; split; first by rewrite size_receive size_removed size_x.
  exact: alike_throws.
move=> i; rewrite nth_receive count_cat leq_add2r; apply: leq_trans (few i).
case: (ltnP i (size x)) => [lt_i|le_i]; last by rewrite nth_default ?size_removed.
by rewrite (nth_map 0) //; case: ifP => // _; exact: leq_pred.
Qed.

Lemma all_part k (u v w : seq nat) : w = u ++ v -> all (gtn n) w -> all (gtn n) (take k v).
Proof.
by move=> ->; rewrite all_cat => /andP[_]; rewrite -{1}[v](cat_take_drop k) all_cat => /andP[].
Qed.

(* An induction over rounds: J of the number of rounds, the throws used and the loads. *)
Lemma run_throws (J : nat -> seq nat -> seq nat -> Prop) (w : seq nat) :
  all (gtn n) w -> J 0 [::] (nseq n 0) ->
  (forall r u v x, w = u ++ v -> from_throws u x -> throws tau x <= size v -> J r u x ->
     J r.+1 (u ++ take (throws tau x) v) (round tau (x, v)).1) ->
  forall r, n * r <= size w -> exists2 u, J r u (loads tau n r w) & from_throws u (loads tau n r w).
Proof.
move=> all_w J0 step r enough; rewrite /loads.
suff [u [v [x [-> _ _ from Jx]]]] : exists (u v x : seq nat),
    [/\ run tau r (nseq n 0, w) = (x, v), w = u ++ v, size u <= n * r, from_throws u x & J r u x].
  by exists u.
elim: r enough => [_|r IH enough].
  exists [::], w, (nseq n 0); split=> //; split; rewrite ?size_nseq // => i.
    by rewrite nth_nseq if_same.
  by rewrite nth_nseq if_same.
have [|u [v [x [run_r eq_w le_u from Jx]]]] := IH; first by lia.
have [size_x like few] := from; have le_k := throws_le tau x.
have size_w : size w = size u + size v by rewrite eq_w size_cat.
have le_v : throws tau x <= size v by lia.
have all_t := all_part (throws tau x) eq_w all_w.
exists (u ++ take (throws tau x) v), (drop (throws tau x) v), (round tau (x, v)).1.
rewrite /run iterS -/(run tau r _) run_r -catA cat_take_drop; split=> //.
- by rewrite size_cat size_take_min (minn_idPl le_v); lia.
- exact: from_throws_more.
exact: step.
Qed.

Lemma take_more k (u v w : seq nat) :
  w = u ++ v -> size u <= k -> take k w = u ++ take (k - size u) v.
Proof. by move=> -> le_u; rewrite take_cat ltnNge le_u. Qed.

Lemma doomed_round v x :
  all (gtn (size x)) v -> throws tau x <= size v -> doomed tau x -> doomed tau (round tau (x, v)).1.
Proof. by move=> all_v le_v; rewrite /doomed size_round // sumn_round //; lia. Qed.

(* A round throws E + K balls and raises U by E. *)
Lemma grow e0 e1 E K U j :
  e1 <= E -> E <= e0 -> K <= U -> 2 * e1 * j <= U * (2 * e0 + U) ->
  2 * e1 * (j + (E + K)) <= (U + E) * (2 * e0 + (U + E)).
Proof.
move=> e1_E E_e0 K_U big.
have : e1 * (E + K) <= E * (e0 + U) by apply: leq_mul => //; apply: leq_add.
by nia.
Qed.

Section Never.

Variables (w : seq nat) (k0 k1 : nat).
Hypothesis all_w : all (gtn n) w.
Hypothesis lt_k : k0 < k1.
Let e0 := e (take k0 w).
Let e1 := e (take k1 w).
Let g0 := g (take k0 w).
Hypothesis e1_pos : 0 < e1.
Hypothesis few_holes : g0 * (2 * e0 + g0) <= 2 * e1 * (k1 - k0).

Lemma e1_le u v : w = u ++ v -> size u <= k1 -> e1 <= e u.
Proof. by move=> eq_w le_u; rewrite /e1 (take_more eq_w le_u); exact: missed_cat. Qed.

Lemma from_k0 u v : w = u ++ v -> k0 < size u -> e u <= e0 /\ g u <= g0.
Proof.
move=> eq_w lt_u; have at_k0 : take k0 u = take k0 w by rewrite eq_w take_cat lt_u.
rewrite /e0 /g0 -at_k0 -{1 3}[u](cat_take_drop k0).
by split; [exact: missed_cat | exact: room_cat].
Qed.

(* U is g0 + M - n tau. *)
Definition grown (u x : seq nat) : Prop := exists2 U,
  sumn x + g0 = n * tau + U & 2 * e1 * (size u - k0) <= U * (2 * e0 + U).
Definition state (r : nat) (u x : seq nat) : Prop :=
  doomed tau x \/ r <= size u /\ (size u <= k0 \/ k0 < size u <= k1 /\ grown u x).

Lemma late r u x : size x = n -> k0 < size u -> r <= size u -> grown u x -> state r u x.
Proof.
move=> size_x lt_u le_r gr; case: (leqP (size u) k1) => le_k1.
  by right; split=> //; right; rewrite lt_u le_k1.
left; case: gr => U sum_U big_U; rewrite /doomed size_x.
have : 2 * e1 * (k1 - k0) < 2 * e1 * (size u - k0) by rewrite ltn_mul2l; lia.
case: (ltnP g0 U) => [|le_U]; first by lia.
have : U * (2 * e0 + U) <= g0 * (2 * e0 + g0) by apply: leq_mul; lia.
by lia.
Qed.

Lemma first_past r u v x :
  w = u ++ v -> from_throws u x -> throws tau x <= size v -> r <= size u -> 0 < throws tau x ->
  size u <= k0 -> k0 < size u + throws tau x ->
  state r.+1 (u ++ take (throws tau x) v) (round tau (x, v)).1.
Proof.
move=> eq_w from le_v le_r some le_k0 lt_k0; have [size_x _ _] := from.
have size_u' : size (u ++ take (throws tau x) v) = size u + throws tau x.
  by rewrite size_cat size_take_min (minn_idPl le_v).
have all_v : all (gtn (size x)) v by move: all_w; rewrite size_x eq_w all_cat => /andP[].
apply: late; rewrite ?size_round ?size_u' //; first by lia.
have := from_throws_sum (from_throws_more (all_part (k0 - size u) eq_w all_w) from).
rewrite -(take_more eq_w le_k0) -/g0 sumn_receive size_take_min => sum_y.
exists (excess tau (receive (removed tau x) (take (k0 - size u) v)) + (size u + throws tau x - k0)).
  by rewrite /round /= sumn_receive size_take_min (minn_idPl le_v); lia.
have e1_e0 : e1 <= e0.
  by apply: (@e1_le _ (drop k0 w)); rewrite ?cat_take_drop // size_take_min; lia.
rewrite size_u'; move: (excess _ _) (_ - k0) => Y j.
have : e1 * j <= e0 * j by rewrite leq_mul2r e1_e0 orbT.
by nia.
Qed.

Lemma later_on r u v x :
  w = u ++ v -> from_throws u x -> throws tau x <= size v -> r <= size u -> 0 < throws tau x ->
  k0 < size u -> size u <= k1 -> grown u x ->
  state r.+1 (u ++ take (throws tau x) v) (round tau (x, v)).1.
Proof.
move=> eq_w from le_v le_r some lt_k0 le_k1 [U sum_U big_U]; have [size_x _ _] := from.
have size_u' : size (u ++ take (throws tau x) v) = size u + throws tau x.
  by rewrite size_cat size_take_min (minn_idPl le_v).
have all_v : all (gtn (size x)) v by move: all_w; rewrite size_x eq_w all_cat => /andP[].
have mt := from_throws_empty from; have [e_e0 g_g0] := from_k0 eq_w lt_k0.
have e1_e := e1_le eq_w le_k1; have sum_x := from_throws_sum from.
have less := excess_removed tau x.
apply: late; rewrite ?size_round ?size_u' //; [by lia | by lia |].
exists (U + empty x); first by rewrite sumn_round //; lia.
rewrite size_u' -addnBAC ?(ltnW lt_k0) // throwsE.
by apply: grow => //; lia.
Qed.

Theorem S21_never : n * k1.+1 <= size w -> doomed tau (loads tau n k1.+1 w).
Proof.
move=> enough; have [||u [//|[le_r here]] _] := @run_throws state w all_w _ _ k1.+1 enough.
- by right; split=> //; left.
- move=> r u v x eq_w from le_v [doom|[le_r here]].
    left; apply: doomed_round => //; have [-> _ _] := from.
    by move: all_w; rewrite eq_w all_cat => /andP[].
  have le_k1 : size u <= k1 by case: here => [|[/andP[]]]; lia.
  have some : 0 < throws tau x.
    by rewrite throwsE (from_throws_empty from) addn_gt0 (leq_trans e1_pos) // (e1_le eq_w).
  case: here => [le_k0|[/andP[lt_k0 _] gr]]; last exact: later_on.
  case: (leqP (size u + throws tau x) k0) => [le'|lt']; last exact: first_past.
  by right; rewrite size_cat size_take_min (minn_idPl le_v); split; [lia | left].
by case: here => [|[/andP[]]]; lia.
Qed.

End Never.

Lemma excess_most z (x : seq nat) :
  (forall l, l \in x -> l <= tau + z) -> excess tau x <= z * count (overfull tau) x.
Proof.
rewrite /excess; elim: x => //= l x IH most.
have := IH (fun l' in_x => most l' (mem_behead (s := l :: x) in_x)); have := most l (mem_head _ _).
by rewrite /overfull; case: ltnP => /=; lia.
Qed.

Theorem S22_never (z B : nat -> nat) r (w : seq nat) :
  all (gtn n) w -> n * r <= size w -> (forall k i, count_mem i (take k w) <= tau + z k) ->
  (forall k k', k <= k' -> B k' <= B k) ->
  (forall k, k <= size w -> 4 * e (take k w) + 2 * B k <= g (take k w)) ->
  (forall k k', k <= k' -> k' <= size w -> g (take k w) <= 2 * z k * (k' - k) ->
     e (take k' w) + B k' <= B k) ->
  ~~ doomed tau (loads tau n r w).
Proof.
move=> all_w enough most B_falls enough_holes B_step.
pose J (_ : nat) (u x : seq nat) := sumn x + e u + B (size u) <= n * tau.
have [||u Jx from] := @run_throws J w all_w _ _ r enough; last first.
- have [size_x _ _] := from; rewrite /doomed size_x (from_throws_empty from); move: Jx; rewrite /J; lia.
- move=> r' u v x eq_w from le_v; rewrite /J; have [size_x like few] := from.
  have size_u' : size (u ++ take (throws tau x) v) = size u + throws tau x.
    by rewrite size_cat size_take_min (minn_idPl le_v).
  have size_w : size w = size u + size v by rewrite eq_w size_cat.
  have at_u : take (size u) w = u by rewrite eq_w take_size_cat.
  have at_u' : take (size u + throws tau x) w = u ++ take (throws tau x) v.
    by rewrite (take_more eq_w) ?leq_addr // addKn.
  have holes_u := enough_holes (size u); rewrite at_u in holes_u.
  have step_u := B_step (size u) (size u + throws tau x); rewrite at_u at_u' addKn in step_u.
  have fewer := missed_cat n u (take (throws tau x) v); rewrite -/(e _) -/(e u) in fewer.
  have lower := B_falls (size u) (size u + throws tau x).
  have sum_x := from_throws_sum from; have mt := from_throws_empty from.
  have k_sum := throwsE tau x.
  have shared : excess tau x <= z (size u) * count (overfull tau) x.
    apply: excess_most => l /(nthP 0)[i lt_i <-]; apply: leq_trans (few i) _.
    by rewrite -{1}at_u; exact: most.
  rewrite size_u' sumn_round // => Jx.
  case: (leqP (g u) (2 * excess tau x)) => [many|little].
    have : g u <= 2 * z (size u) * throws tau x.
      by apply: leq_trans many _; rewrite -mulnA leq_mul2l; apply: (leq_trans shared); rewrite leq_mul2l; lia.
    by move=> /step_u; lia.
  by have := holes_u; have := lower; lia.
rewrite /J sumn_nseq /= mul0n add0n.
have := enough_holes 0 (leq0n _); rewrite take0 /e /g /missed /room.
rewrite (eq_count (a2 := xpredT)) ?count_predT ?size_iota; last by [].
rewrite (_ : sumn _ = n * tau); first by lia.
rewrite (eq_map (f2 := fun=> tau)) => [|i]; last by rewrite /= subn0.
by rewrite -{2}(size_iota 0 n); elim: (iota 0 n) => //= i s ->; rewrite mulSn.
Qed.

End Fate.
