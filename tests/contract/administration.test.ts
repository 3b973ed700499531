import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Validator } from '@seriousme/openapi-schema-validator';
import { loadRpcs } from '../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../rest-facade/request/create-routes.js';
import type { collectLog, LogEntry } from '../helpers/collect-log.js';
import { eventually } from '../helpers/eventually.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createAuthority } from '../helpers/net/certificates.js';
import { countFittingExamples, createValidator, type OpenApiDocument } from '../helpers/net/openapi.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import type { TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();

describe('administration over REST', () => {
  let service: TestService;
  let log: ReturnType<typeof collectLog>;
  let document: OpenApiDocument;
  let validator: ReturnType<typeof createValidator>;

  before(async () => {
    ({ service, log } = await startScripted(lifetime, { REST_ADMIN_PORT: '0', REST_TRUSTED_PROXIES: '127.0.0.1' }));
    document = (await (await fetch(`${service.restAdmin}/openapi.json`)).json()) as OpenApiDocument;
    validator = createValidator(document);
  });

  interface Answer {
    readonly status: number;
    readonly body: Record<string, unknown>;
  }

  /** Asks the administration, and checks its answer by its document. */
  async function ask(
    [verb, path]: readonly [string, string],
    members?: object,
    headers: Record<string, string> = { adminkey: service.admin.key },
  ): Promise<Answer> {
    const answer = await fetch(service.restAdmin + path, {
      method: verb,
      headers: { ...headers, ...(members && { 'content-type': 'application/json' }) },
      ...(members && { body: JSON.stringify(members) }),
    });
    const body = (await answer.json()) as Record<string, unknown>;
    const [, found] =
      Object.entries(document.paths).find(([template]) =>
        new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`).test(path),
      ) ?? [];
    const response = found?.[verb.toLowerCase()]?.responses[answer.status];
    assert.ok(response, `${verb} ${path} ${answer.status} is documented: ${JSON.stringify(body)}`);
    const schema = response.content['application/json']?.schema ?? {};
    const validate = validator(schema);
    assert.ok(validate(body), `${verb} ${path}: ${JSON.stringify([body, validate.errors])}`);
    if (!answer.ok) assert.match(response.description, new RegExp(`\`${String(body['reason'])}\``));
    return { status: answer.status, body };
  }

  const keys = '/v1/admin/api-keys';
  const companies = '/v1/admin/companies';

  it('creates, lists and revokes API keys, and shows a secret once', async () => {
    const expireTime = '2099-01-01T01:00:00+01:00';
    const operations = ['meter_reading', 'score_config'];
    const created = await ask(['POST', keys], { label: 'billing', operations, expire_time: expireTime });
    assert.equal(created.status, 200);
    const apiKey = created.body['api_key'] as Record<string, unknown>;
    const secret = String(created.body['secret']);
    assert.deepEqual(
      { ...apiKey, create_time: undefined },
      {
        id: secret.slice(0, 15),
        label: 'billing',
        operations,
        expire_time: '2099-01-01T00:00:00.000Z',
        create_time: undefined,
      },
    );
    assert.ok(Math.abs(Date.parse(String(apiKey['create_time'])) - Date.now()) < 60_000);
    const version = () => fetch(`${service.rest}/v1/version`, { headers: { apikey: secret } });
    assert.equal((await version()).status, 200);

    const listed = await ask(['GET', keys]);
    assert.deepEqual((listed.body['api_keys'] as unknown[])[0], apiKey);
    assert.ok(!JSON.stringify(listed.body).includes(secret));
    const page = await ask(['GET', `${keys}?page_size=1`]);
    assert.deepEqual(page.body, { message: 'success', api_keys: [apiKey], next_page_token: apiKey['id'] });
    const next = await ask(['GET', `${keys}?page_size=1&page_token=${String(apiKey['id'])}`]);
    assert.deepEqual(next.body['api_keys'], (listed.body['api_keys'] as unknown[]).slice(1, 2));
    assert.equal((await ask(['GET', `${keys}?page_size=1001`])).body['reason'], 'INVALID_FIELD');

    const revoked = await ask(['DELETE', `${keys}/${String(apiKey['id'])}`]);
    const { revoke_time: revokeTime, ...rest } = revoked.body['api_key'] as Record<string, unknown>;
    assert.deepEqual(rest, apiKey);
    assert.ok(Date.parse(String(revokeTime)) >= Date.parse(String(apiKey['create_time'])));
    assert.equal((await version()).status, 401);

    const everything = await ask(['POST', keys], { label: 'all' });
    assert.deepEqual((everything.body['api_key'] as Record<string, unknown>)['operations'], []);
  });

  it('registers companies, sets passwords and scores, and resets scores', async () => {
    const company = async (answer: Promise<Answer>) => {
      const shown = (await answer).body['company'] as Record<string, unknown>;
      return { ...shown, create_time: undefined };
    };
    const unset = { name: 'acme', create_time: undefined };
    const login = { name: 'acme', password: 'correct horse' };
    assert.deepEqual(await company(ask(['POST', companies], login)), unset);
    const publicScore = async (password: string) => {
      const answer = await fetch(`${service.rest}/v1/companies/acme/detection-score`, {
        headers: { apikey: service.apiKey, 'x-company-password': password },
      });
      const body = (await answer.json()) as Record<string, unknown>;
      return body['detection_score'] ?? body['reason'];
    };
    const defaultScore = await publicScore(login.password);
    assert.equal(typeof defaultScore, 'number');

    const score = `${companies}/acme/detection-score`;
    const set = { ...unset, detection_score: 0.87 };
    assert.deepEqual(await company(ask(['PUT', score], { detection_score: 0.87 })), set);
    assert.equal(await publicScore(login.password), 0.87);
    const [listed] = (await ask(['GET', companies])).body['companies'] as Record<string, unknown>[];
    assert.equal(listed?.['detection_score'], 0.87);
    assert.deepEqual(await company(ask(['DELETE', score])), unset);
    assert.deepEqual(await company(ask(['DELETE', score])), unset);
    assert.equal(await publicScore(login.password), defaultScore);

    const changed = await ask(['PUT', `${companies}/acme/password`], { password: 'battery staple' });
    assert.deepEqual(changed.body, { message: 'success' });
    assert.equal(await publicScore(login.password), 'COMPANY_AUTH_FAILED');
    assert.equal(await publicScore('battery staple'), defaultScore);

    assert.deepEqual((await ask(['DELETE', `${companies}/acme`])).body, { message: 'success' });
    assert.deepEqual((await ask(['GET', companies])).body, { message: 'success', companies: [] });
  });

  it('logs what was changed, and from where, but no secret', async () => {
    const before = log.entries.length;
    const { api_key: apiKey, secret } = (await ask(['POST', keys], { label: 'logged' })).body;
    const { id } = apiKey as { id: string };
    await ask(['DELETE', `${keys}/${id}`]);
    await ask(['POST', companies], { name: 'logged', password: 'correct horse' });
    await fetch(`${service.rest}/v1/companies/logged/detection-score`, {
      method: 'PUT',
      headers: {
        ...{ apikey: service.apiKey, 'x-company-password': 'correct horse' },
        ...{ 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
      },
      body: JSON.stringify({ detection_score: 0.5 }),
    });
    await ask(['DELETE', `${companies}/logged`]);
    const isCall = ({ msg }: LogEntry) => msg === 'call answered';
    await eventually(() => log.entries.slice(before).filter(isCall).length === 5);
    const entries = log.entries.slice(before);
    assert.deepEqual(
      entries.filter(isCall).map(({ method, company, api_key_id, client }) => {
        const name = String(method).split('/').at(-1);
        return [name, company, api_key_id, client];
      }),
      [
        ['CreateApiKey', undefined, id, '127.0.0.1'],
        ['RevokeApiKey', undefined, id, '127.0.0.1'],
        ['CreateCompany', 'logged', undefined, '127.0.0.1'],
        ['SetDetectionScore', 'logged', undefined, '203.0.113.7'],
        ['DeleteCompany', 'logged', undefined, '127.0.0.1'],
      ],
    );
    for (const word of [String(secret), 'correct horse']) assert.ok(!JSON.stringify(entries).includes(word));
  });

  it('refuses with the reasons of the table', async () => {
    await ask(['POST', companies], { name: 'taken', password: 'correct horse' });
    const score = `${companies}/taken/detection-score`;
    const nobody = `${companies}/nobody`;
    const table: [request: [string, string], members: object | undefined, status: number, message: string][] = [
      [['POST', keys], {}, 400, 'MISSING_FIELD label is missing, want 1 to 128 characters without control characters'],
      [['POST', keys], { label: 'a', operation: [] }, 400, 'UNKNOWN_FIELD field "operation" is unknown'],
      [['POST', keys], { label: 'a', operations: 'face_detection' }, 400, 'INVALID_FIELD operations is a string'],
      [['POST', keys], { label: 'a', operations: [1] }, 400, 'INVALID_FIELD operations is a number, want a string'],
      [
        ['POST', keys],
        { label: 'a', operations: ['unspecified'] },
        400,
        'INVALID_FIELD operations is "unspecified", want one of face_detection, score_config, meter_reading',
      ],
      [
        ['POST', keys],
        { label: 'a', expire_time: '2099-02-29T00:00:00Z' },
        400,
        'INVALID_FIELD expire_time is "2099-02-29T00:00:00Z", want a time such as 2099-01-01T00:00:00Z',
      ],
      [['DELETE', `${keys}/ia_m3k7q2x5t4bd`], undefined, 404, 'UNKNOWN_API_KEY id is "ia_m3k7q2x5t4bd", want the'],
      [['POST', companies], { name: 'taken', password: 'correct horse' }, 409, 'COMPANY_EXISTS name is "taken"'],
      [['POST', companies], { name: 'a/b', password: 'correct horse' }, 400, 'INVALID_FIELD name is "a/b"'],
      [['PUT', `${companies}/taken/password`], { password: 'short' }, 400, 'INVALID_FIELD password has 5 characters'],
      [['PUT', score], { detection_score: 1.5 }, 400, 'INVALID_SCORE detection_score is "1.5"'],
      [['PUT', score], {}, 400, 'MISSING_FIELD detection_score is missing'],
      [['PUT', score], { name: 'other', detection_score: 0.5 }, 400, 'UNKNOWN_FIELD field "name" is unknown'],
      [['PUT', `${nobody}/detection-score`], { detection_score: 0.5 }, 404, 'UNKNOWN_COMPANY name is "nobody"'],
      [['DELETE', `${nobody}/detection-score`], undefined, 404, 'UNKNOWN_COMPANY name is "nobody"'],
      [['PUT', `${nobody}/password`], { password: 'correct horse' }, 404, 'UNKNOWN_COMPANY name is "nobody"'],
      [['DELETE', nobody], undefined, 404, 'UNKNOWN_COMPANY name is "nobody"'],
    ];
    for (const [request, members, status, expected] of table) {
      const { status: given, body } = await ask(request, members);
      const said = `${String(body['reason'])} ${String(body['message'])}`;
      assert.deepEqual([given, said.slice(0, expected.length)], [status, expected], said);
    }
  });

  it('wants its own key, and slows down guesses', async () => {
    const reasonOf = async (headers: Record<string, string>) => (await ask(['GET', keys], undefined, headers)).body;
    const missing = await reasonOf({ apikey: service.apiKey });
    assert.deepEqual(
      [missing['reason'], missing['message']],
      ['MISSING_API_KEY', 'adminkey is missing, want the key of AdminService in this header'],
    );
    assert.equal((await ask(['GET', keys], undefined, { 'x-api-key': service.admin.key })).status, 200);
    const settings = { REST_ADMIN_PORT: '0', REST_TRUSTED_PROXIES: '127.0.0.1' };
    const { service: guarded } = await startScripted(lifetime, settings);
    const guess = async (adminkey: string, client: string) => {
      const headers = { adminkey, 'x-forwarded-for': client };
      const answer = await fetch(guarded.restAdmin + keys, { headers });
      return answer.ok ? 'OK' : ((await answer.json()) as { reason: string }).reason;
    };
    assert.equal(await guess('wrong', '192.0.2.1'), 'INVALID_API_KEY');
    for (let time = 1; time < 10; time += 1) await guess('wrong', '192.0.2.1');
    assert.equal(await guess('wrong', '192.0.2.1'), 'RATE_LIMITED');
    assert.equal(await guess(guarded.admin.key, '192.0.2.1'), 'RATE_LIMITED');
    assert.equal(await guess(guarded.admin.key, '192.0.2.2'), 'OK');
  });

  it('has a valid document with an example of every answer and refusal, and no console', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.equal(valid, true, JSON.stringify(errors));
    assert.deepEqual(document.components['securitySchemes' as 'schemas']?.['adminKey']?.['name'], 'adminkey');
    const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, { operationId }]) => `${verb} ${path} ${operationId}`),
    );
    assert.deepEqual(operations, [
      `post ${keys} createApiKey`,
      `get ${keys} listApiKeys`,
      `delete ${keys}/{id} revokeApiKey`,
      `post ${companies} createCompany`,
      `get ${companies} listCompanies`,
      `put ${companies}/{name}/password setCompanyPassword`,
      `put ${companies}/{name}/detection-score setCompanyScore`,
      `delete ${companies}/{name}/detection-score deleteCompanyScore`,
      `delete ${companies}/{name} deleteCompany`,
      'get /livez livez',
      'get /readyz readyz',
    ]);
    assert.ok(countFittingExamples(document) > 30);
    const setPassword = document.paths[`${companies}/{name}/password`]?.['put']?.requestBody;
    const isPassword = validator(setPassword?.content['application/json']?.schema ?? {});
    const judged = ['7 chars', '8 chars.', ' 9 chars.'].map((password) => isPassword({ password }));
    assert.deepEqual(judged, [false, true, false]);
    const call = await fetch(`${service.restAdmin}/imageanalysis.v1.AdminService/ListApiKeys`, { method: 'POST' });
    assert.equal(call.status, 404);
    for (const page of ['/', '/docs', '/console/main.js'])
      assert.equal((await fetch(service.restAdmin + page)).status, 404, page);
    for (const page of ['/livez', '/readyz']) assert.equal((await fetch(service.restAdmin + page)).status, 200, page);
  });

  it('says what is missing as its document does', async () => {
    const shown = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).flatMap(([verb, { responses }]) => {
        const { MISSING_FIELD: example } = responses['400']?.content['application/json']?.examples ?? {};
        return example === undefined ? [] : [{ verb: verb.toUpperCase(), path, example: example.value as object }];
      }),
    );
    assert.equal(shown.length, 4);
    for (const { verb, path, example } of shown) {
      const { body } = await ask([verb, path.replace('{name}', 'acme')], {});
      assert.deepEqual({ ...body, request_id: undefined }, { ...example, request_id: undefined }, path);
    }
  });

  it('is served over TLS, logged and counted like the public port, without secrets', async () => {
    const { certFile, keyFile, cert } = await (await createAuthority(lifetime)).issue('server');
    const settings = { REST_ADMIN_PORT: '0', REST_METRICS_PORT: '0', REST_TLS_CERT: certFile, REST_TLS_KEY: keyFile };
    const { service: secure, log } = await startScripted(lifetime, settings);
    const { port } = new URL(secure.restAdmin ?? '');
    const options = { host: '127.0.0.1', port, path: keys, method: 'POST', agent: false as const };
    const headers = { adminkey: secure.admin.key, 'content-type': 'application/json' };
    const asked = request({ ...options, headers, rejectUnauthorized: false }).end('{"label": "billing"}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(
      (answer.socket as TLSSocket).getPeerX509Certificate()?.toString(),
      new X509Certificate(cert).toString(),
    );
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
    const { secret } = JSON.parse(await text(answer)) as { secret: string };
    await log.waitFor(({ route, status }) => route === keys && status === 200);
    const metrics = await (await fetch(`http://127.0.0.1:${secure.metricsPorts.facade}/metrics`)).text();
    assert.match(metrics, /rest_requests_total\{operation="POST \/v1\/admin\/api-keys",status="200",reason="OK"\} 1/);
    for (const hidden of [secret, secret.slice(16), secure.admin.key])
      assert.ok(!`${JSON.stringify(log.entries)}${metrics}`.includes(hidden));
  });

  it('leaves the public port as it is', async () => {
    const { service: off } = await startScripted(lifetime);
    assert.equal(off.restAdmin, undefined);
    const [withIt, without] = await Promise.all(
      [service, off].map(async ({ rest }) => (await fetch(`${rest}/openapi.json`)).text()),
    );
    assert.equal(withIt, without);
    assert.ok(createRoutes(loadRpcs()).every(({ template }) => !template.includes('admin')));
    for (const { rest, admin } of [service, off]) {
      const answer = await fetch(rest + keys, { headers: { adminkey: admin.key, apikey: service.apiKey } });
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { reason: string }).reason, 'NO_SUCH_ROUTE');
    }
    const single = await fetch(`${service.restAdmin}/v1/version`, { headers: { apikey: service.apiKey } });
    assert.equal(single.status, 404);
  });
});
