import type {
  ApiKey as ApiKeyMessage,
  Company as CompanyMessage,
  CreateApiKeyRequest,
  CreateApiKeyResponse,
  CreateCompanyRequest,
  CreateCompanyResponse,
  DeleteCompanyRequest,
  DeleteCompanyResponse,
  ListApiKeysRequest,
  ListApiKeysResponse,
  ListCompaniesRequest,
  ListCompaniesResponse,
  RevokeApiKeyRequest,
  RevokeApiKeyResponse,
  SetCompanyPasswordRequest,
  SetCompanyPasswordResponse,
} from '../../../generated/imageanalysis/v1/admin.js';
import type { Companies, Company } from '../../access/companies/companies.js';
import type { ApiKey, ApiKeys } from '../../access/keys/api-keys.js';
import {
  validateApiKeyId,
  validateCreateApiKey,
  validateCreateCompany,
  validateKnownName,
  validateSetCompanyPassword,
} from './validate.js';

export interface AdminDependencies {
  readonly apiKeys: Pick<ApiKeys, 'create' | 'list' | 'revoke'>;
  readonly companies: Pick<Companies, 'create' | 'setPassword' | 'list' | 'delete'>;
  readonly now: () => Date;
}

/** The caller has already been checked; none of these needs the call itself. */
export interface AdminHandlers {
  readonly createApiKey: (request: CreateApiKeyRequest) => Promise<CreateApiKeyResponse>;
  readonly listApiKeys: (request: ListApiKeysRequest) => Promise<ListApiKeysResponse>;
  readonly revokeApiKey: (request: RevokeApiKeyRequest) => Promise<RevokeApiKeyResponse>;
  readonly createCompany: (request: CreateCompanyRequest) => Promise<CreateCompanyResponse>;
  readonly setCompanyPassword: (
    request: SetCompanyPasswordRequest,
  ) => Promise<SetCompanyPasswordResponse>;
  readonly listCompanies: (request: ListCompaniesRequest) => Promise<ListCompaniesResponse>;
  readonly deleteCompany: (request: DeleteCompanyRequest) => Promise<DeleteCompanyResponse>;
}

/** Handlers of AdminService, which the admin command uses too. */
export function createAdminHandlers({ apiKeys, companies, now }: AdminDependencies): AdminHandlers {
  return {
    async createApiKey(request) {
      const { apiKey, secret } = await apiKeys.create(validateCreateApiKey(request, now()));
      return { apiKey: toApiKeyMessage(apiKey), secret };
    },
    async listApiKeys() {
      return { apiKeys: (await apiKeys.list()).map(toApiKeyMessage) };
    },
    async revokeApiKey({ id }) {
      return { apiKey: toApiKeyMessage(await apiKeys.revoke(validateApiKeyId(id))) };
    },
    async createCompany(request) {
      const { name, password } = validateCreateCompany(request);
      return { company: toCompanyMessage(await companies.create(name, password)) };
    },
    async setCompanyPassword(request) {
      const { name, password } = validateSetCompanyPassword(request);
      await companies.setPassword(name, password);
      return {};
    },
    async listCompanies() {
      return { companies: (await companies.list()).map(toCompanyMessage) };
    },
    async deleteCompany({ name }) {
      await companies.delete(validateKnownName(name));
      return {};
    },
  };
}

function toApiKeyMessage(apiKey: ApiKey): ApiKeyMessage {
  return { ...apiKey, operations: [...apiKey.operations] };
}

function toCompanyMessage(company: Company): CompanyMessage {
  return { ...company };
}
