package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// small is a site that needs no compiler: its loader and program are texts.
func small(t testing.TB) Site {
	t.Helper()
	site, err := newSite([]byte("loader"), bytes.Repeat([]byte("program"), 1000))
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// start serves a site until the test ends and returns its address.
func start(t *testing.T, site Site, l limits) string {
	t.Helper()
	listener, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve(ctx, listener, site, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("serve ends with %v, want %v", err, context.Canceled)
		}
	})
	return "http://" + listener.Addr().(*net.TCPAddr).String() + "/"
}

// send sends the bytes of a request to a server and returns all that comes back
// until the server closes the connection.
func send(t testing.TB, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(address, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// A server that answers early may close before all is written.
	_, _ = io.WriteString(conn, request)
	_ = conn.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// get returns the answer to a plain request.
func get(t testing.TB, address string) (*http.Response, []byte) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// TestServesItsOwnFilesOnly asks for all of them, and for others.
func TestServesItsOwnFilesOnly(t *testing.T) {
	site := small(t)
	address := start(t, site, defaults)
	for name, data := range site {
		response, body := get(t, address+name)
		kind := response.Header.Get("Content-Type")
		if response.StatusCode != http.StatusOK || !bytes.Equal(body, data) || kind != contentTypes[path.Ext(name)] || kind == "" {
			t.Errorf("%s: %s, %d bytes, type %q", name, response.Status, len(body), kind)
		}
		if response.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is sent with encoding %q, but the page unpacks it itself", name, response.Header.Get("Content-Encoding"))
		}
	}
	if response, body := get(t, address); response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("<h1>")) {
		t.Errorf("/: %s, %.40q", response.Status, body)
	}
	for _, path := range []string{"/server.go", "/page/index.html", "/../server.go", "/%2e%2e/server.go", "//index.html", "/index.html/", "/index.html%00", "/etc/passwd", "/.", "*"} {
		answer := send(t, address, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 404 ") && !strings.HasPrefix(answer, "HTTP/1.1 400 ") {
			t.Errorf("%s: %.60q, want 404", path, answer)
		}
	}
}

// TestHeaders: every answer, also to a wrong request, has the policy, and unchanged files are not sent
// twice.
func TestHeaders(t *testing.T) {
	address := start(t, small(t), defaults)
	for _, request := range []string{"GET /", "GET /page.js", "GET /nothing", "POST /", "DELETE /page.js", "OPTIONS /", "HEAD /"} {
		answer := send(t, address, request+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		for _, want := range []string{"Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
			"Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin"} {
			if !strings.Contains(answer, "\r\n"+want) {
				t.Errorf("%s: no %q in\n%.600s", request, want, answer)
			}
		}
		status := strings.SplitN(answer, " ", 3)[1]
		want := map[string]string{"POST /": "405", "DELETE /page.js": "405", "OPTIONS /": "405", "GET /nothing": "404"}[request]
		if want == "" {
			want = "200"
		}
		if status != want || (want == "405" && !strings.Contains(answer, "\r\nAllow: GET, HEAD\r\n")) {
			t.Errorf("%s: status %s, want %s\n%.600s", request, status, want, answer)
		}
	}
	response, _ := get(t, address+"page.js")
	answer := send(t, address, "GET /page.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIf-None-Match: "+response.Header.Get("ETag")+"\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 304 ") {
		t.Errorf("with the tag %q: %.40q, want 304", response.Header.Get("ETag"), answer)
	}
	if head := send(t, address, "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); !strings.HasSuffix(head, "\r\n\r\n") {
		t.Errorf("HEAD has a body: %q", head)
	}
}

// watched is a listener that reports every connection that the server closes.
type watched struct {
	net.Listener
	closed chan string // the addresses of clients
}

func (w watched) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: conn, closed: w.closed}, nil
}

type watchedConn struct {
	net.Conn
	once   sync.Once
	closed chan string
}

func (c *watchedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.closed <- c.RemoteAddr().String() })
	return err
}

// TestSlowClients fills a server with clients that never end their requests and with clients that never
// read the answers. The server answers others meanwhile, and disconnects all of these.
func TestSlowClients(t *testing.T) {
	site := small(t)
	site["large.gz"] = make([]byte, 32<<20)
	listener, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	w := watched{listener, make(chan string, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- serve(ctx, w, site, limits{header: time.Second, answer: 2 * time.Second, idle: time.Second, farewell: time.Second})
	}()
	address := "http://" + listener.Addr().String() + "/"
	left := map[string]bool{}
	for i := range 60 {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		text := []string{"GET / HT", "", "GET /large.gz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "}[i%4]
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		left[conn.LocalAddr().String()] = true
	}
	if response, _ := get(t, address); response.StatusCode != http.StatusOK {
		t.Errorf("among slow clients: %s", response.Status)
	}
	for len(left) > 0 {
		delete(left, <-w.closed) // hangs, and so fails, if one is never disconnected
	}
	if response, _ := get(t, address); response.StatusCode != http.StatusOK {
		t.Errorf("after slow clients: %s", response.Status)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("serve ends with %v, want %v", err, context.Canceled)
	}
}

// TestEndsInSpiteOfClients: a client that is still sending its request does not keep the server from
// ending.
func TestEndsInSpiteOfClients(t *testing.T) {
	listener, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- serve(ctx, listener, small(t), limits{header: time.Hour, answer: time.Hour, idle: time.Hour, farewell: 10 * time.Millisecond})
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	get(t, "http://"+listener.Addr().String()+"/") // so that the first client is accepted, too
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("serve ends with %v, want %v", err, context.Canceled)
	}
}

