package imageanalysis.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sends a key with every call, and gives calls, streams excepted, a deadline where they have none. */
public final class CallDefaults implements ClientInterceptor {
  private final Metadata.Key<String> keyName;
  private final String key;
  private final Duration timeout;

  /**
   * @param keyName {@code apikey}, or {@code adminkey} on the administration port
   * @throws IllegalArgumentException when the key cannot be sent, as with a line break in it
   */
  public CallDefaults(String keyName, String key, Duration timeout) {
    this.keyName = Metadata.Key.of(keyName, Metadata.ASCII_STRING_MARSHALLER);
    // Files of other systems leave white space around a key.
    this.key = key.strip();
    // gRPC would drop it from the call, and log it.
    if (!this.key.matches("[ -~]*"))
      throw new IllegalArgumentException(
          keyName + " has a character that cannot be sent, want it exactly as issued");
    this.timeout = timeout;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    boolean limited = options.getDeadline() != null || method.getType() != MethodType.UNARY;
    CallOptions completed =
        limited ? options : options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
    return new SimpleForwardingClientCall<Q, A>(next.newCall(method, completed)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        headers.put(keyName, key);
        super.start(listener, headers);
      }
    };
  }
}
