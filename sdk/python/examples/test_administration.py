"""Keys and companies; the administration port has a key of its own and no helper."""

import os

from imageanalysis import open_channel
from imageanalysis.v1 import admin_pb2 as admin
from imageanalysis.v1.admin_pb2_grpc import AdminServiceStub


def test_keys_and_companies():
    address, key = os.environ["IMAGE_ANALYSIS_ADMIN"], os.environ["IMAGE_ANALYSIS_ADMINKEY"]
    with open_channel(address, {"adminkey": key}) as channel:
        service = AdminServiceStub(channel)

        created = service.CreateApiKey(
            admin.CreateApiKeyRequest(label="billing", operations=[admin.OPERATION_METER_READING])
        )
        assert created.secret.startswith(created.api_key.id)
        keys = service.ListApiKeys(admin.ListApiKeysRequest()).api_keys
        assert created.api_key.id in [key.id for key in keys]
        revoked = service.RevokeApiKey(admin.RevokeApiKeyRequest(id=created.api_key.id)).api_key
        assert revoked.HasField("revoke_time")

        name = "python-example"
        service.CreateCompany(admin.CreateCompanyRequest(name=name, password="correct horse"))
        service.SetCompanyPassword(
            admin.SetCompanyPasswordRequest(name=name, password="battery staple")
        )
        scored = service.SetCompanyScore(
            admin.SetCompanyScoreRequest(name=name, detection_score=0.65)
        )
        assert scored.company.detection_score == 0.65
        reset = service.DeleteCompanyScore(admin.DeleteCompanyScoreRequest(name=name))
        assert not reset.company.HasField("detection_score")
        companies = service.ListCompanies(admin.ListCompaniesRequest()).companies
        assert name in [company.name for company in companies]
        service.DeleteCompany(admin.DeleteCompanyRequest(name=name))
