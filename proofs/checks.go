package proofs

// checks returns the checks of all steps that are not facts, by id, in the order of the proof.
func checks() map[string]func(*Audit) Finding {
	return map[string]func(*Audit) Finding{
		"T1": checkTheoremSelfClocked, "T1r": robinFates, "T2": checkConstantColors,
		"A5": checkConvergesIff, "A7": checkEnoughColors, "A7r": robinRepeats,
		"A8": checkWarmup, "A8r": checkWarmupRobin, "A9": checkWarmupValue,
		"A10": checkStart, "A11": checkMoment,
		"B1": checkFreshUniform, "B2": checkCoupon, "B5": checkFreshOfPhaseOne,
		"B6": checkMaxFresh, "B9": sameAs("A7"),
		"C1": sameAs("B5"), "C1r": robinFilled, "C2": checkPotential,
		"C4": checkAbove, "C5": checkAt, "C6": checkFarBelow,
		"C7": checkIntegerThreshold, "C8": checkSwapped, "C9": checkBinomialDrift,
		"C10": checkTotalExpectation, "C11": checkTailFromThree, "C24": checkHalf,
		"C12": checkFarBins, "C13": checkFarContribution, "C14": checkFarOnly,
		"C15": checkOverfullBalls, "C16": checkNearBins, "C17": checkNearCount,
		"C18": checkNearTotal, "C19": checkOverfullTotal,
		"C20": checkManyDrift, "C21": checkFewDrift, "C22": checkZeroOverfull,
		"D1r": checkTwinsMeaning, "D4": checkCubes, "D5": checkColorTail,
		"D6": checkProduct(3, 2), "D6r": sameAs("A7r"), "D8": checkProduct(2, 1), "D9": checkAveraging,
		"E1": checkManyInequality, "E2": checkFewInequality, "E3": checkManyMeansMore,
		"E4": checkFinalDrift, "E5": checkAdditiveDrift, "E6": checkFirstExcess,
		"E8": checkUniqueAtEnd, "E8r": sameAs("A7r"),
		"E9": checkInfiniteMean, "E9r": checkInfiniteRobin,
		"E11": sameAs("C24"), "E12": checkBatchedLoad, "E12r": robinGrowth,
		"E13": checkMarkov, "E14": checkRealDrift,
		"L1": checkLemmaOne, "L2": checkChernoff,
		"L3": func(a *Audit) Finding { return checkExponent(2, a.Constants.Lemma1Mean) },
		"L4": func(a *Audit) Finding { return checkDelta(2, a.Constants.Lemma1Delta, a.Constants.Lemma1Rate) },
		"L5": func(a *Audit) Finding {
			return checkShift(a.Constants.Lemma1From, a.Constants.Lemma1Mean, a.Constants.Lemma1Delta)
		},
		"M1": checkLemmaTwo, "M2": checkPelekis, "M3": checkConditional,
		"M4": checkFraction, "M5": sameAs("L2"),
		"M6": func(a *Audit) Finding { return checkExponent(1, a.Constants.Lemma2Mean) },
		"M7": func(a *Audit) Finding { return checkDelta(1, a.Constants.Lemma2Delta, 1) },
		"M8": func(a *Audit) Finding {
			return checkShift(a.Constants.Lemma2From, a.Constants.Lemma2Mean, a.Constants.Lemma2Delta)
		},
		"M9": checkProductOfBounds, "M10": checkCondition,
		"S2": checkAbsorption, "S3": checkPhaseTwoMean, "S4": checkAbsorptionConstant,
		"S5": checkPhaseTwoTail, "S6": checkNever, "S7": checkEventual,
		"S8": checkPhaseOneMean, "S9": checkWhole, "S10": checkLemmaOneEverywhere,
		"S11": checkWholeLoads, "S12": checkRealThreshold, "S13": robinLimit,
		"S14": checkLowerBound, "S15": checkFirstExcessSmall, "S16": checkLinear, "S17": checkAnyPhaseTwo,
		"S18": checkAnyStart, "S20": checkUnequal, "S21": checkSharp, "S22": sameAs("S21"), "S23": sameAs("S21"),
		"S24": checkRoundTrip, "S25": sameAs("S24"), "S26": sameAs("S24"), "S27": sameAs("S24"), "S28": checkToppling,
		"S29": checkRotation,
	}
}
