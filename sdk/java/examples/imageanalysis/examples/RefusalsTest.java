package imageanalysis.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import imageanalysis.client.ImageAnalysisClient;
import imageanalysis.client.Refusal;
import imageanalysis.v1.DetectAllFacesRequest;
import imageanalysis.v1.DetectSingleFaceRequest;
import imageanalysis.v1.ErrorReason;
import imageanalysis.v1.ReadMeterRequest;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;

/** How to tell why a call was refused. */
class RefusalsTest {
  @Test
  void branchOnTheReason() {
    try (ImageAnalysisClient client = Service.connect()) {
      var request =
          DetectSingleFaceRequest.newBuilder().setImage(Service.sample("meter.jpg")).build();

      var error =
          assertThrows(
              StatusRuntimeException.class, () -> client.faces().detectSingleFace(request));

      assertEquals(ErrorReason.ERROR_REASON_NO_FACE, Refusal.of(error).reason());
      assertEquals(Code.NOT_FOUND, error.getStatus().getCode());
    }
  }

  @Test
  void detailsNameTheField() {
    try (ImageAnalysisClient client = Service.connect()) {
      var request =
          DetectAllFacesRequest.newBuilder()
              .setImage(Service.sample("astronaut.jpg"))
              .setMinScore(1.5)
              .build();

      var error =
          assertThrows(StatusRuntimeException.class, () -> client.faces().detectAllFaces(request));

      assertEquals(ErrorReason.ERROR_REASON_INVALID_SCORE, Refusal.of(error).reason());
      assertEquals("min_score", Refusal.of(error).details().get("field"));
    }
  }

  @Test
  void wrongKey() {
    try (var stranger = new ImageAnalysisClient(Service.setting("GRPC"), "wrong")) {
      var error =
          assertThrows(
              StatusRuntimeException.class,
              () -> stranger.meters().readMeter(ReadMeterRequest.getDefaultInstance()));

      assertEquals(ErrorReason.ERROR_REASON_INVALID_API_KEY, Refusal.of(error).reason());
    }
  }

  @Test
  void keyThatCannotBeSent() {
    var error =
        assertThrows(
            IllegalArgumentException.class,
            () -> new ImageAnalysisClient(Service.setting("GRPC"), "ia_1234\nsecret"));

    assertEquals(
        "apikey has a character that cannot be sent, want it exactly as issued",
        error.getMessage());
  }
}
