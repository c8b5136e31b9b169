package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestServe runs the real program on a free port, loads the page and interrupts
// it: code 130, like the other commands.
// It needs REPSLAB_LONG=1.
func TestServe(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	cmd := child("serve", "--addr", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v, stderr %q", err, stderr.String())
	}
	response, err := http.Get(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "OPS and REPS on one switch") {
		t.Errorf("%s: %s, %v, %.80q", line, response.Status, err, body)
	}
	response.Body.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(reader); len(rest) > 0 {
		t.Errorf("after the interruption it printed %q", rest)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("code %d, want %d; stderr %q", code, exitInterrupted, stderr.String())
	}
	if want := "repslab: compiling the page\nrepslab: interrupted\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

// TestServeAddressInUse: where an address is taken nothing is compiled; the code is 1.
func TestServeAddressInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if o := repslab(t, "serve", "--addr", listener.Addr().String()); o.code != exitFailed || o.stdout != "" || !strings.Contains(o.stderr, "--addr: "+listener.Addr().String()+" is in use by another program, but 127.0.0.1:") || strings.Contains(o.stderr, "compiling") {
		t.Errorf("%+v", o)
	}
}
