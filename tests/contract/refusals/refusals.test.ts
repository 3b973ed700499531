import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { json } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import {
  Client,
  credentials,
  type Metadata,
  type MethodDefinition,
  type ServiceError as GrpcError,
} from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import sharp from 'sharp';
import { AdminServiceClient, Operation } from '../../../generated/imageanalysis/v1/admin.js';
import { toHttpStatus } from '../../../rest-facade/response/http-error.js';
import { codeOfReason, type Reason } from '../../../runtime/errors/reasons.js';
import { collectLog } from '../../helpers/collect-log.js';
import { eventually } from '../../helpers/eventually.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { createForm } from '../../helpers/net/form.js';
import { detailsOf, metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import type { OpenApiDocument } from '../../helpers/net/openapi.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { openStage, scriptedPicture, scriptedWorkerUrl, type Stage } from '../../helpers/pictures/scripted-pictures.js';
import { type Answer, get, post, send } from '../../helpers/service/rest-requests.js';
import { startService, type TestService } from '../../helpers/service/service.js';
import { startFacade } from '../../rest-facade/facade.js';

// Every reason of the error table, produced over the wire and checked for status, code and shape.

const lifetime = createLifetime();
const errorsPage = await readFile(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

type Refusal = Answer<{ message: string; code: string; reason: string; request_id: string; details: object }>;

/** What is said only over gRPC. */
interface OverGrpc {
  readonly overGrpc: Pick<Refusal['body'], 'reason' | 'message' | 'details'>;
}

const { Watch: watchHealth } = health as unknown as Record<'Watch', MethodDefinition<{ service: string }, object>>;

describe('every reason of the error table', () => {
  let service: TestService;
  let portrait: Buffer;
  let grey: Buffer;
  let stage: Stage;
  const log = collectLog();
  /** One that has no models, for what is refused without them. */
  const startScripted = (environment: Record<string, string> = {}) =>
    startService(lifetime, environment, undefined, scriptedWorkerUrl);

  before(async () => {
    stage = openStage(lifetime);
    // Its refusal takes seconds, in which the others are asked for.
    void onlyOnce('STORE_UNAVAILABLE', produce.STORE_UNAVAILABLE);
    service = await startService(
      lifetime,
      { CORE_MAX_IMAGE_PIXELS: '4000000', CORE_MAX_IMAGE_SIDE: '3000', REST_MAX_IMAGE_BYTES: '3000000' },
      log.log,
    );
    await service.createCompany('acme', 'correct horse');
    portrait = await readSample('astronaut.jpg');
    grey = await blank(320, 240);
  });

  const produce: Record<Reason, () => Promise<Refusal | OverGrpc | void>> = {
    MISSING_FIELD: () => detect(service, { company: 'acme' }, undefined),
    REPEATED_FIELD: () => {
      const form = createForm(portrait);
      form.append('min_score', '0.5');
      form.append('min_score', '0.6');
      return post(service, '/face_detect_multi', form);
    },
    UNKNOWN_FIELD: () => detect(service, { minscore: '0.9' }, portrait),
    INVALID_FIELD: () => detect(service, { max_faces: '0' }, portrait),
    MALFORMED_MULTIPART: () =>
      post(service, '/face_detect_single', 'no parts', { 'content-type': 'multipart/form-data; boundary=x' }),
    MALFORMED_JSON: () => post(service, '/meter-number-ocr/base64', '{"image":'),
    INVALID_DATA_URL: () => readMeter({ image: 'http://example.com/a.jpg' }),
    INVALID_BASE64: () => readMeter({ image: 'data:image/png;base64,****' }),
    INVALID_SCORE: () => detect(service, { min_score: '1.000001' }, portrait),
    EMPTY_IMAGE: () => detect(service, {}, Buffer.alloc(0)),
    CORRUPT_IMAGE: () => detect(service, {}, portrait.subarray(0, 2_000)),
    MISSING_API_KEY: () => get({ ...service, apiKey: '' }, '/face_config_score?detection&company=a&password=b'),
    INVALID_API_KEY: () => get({ ...service, apiKey: 'ia_x_y' }, '/face_config_score?detection&company=a&password=b'),
    COMPANY_AUTH_FAILED: () => get(service, '/face_config_score?detection&company=no&password=b'),
    KEY_NOT_ALLOWED: async () => {
      const { secret } = await service.createKey({ operations: [Operation.METER_READING] });
      return get({ ...service, apiKey: secret }, '/face_config_score?detection&company=acme&password=b');
    },
    NO_SUCH_ROUTE: () => get(service, '/face_detect'),
    UNKNOWN_COMPANY: () => detect(service, { company: 'acmé' }, portrait),
    NO_FACE: () => post(service, '/face_detect_single', createForm(grey)),
    NO_READING: () => post(service, '/meter-number-ocr/file', createForm(grey)),
    UNKNOWN_API_KEY: () =>
      refusedByAdmin('UNKNOWN_API_KEY', (admin, metadata) =>
        unaryCall((done) => admin.revokeApiKey({ id: 'ia_aaaaaaaaaaaa' }, metadata, done)),
      ),
    COMPANY_EXISTS: () =>
      refusedByAdmin('COMPANY_EXISTS', (admin, metadata) =>
        unaryCall((done) => admin.createCompany({ name: 'acme', password: 'other horse' }, metadata, done)),
      ),
    METHOD_NOT_ALLOWED: async () => {
      const refusal: Refusal = await get(service, '/face_detect_single');
      assert.equal(refusal.headers.get('allow'), 'POST');
      return refusal;
    },
    UNSUPPORTED_IMAGE_TYPE: () => detect(service, {}, Buffer.from('<svg xmlns="x"></svg>')),
    UNSUPPORTED_CONTENT_TYPE: () => post(service, '/face_detect_single', '{}', { 'content-type': 'text/plain' }),
    BODY_TOO_LARGE: () => detect(service, {}, Buffer.concat([portrait, Buffer.alloc(3_000_000)])),
    IMAGE_TOO_MANY_PIXELS: async () => detect(service, {}, await blank(2_001, 2_000)),
    RATE_LIMITED: async () => {
      const limited = await startScripted({ CORE_RATE_LIMIT_PER_MINUTE: '1' });
      await detect(limited, {}, scriptedPicture('first'));
      return checkRetryAfter(await detect(limited, {}, scriptedPicture('second')));
    },
    QUEUE_FULL: async () => {
      const full = await startScripted({ CORE_MAX_QUEUE: '0' });
      const running = detect(full, {}, scriptedPicture('running', 'wait'));
      await eventually(() => stage.begun.includes('running'));
      const refused = await detect(full, {}, scriptedPicture('refused'));
      stage.release('running');
      assert.equal((await running).status, 200);
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
      const line = await log.waitFor((entry) => entry['request_id'] === 'goes-away' && entry['status'] === 499);
      assert.equal(line['reason'], 'CLIENT_CLOSED');
    },
    DEADLINE: async () =>
      toRefusal(openForm(await startScripted({ REST_REQUEST_TIMEOUT_MS: '50' }), '/face_detect_multi')),
    // A picture without a script.
    INTERNAL: async () => detect(await startScripted(), {}, portrait),
    CORE_UNAVAILABLE: async () => {
      const { url } = await startFacade(lifetime, 1);
      return detect({ ...service, rest: url }, {}, portrait);
    },
    SHUTTING_DOWN: async () => {
      const stopping = await startScripted();
      const client = new Client(stopping.grpc, credentials.createInsecure());
      lifetime.after(() => client.close());
      const watched = client
        .makeServerStreamRequest(watchHealth.path, watchHealth.requestSerialize, watchHealth.responseDeserialize, {
          service: '',
        })
        .resume();
      await once(watched, 'metadata');
      const ended = once(watched, 'error') as Promise<[GrpcError]>;
      await stopping.closeCore();
      const [error] = await ended;
      assert.equal(error.code, codeOfReason.SHUTTING_DOWN);
      const { reason, metadata: details } = detailsOf(error);
      assert.equal(reason, 'SHUTTING_DOWN');
      return { overGrpc: { reason, message: error.details, details } };
    },
    WORKER_LOST: async () => {
      return detect(await startScripted(), {}, scriptedPicture('killer', 'exit'));
    },
    STORE_UNAVAILABLE: async () => {
      const locked = await startScripted();
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

  /** Each refusal is produced once, for whichever test asks first. */
  const produced = new Map<string, Promise<unknown>>();
  function onlyOnce<T>(name: string, refuse: () => Promise<T>): Promise<T> {
    const refusal = (produced.get(name) as Promise<T> | undefined) ?? refuse();
    produced.set(name, refusal);
    return refusal;
  }

  for (const [name, refuse] of Object.entries(produce)) {
    const reason = name as Reason;
    it(`${reason} is answered as listed`, async () => {
      const refusal = await onlyOnce(name, refuse);
      if (!refusal || 'overGrpc' in refusal) return;
      const { status, headers, body } = refusal;
      assert.equal(body.reason, reason, JSON.stringify(body));
      assert.match(body.message, /^[a-z].*[^.]$/);
      assert.equal(status, toHttpStatus(codeOfReason[reason], reason));
      assert.deepEqual(Object.keys(body), ['message', 'code', 'reason', 'request_id', 'details']);
      assert.equal(headers.get('x-request-id'), body.request_id);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      for (const name of Object.keys(body.details)) assert.ok(errorsPage.includes(`\`${name}\``), `details.${name}`);
      assert.doesNotMatch(JSON.stringify(body), /node_modules|\/dist\/|\bat .*:\d+:\d+|vips|SQLITE/);
    });
  }

  // What the OpenAPI document shows beside the refusals above.
  const more: Record<string, () => Promise<Refusal>> = {
    'no picture in JSON': () => readMeter({}),
    'no name in the query': () => get(service, '/face_config_score?company=acme&password=b'),
    'no password in a header': () => get(service, '/v1/companies/acme/detection-score'),
    'a company given twice': () => get(service, '/face_config_score?detection&company=a&company=b'),
    'a number given twice': () => {
      const form = createForm(grey, { expected_digits: '5' });
      form.append('expected_digits', '6');
      return post(service, '/meter-number-ocr/file', form);
    },
    'a header given twice': () => askWithTwoPasswords(service),
    'too few digits': () => readMeter({ image: dataUrl(grey), expected_digits: 2 }),
    'a field where there are none': () => get(service, '/v1/version?verbose=1'),
    'a misspelt company': () => detect(service, { compan: 'acme' }, grey),
    'a misspelt number of digits': () => readMeter({ image: dataUrl(grey), expected_digit: 5 }),
    'a misspelt score': () => putScore('{"detection_scor": 1}', { 'x-company-password': 'x' }),
    'a misspelt company beside a password': () => get(service, '/face_config_score?detection&compan=acme'),
    'a misspelt choice': () => get(service, '/face_config_score?detection&detectio'),
    'a broken query string': () => get(service, '/face_config_score?detection=%zz'),
    'a score of a request': () => detect(service, { min_score: '0,5' }, portrait),
    'a score in the query': () => get(service, '/face_config_score?detection=0,5&company=acme&password=b'),
    'a score in JSON': () => putScore('{"detection_score": "0,5"}', { 'x-company-password': 'b' }),
    'an empty picture in JSON': () => readMeter({ image: 'data:image/png;base64,' }),
    'a cut picture in JSON': () => readMeter({ image: dataUrl(portrait.subarray(0, 2_000)) }),
    'a picture that is too wide': async () => detect(service, {}, await blank(3_001, 10)),
    'no face': () => post(service, '/face_detect_single', createForm(grey, { min_score: '0.5' })),
    'no reading in JSON': () => readMeter({ image: dataUrl(grey) }),
    'no reading of several photos': () => post(service, '/v1/meters/fuse', createForm(grey)),
    'no picture at all in JSON': () => readMeter({ image: dataUrl(Buffer.from('<svg></svg>')) }),
    'photos that are too large together': () => {
      const form = createForm(Buffer.alloc(2_000_000));
      form.append('file', new Blob([new Uint8Array(2_000_000)]), 'b.jpg');
      return post(service, '/v1/meters/fuse', form);
    },
    'one batch too many': () => openTooManyBatches(service),
    'one password too many': async () => {
      const full = await startScripted({ CORE_MAX_QUEUE: '0' });
      const ask = (): Promise<Refusal> => get(full, '/face_config_score?detection&company=a&password=b');
      // A check a core at most begins at once.
      const answers = await Promise.all(Array.from({ length: availableParallelism() + 8 }, ask));
      return answers.find(({ status }) => status === 429) as Refusal;
    },
    'a text where a form or picture is wanted': () => post(service, '/meter-number-ocr/file', 'text'),
    'a text where a form is wanted': () => post(service, '/v1/meters/fuse', 'text'),
    'a compressed body': () => post(service, '/meter-number-ocr/base64', '{}', { 'content-encoding': 'gzip' }),
    'a large picture in JSON': () => readMeter({ image: dataUrl(Buffer.alloc(3_000_001)) }),
    'a large body': () => putScore(' '.repeat(65_537)),
    'many pixels in JSON': async () => readMeter({ image: dataUrl(await blank(2_001, 2_000)) }),
    'a key for scores, on faces': () => withKeyFor(Operation.SCORE_CONFIG, '/face_detect_single'),
    'a key for faces, on meters': () => withKeyFor(Operation.FACE_DETECTION, '/meter-number-ocr/file'),
  };
  it('the examples of the OpenAPI document are what the service says', async () => {
    const { paths } = (await (await fetch(`${service.rest}/openapi.json`)).json()) as OpenApiDocument;
    const shown = Object.values(paths)
      .flatMap((verbs) => Object.values(verbs))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ content }) => Object.values(content['application/json']?.examples ?? {}))
      .map(({ value }) => shapeOf(value as Refusal['body']));
    assert.ok(shown.length > 100, `${shown.length} examples`);
    const said = new Set<string>();
    for (const [name, refuse] of Object.entries({ ...produce, ...more })) {
      const refusal = await onlyOnce<Refusal | OverGrpc | void>(name, refuse);
      if (!refusal) continue;
      const body = 'overGrpc' in refusal ? refusal.overGrpc : refusal.body;
      assert.ok(body.reason, `${name} is refused: ${JSON.stringify(body)}`);
      said.add(shapeOf(body));
    }
    assert.deepEqual(
      [...new Set(shown)].filter((shape) => !said.has(shape)),
      [],
    );
  });

  it('the example of several photos without a reading is what the service says of them', async () => {
    const { paths } = (await (await fetch(`${service.rest}/openapi.json`)).json()) as OpenApiDocument;
    const refused = paths['/v1/meters/fuse']?.['post']?.responses['422']?.content['application/json'];
    const { body }: Refusal = await post(service, '/v1/meters/fuse', createForm(grey));
    assert.deepEqual({ ...(refused?.examples?.['NO_READING']?.value as object), request_id: body.request_id }, body);
  });

  async function withKeyFor(operation: Operation, path: string): Promise<Refusal> {
    const { secret } = await service.createKey({ operations: [operation] });
    return post({ ...service, apiKey: secret }, path, createForm(grey));
  }

  function putScore(body: string, headers?: Record<string, string>): Promise<Refusal> {
    return send(service, 'PUT', '/v1/companies/acme/detection-score', body, headers);
  }

  function readMeter(body: object): Promise<Refusal> {
    return post(service, '/meter-number-ocr/base64', JSON.stringify(body), { 'content-type': 'application/json' });
  }

  async function refusedByAdmin(
    reason: Reason,
    call: (admin: AdminServiceClient, metadata: Metadata) => Promise<unknown>,
  ): Promise<void> {
    const admin = new AdminServiceClient(service.admin.address, credentials.createInsecure());
    try {
      await assert.rejects(call(admin, metadataWithKey('', { adminkey: service.admin.key })), (error: GrpcError) => {
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

const blank = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#777' } })
    .png()
    .toBuffer();

const detect = (
  service: Pick<TestService, 'rest' | 'apiKey'>,
  fields: Record<string, string>,
  picture: Buffer | undefined,
): Promise<Refusal> => post(service, '/face_detect_multi', createForm(picture, fields));

/** A form of which nothing comes behind its headers. */
function openForm({ rest, apiKey }: TestService, path: string): ClientRequest {
  const headers = { apikey: apiKey, 'content-type': 'multipart/form-data; boundary=b' };
  const form = request(`${rest}${path}`, { method: 'POST', headers });
  form.on('error', () => undefined).flushHeaders();
  return form;
}

/** The first refusal; one address may have four fifths of 64. */
async function openTooManyBatches(service: TestService): Promise<Refusal> {
  const batches = Array.from({ length: 52 }, () => openForm(service, '/v1/faces/batch'));
  try {
    return await Promise.race(batches.map(toRefusal));
  } finally {
    for (const batch of batches) batch.destroy();
  }
}

/** A refusal without the values that it names. */
function shapeOf({ reason, message, details }: OverGrpc['overGrpc']) {
  const shape = message
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/\bia_\w+/g, 'ia_…')
    .replaceAll(/\d+(\.\d+)?/g, '0');
  return `${reason}: ${shape} (${Object.keys(details).sort().join(', ')})`;
}

const dataUrl = (picture: Buffer): string => `data:image/png;base64,${picture.toString('base64')}`;

/** By Node's client: fetch would join the two. */
async function askWithTwoPasswords({ rest, apiKey }: TestService): Promise<Refusal> {
  const asked = request(`${rest}/v1/companies/acme/detection-score`, {
    headers: { apikey: apiKey, 'x-company-password': ['a', 'b'] },
  }).end();
  return toRefusal(asked);
}

async function toRefusal(asked: ClientRequest): Promise<Refusal> {
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const headers = new Headers(answer.headers as Record<string, string>);
  return { status: answer.statusCode ?? 0, headers, body: (await json(answer)) as Refusal['body'] };
}
