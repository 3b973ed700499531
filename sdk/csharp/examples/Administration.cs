using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using ImageAnalysis.Client;
using ImageAnalysis.V1;
using static ImageAnalysis.Examples.Service;

namespace ImageAnalysis.Examples;

/// <summary>Keys and companies; the administration port has a key of its own.</summary>
internal static class Administration
{
    public static async Task KeysAndCompanies()
    {
        using var channel = GrpcChannel.ForAddress("http://" + Setting("ADMIN"));
        var service = new AdminService.AdminServiceClient(channel.Intercept(
            new CallDefaults("adminkey", Setting("ADMINKEY"), ImageAnalysisClient.DefaultTimeout)));

        var created = await service.CreateApiKeyAsync(
            new CreateApiKeyRequest { Label = "billing", Operations = { Operation.MeterReading } });
        var keys = await service.ListApiKeysAsync(new ListApiKeysRequest());
        Expect(true, keys.ApiKeys.Any(key => key.Id == created.ApiKey.Id));
        var revoked = await service.RevokeApiKeyAsync(new RevokeApiKeyRequest { Id = created.ApiKey.Id });
        Expect(true, revoked.ApiKey.RevokeTime is not null);

        const string name = "csharp-example";
        await service.CreateCompanyAsync(new CreateCompanyRequest { Name = name, Password = "correct horse" });
        await service.SetCompanyPasswordAsync(
            new SetCompanyPasswordRequest { Name = name, Password = "battery staple" });
        var companies = await service.ListCompaniesAsync(new ListCompaniesRequest());
        Expect(true, companies.Companies.Any(company => company.Name == name));
        await service.DeleteCompanyAsync(new DeleteCompanyRequest { Name = name });
    }
}
