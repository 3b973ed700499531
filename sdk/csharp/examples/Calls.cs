using ImageAnalysis.V1;
using static ImageAnalysis.Examples.Service;

namespace ImageAnalysis.Examples;

/// <summary>One example of each call.</summary>
internal static class Calls
{
    public static async Task DetectSingleFace()
    {
        using var client = Connect();

        var answer = await client.Faces.DetectSingleFaceAsync(
            new DetectSingleFaceRequest { Image = Sample("astronaut.jpg"), Landmarks = true },
            deadline: DateTime.UtcNow.AddSeconds(20));

        var (box, nose) = (answer.Face.BoundingBox, answer.Face.Landmarks.NoseTip);
        Expect(true, box.Xmin < nose.X && nose.X < box.Xmax);
    }

    public static async Task DetectAllFaces()
    {
        using var client = Connect();

        var answer = await client.Faces.DetectAllFacesAsync(
            new DetectAllFacesRequest
            {
                Image = Sample("astronaut.jpg"),
                MinScore = 0.5,
                Crop = false,
                Details = true,
            });

        Expect(1, answer.Faces.Count);
        Expect(ThresholdSource.Request, answer.Details.Threshold.Source);
    }

    public static async Task RedactFaces()
    {
        using var client = Connect();

        var redacted = await client.Faces.RedactFacesAsync(
            new RedactFacesRequest { Image = Sample("astronaut.jpg"), Style = "box" });

        Expect("image/jpeg", redacted.ContentType);
        Expect(1u, redacted.FaceCount);
    }

    public static async Task ReadMeter()
    {
        using var client = Connect();

        var reading = await client.Meters.ReadMeterAsync(new ReadMeterRequest { Image = Sample("meter.jpg") });

        Expect("00473286", reading.MeterNumber);
        Expect("00473.286", reading.Value);
    }

    public static async Task FuseMeterReadings()
    {
        using var client = Connect();
        var photo = Sample("meter.jpg");

        var fused = await client.Meters.FuseMeterReadingsAsync(
            new FuseMeterReadingsRequest { Images = { photo, photo } });

        Expect("00473.286", fused.Reading.Value);
        Expect(2, fused.Photos.Count);
    }

    public static async Task GetVersion()
    {
        using var client = Connect();

        var answer = await client.Versions.GetVersionAsync(new GetVersionRequest());

        Expect(true, answer.Models.Any(model => model.Name == "meter-read"));
    }

    public static async Task SetAndGetDetectionScore()
    {
        using var client = Connect();
        var (company, password) = (Setting("COMPANY"), Setting("PASSWORD"));

        await client.Scores.SetDetectionScoreAsync(
            new SetDetectionScoreRequest { Company = company, Password = password, DetectionScore = 0.85 });
        var answer = await client.Scores.GetDetectionScoreAsync(
            new GetDetectionScoreRequest { Company = company, Password = password });

        Expect(0.85, answer.DetectionScore);
    }
}
