using Google.Protobuf;
using Grpc.Core;
using ImageAnalysis.Client;

namespace ImageAnalysis.Examples;

/// <summary>The service and the pictures of the examples.</summary>
internal static class Service
{
    public static ImageAnalysisClient Connect() => new("http://" + Setting("GRPC"), Setting("APIKEY"));

    public static string Setting(string name) =>
        Environment.GetEnvironmentVariable("IMAGE_ANALYSIS_" + name)
        ?? throw new InvalidOperationException($"IMAGE_ANALYSIS_{name} is not set");

    public static ByteString Sample(string name) =>
        ByteString.CopyFrom(File.ReadAllBytes(Path.Combine(Setting("SAMPLES"), name)));

    public static void Expect<T>(T expected, T actual)
    {
        if (!Equals(expected, actual)) throw new InvalidOperationException($"is {actual}, want {expected}");
    }

    /// <summary>The error of a call that must be refused.</summary>
    public static async Task<RpcException> RefusalOf<TResponse>(AsyncUnaryCall<TResponse> call)
    {
        using (call)
        {
            try
            {
                await call;
            }
            catch (RpcException error)
            {
                return error;
            }
        }
        throw new InvalidOperationException("the call was answered, want a refusal");
    }
}
