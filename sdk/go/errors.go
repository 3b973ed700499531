package imageanalysis

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	v1 "example.com/image-analysis/sdk/go/v1"
)

// ReasonOf gives the stable reason of a refused call, to branch on. It is UNSPECIFIED when the
// failure is not the service's own word, as when it cannot be reached. For this and the functions
// below, status.ErrorProto makes an error of the refusal of a picture in a stream.
func ReasonOf(err error) v1.ErrorReason {
	return v1.ErrorReason(v1.ErrorReason_value["ERROR_REASON_"+infoOf(err).GetReason()])
}

// DetailsOf gives the facts of a refused call for a program: "field", "value", "limit" and the like.
func DetailsOf(err error) map[string]string {
	return infoOf(err).GetMetadata()
}

// RetryDelayOf tells after which time trying again is worth it, if the service said so.
func RetryDelayOf(err error) (time.Duration, bool) {
	for _, detail := range status.Convert(err).Details() {
		if retry, ok := detail.(*errdetails.RetryInfo); ok {
			return retry.GetRetryDelay().AsDuration(), true
		}
	}
	return 0, false
}

func infoOf(err error) *errdetails.ErrorInfo {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}
