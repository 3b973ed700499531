import { type ChannelCredentials, Client, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import {
  AdminServiceService,
  CreateApiKeyRequest,
  type CreateApiKeyResponse,
  CreateCompanyRequest,
  type CreateCompanyResponse,
  type DeepPartial,
  DeleteCompanyRequest,
  type DeleteCompanyResponse,
  DeleteCompanyScoreRequest,
  type DeleteCompanyScoreResponse,
  ListApiKeysRequest,
  type ListApiKeysResponse,
  ListCompaniesRequest,
  type ListCompaniesResponse,
  RevokeApiKeyRequest,
  type RevokeApiKeyResponse,
  SetCompanyPasswordRequest,
  type SetCompanyPasswordResponse,
  SetCompanyScoreRequest,
  type SetCompanyScoreResponse,
} from '../../generated/imageanalysis/v1/admin.js';
import { createCalls } from './grpc-calls.js';
import type { CallOptions } from './time-limit.js';
import { trimKey } from './trim-key.js';

export interface AdminClientOptions {
  /** `host:port` of the administration port, or another gRPC target. */
  readonly address: string;
  /** `CORE_ADMIN_KEY` of the core. */
  readonly adminKey: string;
  /** Milliseconds per call, unless the call sets its own; 30,000 by default. */
  readonly timeoutMs?: number;
  /** For TLS; without it, the connection is plain text. */
  readonly credentials?: ChannelCredentials;
}

/**
 * Keys, companies and scores, for Node.js. Calls reject with a RefusedError, or with `signal.reason` once
 * aborted. None is retried automatically, since a key whose response was lost would be created twice.
 */
export interface AdminClient {
  /** Creates an API key. Only this response contains its secret. */
  createApiKey(request: DeepPartial<CreateApiKeyRequest>, options?: CallOptions): Promise<CreateApiKeyResponse>;
  /** Lists the API keys, newest first, without secrets, at most 1,000 in a page. */
  listApiKeys(request?: DeepPartial<ListApiKeysRequest>, options?: CallOptions): Promise<ListApiKeysResponse>;
  /** Revokes an API key; the next call with it is refused. */
  revokeApiKey(request: RevokeApiKeyRequest, options?: CallOptions): Promise<RevokeApiKeyResponse>;
  /** Registers a company; COMPANY_EXISTS if the name is taken. */
  createCompany(request: CreateCompanyRequest, options?: CallOptions): Promise<CreateCompanyResponse>;
  /** Sets a company's password; UNKNOWN_COMPANY if there is none with that name. */
  setCompanyPassword(request: SetCompanyPasswordRequest, options?: CallOptions): Promise<SetCompanyPasswordResponse>;
  /** Sets a company's score without its password; UNKNOWN_COMPANY if there is none with that name. */
  setCompanyScore(request: SetCompanyScoreRequest, options?: CallOptions): Promise<SetCompanyScoreResponse>;
  /** Resets a company's score to the service's default; UNKNOWN_COMPANY if there is none with that name. */
  deleteCompanyScore(request: DeleteCompanyScoreRequest, options?: CallOptions): Promise<DeleteCompanyScoreResponse>;
  /** Lists the companies by name, at most 1,000 in a page. */
  listCompanies(request?: DeepPartial<ListCompaniesRequest>, options?: CallOptions): Promise<ListCompaniesResponse>;
  /** Deletes a company and its score; UNKNOWN_COMPANY if there is none with that name. */
  deleteCompany(request: DeleteCompanyRequest, options?: CallOptions): Promise<DeleteCompanyResponse>;
  /** Closes the connection, as an `ImageAnalysisClient` does. */
  close(): void;
}

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { address, adminKey, timeoutMs = 30_000 } = options;
  const client = new Client(address, options.credentials ?? grpcCredentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('adminkey', trimKey('adminKey', adminKey));
  const { unary } = createCalls(client, metadata, timeoutMs, { retries: 0 });

  return {
    createApiKey: unary(AdminServiceService.createApiKey, CreateApiKeyRequest),
    listApiKeys: unary(AdminServiceService.listApiKeys, ListApiKeysRequest),
    revokeApiKey: unary(AdminServiceService.revokeApiKey, RevokeApiKeyRequest),
    createCompany: unary(AdminServiceService.createCompany, CreateCompanyRequest),
    setCompanyPassword: unary(AdminServiceService.setCompanyPassword, SetCompanyPasswordRequest),
    setCompanyScore: unary(AdminServiceService.setCompanyScore, SetCompanyScoreRequest),
    deleteCompanyScore: unary(AdminServiceService.deleteCompanyScore, DeleteCompanyScoreRequest),
    listCompanies: unary(AdminServiceService.listCompanies, ListCompaniesRequest),
    deleteCompany: unary(AdminServiceService.deleteCompany, DeleteCompanyRequest),
    close: () => client.close(),
  };
}
