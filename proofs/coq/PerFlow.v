(* Per-flow senders with rings on one switch with a round trip, as package recycled steps them.

   There are n flows and n ports. In a round each port removes its head. The ball comes back to its flow
   d rounds later, with the number of the port unless the port held more than tau balls. The flow puts this
   number into its ring of R entries; a full ring drops its oldest entry. Then each flow with fewer than W
   balls in flight (W = 0: any number) throws a ball: into the port of its oldest entry, which it takes out
   of the ring, or without an entry into the port of its next draw.

   S27_entries: a flow has at most W entries and balls in flight together. S27_tokens: so a flow with an entry
   throws, and the tokens of a port come back within R - 1 rounds. S27_settles: S25_settles for these
   senders, with M = n W and b = R - 1. *)
From mathcomp Require Import all_ssreflect zify.
From Repslab Require Import RoundTrip.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section PerFlow.

Variables (n tau d W R : nat) (draw : nat -> nat -> nat).

(* Balls of a port by their flow, the head first; entries of a flow, the oldest first; its balls
   thrown, back and drawn; the balls removed in each round with their fate, the last round first. *)
Record state := State {
  queue : nat -> seq nat; ring : nat -> seq nat; sent : nat -> nat; back : nat -> nat;
  drawn : nat -> nat; log : seq (seq (nat * option nat)) }.

Definition table (T : Type) (x0 : T) (f : nat -> T) : nat -> T := nth x0 (mkseq f n).

Section Round.

Variables (t : nat) (s : state).

(* Ports serve, and flows throw, in cyclic order. *)
Definition order : seq nat := rot (t.+1 %% n) (iota 0 n).
Definition removal (j : nat) : option (nat * option nat) :=
  if queue s j is f :: q then Some (f, if size q < tau then Some j else None) else None.
Definition removals : seq (nat * option nat) := pmap removal order.
Definition due : seq (nat * option nat) := nth [::] (removals :: log s) d.
Definition returned (f : nat) : seq (option nat) := [seq p.2 | p <- due & p.1 == f].
Definition good (f : nat) : seq nat := pmap id (returned f).
Definition overflow (f : nat) : nat := size (ring s f ++ good f) - R.
Definition entries (f : nat) : seq nat := drop (overflow f) (ring s f ++ good f).
Definition blocked (f : nat) : bool := (0 < W) && (W + back s f + size (returned f) <= sent s f).

(* The port of a throw, and whether it is drawn. *)
Definition throw (f : nat) : option (nat * bool) :=
  if blocked f then None else
  if entries f is j :: _ then Some (j, false) else Some (draw f (drawn s f), true).
Definition draws (f : nat) : bool := if throw f is Some p then p.2 else false.
Definition step : state := State
  (table [::] (fun j => behead (queue s j) ++ [seq f <- order | omap fst (throw f) == Some j]))
  (table [::] (fun f => if blocked f then entries f else behead (entries f)))
  (table 0 (fun f => sent s f + (throw f : bool))) (table 0 (fun f => back s f + size (returned f)))
  (table 0 (fun f => drawn s f + draws f))
  (removals :: log s).

End Round.

