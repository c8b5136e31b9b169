(* Rotation for each destination in a network of leaves and spines, slot by slot as package leafspine steps it.

   There are k leaves with n hosts each, and n spines. Host h sends a packet in each slot from slot begin h on, to D
   destinations in turn; each host is a destination of at most D hosts. In a slot each queue that is not empty serves
   its head, and packets join the next queue: of the source's leaf for a spine, of the spine for the destination's
   leaf, of the port of the destination. A packet within a leaf goes to the port at once. A queue is observed after
   the arrivals of a slot. A group is a host, or all hosts of a leaf where leaves choose the spines. A group and a
   destination are a pair; its packets take the spines in turn, from a spine start of the pair.

   S29_queue: a queue that gets at most T + b packets in any T slots holds at most b + 1. S29_waits: if it never holds
   more than B, whatever came is served B slots later. S29_turns: of x packets of a pair in a row at most
   (x + n - 1) / n take a given spine. S29_uplink, S29_downlink, S29_port: so the three queues hold at most
   D (n - 1) + 1, D (2 n - 1) and D (3 n - 1) - 1 packets, in any slot and for any begin and start. *)
From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A queue after t slots; a u are the packets that come in slot u. What came, and what was served, in t slots. *)
Section Queue.

Variables (T : Type) (a : nat -> seq T).

Fixpoint queue (t : nat) : seq T := if t is u.+1 then behead (queue u) ++ a u else [::].
Fixpoint arrived (t : nat) : seq T := if t is u.+1 then arrived u ++ a u else [::].
Fixpoint served (t : nat) : seq T := if t is u.+1 then served u ++ take 1 (queue u) else [::].

Lemma history t : served t ++ queue t = arrived t.
Proof. by elim: t => //= t <-; case: (queue t) => [|x q] /=; rewrite ?cats0 -?catA // take0. Qed.

Lemma served_le P t : count P (served t) <= count P (arrived t.-1).
Proof. by case: t => //= t; rewrite -history !count_cat; case: (queue t) => //= x q; rewrite take0 /=; lia. Qed.

Theorem S29_queue b t :
  (forall s, s <= t -> size (arrived t) <= size (arrived s) + (t - s) + b) -> size (queue t) <= b.+1.
Proof.
have [s le_s busy] : exists2 s, s <= t & size (queue t) + (t - s) + size (arrived s) <= (size (arrived t)).+1.
  elim: t => [|t [s le_s]]; first by exists 0.
  case eq_q: (queue t) => [|x q] /= busy; [exists t | exists s]; rewrite //= ?eq_q ?size_cat /=; lia.
by move=> /(_ s le_s); lia.
Qed.

Theorem S29_waits B P t : (forall u, size (queue u) <= B) -> count P (arrived (t - B)) <= count P (served t).
Proof.
move=> le_B; case: (leqP B t) => [le_t|lt_t]; last by rewrite (_ : t - B = 0) //; lia.
rewrite -{2}(subnK le_t); move: (t - B) => {le_t} s; suff [r _] : exists2 r, queue (s + B) = drop B (queue s) ++ r &
  count P (arrived s) <= count P (served (s + B)) + count P (drop B (queue s)) by rewrite drop_oversize // addn0.
elim: {le_B} B => [|B [r eq_q le]]; first by exists [::]; rewrite addn0 drop0 ?cats0 // -count_cat history.
rewrite addnS /= eq_q count_cat -[B.+1]add1n -drop_drop; case: (drop B _) le => [|x q] /= le.
  by exists (behead r ++ a (s + B)); rewrite //; lia.
by exists (r ++ a (s + B)); rewrite ?drop0 ?take0 ?catA //=; lia.
Qed.

End Queue.

(* What some queues serve in a slot for one next queue. *)
Definition merge (T : Type) (a : nat -> nat -> seq T) ms (Q : pred T) (t : nat) : seq T :=
  [seq p <- flatten [seq take 1 (queue (a m) t) | m <- ms] | Q p].

