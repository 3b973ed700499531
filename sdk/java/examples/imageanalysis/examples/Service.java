package imageanalysis.examples;

import com.google.protobuf.ByteString;
import imageanalysis.client.ImageAnalysisClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The service and the pictures of the examples. */
final class Service {
  private Service() {}

  static ImageAnalysisClient connect() {
    return new ImageAnalysisClient(setting("GRPC"), setting("APIKEY"));
  }

  static String setting(String name) {
    return System.getenv("IMAGE_ANALYSIS_" + name);
  }

  static ByteString sample(String name) {
    try {
      return ByteString.copyFrom(Files.readAllBytes(Path.of(setting("SAMPLES"), name)));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
