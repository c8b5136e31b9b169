module example.org/repslab-examples

go 1.26.0

require repslab v0.0.0

require (
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace repslab => ..
