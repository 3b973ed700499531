package imageanalysis_test

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	imageanalysis "example.com/image-analysis/sdk/go"
	v1 "example.com/image-analysis/sdk/go/v1"
)

func TestAServiceThatIsGoneIsLookedForEverySecond(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := imageanalysis.NewClient(listener.Addr().String(), "any",
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			_, _ = client.Versions.GetVersion(ctx, &v1.GetVersionRequest{})
			time.Sleep(20 * time.Millisecond)
		}
	}()

	var last time.Time
	var pauses []time.Duration
	for range 5 {
		connection, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		connection.Close()
		pauses = append(pauses, time.Since(last))
		last = time.Now()
	}
	// By gRPC's own rule the last two would be of about 2.6 and 4 seconds; a stall lengthens one.
	if min(pauses[3], pauses[4]) > 1600*time.Millisecond {
		t.Fatalf("paused for %v", pauses[1:])
	}
}
