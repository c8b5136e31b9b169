package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// policy is what the page may do: run and show what it came with. Compiling
// WebAssembly has a word of its own.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// limits bound how long a client may take.
type limits struct {
	header   time.Duration // to send a request
	answer   time.Duration // from there until it has the answer
	idle     time.Duration // between two requests
	farewell time.Duration // for what is on its way when the server ends
}

// defaults are the limits of a person's browser with a slow line.
var defaults = limits{header: 5 * time.Second, answer: time.Minute, idle: time.Minute, farewell: 2 * time.Second}

// largestHeader bounds the header of a request; browsers send under 2 KiB.
const largestHeader = 16 << 10

// Handler returns the site as a handler. It answers 404 to everything that is none
// of the site's files and 405 to methods other than GET and HEAD.
func (s Site) Handler() http.Handler {
	tags := map[string]string{}
	for _, f := range s.files {
		sum := sha256.Sum256(f.data)
		tags[f.name] = `"` + hex.EncodeToString(sum[:16]) + `"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		f, ok := s.find(r.URL.Path)
		if !ok {
			http.Error(w, "no such file", http.StatusNotFound)
			return
		}
		h.Set("Content-Type", f.contentType)
		h.Set("Cache-Control", "no-cache") // ask each time, by the tag
		h.Set("ETag", tags[f.name])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
	})
}

// Serve answers on a listener, which it closes, until ctx ends; then it lets what
// is on its way arrive, for two seconds, and returns ctx's error.
func Serve(ctx context.Context, listener net.Listener, site Site) error {
	return serve(ctx, listener, site, defaults)
}

func serve(ctx context.Context, listener net.Listener, site Site, l limits) error {
	server := &http.Server{
		Handler:           site.Handler(),
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.header,
		WriteTimeout:      l.answer,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    largestHeader,
		// What clients do wrong is not the user's concern.
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
