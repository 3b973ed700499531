import type { AdminServiceServer } from '../../../generated/imageanalysis/v1/admin.js';
import type { Companies } from '../../access/companies/companies.js';
import type { ApiKeys } from '../../access/keys/api-keys.js';
import type { Handlers } from '../../common/handlers.js';
import {
  validateApiKeyId,
  validateCreateApiKey,
  validateCreateCompany,
  validateKnownName,
  validateSetCompanyPassword,
  validateSetCompanyScore,
} from './validate.js';

export type AdminHandlers = ReturnType<typeof createAdminHandlers>;

/**
 * Handlers of AdminService, which the admin command uses too. The caller has already been checked; none of these needs the
 * call itself.
 */
export function createAdminHandlers(deps: {
  readonly apiKeys: Pick<ApiKeys, 'create' | 'list' | 'revoke'>;
  readonly companies: Pick<Companies, 'create' | 'setPassword' | 'setScore' | 'list' | 'delete'>;
  readonly now: () => Date;
}) {
  const { apiKeys, companies, now } = deps;
  return {
    async createApiKey(request) {
      return await apiKeys.create(validateCreateApiKey(request, now()));
    },
    async listApiKeys() {
      return { apiKeys: await apiKeys.list() };
    },
    async revokeApiKey({ id }) {
      return { apiKey: await apiKeys.revoke(validateApiKeyId(id)) };
    },
    async createCompany(request) {
      const { name, password } = validateCreateCompany(request);
      return { company: await companies.create(name, password) };
    },
    async setCompanyPassword(request) {
      const { name, password } = validateSetCompanyPassword(request);
      await companies.setPassword(name, password);
      return {};
    },
    async setCompanyScore(request) {
      const { name, score } = validateSetCompanyScore(request);
      return { company: await companies.setScore(name, score) };
    },
    async deleteCompanyScore({ name }) {
      return { company: await companies.setScore(validateKnownName(name)) };
    },
    async listCompanies() {
      return { companies: await companies.list() };
    },
    async deleteCompany({ name }) {
      await companies.delete(validateKnownName(name));
      return {};
    },
  } satisfies Handlers<AdminServiceServer>;
}
