(* Recycling with a round trip: one port, all ports together, and the toppling model. It does not matter
   when and how the senders throw.

   Round t + 1 begins with load t balls in a port. The port removes one of them, unless it is empty, and
   marks it if m t. Then h t uniform throws and c t tokens come. A token is an unmarked ball of this port:
   it comes back d to d + b rounds after its removal, or is dropped.

   S24_load: the load is at most what uniform throws alone can pile up. S25_marks: a port where that is at
   most tau never marks; any port marks at most as often as uniform throws hit it, less tau. S25_settles: if
   the first K uniform throws allow too few marks to cause K of them, there are never K. S26_marks: a port
   that owns more than tau + d + b balls marks until it owns tau, at least d + b + 1 times in a row.
   S28_pool: in the toppling model the throws alone decide how many balls are left. *)
From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The sum of the first t values. *)
Fixpoint total (f : nat -> nat) (t : nat) : nat := if t is t'.+1 then total f t' + f t' else 0.

Lemma total_le f s t : s <= t -> total f s <= total f t.
Proof. by elim: t => [|t IH]; [case: s | rewrite leq_eqVlt => /predU1P[-> //|/IH /=]; lia]. Qed.

Lemma total_slow f s t : (forall i, f i <= 1) -> s <= t -> total f t <= total f s + (t - s).
Proof.
move=> f_1; elim: t => [|t IH]; first by case: s.
rewrite leq_eqVlt => /predU1P[->|le_s] /=; first by lia.
by have := IH le_s; have := f_1 t; lia.
Qed.

Section Port.

Variables (h c : nat -> nat) (m : nat -> bool).

Fixpoint load (t : nat) : nat := if t is t'.+1 then (load t').-1 + h t' + c t' else 0.
Definition passed (t : nat) : nat := total (fun i => (0 < load i) && ~~ m i) t.
Definition marked (t : nat) : nat := total (fun i => (0 < load i) && m i) t.

(* The most that the throws of the first d + 1 rounds can pile up, and the throws after them. *)
Definition piled (d : nat) : nat :=
  \max_(u < d.+2) \max_(s < u) (total h u - total h s - (u - s).-1).
Definition later (d t : nat) : nat := total h t - total h d.+1.

(* Tokens thrown in rounds s + 1, ..., t were removed in rounds s + 1 - (d + b), ..., t - d. *)
Definition returns (d b : nat) : Prop := forall s t, s <= t ->
  total c t + passed (s - (d + b)) <= total c s + passed (t - d).

Lemma balance t : load t + passed t + marked t = total h t + total c t.
Proof. by elim: t => //= t; rewrite /passed /marked /=; case: (m t) => /=; lia. Qed.

Lemma passed_slow s t : s <= t -> passed t <= passed s + (t - s).
Proof. by apply: total_slow => i; exact: leq_b1. Qed.

Lemma passed_le s t : s <= t -> passed s <= passed t.
Proof. exact: total_le. Qed.

Lemma passed_late t : passed t <= t.-1.
Proof. by case: t => // t; apply: leq_trans (passed_slow (ltn0Sn t)) _; rewrite /passed /=; lia. Qed.

Lemma piled_le d s u : s < u -> u <= d.+1 -> total h u <= total h s + piled d + (u - s).-1.
Proof.
move=> lt_u le_u; have lt_d : u < d.+2 by [].
have := leq_bigmax (F := fun i : 'I_d.+2 => \max_(j < i) (total h i - total h j - (i - j).-1))
  (Ordinal lt_d).
have := leq_bigmax (F := fun j : 'I_u => total h u - total h j - (u - j).-1) (Ordinal lt_u).
by rewrite /piled /=; lia.
Qed.

(* The last round up to t that ended with an empty port: in all rounds since but one it removed a ball. *)
Lemma last_empty t :
  exists s, [/\ s <= t, load s = 0 & passed s + marked s + t <= passed t + marked t + s + (s < t)].
Proof.
elim: t => [|t [s [le_s zero busy]]]; first by exists 0.
case: (posnP (load t.+1)) => [empty|_]; first by exists t.+1; rewrite ltnn; split; lia.
case: (posnP (load t)) => [empty|full]; [exists t | exists s]; split=> //; try lia.
  by rewrite /passed /marked /= empty /=; lia.
by move: busy; rewrite /passed /marked /= full /=; case: (m t); lia.
Qed.

Variables d b : nat.
Hypothesis back : returns d b.

Lemma tokens_passed t : total c t <= passed (t - d).
Proof. by have := back (leq0n t); rewrite sub0n /passed /=; lia. Qed.

Theorem S24_load t : load t <= maxn (piled d) b.+1 + later d t.
Proof.
have [s [le_s zero busy]] := last_empty t; have bal_t := balance t; have bal_s := balance s.
case: (ltngtP s t) le_s busy => // [lt_s|<-] _ busy; last by rewrite zero.
rewrite /later; case: (leqP d.+1 s) => [late|early].
  have := back (ltnW lt_s); have := @passed_slow (s - (d + b)) (t - d).
  by have := total_le h late; lia.
have := tokens_passed t; have := passed_late (t - d).
case: (leqP t d.+1) => [le_t|lt_t]; first by have := piled_le lt_s le_t; lia.
by have := piled_le early (leqnn _); have := total_le h (ltnW lt_t); lia.
Qed.

Variable tau : nat.

(* Balls are marked above tau only, if at all. *)
Hypothesis above : forall t, m t -> tau < load t.

Lemma last_mark t : 0 < marked t.+1 -> exists2 r, r <= t & tau < load r /\ marked t.+1 = (marked r).+1.
Proof.
elim: t => [|t IH] pos.
  by exists 0 => //; move: pos; rewrite /marked /=; case on: (m 0) => //; rewrite ?andbF ?(above on).
case: (boolP ((0 < load t.+1) && m t.+1)) => [on|off].
  by exists t.+1 => //; case/andP: (on) => _ /above; rewrite /marked /= -/(load t.+1) on addn1.
have same : marked t.+2 = marked t.+1 by rewrite /marked /= -/(load t.+1) (negbTE off) addn0.
by rewrite same in pos *; have [r le_r] := IH pos; exists r => //; exact: leqW.
Qed.

Theorem S25_marks t :
  0 < marked t.+1 -> marked t.+1 + tau <= total h t /\ tau < maxn (piled d) b.+1 + later d t.
Proof.
move=> /last_mark[r le_r [over ->]]; have := balance r; have := tokens_passed r.
have := passed_le (leq_subr d r); have := total_le h le_r; have := S24_load r.
by rewrite /later; lia.
Qed.

(* Marking at every load above tau; D tokens of the port are dropped up to round t, none later. *)
Hypothesis step : forall t, m t = (tau < load t).
Variables t D : nat.
Hypothesis kept : forall u, t <= u -> passed (u - (d + b)) <= total c u + D <= passed u.

Lemma overfull_run v :
  (forall u, u < v -> tau < load (t + u)) -> passed (t + v) = passed t /\ marked (t + v) = marked t + v.
Proof.
elim: v => [|v IH] over; first by rewrite !addn0.
have [|same more] := IH; first by move=> u lt_u; apply: over; exact: ltnW.
have := over v (leqnn _); rewrite addnS /passed /marked /= step -/(passed _) -/(marked _) => lt.
have -> : 0 < load (t + v) by lia.
by rewrite same more lt addn0 addn1 addnS.
Qed.

Theorem S26_marks :
  tau + d + b < total h t - marked t - D ->
  marked (t + (d + b).+1) = marked t + (d + b).+1 /\
  forall v, (forall u, u < v -> tau < load (t + u)) -> load (t + v) <= tau ->
    load (t + v) = tau /\ total h (t + v) - marked (t + v) - D = tau.
Proof.
move=> owns.
have big u : u <= d + b -> tau < load (t + u).
  elim/ltn_ind: u => u IH le_u.
  have [|same more] := @overfull_run u; first by move=> v lt_v; apply: IH; lia.
  have := balance (t + u); have := kept (leq_addr u t); have := total_le h (leq_addr u t).
  by have := @passed_slow (t + u - (d + b)) t; lia.
split=> [|v over low]; first by have [] := @overfull_run (d + b).+1 big.
have lt_v : d + b < v by rewrite ltnNge; apply/negP => /big; lia.
have slow u : load u <= (load u.+1).+1 by rewrite /=; lia.
have [same more] := overfull_run over; have := balance (t + v); have := kept (leq_addr v t).
have := @passed_le t (t + v - (d + b)); case: v lt_v over low same more => // v lt_v over low.
by have := over v (leqnn _); have := slow (t + v); rewrite -addnS; lia.
Qed.

End Port.

(* All ports. hit t lists the ports of the uniform throws of round t + 1. *)
Section Ports.

Variables (n d b tau M : nat) (hit : nat -> seq nat) (c : nat -> nat -> nat) (m : nat -> nat -> bool).

Fixpoint thrown (t : nat) : seq nat := if t is t'.+1 then thrown t' ++ hit t' else [::].
Definition hits (j t : nat) : nat := count_mem j (hit t).

Lemma total_hits j t : total (hits j) t = count_mem j (thrown t).
Proof. by elim: t => //= t ->; rewrite count_cat. Qed.

Hypothesis back : forall j, j < n -> returns (hits j) (c j) (m j) d b.
Hypothesis above : forall j t, j < n -> m j t -> tau < load (hits j) (c j) t.

(* A uniform throw is one of M first ones, or replaces a marked or a dropped ball. *)
Variable dropped : nat -> nat.
Hypothesis pool : forall t,
  size (thrown t) <= M + \sum_(j < n) marked (hits j) (c j) (m j) t + dropped t.

(* The first uniform throws w, and the ports that they may make mark. *)
Variable w : seq nat.
Hypothesis first : forall t, size (thrown t) <= size w -> thrown t = take (size (thrown t)) w.
Definition top (j : nat) : nat := maxn (piled (hits j) d) b.+1 + (count_mem j w - total (hits j) d.+1).

Lemma hits_first j t : size (thrown t) <= size w -> total (hits j) t <= count_mem j w.
Proof.
rewrite total_hits => /first->.
by rewrite -{2}(cat_take_drop (size (thrown t)) w) count_cat leq_addr.
Qed.

Lemma marked_first j t :
  j < n -> size (thrown t) <= size w -> 0 < marked (hits j) (c j) (m j) t.+1 ->
  tau < top j /\ marked (hits j) (c j) (m j) t.+1 <= count_mem j w - tau.
Proof.
move=> lt_j le_t /(S25_marks (back lt_j) (fun i => @above j i lt_j)); have := hits_first j le_t.
by rewrite /top /later; lia.
Qed.

Theorem S25_settles D :
  (forall t, size (thrown t) < size w -> dropped t.+1 <= D) ->
  M + D + \sum_(j < n | tau < top j) (count_mem (val j) w - tau) < size w ->
  forall t, [/\ size (thrown t) < size w, forall j, j < n -> load (hits j) (c j) t <= top j
    & forall j, j < n -> 0 < marked (hits j) (c j) (m j) t -> tau < top j].
Proof.
move=> few enough t; have lt_t : size (thrown t) < size w.
  elim: t => [|t IH]; first exact: leq_trans enough.
  apply: leq_ltn_trans (pool t.+1) (leq_ltn_trans _ enough).
  rewrite -addnA [_ + dropped _]addnC addnA leq_add ?leq_add2l ?few //.
  rewrite [X in _ <= X]big_mkcond; apply: leq_sum => j _.
  case: (posnP (marked (hits j) (c j) (m j) t.+1)) => [-> //|].
  by case/(marked_first (ltn_ord j) (ltnW IH)) => ->.
split=> // j lt_j; last first.
  case: t lt_t => // t lt_t /marked_first[] //; move: lt_t; rewrite /= size_cat; lia.
apply: leq_trans (S24_load (back lt_j) t) _.
by have := hits_first j (ltnW lt_t); rewrite /top /later; lia.
Qed.

End Ports.

(* The toppling model: a ball from a pool of M goes into a port; a port that reaches tau + d + 1 balls keeps
   tau of them and puts d + 1 into the pool. *)
Section Topple.

Variables tau d : nat.

(* A throw into port i, in a state of loads and pool. *)
Definition topple (s : (nat -> nat) * nat) (i : nat) : (nat -> nat) * nat :=
  let full := s.1 i == tau + d in
  (fun j => if j == i then (if full then tau else (s.1 i).+1) else s.1 j, s.2 - 1 + full * d.+1).
Definition topples (M : nat) (u : seq nat) : (nat -> nat) * nat := foldl topple (fun=> 0, M) u.

(* How often h balls topple a port. *)
Definition turns (h : nat) : nat := (h - tau) %/ d.+1.

Lemma turnsS h : turns h.+1 = turns h + (h == tau + d + turns h * d.+1).
Proof.
rewrite /turns; case: (ltnP h tau) => [lt|le].
  have [-> ->] : h - tau = 0 /\ h.+1 - tau = 0 by lia.
  by rewrite !div0n mul0n addn0; have -> : (h == tau + d) = false by lia.
rewrite subSn // divnS // addnC; congr (_ + nat_of_bool _).
have lt_r := ltn_pmod (h - tau) (ltn0Sn d); have eq_h := divn_eq (h - tau) d.+1.
rewrite {1}eq_h -addnS dvdn_addr ?dvdn_mull //; move: (_ %/ _) (_ %% _) lt_r eq_h => q r lt_r eq_h.
have -> : (h == tau + d + q * d.+1) = (r == d) by apply/eqP/eqP; lia.
by apply/idP/eqP => [/dvdn_leq le_d|->]; [have := le_d isT; lia | exact: dvdnn].
Qed.

Lemma load_turns M u j : (topples M u).1 j + turns (count_mem j u) * d.+1 = count_mem j u.
Proof.
elim/last_ind: u => [|u i IH]; first by rewrite /turns /= sub0n div0n.
rewrite /topples foldl_rcons -/(topples M u) /= -cats1 count_cat /= addn0; case: eqP IH => [->|ne] IH.
  rewrite eqxx addn1 turnsS mulnDl; set q := turns _ * _ in IH *; move: q IH => q IH.
  have -> : (count_mem i u == tau + d + q) = ((topples M u).1 i == tau + d) by apply/eqP/eqP; lia.
  by rewrite -[in RHS]IH; case: eqP => [->|_]; rewrite ?mul1n ?mul0n; lia.
by rewrite (_ : (i == j) = false) ?addn0 //; apply/eqP => eq_i; apply: ne.
Qed.

Theorem S28_pool n M u : all (gtn n) u -> (forall k, k < size u -> 0 < (topples M (take k u)).2) ->
  (topples M u).2 + size u = M + d.+1 * \sum_(j < n) turns (count_mem (val j) u).
Proof.
elim/last_ind: u => [|u i IH]; first by rewrite big1 ?muln0 // => j _; rewrite /turns sub0n div0n.
rewrite all_rcons size_rcons => /andP[lt_i all_u] some.
have := IH all_u; have := some (size u) (leqnn _); rewrite -cats1 take_size_cat // => pos.
have le k : k < size u -> 0 < (topples M (take k u)).2.
  by move=> lt_k; have := some k (leqW lt_k); rewrite -cats1 takel_cat // ltnW.
move=> /(_ le); rewrite (bigD1 (Ordinal lt_i)) //= => eq_p.
rewrite (bigD1 (Ordinal lt_i)) //= /topples cats1 foldl_rcons -/(topples M u) /=.
rewrite (eq_bigr (fun j : 'I_n => turns (count_mem (val j) u))) => [|j ne]; last first.
  rewrite -cats1 count_cat /= addn0 (_ : (i == j :> nat) = false) ?addn0 //.
  by apply: contraNF ne => /eqP eq_i; apply/eqP/val_inj.
rewrite -cats1 count_cat /= eqxx addn1 turnsS /=.
have := load_turns M u i; set q := turns _ * _ => eq_c.
have -> : (count_mem i u == tau + d + q) = ((topples M u).1 i == tau + d) by apply/eqP/eqP; lia.
move: (_ == _) => a; rewrite (mulnC a) !mulnDr; move: eq_p; rewrite mulnDr.
move: (d.+1 * _) (d.+1 * _) (d.+1 * _) => p r s; lia.
Qed.

End Topple.
