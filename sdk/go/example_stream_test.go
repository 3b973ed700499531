package imageanalysis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sort"
	"strconv"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	imageanalysis "example.com/image-analysis/sdk/go"
	v1 "example.com/image-analysis/sdk/go/v1"
)

// Send waits while the service takes no more pictures, so one goroutine sends and another receives.
func ExampleClient_streamDetectFaces() {
	client := connect()
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	stream, err := client.Faces.StreamDetectFaces(ctx)
	if err != nil {
		log.Fatal(err)
	}
	pictures := map[string][]byte{"good": readSample("astronaut.jpg"), "bad": []byte("no picture")}
	go func() {
		defer stream.CloseSend()
		for name, image := range pictures {
			request := &v1.DetectAllFacesRequest{Image: image}
			if stream.Send(&v1.StreamDetectFacesRequest{Id: name, Request: request}) != nil {
				return // Recv has the error.
			}
		}
	}()

	var lines []string
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if refusal := answer.GetError(); refusal != nil {
			err := status.ErrorProto(refusal)
			field := imageanalysis.DetailsOf(err)["field"]
			lines = append(lines, fmt.Sprint(answer.Id, " ", imageanalysis.ReasonOf(err), " ", field))
		} else {
			lines = append(lines, fmt.Sprint(answer.Id, " ", len(answer.GetResponse().Faces)))
		}
	}
	sort.Strings(lines) // Answers come in any order.
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// bad ERROR_REASON_UNSUPPORTED_IMAGE_TYPE image
	// good 1
}

func ExampleClient_streamReadMeters() {
	client := connect()
	defer client.Close()

	stream, err := client.Meters.StreamReadMeters(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	request := &v1.ReadMeterRequest{Image: readSample("meter.jpg")}
	if err := stream.Send(&v1.StreamReadMetersRequest{Id: "hall", Request: request}); err != nil {
		log.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Id, answer.GetResponse().Value)
	// Output: hall 00473.286
}

func TestStreamTakesPicturesOnlyAsFastAsTheyAreRead(t *testing.T) {
	client := connect()
	defer client.Close()
	stream, err := client.Faces.StreamDetectFaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	const count = 80
	image := append(readSample("astronaut.jpg"), make([]byte, 2_000_000)...)
	var sent atomic.Int32
	go func() {
		defer stream.CloseSend()
		for number := range count {
			request := &v1.DetectAllFacesRequest{Image: image}
			id := strconv.Itoa(number)
			if stream.Send(&v1.StreamDetectFacesRequest{Id: id, Request: request}) != nil {
				return
			}
			sent.Add(1)
		}
	}()

	ids := map[string]bool{}
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) == 0 && sent.Load() >= count/2 {
			t.Errorf("%d pictures were sent before the first answer, want fewer than half", sent.Load())
		}
		ids[answer.Id] = true
	}
	if len(ids) != count {
		t.Errorf("%d answers, want %d", len(ids), count)
	}
}

func TestWrongKey(t *testing.T) {
	stranger, err := imageanalysis.NewClient(os.Getenv("IMAGE_ANALYSIS_GRPC"), "wrong",
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()

	_, err = stranger.Meters.ReadMeter(t.Context(), &v1.ReadMeterRequest{})

	if got, want := imageanalysis.ReasonOf(err), v1.ErrorReason_ERROR_REASON_INVALID_API_KEY; got != want {
		t.Errorf("reason is %v, want %v", got, want)
	}
	if got, want := status.Code(err), codes.Unauthenticated; got != want {
		t.Errorf("code is %v, want %v", got, want)
	}
	if _, said := imageanalysis.RetryDelayOf(err); said {
		t.Error("a retry delay was said, want none")
	}
}

func TestInterceptorsOfTheCallerKeepTheKey(t *testing.T) {
	client, err := imageanalysis.NewClient(
		os.Getenv("IMAGE_ANALYSIS_GRPC"), os.Getenv("IMAGE_ANALYSIS_APIKEY"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, request, answer any,
			conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
			return invoke(ctx, method, request, answer, conn, options...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, description *grpc.StreamDesc,
			conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
		) (grpc.ClientStream, error) {
			return open(ctx, description, conn, method, options...)
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	_, err = client.Meters.ReadMeter(t.Context(), &v1.ReadMeterRequest{})
	if got, want := status.Code(err), codes.InvalidArgument; got != want {
		t.Errorf("code is %v, want %v", got, want)
	}
	stream, err := client.Meters.StreamReadMeters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("the stream ends with %v, want EOF", err)
	}
}
