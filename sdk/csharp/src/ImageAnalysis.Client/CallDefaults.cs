using Grpc.Core;
using Grpc.Core.Interceptors;

namespace ImageAnalysis.Client;

/// <summary>Sends a key with every call, and gives calls, streams excepted, a deadline.</summary>
public sealed class CallDefaults : Interceptor
{
    private readonly string keyName;
    private readonly string key;
    private readonly TimeSpan timeout;

    /// <param name="keyName"><c>apikey</c>, or <c>adminkey</c> on the administration port.</param>
    /// <param name="key">The key.</param>
    /// <param name="timeout">Time for a call that has no deadline of its own.</param>
    public CallDefaults(string keyName, string key, TimeSpan timeout)
    {
        this.keyName = keyName;
        // Files of other systems leave white space around a key.
        this.key = key.Trim();
        this.timeout = timeout;
    }

    /// <inheritdoc/>
    public override TResponse BlockingUnaryCall<TRequest, TResponse>(
        TRequest request,
        ClientInterceptorContext<TRequest, TResponse> context,
        BlockingUnaryCallContinuation<TRequest, TResponse> continuation) =>
        continuation(request, Complete(context, timeout));

    /// <inheritdoc/>
    public override AsyncUnaryCall<TResponse> AsyncUnaryCall<TRequest, TResponse>(
        TRequest request,
        ClientInterceptorContext<TRequest, TResponse> context,
        AsyncUnaryCallContinuation<TRequest, TResponse> continuation) =>
        continuation(request, Complete(context, timeout));

    /// <inheritdoc/>
    public override AsyncDuplexStreamingCall<TRequest, TResponse> AsyncDuplexStreamingCall<TRequest, TResponse>(
        ClientInterceptorContext<TRequest, TResponse> context,
        AsyncDuplexStreamingCallContinuation<TRequest, TResponse> continuation) =>
        continuation(Complete(context, null));

    private ClientInterceptorContext<TRequest, TResponse> Complete<TRequest, TResponse>(
        ClientInterceptorContext<TRequest, TResponse> context, TimeSpan? limit)
        where TRequest : class
        where TResponse : class
    {
        var headers = new Metadata();
        foreach (var entry in context.Options.Headers ?? Metadata.Empty) headers.Add(entry);
        headers.Add(keyName, key);
        var options = context.Options.WithHeaders(headers);
        if (options.Deadline is null && limit is { } time)
        {
            options = options.WithDeadline(DateTime.UtcNow + time);
        }
        return new ClientInterceptorContext<TRequest, TResponse>(context.Method, context.Host, options);
    }
}
