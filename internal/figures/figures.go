package figures

// All returns all figures: the paper's in its order, then our own.
func All() []Figure {
	return []Figure{
		tab01(), fig02(), fig03(), fig04(), fig05(), fig06(), fig07(), fig08(), fig09(), fig10(), fig11(), fig12(),
		fig13(), fig14(), fig15(), fig16(), fig17(), fig18(), fig19(), fig20(), fig21(), fig22(), fig23(), fig24(),
		thm1(), open(), look(), crosscheck(), ring(), oversubscription(), settings(), conclusion(),
	}
}
