using Google.Protobuf;
using Google.Protobuf.Reflection;
using Google.Rpc;
using Grpc.Core;
using ImageAnalysis.V1;

namespace ImageAnalysis.Client;

/// <summary>Why a call was refused.</summary>
public static class Refusal
{
    private const string DetailsTrailer = "grpc-status-details-bin";

    /// <summary>
    /// The stable reason of a refused call, to branch on. Unspecified when the failure is not the
    /// service's own word, as when it cannot be reached, or when the reason is newer than this client.
    /// </summary>
    public static ErrorReason ReasonOf(RpcException error)
    {
        var name = "ERROR_REASON_" + Find<ErrorInfo>(error)?.Reason;
        var value = ErrorsReflection.Descriptor.FindTypeByName<EnumDescriptor>("ErrorReason").FindValueByName(name);
        return (ErrorReason)(value?.Number ?? 0);
    }

    /// <summary>Facts for a program: <c>field</c>, <c>value</c>, <c>limit</c> and the like.</summary>
    public static IReadOnlyDictionary<string, string> DetailsOf(RpcException error) =>
        new Dictionary<string, string>(
            Find<ErrorInfo>(error)?.Metadata ?? Enumerable.Empty<KeyValuePair<string, string>>());

    /// <summary>After which time trying again is worth it, if the service said so.</summary>
    public static TimeSpan? RetryDelayOf(RpcException error) =>
        Find<RetryInfo>(error)?.RetryDelay?.ToTimeSpan();

    /// <summary>What a refused picture in a stream would be as a refused call.</summary>
    public static RpcException ToException(Google.Rpc.Status status) =>
        new(new Grpc.Core.Status((StatusCode)status.Code, status.Message), new Metadata { { DetailsTrailer, status.ToByteArray() } });

    private static T? Find<T>(RpcException error)
        where T : class, IMessage<T>, new() =>
        Google.Rpc.Status.Parser.ParseFrom(error.Trailers.GetValueBytes(DetailsTrailer) ?? Array.Empty<byte>())
            .Details.Select(detail => detail.TryUnpack(out T message) ? message : null).FirstOrDefault(found => found is not null);
}
