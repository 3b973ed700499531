package imageanalysis_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	imageanalysis "example.com/image-analysis/sdk/go"
	v1 "example.com/image-analysis/sdk/go/v1"
)

func ExampleClient_detectSingleFace() {
	client := connect()
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	answer, err := client.Faces.DetectSingleFace(ctx, &v1.DetectSingleFaceRequest{
		Image:     readSample("astronaut.jpg"),
		Landmarks: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	box, nose := answer.Face.BoundingBox, answer.Face.Landmarks.NoseTip
	fmt.Println("nose in the box:", box.Xmin < nose.X && nose.X < box.Xmax)
	// Output: nose in the box: true
}

func ExampleClient_detectAllFaces() {
	client := connect()
	defer client.Close()

	minScore, crop := 0.5, false
	answer, err := client.Faces.DetectAllFaces(context.Background(), &v1.DetectAllFacesRequest{
		Image:    readSample("astronaut.jpg"),
		MinScore: &minScore,
		Crop:     &crop,
		Details:  true,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(answer.Faces), answer.Details.Threshold.Source)
	// Output: 1 THRESHOLD_SOURCE_REQUEST
}

func ExampleClient_redactFaces() {
	client := connect()
	defer client.Close()

	style := "box"
	redacted, err := client.Faces.RedactFaces(context.Background(), &v1.RedactFacesRequest{
		Image: readSample("astronaut.jpg"),
		Style: &style,
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Faces.DetectAllFaces(context.Background(), &v1.DetectAllFacesRequest{
		Image: redacted.Image,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(redacted.ContentType, redacted.FaceCount, len(answer.Faces))
	// Output: image/jpeg 1 0
}

func ExampleClient_readMeter() {
	client := connect()
	defer client.Close()

	reading, err := client.Meters.ReadMeter(context.Background(), &v1.ReadMeterRequest{
		Image: readSample("meter.jpg"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reading.MeterNumber, reading.Value, reading.Unit)
	// Output: 00473286 00473.286 m3
}

func ExampleClient_fuseMeterReadings() {
	client := connect()
	defer client.Close()

	photo := readSample("meter.jpg")
	fused, err := client.Meters.FuseMeterReadings(context.Background(), &v1.FuseMeterReadingsRequest{
		Images: [][]byte{photo, photo},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fused.Reading.Value, fused.Photos[0].Agrees, fused.Photos[1].Agrees)
	// Output: 00473.286 true true
}

func ExampleClient_getVersion() {
	client := connect()
	defer client.Close()

	answer, err := client.Versions.GetVersion(context.Background(), &v1.GetVersionRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.ContainsFunc(answer.Models, func(model *v1.ModelInfo) bool {
		return model.Name == "meter-read"
	}))
	// Output: true
}

func ExampleClient_setDetectionScore() {
	client := connect()
	defer client.Close()
	company, password := os.Getenv("IMAGE_ANALYSIS_COMPANY"), os.Getenv("IMAGE_ANALYSIS_PASSWORD")

	score := 0.7
	_, err := client.Scores.SetDetectionScore(context.Background(), &v1.SetDetectionScoreRequest{
		Company: company, Password: password, DetectionScore: &score,
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Scores.GetDetectionScore(context.Background(), &v1.GetDetectionScoreRequest{
		Company: company, Password: password,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.DetectionScore)
	// Output: 0.7
}

func ExampleReasonOf() {
	client := connect()
	defer client.Close()

	_, err := client.Faces.DetectSingleFace(context.Background(), &v1.DetectSingleFaceRequest{
		Image: readSample("meter.jpg"),
	})
	switch imageanalysis.ReasonOf(err) {
	case v1.ErrorReason_ERROR_REASON_NO_FACE:
		fmt.Println("no face in the picture")
	default:
		log.Fatal(err)
	}
	// Output: no face in the picture
}

func ExampleDetailsOf() {
	client := connect()
	defer client.Close()

	minScore := 1.5
	_, err := client.Faces.DetectAllFaces(context.Background(), &v1.DetectAllFacesRequest{
		Image: readSample("astronaut.jpg"), MinScore: &minScore,
	})
	fmt.Println(imageanalysis.ReasonOf(err), imageanalysis.DetailsOf(err)["field"])
	// Output: ERROR_REASON_INVALID_SCORE min_score
}

// The administration port has a key of its own.
func ExampleDialOptions() {
	options := imageanalysis.DialOptions("adminkey", os.Getenv("IMAGE_ANALYSIS_ADMINKEY"))
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(os.Getenv("IMAGE_ANALYSIS_ADMIN"), options...)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	service, ctx := v1.NewAdminServiceClient(conn), context.Background()

	created, err := service.CreateApiKey(ctx, &v1.CreateApiKeyRequest{
		Label:      "billing",
		Operations: []v1.Operation{v1.Operation_OPERATION_METER_READING},
	})
	if err != nil {
		log.Fatal(err)
	}
	keys, err := service.ListApiKeys(ctx, &v1.ListApiKeysRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.ContainsFunc(keys.ApiKeys, func(key *v1.ApiKey) bool {
		return key.Id == created.ApiKey.Id
	}))
	revoked, err := service.RevokeApiKey(ctx, &v1.RevokeApiKeyRequest{Id: created.ApiKey.Id})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(revoked.ApiKey.Label, revoked.ApiKey.RevokeTime != nil)

	_, err = service.CreateCompany(ctx, &v1.CreateCompanyRequest{
		Name: "go-example", Password: "correct horse",
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = service.SetCompanyPassword(ctx, &v1.SetCompanyPasswordRequest{
		Name: "go-example", Password: "battery staple",
	})
	if err != nil {
		log.Fatal(err)
	}
	scored, err := service.SetCompanyScore(ctx, &v1.SetCompanyScoreRequest{
		Name: "go-example", DetectionScore: proto.Float64(0.65),
	})
	if err != nil {
		log.Fatal(err)
	}
	reset, err := service.DeleteCompanyScore(ctx, &v1.DeleteCompanyScoreRequest{Name: "go-example"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scored.Company.GetDetectionScore(), reset.Company.DetectionScore == nil)
	companies, err := service.ListCompanies(ctx, &v1.ListCompaniesRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.ContainsFunc(companies.Companies, func(company *v1.Company) bool {
		return company.Name == "go-example"
	}))
	_, err = service.DeleteCompany(ctx, &v1.DeleteCompanyRequest{Name: "go-example"})
	fmt.Println(err)
	// Output:
	// true
	// billing true
	// 0.65 true
	// true
	// <nil>
}

func connect() *imageanalysis.Client {
	client, err := imageanalysis.NewClient(
		os.Getenv("IMAGE_ANALYSIS_GRPC"),
		os.Getenv("IMAGE_ANALYSIS_APIKEY"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func readSample(name string) []byte {
	image, err := os.ReadFile(filepath.Join(os.Getenv("IMAGE_ANALYSIS_SAMPLES"), name))
	if err != nil {
		log.Fatal(err)
	}
	return image
}
