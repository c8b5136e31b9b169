(* The self-clocked process of package recycled, from empty bins.

   There are n bins; x lists their loads. In a round every overfull bin (load > tau) gives
   up one ball, which is thrown again, and every empty bin throws one new ball; all removals
   come before all throws. Other bins keep their loads. A throw is the number of a bin, and a
   run is a function of a sequence w of throws that rounds take from its front. A run has
   converged when no bin is empty and none is overfull. *)
From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Process.

Variable tau : nat.

Definition overfull (l : nat) : bool := l > tau.
Definition removed (x : seq nat) : seq nat := [seq if overfull l then l.-1 else l | l <- x].
Definition throws (x : seq nat) : nat := count (fun l => (l == 0) || overfull l) x.
Definition receive (x w : seq nat) : seq nat := foldl incr_nth x w.

(* A state: the loads, and the throws that are left. *)
Definition round (s : seq nat * seq nat) : seq nat * seq nat :=
  let k := throws s.1 in (receive (removed s.1) (take k s.2), drop k s.2).
Definition run (r : nat) (s : seq nat * seq nat) := iter r round s.

(* The loads after r rounds from n empty bins. *)
Definition loads (n r : nat) (w : seq nat) : seq nat := (run r (nseq n 0, w)).1.

Definition converged (x : seq nat) : bool := all (fun l => 0 < l <= tau) x.

(* The balls above tau: Y in docs/proof.md. *)
Definition excess (x : seq nat) : nat := sumn [seq l - tau | l <- x].
Definition empty (x : seq nat) : nat := count (pred1 0) x.

(* Throws that find a bin below tau. *)
Fixpoint absorbed (x w : seq nat) : nat :=
  if w is i :: w' then (nth 0 x i < tau) + absorbed (incr_nth x i) w' else 0.

(* Basic facts. *)

Lemma size_removed x : size (removed x) = size x.
Proof. exact: size_map. Qed.

Lemma size_incr x i : i < size x -> size (incr_nth x i) = size x.
Proof. by rewrite size_incr_nth => ->. Qed.

Lemma sumn_incr x i : sumn (incr_nth x i) = (sumn x).+1.
Proof.
by elim: x i => [|l x IH] [|i] //=; [elim: i | rewrite IH; lia].
Qed.

Lemma size_receive x w : all (gtn (size x)) w -> size (receive x w) = size x.
Proof.
elim: w x => //= i w IH x /andP[lt_i all_w].
by rewrite IH size_incr.
Qed.

Lemma sumn_receive x w : sumn (receive x w) = sumn x + size w.
Proof. by elim: w x => [|i w IH] x /=; rewrite ?addn0 // IH sumn_incr addSnnS. Qed.

Lemma nth_receive x w i : nth 0 (receive x w) i = nth 0 x i + count_mem i w.
Proof.
elim: w x => [|j w IH] x /=; first by rewrite addn0.
by rewrite IH nth_incr_nth [RHS]addnCA addnA.
Qed.

Lemma sumn_removed x : sumn (removed x) + count overfull x = sumn x.
Proof. by elim: x => //= l x <-; case: ifP; rewrite /overfull; lia. Qed.

Lemma throwsE x : throws x = empty x + count overfull x.
Proof.
by rewrite /throws /empty; elim: x => //= l x ->; case over: (overfull l); move: over;
rewrite /overfull; case: l; lia.
Qed.

Lemma throws_le x : throws x <= size x.
Proof. exact: count_size. Qed.

Lemma convergedE x : converged x = (throws x == 0).
Proof.
rewrite /converged /throws; elim: x => //= l x ->; rewrite /overfull; lia.
Qed.

Lemma emptyE x : (0 \in x) = (0 < empty x).
Proof. by rewrite -has_count has_pred1. Qed.

(* A converged state stays as it is. *)
Lemma converged_stays x w : converged x -> round (x, w) = (x, w).
Proof.
move=> conv; have k0 := conv; rewrite convergedE in k0.
rewrite /round /= (eqP k0) take0 drop0 /=; congr pair.
rewrite /removed -[RHS]map_id; apply/eq_in_map => l l_in.
by have := allP conv l l_in; case: ifP; rewrite /overfull; lia.
Qed.

(* The number of balls grows by the empty bins. *)
Lemma sumn_round x w : throws x <= size w -> sumn (round (x, w)).1 = sumn x + empty x.
Proof.
move=> enough; rewrite /round /= sumn_receive size_take_min (minn_idPl enough) throwsE.
by have := sumn_removed x; lia.
Qed.

Lemma size_round x w : all (gtn (size x)) w -> size (round (x, w)).1 = size x.
Proof.
move=> all_w; rewrite /round /= size_receive ?size_removed //.
by rewrite -[w](cat_take_drop (throws x)) all_cat in all_w; case/andP: all_w.
Qed.

(* The excess after a throw, after the removals, and after a round's throws. *)
Lemma excess_incr x i : i < size x -> excess (incr_nth x i) = excess x + (tau <= nth 0 x i).
Proof.
rewrite /excess; elim: x i => [|l x IH] [|i] //=; first by lia.
by rewrite ltnS => /IH->; lia.
Qed.

Lemma excess_removed x : excess (removed x) + count overfull x = excess x.
Proof. by rewrite /excess; elim: x => //= l x <-; case: ifP; rewrite /overfull; lia. Qed.

Lemma excess_receive x w :
  all (gtn (size x)) w -> excess (receive x w) + absorbed x w = excess x + size w.
Proof.
elim: w x => //= i w IH x /andP[lt_i all_w].
by have := IH (incr_nth x i); rewrite size_incr // excess_incr // => /(_ all_w); lia.
Qed.

End Process.
