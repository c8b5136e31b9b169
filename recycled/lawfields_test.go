package recycled

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestLawsKnowEveryField: a law, a bound or a mean field refuses each field of a configuration, unless the list below
// says that it takes the field. A new field of Config that a law overlooks is found here.
func TestLawsKnowEveryField(t *testing.T) {
	laws := []struct {
		name  string
		base  Config
		takes string
		law   func(cfg Config) error
	}{
		{"NewChain", Config{Bins: 4, Threshold: 2}, "Bins Threshold Start Balls MaxRounds Horizon",
			func(cfg Config) error { _, err := NewChain(cfg, nil); return err }},
		{"NewClosedLaw", Config{Bins: 4, Closed: true, Oblivious: true, Level: 2, Start: AllInOne}, "Bins Threshold Oblivious Level Start Balls MaxRounds Horizon",
			func(cfg Config) error { _, err := NewClosedLaw(cfg); return err }},
		{"SettlesBound", Config{Bins: 16, Threshold: 4, Clocking: PerFlow, Window: 8, Delay: 2}, "Bins Threshold Clocking Ramp Delay Window Ring MaxRounds Horizon",
			func(cfg Config) error { _, _, err := SettlesBound(cfg, 4, 1); return err }},
		{"NewExceedsExperiment", Config{Bins: 4, Threshold: 4, Clocking: PerFlow, Lambda: 0.9}, "Bins Threshold Oblivious Ramp PMax Lambda Delay Window Ring MaxRounds Horizon Start Balls",
			func(cfg Config) error { _, err := NewExceedsExperiment(cfg, 3); return err }},
		{"NewMeanField", Config{Bins: 16, Threshold: 4, Clocking: PerFlow}, "Bins Threshold Oblivious Lambda Delay Window Ring MaxRounds Horizon Start Balls",
			func(cfg Config) error { _, err := NewMeanField(cfg); return err }},
	}
	fields := reflect.TypeFor[Config]()
	for _, l := range laws {
		if err := l.law(l.base); err != nil {
			t.Errorf("%s refuses %+v: %v", l.name, l.base, err)
		}
		takes := strings.Fields(l.takes)
		for i := range fields.NumField() {
			cfg, name := l.base, fields.Field(i).Name
			if slices.Contains(takes, name) {
				continue
			}
			other := otherValue(t, name, reflect.ValueOf(cfg).Field(i))
			reflect.ValueOf(&cfg).Elem().Field(i).Set(other)
			if l.law(cfg) == nil {
				t.Errorf("%s takes %s = %v: it must refuse the field, or compute with it and list it in this test", l.name, name, other)
			}
		}
		for _, name := range takes {
			if _, exists := fields.FieldByName(name); !exists {
				t.Errorf("%s takes %s, which is no field", l.name, name)
			}
		}
	}
}

// otherValue returns a value of a field that is neither the given one nor the default.
func otherValue(t *testing.T, name string, now reflect.Value) reflect.Value {
	t.Helper()
	others := []any{3, 0.5, 0.75, !(now.Kind() == reflect.Bool && now.Bool()), Ack, RoundRobin, Random, Mixed}
	for _, value := range others {
		if v := reflect.ValueOf(value); v.Type() == now.Type() && fmt.Sprint(v) != fmt.Sprint(now) {
			return v
		}
	}
	t.Fatalf("no other value of %s, a %s: add one", name, now.Type())
	return reflect.Value{}
}