Fixpoint run (t : nat) : state :=
  if t is t'.+1 then step t' (run t')
  else State (fun=> [::]) (fun=> [::]) (fun=> 0) (fun=> 0) (fun=> 0) [::].

(* The throws of round t + 1, and the marks. *)
Definition hit (t : nat) : seq nat := [seq p.1 | p <- pmap (throw t (run t)) (order t) & p.2].
Definition token (j t : nat) : nat := count (fun f => throw t (run t) f == Some (j, false)) (order t).
Definition bad (j t : nat) : bool := tau < size (queue (run t) j).
Definition dropped (t : nat) : nat := total (fun i => \sum_(f < n) overflow i (run i) f) t.

Lemma tableE T (x0 : T) f i : i < n -> table x0 f i = f i.
Proof. exact: nth_mkseq. Qed.

Lemma count_order t (P : pred nat) : count P (order t) = \sum_(i < n) P i.
Proof.
have /permP-> : perm_eq (order t) (iota 0 n) by rewrite perm_rot.
by rewrite -sum1_count big_mkcond -{1}(subn0 n) big_mkord; apply: eq_bigr => i _; case: (P i).
Qed.

Lemma count_pmap (A B : Type) (f : A -> option B) (P : pred B) s :
  count P (pmap f s) = count (fun x => if f x is Some y then P y else false) s.
Proof. by elim: s => //= x s <-; case: (f x). Qed.

Lemma total_sum (F : nat -> nat -> nat) t :
  total (fun i => \sum_(f < n) F f i) t = \sum_(f < n) total (F f) t.
Proof. by elim: t => [|t IH] /=; rewrite ?IH ?big_split // big1. Qed.

(* A flow in a round. *)
Lemma size_good t s f : size (good t s f) + count_mem None (returned t s f) = size (returned t s f).
Proof. by rewrite /good; elim: (returned t s f) => //= -[i|] l <-; rewrite ?addnS. Qed.

Lemma size_entries t s f : size (entries t s f) + overflow t s f = size (ring s f) + size (good t s f).
Proof. by rewrite size_drop /overflow size_cat; lia. Qed.

Theorem S27_entries t f : 0 < W -> size (ring (run t) f) + sent (run t) f <= W + back (run t) f.
Proof.
move=> W_pos; case: (ltnP f n) => [lt_f|le_f]; last first.
  by case: t => // t; rewrite /= /table !nth_default ?size_mkseq.
elim: t => //= t IH; rewrite !tableE // /throw /blocked W_pos /=.
have := size_good t (run t) f; have := size_entries t (run t) f.
by case: ifP; case: (entries t (run t) f) => [|j e] /=; lia.
Qed.

Lemma unblocked t f : blocked t (run t) f -> entries t (run t) f = [::].
Proof.
case/andP=> W_pos full; apply/nilP; rewrite /nilp; have := S27_entries t f W_pos.
by have := size_good t (run t) f; have := size_entries t (run t) f; lia.
Qed.

Lemma ringS t f : f < n -> ring (run t.+1) f = behead (entries t (run t) f).
Proof. by move=> lt_f; rewrite /= tableE //; case: ifP => // /unblocked->. Qed.

(* Entries are young: those of round i + m are some that were there in round i and behind the first m, or
   came since. *)
Fixpoint since (f i m : nat) : seq nat :=
  if m is m'.+1 then since f i m' ++ good (i + m') (run (i + m')) f else [::].
Let came (f j t : nat) : nat := total (fun i => count_mem j (good i (run i) f)) t.

