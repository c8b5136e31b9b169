// Package paper answers one question: what is a figure of the paper [Bonato26],
// and when does a claim of the paper hold?
//
// A [Figure] turns [Settings] into an [Output]: tables of numbers, a plot, and a
// [Finding] for each claim that it decides. The rule by which a claim is judged is
// part of the figure's declaration ([Figure.Rules]), written before anything is
// run. The claims themselves, every quantitative statement of the paper's text, are
// in claims.csv: id, section, scenario, metric, claimed value, line in the paper's
// source, comment. The table was compiled by hand from the paper.
//
// What figures are made of is below, from the bottom to the top:
//
//	lineup    which load balancers are compared, under which names and looks?
//	netrun    how is a network run many times, and what do the runs say?
//	uplinks   what happens at the uplinks of one ToR over time?
//	compare   by how much is one load balancer faster than another, and where?
//	figures   which experiment re-makes which figure? A file for each
//	record    what is kept of figures in a folder, and what do they say together?
package paper
