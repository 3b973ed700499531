// Package imageanalysis calls the image analysis service: face detection and water meter reading.
package imageanalysis

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	v1 "example.com/image-analysis/sdk/go/v1"
)

// DefaultTimeout is the deadline of a call whose context has none. Streams get no deadline.
const DefaultTimeout = 30 * time.Second

// A thousand cropped faces fit; gRPC's own limit is 4 MiB.
const maxAnswerBytes = 64 << 20

// While calls are under way: a stream has no deadline, and TCP alone may never notice that the other
// side is gone.
var pings = keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}

// By default, pauses grow with the time that the service is gone, to two minutes.
var connecting = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: time.Second, Multiplier: 1, Jitter: 0.2, MaxDelay: time.Second},
	MinConnectTimeout: 20 * time.Second,
}

// Client calls the service with one API key. It is safe for concurrent use.
type Client struct {
	Faces    v1.FaceDetectionServiceClient
	Meters   v1.MeterReadingServiceClient
	Scores   v1.ScoreConfigServiceClient
	Versions v1.VersionServiceClient
	conn     *grpc.ClientConn
}

// NewClient makes a client of the service at a target such as "127.0.0.1:50051". The options must
// say how the connection is secured: grpc.WithTransportCredentials.
func NewClient(target, apiKey string, options ...grpc.DialOption) (*Client, error) {
	conn, err := grpc.NewClient(target, append(DialOptions("apikey", apiKey), options...)...)
	if err != nil {
		return nil, err
	}
	return &Client{
		Faces:    v1.NewFaceDetectionServiceClient(conn),
		Meters:   v1.NewMeterReadingServiceClient(conn),
		Scores:   v1.NewScoreConfigServiceClient(conn),
		Versions: v1.NewVersionServiceClient(conn),
		conn:     conn,
	}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// DialOptions are what NewClient adds to a connection: the key in the metadata of every call, under
// "apikey", or "adminkey" on the administration port; DefaultTimeout; room for large answers; pings; a
// try to connect every second.
func DialOptions(keyName, key string) []grpc.DialOption {
	// Files of other systems leave white space around a key.
	key = strings.TrimSpace(key)
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)),
		grpc.WithKeepaliveParams(pings),
		grpc.WithConnectParams(connecting),
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, request, answer any,
			conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
			if _, limited := ctx.Deadline(); !limited {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, DefaultTimeout)
				defer cancel()
			}
			ctx = metadata.AppendToOutgoingContext(ctx, keyName, key)
			return invoke(ctx, method, request, answer, conn, options...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, description *grpc.StreamDesc,
			conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
		) (grpc.ClientStream, error) {
			ctx = metadata.AppendToOutgoingContext(ctx, keyName, key)
			return open(ctx, description, conn, method, options...)
		}),
	}
}
