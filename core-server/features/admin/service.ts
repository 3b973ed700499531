import type { AdminServiceServer } from '../../../generated/imageanalysis/v1/admin.js';
import type { Companies } from '../../access/companies/companies.js';
import type { ApiKeys } from '../../access/keys/api-keys.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import { requireScore } from '../../common/validate.js';
import { readPage } from './read-page.js';
import {
  validateApiKeyId,
  validateKnownName,
  validateNewApiKey,
  validateNewCompany,
  validatePassword,
} from './validate.js';

export type AdminHandlers = ReturnType<typeof createAdminHandlers>;

/** Handlers of AdminService, which the admin command uses too: whoever calls them has been checked. */
export function createAdminHandlers(deps: {
  readonly apiKeys: Pick<ApiKeys, 'create' | 'list' | 'revoke'>;
  readonly companies: Pick<Companies, 'create' | 'setPassword' | 'setScore' | 'list' | 'delete'>;
}) {
  const { apiKeys, companies } = deps;
  return {
    async createApiKey(request) {
      validateNewApiKey(request);
      return await apiKeys.create(request);
    },
    async listApiKeys(request) {
      const { items, nextPageToken } = await readPage(request, apiKeys.list, ({ id }) => id);
      return { apiKeys: items, nextPageToken };
    },
    async revokeApiKey({ id }) {
      validateApiKeyId(id);
      return { apiKey: await apiKeys.revoke(id) };
    },
    async createCompany(request, call?) {
      validateNewCompany(request);
      return { company: await companies.create(request.name, request.password, call?.signal) };
    },
    async setCompanyPassword({ name, password }, call?) {
      validateKnownName(name);
      validatePassword(password);
      await companies.setPassword(name, password, call?.signal);
      return {};
    },
    async setCompanyScore({ name, detectionScore }) {
      validateKnownName(name);
      return { company: await companies.setScore(name, requireScore('detection_score', detectionScore)) };
    },
    async deleteCompanyScore({ name }) {
      validateKnownName(name);
      return { company: await companies.setScore(name) };
    },
    async listCompanies(request) {
      const { items, nextPageToken } = await readPage(request, companies.list, ({ name }) => name);
      return { companies: items, nextPageToken };
    },
    async deleteCompany({ name }) {
      validateKnownName(name);
      await companies.delete(name);
      return {};
    },
  } satisfies Handlers<AdminServiceServer, [call?: Pick<Call, 'signal'>]>;
}
