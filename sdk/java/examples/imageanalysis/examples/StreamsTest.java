package imageanalysis.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import imageanalysis.client.BoundedStream;
import imageanalysis.client.ImageAnalysisClient;
import imageanalysis.client.Refusal;
import imageanalysis.v1.DetectAllFacesRequest;
import imageanalysis.v1.ReadMeterRequest;
import imageanalysis.v1.StreamDetectFacesRequest;
import imageanalysis.v1.StreamDetectFacesResponse;
import imageanalysis.v1.StreamReadMetersRequest;
import imageanalysis.v1.StreamReadMetersResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many pictures over one call. */
class StreamsTest {
  @Test
  void streamDetectFaces() {
    Map<String, ByteString> pictures =
        Map.of(
            "good", Service.sample("astronaut.jpg"), "bad", ByteString.copyFromUtf8("no picture"));
    Map<String, String> results = new TreeMap<>();

    try (ImageAnalysisClient client = Service.connect()) {
      BoundedStream.<StreamDetectFacesRequest, StreamDetectFacesResponse>run(
              client.facesAsync()::streamDetectFaces,
              pictures.entrySet().stream().map(e -> toRequest(e.getKey(), e.getValue())).iterator(),
              answer ->
                  results.put(
                      answer.getId(),
                      answer.hasError()
                          ? Refusal.of(answer.getError()).reason().name()
                          : answer.getResponse().getFacesCount() + " face"))
          .join();
    }

    assertEquals(
        Map.of("good", "1 face", "bad", "ERROR_REASON_UNSUPPORTED_IMAGE_TYPE"), results);
  }

  @Test
  void streamReadMeters() {
    var picture = ReadMeterRequest.newBuilder().setImage(Service.sample("meter.jpg"));
    var request = StreamReadMetersRequest.newBuilder().setId("hall").setRequest(picture).build();
    List<String> values = new ArrayList<>();

    try (ImageAnalysisClient client = Service.connect()) {
      BoundedStream.<StreamReadMetersRequest, StreamReadMetersResponse>run(
              client.metersAsync()::streamReadMeters,
              List.of(request).iterator(),
              answer -> values.add(answer.getResponse().getValue()))
          .join();
    }

    assertEquals(List.of("00473.286"), values);
  }

  @Test
  void takesPicturesOnlyAsFastAsTheyAreRead() {
    int count = 80;
    ByteString image =
        Service.sample("astronaut.jpg").concat(ByteString.copyFrom(new byte[2_000_000]));
    AtomicInteger taken = new AtomicInteger();
    List<Integer> takenAtFirstAnswer = new ArrayList<>();
    Set<String> ids = new HashSet<>();

    try (ImageAnalysisClient client = Service.connect()) {
      BoundedStream.<StreamDetectFacesRequest, StreamDetectFacesResponse>run(
              client.facesAsync()::streamDetectFaces,
              IntStream.range(0, count)
                  .peek(number -> taken.incrementAndGet())
                  .mapToObj(number -> toRequest(String.valueOf(number), image))
                  .iterator(),
              answer -> {
                if (ids.isEmpty()) takenAtFirstAnswer.add(taken.get());
                ids.add(answer.getId());
              })
          .join();
    }

    assertTrue(takenAtFirstAnswer.get(0) < count / 2, "taken: " + takenAtFirstAnswer);
    assertEquals(count, ids.size());
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void answersWhileTheNextPictureIsAwaited() {
    BlockingQueue<String> answered = new LinkedBlockingQueue<>();
    ByteString image = Service.sample("astronaut.jpg");

    try (ImageAnalysisClient client = Service.connect()) {
      BoundedStream.<StreamDetectFacesRequest, StreamDetectFacesResponse>run(
              client.facesAsync()::streamDetectFaces,
              // The second picture comes only once the first is answered.
              Stream.iterate("0", answer -> answer != null, answer -> take(answered))
                  .limit(3)
                  .map(answer -> toRequest(answer + "0", image))
                  .iterator(),
              answer -> answered.add(answer.getId()))
          .join();
    }

    assertEquals(List.of("0000"), List.copyOf(answered));
  }

  @Test
  @Timeout(60)
  void endsItsThreadWhoseIteratorSwallowsTheInterrupt() throws Exception {
    CompletableFuture<Thread> sender = new CompletableFuture<>();
    StreamDetectFacesRequest request = toRequest("late", ByteString.EMPTY);

    try (ImageAnalysisClient client = Service.connect()) {
      CompletableFuture<Void> done =
          BoundedStream.<StreamDetectFacesRequest, StreamDetectFacesResponse>run(
              client.facesAsync()::streamDetectFaces,
              Stream.generate(() -> sleepAndSwallow(sender, request)).iterator(),
              answer -> {});
      Thread thread = sender.get();
      done.cancel(false);
      thread.join(10_000);

      assertFalse(thread.isAlive());
    }
  }

  private static <Q> Q sleepAndSwallow(CompletableFuture<Thread> sender, Q request) {
    try {
      sender.complete(Thread.currentThread());
      Thread.sleep(Long.MAX_VALUE);
    } catch (InterruptedException swallowed) {
      // As some sources of pictures do.
    }
    return request;
  }

  private static String take(BlockingQueue<String> answered) {
    try {
      return answered.take();
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }

  private static StreamDetectFacesRequest toRequest(String id, ByteString image) {
    return StreamDetectFacesRequest.newBuilder()
        .setId(id)
        .setRequest(DetectAllFacesRequest.newBuilder().setImage(image).setCrop(false))
        .build();
  }
}
