package imageanalysis.client;

import imageanalysis.v1.FaceDetectionServiceGrpc;
import imageanalysis.v1.FaceDetectionServiceGrpc.FaceDetectionServiceBlockingStub;
import imageanalysis.v1.FaceDetectionServiceGrpc.FaceDetectionServiceStub;
import imageanalysis.v1.MeterReadingServiceGrpc;
import imageanalysis.v1.MeterReadingServiceGrpc.MeterReadingServiceBlockingStub;
import imageanalysis.v1.MeterReadingServiceGrpc.MeterReadingServiceStub;
import imageanalysis.v1.ScoreConfigServiceGrpc;
import imageanalysis.v1.ScoreConfigServiceGrpc.ScoreConfigServiceBlockingStub;
import imageanalysis.v1.VersionServiceGrpc;
import imageanalysis.v1.VersionServiceGrpc.VersionServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Calls the service with one API key; may be shared by threads. Calls throw {@link
 * io.grpc.StatusRuntimeException}.
 */
public final class ImageAnalysisClient implements AutoCloseable {
  /** Deadline of a call that has none of its own. Streams get none. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

  /** A thousand cropped faces fit; gRPC's own limit is 4 MiB. */
  private static final int MAX_ANSWER_BYTES = 64 << 20;

  /**
   * Of a ping, while calls are under way: a stream has no deadline, and TCP alone may never notice
   * that the other side is gone.
   */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(30);

  private static final Duration PING_TIMEOUT = Duration.ofSeconds(10);

  private final ManagedChannel connection;
  private final Channel channel;

  /** Connects without TLS. */
  public ImageAnalysisClient(String target, String apiKey) {
    this(target, apiKey, InsecureChannelCredentials.create(), DEFAULT_TIMEOUT);
  }

  /**
   * @param target {@code host:port} or another gRPC target
   * @param credentials such as {@code TlsChannelCredentials.create()}
   */
  public ImageAnalysisClient(
      String target, String apiKey, ChannelCredentials credentials, Duration timeout) {
    CallDefaults defaults = new CallDefaults("apikey", apiKey, timeout);
    connection =
        Grpc.newChannelBuilder(target, credentials)
            .maxInboundMessageSize(MAX_ANSWER_BYTES)
            .keepAliveTime(PING_INTERVAL.toSeconds(), TimeUnit.SECONDS)
            .keepAliveTimeout(PING_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .build();
    channel = ClientInterceptors.intercept(connection, defaults);
  }

  /** Face detection. */
  public FaceDetectionServiceBlockingStub faces() {
    return FaceDetectionServiceGrpc.newBlockingStub(channel);
  }

  /** Face detection for streams; see {@link BoundedStream}. */
  public FaceDetectionServiceStub facesAsync() {
    return FaceDetectionServiceGrpc.newStub(channel);
  }

  /** Meter reading. */
  public MeterReadingServiceBlockingStub meters() {
    return MeterReadingServiceGrpc.newBlockingStub(channel);
  }

  /** Meter reading for streams; see {@link BoundedStream}. */
  public MeterReadingServiceStub metersAsync() {
    return MeterReadingServiceGrpc.newStub(channel);
  }

  /** Score configuration. */
  public ScoreConfigServiceBlockingStub scores() {
    return ScoreConfigServiceGrpc.newBlockingStub(channel);
  }

  /** Versions of the service and its models. */
  public VersionServiceBlockingStub versions() {
    return VersionServiceGrpc.newBlockingStub(channel);
  }

  /** Ends the connection; gives calls under way five seconds. */
  @Override
  public void close() {
    connection.shutdown();
    try {
      if (!connection.awaitTermination(5, TimeUnit.SECONDS)) connection.shutdownNow();
    } catch (InterruptedException interruption) {
      connection.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
