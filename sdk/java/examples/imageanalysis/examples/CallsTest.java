package imageanalysis.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import imageanalysis.client.ImageAnalysisClient;
import imageanalysis.v1.BoundingBox;
import imageanalysis.v1.DetectAllFacesRequest;
import imageanalysis.v1.DetectAllFacesResponse;
import imageanalysis.v1.DetectSingleFaceRequest;
import imageanalysis.v1.Face;
import imageanalysis.v1.FuseMeterReadingsRequest;
import imageanalysis.v1.FuseMeterReadingsResponse;
import imageanalysis.v1.GetDetectionScoreRequest;
import imageanalysis.v1.GetVersionRequest;
import imageanalysis.v1.ReadMeterRequest;
import imageanalysis.v1.ReadMeterResponse;
import imageanalysis.v1.RedactFacesRequest;
import imageanalysis.v1.RedactFacesResponse;
import imageanalysis.v1.SetDetectionScoreRequest;
import imageanalysis.v1.ThresholdSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** One example of each call. */
class CallsTest {
  private static final ImageAnalysisClient client = Service.connect();

  @AfterAll
  static void close() {
    client.close();
  }

  @Test
  void detectSingleFace() {
    var request =
        DetectSingleFaceRequest.newBuilder()
            .setImage(Service.sample("astronaut.jpg"))
            .setLandmarks(true)
            .build();

    Face face =
        client.faces().withDeadlineAfter(20, TimeUnit.SECONDS).detectSingleFace(request).getFace();

    BoundingBox box = face.getBoundingBox();
    double nose = face.getLandmarks().getNoseTip().getX();
    assertTrue(box.getXmin() < nose && nose < box.getXmax());
    assertTrue(face.getCropJpeg().size() > 0);
  }

  @Test
  void detectAllFaces() {
    var request =
        DetectAllFacesRequest.newBuilder()
            .setImage(Service.sample("astronaut.jpg"))
            .setMinScore(0.5)
            .setCrop(false)
            .setDetails(true)
            .build();

    DetectAllFacesResponse answer = client.faces().detectAllFaces(request);

    assertEquals(1, answer.getFacesCount());
    assertEquals(
        ThresholdSource.THRESHOLD_SOURCE_REQUEST, answer.getDetails().getThreshold().getSource());
  }

  @Test
  void redactFaces() {
    var request =
        RedactFacesRequest.newBuilder()
            .setImage(Service.sample("astronaut.jpg"))
            .setStyle("box")
            .build();

    RedactFacesResponse redacted = client.faces().redactFaces(request);

    assertEquals("image/jpeg", redacted.getContentType());
    assertEquals(1, redacted.getFaceCount());
    var again = DetectAllFacesRequest.newBuilder().setImage(redacted.getImage()).build();
    assertEquals(0, client.faces().detectAllFaces(again).getFacesCount());
  }

  @Test
  void readMeter() {
    var request = ReadMeterRequest.newBuilder().setImage(Service.sample("meter.jpg")).build();

    ReadMeterResponse reading = client.meters().readMeter(request);

    assertEquals("00473286", reading.getMeterNumber());
    assertEquals("00473.286", reading.getValue());
  }

  @Test
  void fuseMeterReadings() {
    var photo = Service.sample("meter.jpg");
    var request = FuseMeterReadingsRequest.newBuilder().addImages(photo).addImages(photo).build();

    FuseMeterReadingsResponse fused = client.meters().fuseMeterReadings(request);

    assertEquals("00473.286", fused.getReading().getValue());
    assertEquals(2, fused.getPhotosCount());
  }

  @Test
  void getVersion() {
    var answer = client.versions().getVersion(GetVersionRequest.getDefaultInstance());

    assertTrue(answer.getModelsList().stream().anyMatch(m -> m.getName().equals("meter-read")));
  }

  @Test
  void licenceComesWithIt() throws Exception {
    var classes = ImageAnalysisClient.class.getProtectionDomain().getCodeSource().getLocation();

    String licence = Files.readString(Path.of(classes.toURI()).resolve("META-INF/LICENSE"));

    assertTrue(licence.startsWith("MIT License"));
  }

  @Test
  void setAndGetDetectionScore() {
    String company = Service.setting("COMPANY");
    String password = Service.setting("PASSWORD");

    client
        .scores()
        .setDetectionScore(
            SetDetectionScoreRequest.newBuilder()
                .setCompany(company)
                .setPassword(password)
                .setDetectionScore(0.75)
                .build());
    var answer =
        client
            .scores()
            .getDetectionScore(
                GetDetectionScoreRequest.newBuilder()
                    .setCompany(company)
                    .setPassword(password)
                    .build());

    assertEquals(0.75, answer.getDetectionScore());
  }
}
