package live

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// policy lets the page run and show only its own files. Compiling WebAssembly needs a separate
// permission.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// limits bound the time that a client may take.
type limits struct {
	header   time.Duration // to send a request
	answer   time.Duration // to receive the answer
	idle     time.Duration // between two requests
	farewell time.Duration // to receive an answer after the server is told to end
}

// defaults are limits that suit a browser on a slow line.
var defaults = limits{header: 5 * time.Second, answer: time.Minute, idle: time.Minute, farewell: 2 * time.Second}

// largestHeader bounds the header of a request; browsers send under 2 KiB.
const largestHeader = 16 << 10

// headers are sent with every answer.
var headers = http.Header{
	"Content-Security-Policy":      {policy},
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Permissions-Policy":           {"camera=(), geolocation=(), microphone=()"},
}

// contentTypes maps the extensions of the site's files to types. The program is sent as a compressed
// file, since the page decompresses it itself and the browser must not.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".gz":   "application/gzip",
}

// Handler returns the site as a handler. It answers 404 to all paths but the
// site's files and 405 to methods other than GET and HEAD.
func (s Site) Handler() http.Handler {
	tags := make(map[string]string, len(s)) // tags change with the data
	for name, data := range s {
		tags[name] = fmt.Sprintf(`"%x"`, sha256.Sum256(data))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		maps.Copy(h, headers)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
		data, ok := s[name]
		if !ok {
			http.Error(w, "no such file", http.StatusNotFound)
			return
		}
		h.Set("Content-Type", contentTypes[path.Ext(name)])
		h.Set("Cache-Control", "no-cache") // browsers ask each time, with the tag
		h.Set("ETag", tags[name])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	})
}

// local returns a handler that refuses requests for a host name other than localhost; addresses are
// allowed. Otherwise a foreign page could give its own host name the address of this machine and read the
// answers.
func local(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if r.Host != "" && net.ParseIP(host) == nil && !strings.EqualFold(host, "localhost") {
			maps.Copy(w.Header(), headers)
			http.Error(w, "the host must be localhost or an address", http.StatusMisdirectedRequest)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// Serve answers on a listener until ctx ends. Then it closes the listener, gives answers in transit two
// seconds and returns the error of ctx.
func Serve(ctx context.Context, listener net.Listener, site Site) error {
	return serve(ctx, listener, site, defaults)
}

func serve(ctx context.Context, listener net.Listener, site Site, l limits) error {
	handler := site.Handler()
	if at, is := listener.Addr().(*net.TCPAddr); is && at.IP.IsLoopback() {
		handler = local(handler)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.header,
		WriteTimeout:      l.answer,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    largestHeader,
		// The user does not need to know about faults of clients.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), l.farewell)
	defer cancel()
	if err := server.Shutdown(patience); errors.Is(err, context.DeadlineExceeded) {
		server.Close()
	}
	<-ended
	return ctx.Err()
}
