package imageanalysis.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import imageanalysis.client.CallDefaults;
import imageanalysis.client.ImageAnalysisClient;
import imageanalysis.v1.AdminServiceGrpc;
import imageanalysis.v1.CreateApiKeyRequest;
import imageanalysis.v1.CreateCompanyRequest;
import imageanalysis.v1.DeleteCompanyRequest;
import imageanalysis.v1.DeleteCompanyScoreRequest;
import imageanalysis.v1.ListApiKeysRequest;
import imageanalysis.v1.ListCompaniesRequest;
import imageanalysis.v1.Operation;
import imageanalysis.v1.RevokeApiKeyRequest;
import imageanalysis.v1.SetCompanyPasswordRequest;
import imageanalysis.v1.SetCompanyScoreRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import org.junit.jupiter.api.Test;

/** Keys and companies; the administration port has a key of its own. */
class AdministrationTest {
  @Test
  void keysAndCompanies() {
    ManagedChannel connection =
        Grpc.newChannelBuilder(Service.setting("ADMIN"), InsecureChannelCredentials.create())
            .intercept(
                new CallDefaults(
                    "adminkey", Service.setting("ADMINKEY"), ImageAnalysisClient.DEFAULT_TIMEOUT))
            .build();
    try {
      var service = AdminServiceGrpc.newBlockingStub(connection);

      var created =
          service.createApiKey(
              CreateApiKeyRequest.newBuilder()
                  .setLabel("billing")
                  .addOperations(Operation.OPERATION_METER_READING)
                  .build());
      String id = created.getApiKey().getId();
      var keys = service.listApiKeys(ListApiKeysRequest.getDefaultInstance());
      assertTrue(keys.getApiKeysList().stream().anyMatch(key -> key.getId().equals(id)));
      var revoked = service.revokeApiKey(RevokeApiKeyRequest.newBuilder().setId(id).build());
      assertTrue(revoked.getApiKey().hasRevokeTime());

      String name = "java-example";
      service.createCompany(
          CreateCompanyRequest.newBuilder().setName(name).setPassword("correct horse").build());
      service.setCompanyPassword(
          SetCompanyPasswordRequest.newBuilder()
              .setName(name)
              .setPassword("battery staple")
              .build());
      var scored =
          service.setCompanyScore(
              SetCompanyScoreRequest.newBuilder().setName(name).setDetectionScore(0.65).build());
      assertEquals(0.65, scored.getCompany().getDetectionScore());
      var reset =
          service.deleteCompanyScore(DeleteCompanyScoreRequest.newBuilder().setName(name).build());
      assertFalse(reset.getCompany().hasDetectionScore());
      var companies = service.listCompanies(ListCompaniesRequest.getDefaultInstance());
      assertTrue(companies.getCompaniesList().stream().anyMatch(c -> c.getName().equals(name)));
      service.deleteCompany(DeleteCompanyRequest.newBuilder().setName(name).build());
    } finally {
      connection.shutdownNow();
    }
  }
}