Lemma merge_between (T : Type) (a : nat -> nat -> seq T) ms (P Q : pred T) B t :
  {in ms, forall m u, size (queue (a m) u) <= B} ->
  \sum_(m <- ms) count (predI P Q) (arrived (a m) (t - B)) <= count P (arrived (merge a ms Q) t) <=
  \sum_(m <- ms) count (predI P Q) (arrived (a m) t.-1).
Proof.
move=> le_B; have -> : count P (arrived (merge a ms Q) t) = \sum_(m <- ms) count (predI P Q) (served (a m) t).
  elim: t => [|t IH]; first by rewrite big1.
  rewrite /= count_cat IH count_filter count_flatten -map_comp sumnE big_map -big_split.
  by apply: eq_bigr => m _; rewrite count_cat.
rewrite !big_seq; apply/andP; split; apply: leq_sum => m in_m; last exact: served_le.
by apply: S29_waits => u; exact: le_B.
Qed.

(* Counting by a key. *)
Lemma count_by (T : Type) (K : eqType) (key : T -> K) (P : pred T) ks s :
  uniq ks -> all (fun y => P y ==> (key y \in ks)) s ->
  count P s = \sum_(i <- ks) count (fun y => P y && (key y == i)) s.
Proof.
move=> u_ks; elim: s => [|y s IH] /=; first by rewrite big1_eq.
case/andP=> in_ks /IH->; rewrite big_split /=; congr (_ + _); case: (P y) in_ks => /= in_ks; last by rewrite big1_eq.
have := count_uniq_mem (key y) u_ks; rewrite in_ks -sum1_count big_mkcond /= => <-.
by apply: eq_bigr => i _; rewrite eq_sym; case: eqP.
Qed.

Lemma sum_const (T : Type) (s : seq T) c : \sum_(i <- s) c = size s * c.
Proof. by rewrite big_const_seq count_predT iter_addn_0 mulnC. Qed.

(* Of the numbers below m, those that are j modulo n. *)
Definition turns (n j m : nat) : nat := (m + (n.-1 - j)) %/ n.

Lemma turnsS n j m : j < n -> turns n j m.+1 = turns n j m + (m %% n == j).
Proof.
move=> lt_j; rewrite /turns addSn divnS 1?addnC; last lia; congr (_ + nat_of_bool _).
rewrite {1}(divn_eq m n) -addnA -addnS dvdn_addr ?dvdn_mull //.
have := ltn_pmod m (leq_ltn_trans (leq0n j) lt_j); move: (m %% n) => r lt_r.
apply/idP/eqP => [/dvdnP[q]|->]; last by rewrite (_ : _.+1 = n) //; lia.
by case: q => [|[|q]]; nia.
Qed.

Lemma turns_le n j m x : 0 < n -> n * turns n j (m + x) <= n * turns n j m + x + n.-1.
Proof.
move=> n_pos; rewrite /turns; have := ltn_pmod (m + (n.-1 - j)) n_pos.
have := divn_eq (m + (n.-1 - j)) n; have := leq_trunc_div (m + x + (n.-1 - j)) n.
by rewrite !(mulnC n); move: (_ %/ n * n) (_ %/ n * n) (_ %% n); lia.
Qed.

Section Network.

Variables (n k D : nat) (begin : nat -> nat) (dest : nat -> nat -> nat).
Variables (group : nat -> nat) (start : nat * nat -> nat).

(* A packet: its source, its destination and its spine. *)
Definition packet : eqType := [eqType of nat * nat * nat].
Definition leaf (h : nat) : nat := h %/ n.
Definition from (p : packet) : nat := p.1.1.
Definition to (p : packet) : nat := p.1.2.
Definition via (p : packet) : nat := p.2.
Definition local (p : packet) : bool := leaf (from p) == leaf (to p).
Definition pair (p : packet) : nat * nat := (group (from p), to p).