Lemma drop_more (T : Type) k (u v : seq T) : exists k', drop k u ++ v = drop k' (u ++ v).
Proof.
exists (minn k (size u)); rewrite drop_cat; case: (ltnP k (size u)) => [-> //|le].
by rewrite ltnn subnn drop0 drop_oversize.
Qed.

Lemma ring_since f i m : f < n ->
  exists k, ring (run (i + m)) f = drop k (drop m (ring (run i) f) ++ since f i m).
Proof.
move=> lt_f; elim: m => [|m [k eq_k]]; first by exists 0; rewrite addn0 cats0 !drop0.
rewrite addnS ringS // /entries eq_k; move: (overflow _ _ _) => o /=; move: (good _ _ _) => g.
have [k' ->] := drop_more k (drop m (ring (run i) f) ++ since f i m) g.
rewrite -drop1 !drop_drop -catA add1n addSn -addn1 -(drop_drop (_ ++ _) (o + k') 1).
have -> : drop m.+1 (ring (run i) f) = drop 1 (drop m (ring (run i) f)) by rewrite drop_drop.
move: (drop m _) (_ ++ g) => [|j r] v; first by exists (o + k' + 1); rewrite drop_drop.
by exists (o + k'); rewrite /= !drop0.
Qed.

Lemma ring_young f j s :
  0 < R -> f < n -> count_mem j (ring (run s) f) + came f j (s - R.-1) <= came f j s.
Proof.
move=> R_pos lt_f; set i := s - R.-1; have -> : s = i + (s - i) by rewrite /i; lia.
have [k ->] := ring_since i (s - i) lt_f; have -> : drop (s - i) (ring (run i) f) = [::].
  apply: drop_oversize; rewrite /i; case: (posnP (s - R.-1)) => [-> //|pos].
  by rewrite -(prednK pos) ringS // size_behead size_drop /overflow; lia.
suff <- : count_mem j (since f i (s - i)) + came f j i = came f j (i + (s - i)).
  by rewrite leq_add2r -{2}(cat_take_drop k (since f i (s - i))) count_cat leq_addl.
by rewrite /came; elim: (s - i) => [|m IH]; rewrite ?addn0 // addnS /= count_cat -IH addnAC.
Qed.

(* A ball that is due was removed d rounds ago. *)
Let home (a : option nat) (t : nat) : nat :=
  total (fun i => \sum_(f < n) count_mem a (returned i (run i) f)) t.
Let gone (a : option nat) (t : nat) : nat :=
  total (fun i => count (fun p => p.2 == a) (removals i (run i))) t.

Lemma dueE t : due t (run t) = if d <= t then removals (t - d) (run (t - d)) else [::].
Proof.
rewrite /due; elim: d t => [|i IH] t /=; first by rewrite subn0.
by case: t => [|t] /=; [rewrite nth_nil | rewrite IH subSS].
Qed.

Lemma returned_due t a :
  \sum_(f < n) count_mem a (returned t (run t) f) <= count (fun p => p.2 == a) (due t (run t)).
Proof.
pose q (f : nat) (p : nat * option nat) := (p.2 == a) && (p.1 == f).
rewrite (eq_bigr (fun f : 'I_n => count (q f) (due t (run t)))) => [|f _].
  elim: (due _ _) => [|p s IH] /=; first by rewrite big1.
  rewrite big_split leq_add // -(count_order 0 (q^~ p)) /q.
  case: (p.2 == a) => /=; last by rewrite count_pred0.
  rewrite (eq_count (a2 := pred1 p.1)) => [|f]; last exact: eq_sym.
  by rewrite count_uniq_mem ?leq_b1 // rot_uniq iota_uniq.
by rewrite count_map count_filter.
Qed.

Lemma home_gone a s t : s <= t -> home a t + gone a (s - d) <= home a s + gone a (t - d).
Proof.
elim: t => [|t IH]; first by case: s.
rewrite leq_eqVlt => /predU1P[-> //|/IH]; have := returned_due t a; rewrite dueE /home /gone /=.
case: ifP => [le_d|/negbT]; first by rewrite subSn //=; lia.
by rewrite -ltnNge => lt; rewrite (_ : t.+1 - d = t - d) /=; lia.
Qed.

Let x (j t : nat) : nat := load (hits hit j) (token j) t.
Let B (j t : nat) : nat := marked (hits hit j) (token j) (bad j) t.

Lemma queue_load j t : j < n -> size (queue (run t) j) = x j t.
Proof.
move=> lt_j; elim: t => // t IH; rewrite /x /= -/(x j t) -IH tableE // size_cat size_behead -addnA.
congr (_ + _); rewrite size_filter /hits /hit /token count_map count_filter count_pmap.
elim: (order t) => //= f s ->; case: (throw _ _ _) => [[i [|]]|] //=.
all: by rewrite ?andbT ?andbF -[Some i == _]/(i == j) -?[Some _ == _]/((i == j) && _) ?andbT ?andbF; lia.
Qed.

Lemma removal_mark t j : j < n ->
  (if removal (run t) j is Some p then p.2 == None else false) = (0 < x j t) && bad j t.
Proof.
move=> lt_j; rewrite -queue_load // /removal /bad; case: (queue _ j) => //= f q.
by case: (ltnP (size q) tau) => le_q; [apply/esym/negbTE; rewrite -leqNgt | rewrite eqxx ltnS le_q].
Qed.

Lemma gone_passed j t : j < n -> gone (Some j) t = passed (hits hit j) (token j) (bad j) t.
Proof.
move=> lt_j; elim: t => // t IH; rewrite /gone /passed /= -/(gone _ t) -/(passed _ _ _ t) -/(x j t) IH.
congr (_ + _); rewrite /removals count_pmap.
rewrite (eq_count (a2 := fun i => (i == j) && ((0 < x j t) && ~~ bad j t))) => [|i].
  case: (_ && ~~ _); last by rewrite (eq_count (a2 := pred0)) ?count_pred0 // => i; rewrite andbF.
  rewrite (eq_count (a2 := pred1 j)) => [|i]; last by rewrite /= andbT.
  by rewrite count_uniq_mem ?rot_uniq ?iota_uniq // mem_rot mem_iota lt_j.
rewrite -queue_load // /bad /removal; case: eqP => [->|ne] /=.
  by case: (queue _ j) => //= f q; rewrite ltnS -ltnNge; case: (size q < tau); rewrite ?eqxx.
by case: (queue _ i) => //= f q; case: ifP => // _; apply/eqP => -[].
Qed.

Lemma home_came j t : home (Some j) t = \sum_(f < n) came f j t.
Proof.
rewrite /home -(total_sum (fun f i => count_mem j (good i (run i) f))).
elim: t => //= t ->; congr (_ + _); apply: eq_bigr => f _.
by rewrite /good count_pmap; apply: eq_count => -[].
Qed.

Theorem S27_tokens j : 0 < R -> j < n -> returns (hits hit j) (token j) (bad j) d R.-1.
Proof.
move=> R_pos lt_j s t le_t; rewrite -!gone_passed //.
pose kept t := \sum_(f < n) count_mem j (ring (run t) f).
have : total (token j) t + kept t + home (Some j) s <= total (token j) s + kept s + home (Some j) t.
  elim: t le_t => [|t IH]; first by case: s.
  rewrite leq_eqVlt => /predU1P[-> //|/IH].
  suff : kept t.+1 + token j t + home (Some j) t <= kept t + home (Some j) t.+1 by rewrite /=; lia.
  rewrite /kept (eq_bigr (fun f : 'I_n => count_mem j (behead (entries t (run t) f)))) => [|f _].
    rewrite !home_came /token count_order -!big_split /=; apply: leq_sum => f _.
    rewrite -[came f j t.+1]/(came f j t + count_mem j (good t (run t) f)); move: (came f j t) => k.
    have : count_mem j (entries t (run t) f) <=
        count_mem j (ring (run t) f) + count_mem j (good t (run t) f).
      by rewrite -count_cat -(cat_take_drop (overflow t (run t) f) (_ ++ _)) count_cat; exact: leq_addl.
    rewrite /throw; case: ifP => _; case: (entries _ _ _) => [|i e] //=; try lia.
      by rewrite (_ : (_ == Some (j, false)) = false) ?leq_addl; [lia | apply/eqP => -[]].
    by rewrite (_ : (_ == Some (j, false)) = (i == j)); [lia | apply/eqP/eqP => [[]|->]].
  by rewrite ringS.
have : kept s + home (Some j) (s - R.-1) <= home (Some j) s.
  by rewrite /kept !home_came -big_split; apply: leq_sum => f _; exact: ring_young.
have := home_gone (Some j) (leq_trans (leq_subr R.-1 s) le_t).
by rewrite -subnDA [_ + d]addnC; lia.
Qed.

(* A draw is one of the first W of its flow, or replaces a marked ball or a dropped entry. *)
Theorem S27_pool t : 0 < W -> size (thrown hit t) <= n * W + \sum_(j < n) B j t + dropped t.
Proof.
move=> W_pos; have -> : size (thrown hit t) = \sum_(f < n) drawn (run t) f.
  elim: t => [|t IH]; first by rewrite big1.
  rewrite [LHS]size_cat IH.
  rewrite [RHS](eq_bigr (fun f : 'I_n => drawn (run t) f + draws t (run t) f)) => [|f _].
    by rewrite big_split; congr (_ + _); rewrite size_map size_filter count_pmap count_order.
  by rewrite /= tableE.
have marks : home None t <= \sum_(j < n) B j t.
  have := home_gone None (leq0n t); rewrite sub0n addn0 => /leq_trans; apply.
  rewrite add0n (leq_trans (total_le _ (leq_subr d t))) //.
  rewrite -(total_sum (fun j i => (0 < x j i) && bad j i)); elim: t => //= t IH; rewrite leq_add //.
  by rewrite /removals count_pmap count_order; apply: leq_sum => j _; rewrite removal_mark.
apply: leq_trans (leq_add (leq_add (leqnn _) marks) (leqnn _)).
rewrite /dropped (total_sum (fun f i => overflow i (run i) f)) /home.
rewrite (total_sum (fun f i => count_mem None (returned i (run i) f))).
rewrite -[n in n * W]card_ord -sum_nat_const -!big_split; apply: leq_sum => f _ /=.
have : sent (run t) f + size (ring (run t) f) + total (fun i => overflow i (run i) f) t
    + total (fun i => count_mem None (returned i (run i) f)) t = drawn (run t) f + back (run t) f.
  elim: t {marks} => //= t; move: (total _ t) (total _ t) => o l; rewrite !tableE // /draws /throw.
  have := size_good t (run t) f; have := size_entries t (run t) f; have := @unblocked t f.
  case: (blocked _ _ _) => [/(_ isT)->|_] /=; first by lia.
  by case: (entries _ _ _) => [|j e] /=; lia.
by have := S27_entries t f W_pos; move: (total _ t) (total _ t) => o l; lia.
Qed.

(* The first draws w of a run decide what their ports can do. *)
Theorem S27_settles (w : seq nat) D : 0 < W -> 0 < R ->
  (forall t, size (thrown hit t) <= size w -> thrown hit t = take (size (thrown hit t)) w) ->
  (forall t, size (thrown hit t) < size w -> dropped t.+1 <= D) ->
  n * W + D + \sum_(j < n | tau < top d R.-1 hit w j) (count_mem (val j) w - tau) < size w ->
  forall t, [/\ size (thrown hit t) < size w,
    forall j, j < n -> size (queue (run t) j) <= top d R.-1 hit w j
    & forall j, j < n -> 0 < B j t -> tau < top d R.-1 hit w j].
Proof.
move=> W_pos R_pos first few enough t.
have above j i : j < n -> bad j i -> tau < load (hits hit j) (token j) i.
  by move=> lt_j; rewrite /bad queue_load.
have back j (lt_j : j < n) := S27_tokens R_pos lt_j.
have [//|lt_t low marks] := S25_settles back above (fun i => S27_pool i W_pos) first few _ t.
by split=> // j lt_j; rewrite queue_load //; exact: low.
Qed.

End PerFlow.