// FuzzRequests: whatever a client sends, the server answers in HTTP or closes, and
// then answers the next client.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x00\x01\x02", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET http://[::1/ HTTP/1.1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-0,-1,5-2,9-\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\n: \r\n\r\n", "GET /" + strings.Repeat("a", 70_000) + " HTTP/1.1\r\n\r\n"} {
		f.Add(seed)
	}
	site := small(f)
	listener, err := Listen("127.0.0.1:0", false)
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	go func() {
		_ = serve(ctx, listener, site, limits{header: time.Second, answer: time.Second, idle: time.Second})
	}()
	address := "http://" + listener.Addr().String() + "/"
	f.Fuzz(func(t *testing.T, request string) {
		if answer := send(t, address, request); answer != "" {
			response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
			if err != nil && !strings.HasPrefix(request, "HEAD") {
				t.Fatalf("%q is answered by %.100q: %v", request, answer, err)
			}
			if err == nil && response.StatusCode >= 500 && response.StatusCode != http.StatusNotImplemented && response.StatusCode != http.StatusHTTPVersionNotSupported {
				t.Fatalf("%q is answered by %s", request, response.Status)
			}
		}
		if answer := send(t, address, "GET /icon.svg HTTP/1.0\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.0 200 ") {
			t.Fatalf("after %q a good request is answered by %.100q", request, answer)
		}
	})
}

// TestListen: the address must be on the loopback interface unless remote is set, whatever the host name.
func TestListen(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.9.9.9:0"} {
		listener, err := Listen(address, false)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if ip := listener.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
			t.Errorf("%s listens on %v", address, ip)
		}
		listener.Close()
	}
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "8080", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ""} {
		if listener, err := Listen(address, false); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: error %v", address, err)
			if err == nil {
				listener.Close()
			}
		}
	}
	listener, err := Listen(":0", true)
	if err != nil {
		t.Fatalf("remote: %v", err)
	}
	defer listener.Close()
	again := fmt.Sprintf("127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port)
	_, err = Listen(again, false)
	if err == nil || errors.Is(err, ErrAddress) {
		t.Fatalf("an address in use: %v", err)
	}
	var free string
	if n, _ := fmt.Sscanf(err.Error(), again+" is in use by another program, but %s is free: ", &free); n != 1 || free == again {
		t.Fatalf("an address in use: %v", err)
	}
	if next, err := Listen(free, false); err != nil {
		t.Errorf("%s is not free: %v", free, err)
	} else {
		next.Close()
	}
}

// TestExport: the files of a site, whole, in a folder that may have others.
func TestExport(t *testing.T) {
	site, folder := small(t), filepath.Join(t.TempDir(), "a", "site")
	for range 2 {
		if err := site.Export(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "mine.txt"), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(slices.Collect(maps.Keys(site)), "mine.txt")
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	for name, data := range site {
		if written, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(written, data) {
			t.Errorf("%s: %d bytes, %v", name, len(written), err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := site.Export(filepath.Join(folder, "file")); err == nil {
		t.Error("no error where the folder is a file")
	}
}

// TestPolicyIsInThePages: the pages contain the policy for web hosts that send none; it is the same
// except for directives that only work in a header.
func TestPolicyIsInThePages(t *testing.T) {
	own := strings.TrimSuffix(policy, "; frame-ancestors 'none'")
	for _, name := range []string{"index.html", "network.html"} {
		if !bytes.Contains(small(t)[name], []byte(`content="`+own+`"`)) {
			t.Errorf("%s has not the policy %q", name, own)
		}
	}
}

// TestSizeOfTheSite: a browser loads less than 1.35 MB for both pages, whether or not the host compresses
// text files.
func TestSizeOfTheSite(t *testing.T) {
	site, err := Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, data := range site {
		total += len(data)
	}
	t.Logf("%d bytes", total)
	if total >= 1_350_000 {
		t.Errorf("the site has %d bytes, want fewer than 1,350,000: list a balancer in studies of fattree/balance/named.go, which the site leaves out", total)
	}
}

// TestBuildEnds: a cancelled build says so.
func TestBuildEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestNoCompiler: without the go command the error says what is needed.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(context.Background()); err == nil || !strings.Contains(err.Error(), "so run it in a clone where go is installed") {
		t.Errorf("error %v", err)
	}
}

// TestServeReturnsFaults: Serve does not wait for its context on a closed listener.
func TestServeReturnsFaults(t *testing.T) {
	listener, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := Serve(t.Context(), listener, small(t)); err == nil {
		t.Error("no error from a closed listener")
	}
}

// TestHosts: a server on the loopback interface answers requests for addresses and for localhost, but not
// for a host name to which a foreign page gave the address of this machine.
func TestHosts(t *testing.T) {
	address := start(t, small(t), defaults)
	for host, want := range map[string]string{
		"localhost": "200", "LOCALHOST:8080": "200", "127.0.0.1:8080": "200", "[::1]:8080": "200", "[::1]": "200",
		"evil.example": "421", "evil.example:8080": "421", "localhost.evil.example": "421", "": "200", // as of HTTP/1.0
	} {
		answer := send(t, address, "GET / HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 "+want+" ") || !strings.Contains(answer, "Content-Security-Policy") {
			t.Errorf("host %q: %.120q, want code %s", host, answer, want)
		}
	}
}
