using Grpc.Core;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using ImageAnalysis.V1;

namespace ImageAnalysis.Client;

/// <summary>Calls the service with one API key; may be shared by threads.</summary>
public sealed class ImageAnalysisClient : IDisposable
{
    /// <summary>Deadline of a call that has none of its own. Streams get none.</summary>
    public static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(30);

    // A thousand cropped faces fit; gRPC's own limit is 4 MiB.
    private const int MaxAnswerBytes = 64 << 20;

    private readonly GrpcChannel channel;

    /// <param name="address">Such as <c>http://127.0.0.1:50051</c>, or https for TLS.</param>
    public ImageAnalysisClient(string address, string apiKey, TimeSpan? timeout = null)
    {
        var options = new GrpcChannelOptions { MaxReceiveMessageSize = MaxAnswerBytes };
        channel = GrpcChannel.ForAddress(address, options);
        var keyed = channel.Intercept(
            new CallDefaults("apikey", apiKey, timeout ?? DefaultTimeout));
        Faces = new FaceDetectionService.FaceDetectionServiceClient(keyed);
        Meters = new MeterReadingService.MeterReadingServiceClient(keyed);
        Scores = new ScoreConfigService.ScoreConfigServiceClient(keyed);
        Versions = new VersionService.VersionServiceClient(keyed);
    }

    /// <summary>Face detection.</summary>
    public FaceDetectionService.FaceDetectionServiceClient Faces { get; }

    /// <summary>Meter reading.</summary>
    public MeterReadingService.MeterReadingServiceClient Meters { get; }

    /// <summary>Score configuration.</summary>
    public ScoreConfigService.ScoreConfigServiceClient Scores { get; }

    /// <summary>Versions of the service and its models.</summary>
    public VersionService.VersionServiceClient Versions { get; }

    /// <summary>Ends the connection.</summary>
    public void Dispose() => channel.Dispose();
}
