package imageanalysis.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import imageanalysis.v1.ErrorReason;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Why a call was refused. */
public final class Refusal {
  private static final String PREFIX = "ERROR_REASON_";

  private final Status status;
  private final ErrorInfo info;

  private Refusal(Status status) {
    this.status = status;
    this.info = find(status, ErrorInfo.class).orElse(ErrorInfo.getDefaultInstance());
  }

  /** The refusal in what a stub throws. */
  public static Refusal of(Throwable error) {
    Status status = StatusProto.fromThrowable(error);
    return new Refusal(status == null ? Status.getDefaultInstance() : status);
  }

  /** The refusal in an error answer of a stream. */
  public static Refusal of(Status status) {
    return new Refusal(status);
  }

  /**
   * Stable, branch on it. {@code UNSPECIFIED} when the failure is not the service's own word, as
   * when it cannot be reached, or when the reason is newer than this client.
   */
  public ErrorReason reason() {
    try {
      return ErrorReason.valueOf(PREFIX + info.getReason());
    } catch (IllegalArgumentException unknown) {
      return ErrorReason.ERROR_REASON_UNSPECIFIED;
    }
  }

  /** A sentence for people. */
  public String message() {
    return status.getMessage();
  }

  /** Facts for a program: {@code field}, {@code value}, {@code limit} and the like. */
  public Map<String, String> details() {
    return info.getMetadataMap();
  }

  /** After which time trying again is worth it, if the service said so. */
  public Optional<Duration> retryDelay() {
    return find(status, RetryInfo.class)
        .map(RetryInfo::getRetryDelay)
        .map(delay -> Duration.ofSeconds(delay.getSeconds(), delay.getNanos()));
  }

  private static <M extends Message> Optional<M> find(Status status, Class<M> type) {
    for (Any detail : status.getDetailsList()) {
      try {
        if (detail.is(type)) return Optional.of(detail.unpack(type));
      } catch (InvalidProtocolBufferException malformed) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
