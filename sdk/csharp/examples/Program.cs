using Google.Protobuf;
using Grpc.Core;
using ImageAnalysis.Client;
using ImageAnalysis.V1;

// Every call of the service, against the one that the environment names.

string Setting(string name) => Environment.GetEnvironmentVariable("IMAGE_ANALYSIS_" + name) ?? "";
ByteString Sample(string name) => ByteString.CopyFrom(File.ReadAllBytes(Path.Combine(Setting("SAMPLES"), name)));

using var client = new ImageAnalysisClient("http://" + Setting("GRPC"), Setting("APIKEY"));

var single = await client.Faces.DetectSingleFaceAsync(
    new DetectSingleFaceRequest { Image = Sample("astronaut.jpg"), Landmarks = true });
Console.WriteLine($"one face with score {single.Face.DetectionScore}");

var all = await client.Faces.DetectAllFacesAsync(
    new DetectAllFacesRequest { Image = Sample("astronaut.jpg"), MinScore = 0.5, Crop = false });
Console.WriteLine($"{all.Faces.Count} faces");

var reading = await client.Meters.ReadMeterAsync(new ReadMeterRequest { Image = Sample("meter.jpg") });
Console.WriteLine($"the meter shows {reading.Value} {reading.Unit}");

await client.Scores.SetDetectionScoreAsync(new SetDetectionScoreRequest
{
    Company = Setting("COMPANY"),
    Password = Setting("PASSWORD"),
    DetectionScore = 0.85,
});
var score = await client.Scores.GetDetectionScoreAsync(
    new GetDetectionScoreRequest { Company = Setting("COMPANY"), Password = Setting("PASSWORD") });
Console.WriteLine($"the score is {score.DetectionScore}");

try
{
    await client.Faces.DetectSingleFaceAsync(new DetectSingleFaceRequest { Image = Sample("meter.jpg") });
}
catch (RpcException error) when (Refusal.ReasonOf(error) == ErrorReason.NoFace)
{
    Console.WriteLine("no face in the picture");
}

// WriteAsync waits while the service takes no more pictures, so one task writes and another reads.
using var stream = client.Meters.StreamReadMeters();
var writing = Task.Run(async () =>
{
    var request = new ReadMeterRequest { Image = Sample("meter.jpg") };
    await stream.RequestStream.WriteAsync(new StreamReadMetersRequest { Id = "hall", Request = request });
    await stream.RequestStream.CompleteAsync();
});
await foreach (var answer in stream.ResponseStream.ReadAllAsync())
{
    Console.WriteLine(answer.ResultCase == StreamReadMetersResponse.ResultOneofCase.Response
        ? $"{answer.Id} shows {answer.Response.Value}"
        : $"{answer.Id} was refused: {Refusal.ReasonOf(answer.Error)}");
}
await writing;
