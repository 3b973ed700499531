using Grpc.Core;
using ImageAnalysis.Client;
using ImageAnalysis.V1;
using static ImageAnalysis.Examples.Service;

namespace ImageAnalysis.Examples;

/// <summary>How to tell why a call was refused.</summary>
internal static class Refusals
{
    public static async Task BranchOnTheReason()
    {
        using var client = Connect();
        try
        {
            await client.Faces.DetectSingleFaceAsync(new DetectSingleFaceRequest { Image = Sample("meter.jpg") });
        }
        catch (RpcException error) when (Refusal.ReasonOf(error) == ErrorReason.NoFace)
        {
            Expect(StatusCode.NotFound, error.StatusCode);
            Expect(null, Refusal.RetryDelayOf(error));
            return;
        }
        throw new InvalidOperationException("a face was found");
    }

    public static async Task DetailsNameTheField()
    {
        using var client = Connect();

        var error = await RefusalOf(client.Faces.DetectAllFacesAsync(
            new DetectAllFacesRequest { Image = Sample("astronaut.jpg"), MinScore = 1.5 }));

        Expect(ErrorReason.InvalidScore, Refusal.ReasonOf(error));
        Expect("min_score", Refusal.DetailsOf(error)["field"]);
    }

    public static async Task WrongKey()
    {
        using var stranger = new ImageAnalysisClient("http://" + Setting("GRPC"), "wrong");

        var error = await RefusalOf(stranger.Meters.ReadMeterAsync(new ReadMeterRequest()));

        Expect(ErrorReason.InvalidApiKey, Refusal.ReasonOf(error));
    }

    public static async Task Deadline()
    {
        using var hasty = new ImageAnalysisClient(
            "http://" + Setting("GRPC"), Setting("APIKEY"), TimeSpan.FromMilliseconds(1));

        var error = await RefusalOf(hasty.Meters.ReadMeterAsync(new ReadMeterRequest { Image = Sample("meter.jpg") }));

        Expect(StatusCode.DeadlineExceeded, error.StatusCode);
    }
}
