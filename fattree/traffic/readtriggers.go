package traffic

import (
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/internal/lines"
)

// describe reads the words of a trigger's line, after the first.
func (p *flowReader) describe(words []string) error {
	if int64(len(p.described)) >= p.triggers {
		return p.Wrong("found one more trigger than Triggers (%d)", max(0, p.triggers))
	}
	var id int64
	count := int64(-1)
	kinds := 0
	var t fattree.Trigger
	for len(words) > 0 {
		used := 1
		var err error
		switch key := words[0]; key {
		case "oneshot", "multishot", "barrier":
			kinds++
			t.Kind = fattree.TriggerKind(slices.Index(kindNames(), key))
			if t.Kind == fattree.Barrier && len(words) > 1 && isDigits(words[1]) {
				used = 2
				err = p.once(&count, "barrier", words, 1, fattree.MaxFlows)
			}
		case "id", "count":
			used = 2
			if key == "id" {
				err = p.once(&id, key, words, 1, maxID)
			} else {
				err = p.once(&count, key, words, 0, fattree.MaxFlows)
			}
		default:
			err = p.Wrong("found %s, expected id, count, oneshot, multishot or barrier", lines.Quote(key))
		}
		if err != nil {
			return err
		}
		words = words[used:]
	}
	return p.addTrigger(id, kinds, count, t)
}

// once reads the number after a key, which must be the first of its kind.
func (p *flowReader) once(number *int64, key string, words []string, least, most int64) error {
	if *number > 0 {
		return p.Wrong("%s is given a second time", lines.Quote(key))
	}
	if len(words) < 2 {
		return p.Wrong("found nothing after %s, expected a number", lines.Quote(key))
	}
	v, err := p.Integer(key, words[1], least, most)
	*number = v
	return err
}

// addTrigger checks that a trigger's line is complete and adds the trigger.
func (p *flowReader) addTrigger(id int64, kinds int, count int64, t fattree.Trigger) error {
	switch {
	case id == 0:
		return p.Wrong("found no id of the trigger, expected \"id\" and a number")
	case kinds != 1:
		return p.Wrong("found %d kinds of the trigger, expected one of oneshot, multishot and barrier", kinds)
	case t.Kind == fattree.Barrier && count < 1:
		return p.Wrong("found no count of the barrier, expected \"count\" and at least 1")
	case t.Kind != fattree.Barrier && count > 0:
		return p.Wrong("found count %d, expected it of a barrier only", count)
	}
	if _, taken := p.described[id]; taken {
		return p.Wrong("id %d is that of an earlier trigger, expected another", id)
	}
	if t.Kind == fattree.Barrier {
		t.Count = int(count)
	}
	p.workload.Triggers = append(p.workload.Triggers, t)
	p.described[id] = len(p.workload.Triggers)
	return nil
}

// finish checks the counts of the header and turns ids of triggers into numbers.
func (p *flowReader) finish() error {
	for _, missing := range []struct {
		name  string
		count int64
	}{{"Nodes", p.hosts}, {"Connections", p.connections}} {
		if missing.count < 0 {
			return fmt.Errorf("traffic: found no %s in %d lines, expected it at the beginning", missing.name, p.Number)
		}
	}
	if got := int64(len(p.workload.Flows)); got != p.connections {
		return fmt.Errorf("traffic: found %d flows in %d lines, expected Connections (%d)", got, p.Number, p.connections)
	}
	if got := int64(len(p.workload.Triggers)); got != max(0, p.triggers) {
		return fmt.Errorf("traffic: found %d triggers in %d lines, expected Triggers (%d)", got, p.Number, p.triggers)
	}
	unknown, first := int64(0), math.MaxInt
	for id, line := range p.mentioned {
		if _, known := p.described[id]; !known && (line < first || line == first && id < unknown) {
			unknown, first = id, line
		}
	}
	if unknown != 0 {
		return fmt.Errorf("traffic: line %d: found trigger %d, expected a line \"trigger id %d\" for it in the file", first, unknown, unknown)
	}
	for i := range p.workload.Flows {
		f := &p.workload.Flows[i]
		for _, trigger := range []*int{&f.StartedBy, &f.Fires} {
			if *trigger != fattree.NoTrigger {
				*trigger = p.described[int64(*trigger)]
			}
		}
	}
	return nil
}

// kindNames returns the words for the kinds of trigger, by kind.
func kindNames() []string {
	return []string{fattree.OneShot: "oneshot", fattree.MultiShot: "multishot", fattree.Barrier: "barrier"}
}

// isDigits reports whether a word begins like a number.
func isDigits(word string) bool { return word[0] >= '0' && word[0] <= '9' }