(* In slot t each host that has begun sends; a pair takes the next spine for each of its packets. *)
Definition hosts : seq nat := iota 0 (k * n).
Definition senders (t : nat) : seq (nat * nat) :=
  [seq (h, dest h ((t - begin h) %% D)) | h <- hosts & begin h <= t].
Definition spine (before : seq packet) (g : nat * nat) : nat := (start g + count (fun p => pair p == g) before) %% n.
Fixpoint routed (before : seq packet) (s : seq (nat * nat)) : seq packet :=
  if s is (h, x) :: s' then let p := (h, x, spine before (group h, x)) in p :: routed (rcons before p) s' else [::].
Fixpoint sent (t : nat) : seq packet := if t is u.+1 then sent u ++ routed (sent u) (senders u) else [::].
Definition sends (t : nat) : seq packet := routed (sent t) (senders t).

(* What comes in slot t to leaf l's queue for spine j, to spine j's queue for leaf l, and to host x's port. *)
Definition uplink (l j t : nat) : seq packet := [seq p <- sends t | [&& via p == j, leaf (from p) == l & ~~ local p]].
Definition downlink (j l : nat) : nat -> seq packet :=
  merge (fun m => uplink m j) (iota 0 k) (fun p => leaf (to p) == l).
Definition port (x t : nat) : seq packet :=
  merge (fun j => downlink j (leaf x)) (iota 0 n) (fun p => to p == x) t ++ [seq p <- sends t | (to p == x) && local p].

Definition source (x h : nat) : bool := has (fun r => dest h r == x) (iota 0 D).

Hypothesis n_pos : 0 < n.
Hypothesis D_pos : 0 < D.
Hypothesis distinct : forall h r s, r < D -> s < D -> dest h r = dest h s -> r = s.
Hypothesis few : forall x, count (source x) hosts <= D.
Hypothesis together : forall h i, group h = group i -> leaf h = leaf i.

Lemma sent_split s t : s <= t -> exists w, sent t = sent s ++ w.
Proof.
move=> /subnKC <-; elim: (t - s) => [|d [w eq_w]]; first by exists [::]; rewrite addn0 cats0.
by exists (w ++ sends (s + d)); rewrite catA -eq_w addnS.
Qed.

Lemma sent_turns (g : nat * nat) j t : j < n ->
  turns n j (start g) + count (fun p => (pair p == g) && (via p == j)) (sent t) =
  turns n j (start g + count (fun p => pair p == g) (sent t)).
Proof.
move=> lt_j; elim: t => [|t IH]; first by rewrite !addn0.
rewrite /= [in LHS]count_cat addnA IH; elim: (senders t) (sent t) => [|[h x] s IHs] before /=.
  by rewrite cats0 addn0.
rewrite -cat_rcons -IHs addnA; congr (_ + _); rewrite -cats1 count_cat /= addn0 /spine.
by case: eqP => [<-|_] /=; rewrite ?addn0 // addn1 addnS turnsS.
Qed.

Theorem S29_turns (g : nat * nat) j s t w : j < n -> sent t = sent s ++ w ->
  count (fun p => (pair p == g) && (via p == j)) w <= (count (fun p => pair p == g) w + n.-1) %/ n.
Proof.
move=> lt_j eq_w; rewrite leq_divRL // mulnC; have := sent_turns g t lt_j; have := sent_turns g s lt_j.
have := turns_le j (start g + count (fun p => pair p == g) (sent s)) (count (fun p => pair p == g) w) n_pos.
by rewrite eq_w !count_cat -!addnA; nia.
Qed.

(* Packets of at most n D pairs take each spine about equally. *)
Lemma spread (P : pred packet) gs j s t w d : j < n -> sent t = sent s ++ w ->
  all (fun p => P p ==> (pair p \in gs)) w -> size gs <= n * D -> count (fun p => pair p \in gs) w <= n * d ->
  count (fun p => P p && (via p == j)) w <= d + D * n.-1.
Proof.
move=> lt_j eq_w cover le_gs le_d; have u_gs := undup_uniq gs.
have le_P : count (fun p => P p && (via p == j)) w <=
    \sum_(g <- undup gs) count (fun p => (pair p == g) && (via p == j)) w.
  rewrite (count_by (key := pair) u_gs); first by apply: leq_sum => g _; apply: sub_count => p /= /andP[/andP[_ ->] ->].
  by apply: sub_all cover => p; rewrite mem_undup; case: (P p) => //= ->; rewrite implybT.
rewrite (count_by (key := pair) u_gs) in le_d; last by apply/allP => p _; rewrite mem_undup implybb.
rewrite -(leq_pmul2l n_pos) mulnDr mulnA; apply: leq_trans (leq_mul (leqnn n) le_P) _.
apply: leq_trans (leq_add le_d (leq_mul (leq_trans (size_undup gs) le_gs) (leqnn n.-1))).
rewrite -sum_const -big_split big_distrr big_seq [X in _ <= X]big_seq.
apply: leq_sum => g; rewrite mem_undup => in_g.
have := S29_turns g lt_j eq_w; rewrite leq_divRL // mulnC => /leq_trans; apply; rewrite leq_add2r.
by apply: sub_count => p /eqP eq_g; rewrite /= eq_g in_g eqxx.
Qed.

(* Traffic: what hosts send to host x, each in a time of d slots. *)
Definition flow (h x t : nat) : nat := count (fun p => p.1 == (h, x)) (sent t).

Lemma unrouted before s : [seq p.1 | p <- routed before s] = s.
Proof. by elim: s before => //= -[h x] s IH before; rewrite /= IH. Qed.

Lemma flowS h x t : h \in hosts ->
  flow h x t.+1 = flow h x t + ((begin h <= t) && (dest h ((t - begin h) %% D) == x)).
Proof.
move=> in_h; rewrite /flow /= count_cat; congr (_ + _).
rewrite -(count_map fst (pred1 (h, x))) unrouted count_uniq_mem.
  congr nat_of_bool; apply/mapP/andP => [[i + [-> ->]]|[le /eqP<-]]; first by rewrite mem_filter => /andP[->].
  by exists h; rewrite // mem_filter le.
by rewrite map_inj_uniq ?filter_uniq ?iota_uniq // => a b [].
Qed.

Lemma flow_le h x s t d : h \in hosts -> t <= s + d -> D * flow h x t <= D * flow h x s + source x h * (d + D.-1).
Proof.
move=> in_h le_t; case: (boolP (source x h)) => [/hasP[r]|none]; last first.
  suff -> : flow h x t = 0 by lia.
  elim: t {le_t} => // t IH; rewrite flowS // IH; case: eqP => [eq_x|_]; last by rewrite andbF.
  by case/hasP: none; exists ((t - begin h) %% D); rewrite ?mem_iota ?ltn_pmod // eq_x.
rewrite mem_iota => /= lt_r /eqP eq_x.
have eq_f u : flow h x u = turns D r (u - begin h).
  elim: u => [|u IH]; first by rewrite sub0n /turns divn_small //; lia.
  rewrite flowS // IH; case: leqP => [le_b|lt_b]; last by rewrite addn0; congr turns; lia.
  rewrite subSn // turnsS //; congr (_ + nat_of_bool _).
  by apply/eqP/eqP => [eq_d|->] //; apply: (distinct (h := h)); rewrite ?ltn_pmod // eq_d.
have := turns_le r (s - begin h) d D_pos; rewrite !eq_f mul1n.
have : turns D r (t - begin h) <= turns D r (s - begin h + d) by apply: leq_div2r; lia.
by rewrite -(leq_pmul2l D_pos); lia.
Qed.

Lemma flows_le x d (A B : nat -> nat) : (forall h, B h <= A h + d) ->
  \sum_(h <- hosts) flow h x (B h) <= \sum_(h <- hosts) flow h x (A h) + (d + D.-1).
Proof.
move=> le_B; rewrite -(leq_pmul2l D_pos) mulnDr !big_distrr /=.
apply: leq_trans (_ : \sum_(h <- hosts) (D * flow h x (A h) + source x h * (d + D.-1)) <= _).
  by rewrite [in X in X <= _]big_seq [in X in _ <= X]big_seq; apply: leq_sum => h in_h; exact: flow_le.
by have := few x; rewrite big_split leq_add2l -big_distrl leq_mul2r -sumn_count sumnE big_map /= => ->; rewrite orbT.
Qed.

Lemma sent_valid t : all (fun p => [&& from p \in hosts, source (to p) (from p) & via p < n]) (sent t).
Proof.
elim: t => //= t IH; rewrite all_cat IH /=; set s := senders t.
have : all (fun p => (p.1 \in hosts) && source p.2 p.1) s.
  rewrite all_map; apply/allP => h; rewrite mem_filter => /andP[_ in_h] /=; rewrite in_h.
  by apply/hasP; exists ((t - begin h) %% D); rewrite ?mem_iota ?ltn_pmod.
elim: s (sent t) => //= -[h x] s IHs before /andP[/andP[in_h src] all_s].
by rewrite /from /to /via /spine /= ltn_pmod // in_h src IHs.
Qed.

Lemma count_flows (Q : pred nat) x t :
  count (fun p => (to p == x) && Q (from p)) (sent t) = \sum_(h <- hosts) flow h x (if Q h then t else 0).
Proof.
rewrite (count_by (key := from) (ks := hosts)) ?iota_uniq //; last first.
  by apply: sub_all (sent_valid t) => p /and3P[-> _ _]; rewrite implybT.
apply: eq_bigr => h _; transitivity (count (fun p : packet => Q h && (p.1 == (h, x))) (sent t)); last first.
  by case: (Q h) => //; rewrite count_pred0.
apply: eq_count => -[[i y] j]; rewrite /= xpair_eqE /from /to /=.
by case: (i =P h) => [->|]; rewrite ?andbF ?andbT // andbC.
Qed.

Lemma leaf_member h l : (leaf h == l) = (h \in iota (l * n) n).
Proof. by rewrite /leaf mem_iota eqn_leq leq_divRL // -[_ <= l]ltnS ltn_divLR // mulSn addnC andbC. Qed.

Lemma from_leaf l s d :
  count (fun p => leaf (from p) == l) (sent (s + d)) <= count (fun p => leaf (from p) == l) (sent s) + n * d.
Proof.
elim: d => [|d IH]; first by rewrite addn0 muln0 addn0.
rewrite addnS /= count_cat mulnS (addnC n) addnA leq_add //.
rewrite -(count_map fst (fun q => leaf q.1 == l)) unrouted count_map -size_filter -[X in _ <= X](size_iota (l * n) n).
by rewrite uniq_leq_size ?filter_uniq ?iota_uniq // => h; rewrite mem_filter /= leaf_member => /andP[].
Qed.

Lemma to_leaf l s t : s <= t ->
  count (fun p => leaf (to p) == l) (sent t) <= count (fun p => leaf (to p) == l) (sent s) + n * (t - s + D.-1).
Proof.
move=> le_s; have by_host u :
    count (fun p => leaf (to p) == l) (sent u) = \sum_(x <- iota (l * n) n) \sum_(h <- hosts) flow h x u.
  rewrite (count_by (key := to) (ks := iota (l * n) n)) ?iota_uniq //.
    rewrite !big_seq; apply: eq_bigr => x in_x; rewrite -(count_flows predT x u); apply: eq_count => p /=.
    by case: (to p =P x) => [->|]; rewrite ?andbF // leaf_member in_x.
  by apply/allP => p _; rewrite leaf_member implybb.
rewrite !by_host -{5}(size_iota (l * n) n) -sum_const -big_split.
by apply: leq_sum => x _; apply: flows_le => h; lia.
Qed.

(* The three stages. *)
Lemma sent_filter Q t : arrived (fun u => [seq p <- sends u | Q p]) t = [seq p <- sent t | Q p].
Proof. by elim: t => //= t ->; rewrite -filter_cat. Qed.

Theorem S29_uplink l j t : j < n -> size (queue (uplink l j) t) <= D * n.-1 + 1.
Proof.
move=> lt_j; rewrite addn1; apply: S29_queue => s le_s; have [w eq_w] := sent_split le_s.
have := from_leaf l s (t - s); rewrite subnKC // !sent_filter !size_filter.
rewrite eq_w !count_cat leq_add2l -addnA leq_add2l => le_w.
pose gs := [seq (group h, dest h r) | h <- iota (l * n) n, r <- iota 0 D].
apply: leq_trans (spread (P := fun p => leaf (from p) == l) (gs := gs) lt_j eq_w _ _ (d := t - s) _).
- by apply: sub_count => p /and3P[-> -> _].
- have := sent_valid t; rewrite eq_w all_cat => /andP[_]; apply: sub_all => p /and3P[_ /hasP[r in_r /eqP eq_r] _].
  by rewrite /pair -eq_r leaf_member; apply/implyP => in_l; apply: allpairs_f.
- by rewrite size_allpairs !size_iota.
apply: leq_trans le_w; apply: sub_count => p /allpairsP[[h r] [in_l _ [/together + _]]].
by rewrite /= => ->; rewrite leaf_member.
Qed.

(* Packets for a leaf through a spine: sent, and come to the spine's queue. *)
Definition cross (P : pred packet) (j l t : nat) : nat :=
  count (fun p => [&& P p, leaf (to p) == l, via p == j & ~~ local p]) (sent t).

Lemma down_between P j l t : j < n ->
  cross P j l (t - (D * n.-1 + 1)) <= count P (arrived (downlink j l) t) <= cross P j l t.-1.
Proof.
have crossE u :
    cross P j l u = \sum_(m <- iota 0 k) count (predI P (fun p => leaf (to p) == l)) (arrived (uplink m j) u).
  rewrite /cross (count_by (key := fun p => leaf (from p)) (ks := iota 0 k)) ?iota_uniq //.
    apply: eq_bigr => m _; rewrite sent_filter count_filter; apply: eq_count => p /=.
    by rewrite -!andbA; do !bool_congr.
  apply: sub_all (sent_valid u) => p /and3P[in_h _ _]; rewrite mem_iota /leaf ltn_divLR //.
  by move: in_h; rewrite mem_iota => /= ->; rewrite implybT.
by move=> lt_j; rewrite !crossE; apply: merge_between => m _ u; exact: S29_uplink.
Qed.

Theorem S29_downlink j l t : j < n -> size (queue (downlink j l) t) <= D * (2 * n - 1).
Proof.
move=> lt_j; rewrite (_ : D * _ = (2 * (D * n.-1) + D.-1).+1); last by rewrite mulnBr muln1 mulnCA -subn1 mulnBr; nia.
apply: S29_queue => s le_st.
have /andP[_] := down_between predT l t lt_j; have /andP[+ _] := down_between predT l s lt_j.
rewrite !count_predT => le_s /leq_trans; apply; rewrite -addnA; apply: leq_trans (leq_add le_s (leqnn _)).
have le_w : s - (D * n.-1 + 1) <= t.-1 by lia.
have [w eq_w] := sent_split le_w; have := to_leaf l le_w; rewrite /cross eq_w !count_cat !leq_add2l => le_d.
pose gs := [seq (group h, x) | x <- iota (l * n) n, h <- [seq h <- hosts | source x h]].
apply: leq_trans (leq_trans _ (spread (P := fun p => leaf (to p) == l) (gs := gs) lt_j eq_w _ _
  (d := t.-1 - (s - (D * n.-1 + 1)) + D.-1) _)) _; last by move: (D * n.-1); lia.
- by apply: sub_count => p /= /and3P[-> -> _].
- have := sent_valid t.-1; rewrite eq_w all_cat => /andP[_]; apply: sub_all => p /and3P[in_h src _].
  by apply/implyP => in_l; apply/allpairsPdep; exists (to p), (from p); rewrite mem_filter src in_h -leaf_member.
- rewrite size_allpairs_dep sumnE big_map -[n in n * D](size_iota (l * n)) -sum_const.
  by apply: leq_sum => x _; rewrite size_filter.
by apply: leq_trans le_d; apply: sub_count => p /allpairsPdep[x [h [in_l _ [_ ->]]]]; rewrite leaf_member.
Qed.

(* What is sent to host x within its leaf before slot u, and by other leaves before slot v. *)
Definition got (x u v : nat) : nat := \sum_(h <- hosts) flow h x (if leaf h == leaf x then u else v).

Lemma gotE x u v : got x u v =
  \sum_(j <- iota 0 n) cross (fun p => to p == x) j (leaf x) v + count (fun p => (to p == x) && local p) (sent u).
Proof.
transitivity (count (fun p => (to p == x) && (leaf (from p) != leaf x)) (sent v) +
  count (fun p => (to p == x) && (leaf (from p) == leaf x)) (sent u)).
  rewrite !(count_flows (fun h => leaf h == leaf x)) (count_flows (fun h => leaf h != leaf x)) -big_split.
  by apply: eq_bigr => h _; rewrite /=; case: eqP; rewrite ?addn0.
congr (_ + _); last by apply: eq_count => p; rewrite /local; case: (to p =P x) => [->|].
rewrite (count_by (key := via) (ks := iota 0 n)) ?iota_uniq //.
  by apply: eq_bigr => j _; apply: eq_count => p; rewrite /local; case: (to p =P x) => [->|] //=; rewrite eqxx andbC.
by apply: sub_all (sent_valid v) => p /and3P[_ _]; rewrite mem_iota => /= ->; rewrite implybT.
Qed.

Lemma port_between x t :
  got x t (t - (D * (2 * n - 1) + (D * n.-1 + 1))) <= size (arrived (port x) t) <= got x t (t - 2).
Proof.
have -> : size (arrived (port x) t) = count predT (arrived (merge (fun j => downlink j (leaf x)) (iota 0 n)
    (fun p => to p == x)) t) + count (fun p => (to p == x) && local p) (sent t).
  by rewrite count_predT -size_filter; elim: t => //= t IH; rewrite filter_cat !size_cat IH addnACA.
rewrite !gotE !leq_add2r subnDA (_ : t - 2 = t.-1.-1); last lia.
have down_j j : j \in iota 0 n -> j < n by rewrite mem_iota.
have /andP[le ge] := @merge_between _ (fun j => downlink j (leaf x)) (iota 0 n) predT (fun p => to p == x)
  (D * (2 * n - 1)) t (fun j in_j u => S29_downlink (leaf x) u (down_j j in_j)).
apply/andP; split; [apply: leq_trans le | apply: leq_trans ge _]; rewrite !big_seq; apply: leq_sum => j /down_j lt_j.
  by have /andP[] := down_between (fun p => to p == x) (leaf x) (t - D * (2 * n - 1)) lt_j.
by have /andP[] := down_between (fun p => to p == x) (leaf x) t.-1 lt_j.
Qed.

Theorem S29_port x t : size (queue (port x) t) <= D * (3 * n - 1) - 1.
Proof.
have [eq_Q Q_2] : let Q := D * (2 * n - 1) + (D * n.-1 + 1) in D * (3 * n - 1) - 1 = (Q - 2 + D.-1).+1 /\ 2 <= Q.
  by rewrite /= -subn1 !mulnBr; nia.
rewrite eq_Q; apply: S29_queue => s le_st.
have /andP[_ /leq_trans] := port_between x t; apply; have /andP[+ _] := port_between x s.
move: (_ + (_ + 1)) Q_2 => Q Q_2 le_s; rewrite -!addnA.
apply: leq_trans (leq_add le_s (leqnn _)).
by rewrite [X in _ + X]addnA; apply: flows_le => h; case: ifP => _; lia.
Qed.

End Network.
