import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { before, describe, it } from 'node:test';
import { credentials, Metadata, type ServiceError as GrpcError } from '@grpc/grpc-js';
import sharp from 'sharp';
import { AdminServiceClient, Operation } from '../../generated/imageanalysis/v1/admin.js';
import { codeOfReason, type Reason } from '../../runtime/reasons.js';
import { createConfig } from '../../rest-facade/config.js';
import { startRestFacade } from '../../rest-facade/server.js';
import { pino } from 'pino';
import { toHttpStatus } from '../../rest-facade/transcode/http-error.js';
import { collectLog } from '../helpers/collect-log.js';
import { detailsOf, unaryCall } from '../helpers/grpc.js';
import { createLifetime } from '../helpers/lifetime.js';
import { readSample } from '../helpers/samples.js';
import { startService, type TestService } from '../helpers/service.js';

// Every reason of the error table, produced over the wire and checked for status, code and shape.

const lifetime = createLifetime();

interface Refusal {
  status: number;
  headers: Headers;
  body: { message: string; code: string; reason: string; request_id: string; details: object };
}

void describe('every reason of the error table', () => {
  let service: TestService;
  let portrait: Buffer;
  let grey: Buffer;
  const log = collectLog();

  before(async () => {
    service = await startService(
      lifetime,
      { CORE_MAX_IMAGE_PIXELS: '4000000', REST_MAX_IMAGE_BYTES: '3000000' },
      log.log,
    );
    await service.createCompany('acme', 'correct horse');
    portrait = await readSample('astronaut.jpg');
    grey = await blank(320, 240);
  });

  const produce: Record<Reason, () => Promise<Refusal | void>> = {
    MISSING_FIELD: () => detect(service, { company: 'acme' }, undefined),
    REPEATED_FIELD: () => {
      const form = formOf(portrait);
      form.append('min_score', '0.5');
      form.append('min_score', '0.6');
      return post(service, '/face_detect_multi', form);
    },
    INVALID_FIELD: () => detect(service, { max_faces: '0' }, portrait),
    MALFORMED_MULTIPART: () =>
      post(service, '/face_detect_single', 'no parts', {
        'content-type': 'multipart/form-data; boundary=x',
      }),
    MALFORMED_JSON: () => post(service, '/meter-number-ocr/base64', '{"image":'),
    INVALID_DATA_URL: () => readMeter({ image: 'http://example.com/a.jpg' }),
    INVALID_BASE64: () => readMeter({ image: 'data:image/png;base64,****' }),
    INVALID_SCORE: () => detect(service, { min_score: '1.000001' }, portrait),
    EMPTY_IMAGE: () => detect(service, {}, Buffer.alloc(0)),
    CORRUPT_IMAGE: () => detect(service, {}, portrait.subarray(0, 2_000)),
    MISSING_API_KEY: () => get(service, '/face_config_score?detection&company=a&password=b', ''),
    INVALID_API_KEY: () =>
      get(service, '/face_config_score?detection&company=a&password=b', 'ia_x_y'),
    COMPANY_AUTH_FAILED: () => get(service, '/face_config_score?detection&company=no&password=b'),
    KEY_NOT_ALLOWED: async () => {
      const { secret } = await service.createKey({ operations: [Operation.METER_READING] });
      return get(service, '/face_config_score?detection&company=acme&password=b', secret);
    },
    NO_SUCH_ROUTE: () => get(service, '/face_detect'),
    UNKNOWN_COMPANY: () => detect(service, { company: 'acmé' }, portrait),
    NO_FACE: () => post(service, '/face_detect_single', formOf(grey)),
    NO_READING: () => post(service, '/meter-number-ocr/file', formOf(grey)),
    UNKNOWN_API_KEY: () =>
      refusedByAdmin('UNKNOWN_API_KEY', (admin, metadata) =>
        unaryCall((done) => admin.revokeApiKey({ id: 'ia_aaaaaaaaaaaa' }, metadata, done)),
      ),
    COMPANY_EXISTS: () =>
      refusedByAdmin('COMPANY_EXISTS', (admin, metadata) =>
        unaryCall((done) =>
          admin.createCompany({ name: 'acme', password: 'other horse' }, metadata, done),
        ),
      ),
    METHOD_NOT_ALLOWED: async () => {
      const refusal = await get(service, '/face_detect_single');
      assert.equal(refusal.headers.get('allow'), 'POST');
      return refusal;
    },
    UNSUPPORTED_IMAGE_TYPE: () => detect(service, {}, Buffer.from('<svg xmlns="x"></svg>')),
    UNSUPPORTED_CONTENT_TYPE: () =>
      post(service, '/face_detect_single', '{}', { 'content-type': 'application/json' }),
    BODY_TOO_LARGE: () => detect(service, {}, Buffer.concat([portrait, Buffer.alloc(3_000_000)])),
    IMAGE_TOO_MANY_PIXELS: async () => detect(service, {}, await blank(2_001, 2_000)),
    RATE_LIMITED: async () => {
      const limited = await startService(lifetime, { CORE_RATE_LIMIT_PER_MINUTE: '1' });
      await detect(limited, {}, grey);
      return checkRetryAfter(await detect(limited, {}, grey));
    },
    QUEUE_FULL: async () => {
      const full = await startService(lifetime, { CORE_MAX_QUEUE: '0', CORE_WORKERS: '1' });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => detect(full, {}, portrait)),
      );
      assert.ok(answers.some(({ status }) => status === 200));
      const refused = answers.find(({ status }) => status === 429);
      assert.ok(refused, 'none of six requests at a time was refused');
      return checkRetryAfter(refused);
    },
    CLIENT_CLOSED: async () => {
      const upload = request(`${service.rest}/face_detect_multi`, {
        method: 'POST',
        headers: {
          apikey: service.apiKey,
          'x-request-id': 'goes-away',
          'content-type': 'multipart/form-data; boundary=x',
          expect: '100-continue',
        },
      });
      upload.on('error', () => {});
      upload.flushHeaders();
      await once(upload, 'continue');
      upload.destroy();
      const line = await log.waitFor(
        (entry) => entry['request_id'] === 'goes-away' && entry['status'] === 499,
      );
      assert.equal(line['reason'], 'CLIENT_CLOSED');
    },
    DEADLINE: async () =>
      detect(await startService(lifetime, { REST_REQUEST_TIMEOUT_MS: '1' }), {}, portrait),
    INTERNAL: async () => {
      const broken = await startService(lifetime);
      await broken.runSql('ALTER TABLE companies RENAME TO lost');
      return detect(broken, { company: 'acme' }, portrait);
    },
    CORE_UNAVAILABLE: async () => {
      const facade = await startRestFacade({
        config: createConfig({ REST_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1' }),
        log: pino({ level: 'silent' }),
      });
      lifetime.after(() => facade.close());
      return detect({ ...service, rest: `http://127.0.0.1:${facade.port}` }, {}, portrait);
    },
    SHUTTING_DOWN: async () => {
      const locked = await startService(lifetime);
      await locked.createCompany('acme', 'correct horse');
      // Another process writes and does not come to an end.
      const unlock = await locked.lockDatabase();
      try {
        const login = 'company=acme&password=correct%20horse';
        return await get(locked, `/face_config_score?detection=0.5&${login}`);
      } finally {
        await unlock();
      }
    },
  };

  for (const [name, refuse] of Object.entries(produce)) {
    const reason = name as Reason;
    void it(`${reason} is answered as listed`, async () => {
      const refusal = await refuse();
      if (refusal === undefined) return;
      const { status, headers, body } = refusal;
      assert.equal(body.reason, reason, JSON.stringify(body));
      assert.match(body.message, /^[a-z].*[^.]$/);
      assert.equal(status, toHttpStatus(codeOfReason[reason], reason));
      assert.deepEqual(Object.keys(body), ['message', 'code', 'reason', 'request_id', 'details']);
      assert.equal(headers.get('x-request-id'), body.request_id);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.doesNotMatch(
        JSON.stringify(body),
        /node_modules|\/dist\/|\bat .*:\d+:\d+|vips|SQLITE/,
      );
    });
  }

  function readMeter(body: object) {
    return post(service, '/meter-number-ocr/base64', JSON.stringify(body), {
      'content-type': 'application/json',
    });
  }

  async function refusedByAdmin(
    reason: Reason,
    call: (admin: AdminServiceClient, metadata: Metadata) => Promise<unknown>,
  ): Promise<void> {
    const admin = new AdminServiceClient(service.admin.address, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('adminkey', service.admin.key);
    try {
      await assert.rejects(call(admin, metadata), (error: GrpcError) => {
        assert.equal(error.code, codeOfReason[reason]);
        assert.equal(detailsOf(error).reason, reason);
        return true;
      });
    } finally {
      admin.close();
    }
  }
});

function checkRetryAfter(refusal: Refusal): Refusal {
  assert.match(refusal.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return refusal;
}

function blank(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#777' } })
    .png()
    .toBuffer();
}

function formOf(picture: Buffer | undefined, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (picture) form.append('file', new Blob([new Uint8Array(picture)]), 'photo');
  return form;
}

function detect(
  service: Pick<TestService, 'rest' | 'apiKey'>,
  fields: Record<string, string>,
  picture: Buffer | undefined,
): Promise<Refusal> {
  return post(service, '/face_detect_multi', formOf(picture, fields));
}

async function post(
  { rest, apiKey }: Pick<TestService, 'rest' | 'apiKey'>,
  path: string,
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  return toRefusal(
    await fetch(rest + path, { method: 'POST', body, headers: { apikey: apiKey, ...headers } }),
  );
}

async function get(
  { rest, apiKey }: Pick<TestService, 'rest' | 'apiKey'>,
  path: string,
  key = apiKey,
): Promise<Refusal> {
  return toRefusal(await fetch(rest + path, { headers: key === '' ? {} : { apikey: key } }));
}

async function toRefusal(answer: Response): Promise<Refusal> {
  const body = (await answer.json()) as Refusal['body'];
  return { status: answer.status, headers: answer.headers, body };
}
