package plot

// BalancerColor returns the colour of a load balancer, by its key in tables and commands. It is the same
// in all figures. Variants of REPS have shades of the colour of REPS, with other dashes and glyphs and
// with pale bars. The colour of an unknown key is AutoColor.
func BalancerColor(key string) Color {
	return map[string]Color{
		"reps":          Blue,
		"ops":           Vermilion,
		"ecmp":          Green,
		"bitmap":        Purple,
		"plb":           Orange,
		"flowlet":       SkyBlue,
		"mprdma":        Brown,
		"mptcp":         Yellow,
		"adaptive-roce": Brown.Hollow(),

		"plb-k25":        Orange.Hollow(),
		"mptcp-subflows": Yellow.Hollow(),
		"switch-ops":     Vermilion.Hollow(),
		"round-robin":    Green.Hollow(),

		"switch-round-robin":      Green.Hollow().Hollow(),
		"destination-round-robin": Purple.Hollow().Hollow().Hollow(),
		"shorter-of-two":          Brown.Hollow().Hollow().Hollow(),
		"switch-adaptive":         Brown.Hollow().Hollow(),
		"switch-flowlet":          SkyBlue.Hollow(),
		"host-adaptive":           SkyBlue.Hollow().Hollow(),

		"stratified": Vermilion.Hollow().Hollow(),
		"mixed":      Purple.Hollow(),
		"mrc":        Purple.Hollow().Hollow(),

		"klb":        Orange.Hollow().Hollow(),
		"klb-always": Orange.Hollow().Hollow().Hollow(),
		"hklb":       Yellow.Hollow().Hollow(),

		"reps-planes":  Blue.Hollow().Hollow(),
		"reps-exclude": Blue.Hollow().Hollow().Hollow(),

		"oracle":             Black,
		"path-round-robin":   Black.Hollow(),
		"source-round-robin": Black.Hollow().Hollow().Hollow(),
		"path-static":        Black.Hollow().Hollow(),

		"reps-legacy":    Blue.Hollow(),
		"reps-100us":     Blue.Hollow().Hollow().Hollow(),
		"reps-unfrozen":  Blue.Hollow(),
		"reps-probe":     Blue.Hollow(),
		"reps-fifo":      Blue.Hollow(),
		"reps-forced":    Blue.Hollow(),
		"artifact-100us": Blue.Hollow().Hollow(),
	}[key]
}
