import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import sharp from 'sharp';
import { ErrorReason } from '../../generated/imageanalysis/v1/errors.js';
import { createLifetime } from '../helpers/lifetime.js';
import {
  type Content,
  countFittingExamples,
  createValidator,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  reasonsOf,
} from '../helpers/net/openapi.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import { startService, type TestService } from '../helpers/service/service.js';

// A client that knows the served document only: what it says can be asked, and comes back as it says.

const lifetime = createLifetime();
const company = { name: 'acme', password: 'correct horse' };

interface Case {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

describe('the OpenAPI document', () => {
  let service: TestService;
  let document: OpenApiDocument;
  let cases: Case[];
  let validator: ReturnType<typeof createValidator>;
  const pictures = new Map<string, Buffer>();

  before(async () => {
    service = await startService(lifetime);
    await service.createCompany(company.name, company.password);
    const answer = await fetch(`${service.rest}/openapi.json`);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    document = (await answer.json()) as OpenApiDocument;
    cases = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => ({ verb, path, operation })),
    );
    validator = createValidator(document);
    pictures.set('Face detection', await readSample('astronaut.jpg'));
    // Small, since its print is read three times.
    const meter = sharp(await readSample('meter.jpg')).resize(480);
    pictures.set('Meter reading', await meter.jpeg().toBuffer());
  });

  /** Builds a request out of the document alone; `fields` go into the form or the JSON body. */
  function ask(
    { verb, path, operation }: Case,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = { apikey: service.apiKey },
    { rest }: Pick<TestService, 'rest'> = service,
  ): Promise<Response> {
    const url = new URL(rest);
    url.pathname = path;
    const sent = new Headers(headers);
    for (const parameter of operation.parameters ?? []) {
      if (!parameter.required) continue;
      assert.notEqual(parameter.example, undefined, `${path} ${parameter.name} has an example`);
      const value = String(parameter.example);
      if (parameter.in === 'query') url.searchParams.set(parameter.name, value);
      if (parameter.in === 'header') sent.set(parameter.name, value);
      if (parameter.in === 'path') url.pathname = url.pathname.replace(`%7B${parameter.name}%7D`, value);
    }
    return fetch(url, { method: verb.toUpperCase(), headers: sent, ...bodyOf(operation, fields) });
  }

  function bodyOf(operation: Operation, fields: Record<string, unknown>): Pick<RequestInit, 'body'> {
    const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
    if (content === undefined) return {};
    const properties = content.schema['properties'] as Record<string, Record<string, unknown>>;
    const required = (content.schema['required'] ?? []) as string[];
    const picture = pictures.get(operation.tags[0] ?? '') ?? Buffer.alloc(0);
    if (type === 'multipart/form-data') {
      const form = new FormData();
      // A batch wants its fields first.
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const name of required) form.append(name, new Blob([new Uint8Array(picture)]), 'a.jpg');
      return { body: form };
    }
    const members = Object.fromEntries(
      required.map((name) => [
        name,
        (properties[name]?.['examples'] as unknown[] | undefined)?.[0] ??
          `data:image/jpeg;base64,${picture.toString('base64')}`,
      ]),
    );
    return { body: JSON.stringify({ ...members, ...fields }) };
  }

  /** The answer is one that the document has for the operation, by status, headers, shape and reason. */
  async function check(one: Case, answer: Response): Promise<Record<string, unknown>> {
    const response = one.operation.responses[answer.status];
    const lines = answer.ok && response?.content['application/x-ndjson'];
    if (lines) return checkLine(response.description, lines, (await answer.text()).split('\n', 1)[0] ?? '');
    const file = answer.ok && response?.content['image/*'];
    const body = file
      ? { bytes: (await answer.arrayBuffer()).byteLength }
      : ((await answer.json()) as Record<string, unknown>);
    const what = `${one.verb} ${one.path} ${answer.status} ${JSON.stringify(body).slice(0, 300)}`;
    assert.ok(response, `${what} is documented`);
    for (const header of ['x-request-id', 'retry-after'].filter((name) => answer.headers.has(name)))
      assert.ok(response.headers?.[header], `${what} has ${header}`);
    if (file) {
      assert.match(answer.headers.get('content-type') ?? '', /^image\/(jpeg|png|webp)$/);
      for (const name of Object.keys(response.headers ?? {}))
        assert.ok(answer.headers.has(name), `${what} has ${name}`);
      return body;
    }
    const validate = validator(response.content['application/json']?.schema ?? {});
    assert.ok(validate(body), `${what} fits: ${JSON.stringify(validate.errors)}`);
    if (!answer.ok) assert.ok(reasonsOf(response).includes(String(body['reason'])), what);
    return body;
  }

  /** The line, and that of the example, have an index, a name, and what the description says. */
  function checkLine(description: string, { example }: Content, sent: string): Part {
    const [, name = ''] = /members of `(\w+)`/.exec(description) ?? [];
    const validate = validator({ $ref: `#/components/schemas/${name}` });
    const refused = validator({ $ref: '#/components/schemas/ErrorResponse' });
    for (const line of [sent, String(example)]) {
      const { index, filename, ...rest } = JSON.parse(line) as Part;
      assert.deepEqual([index, filename], [0, 'a.jpg']);
      assert.ok(validate(rest) || refused(rest), JSON.stringify([rest, validate.errors]));
    }
    return JSON.parse(sent) as Part;
  }

  it('is a valid OpenAPI 3.1 document', async () => {
    assert.equal(document.openapi, '3.1.0');
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.equal(valid, true, JSON.stringify(errors));
    for (const { path, operation } of cases) assert.ok(operation['description'], path);
    const ids = cases.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('has every operation of the contract', () => {
    assert.deepEqual(
      cases.map(({ verb, path, operation }) => `${verb} ${path} ${operation.operationId}`),
      [
        'post /face_detect_single detectSingleFace',
        'post /face_detect_multi detectAllFaces',
        'post /v1/faces/redact redactFaces',
        'post /v1/faces/batch streamDetectFaces',
        'get /v1/companies/{company}/detection-score getDetectionScore',
        'put /v1/companies/{company}/detection-score setDetectionScore',
        'get /face_config_score faceConfigScore',
        'post /meter-number-ocr/file readMeter',
        'post /meter-number-ocr/base64 meterNumberOcrBase64',
        'post /v1/meters/batch streamReadMeters',
        'post /v1/meters/fuse fuseMeterReadings',
        'get /v1/version getVersion',
        'get /livez livez',
        'get /readyz readyz',
      ],
    );
  });

  it('says how every operation is asked and answered', async () => {
    for (const one of cases) {
      const answer = await ask(one);
      assert.equal(answer.status, 200, `${one.verb} ${one.path}: ${await answer.clone().text()}`);
      // Nor has a batch a line that is refused.
      assert.equal((await check(one, answer))['reason'], undefined, one.path);
    }
  });

  it('has a plain type for every parameter and a named schema for every answer', () => {
    for (const { path, operation } of cases) {
      for (const { name, schema, example } of operation.parameters ?? []) {
        assert.equal(typeof schema['type'], 'string', `${path} ${name}`);
        assert.ok(validator(schema)(example), `${path} ${name}`);
      }
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const schema = content['application/json']?.schema ?? {};
        if (content['image/*'] || content['application/x-ndjson']) continue;
        assert.deepEqual(Object.keys(schema), ['$ref'], `${path} ${status}`);
      }
    }
  });

  it('has one answer for both operations of an address', async () => {
    const path = '/face_config_score';
    const operation = document.paths[path]?.['get'];
    assert.ok(operation);
    for (const detection of ['', '0.0001']) {
      const one = {
        verb: 'get',
        path,
        operation: withExample(operation, ({ name }) => name === 'detection', detection),
      };
      const answer = await ask(one);
      assert.equal(answer.status, 200, detection);
      await check(one, answer);
    }
  });

  /** The optional members of bodies, of every operation. */
  function optionalFields(): [one: Case, name: string, schema: Part][] {
    return cases.flatMap((one) => {
      const [content] = Object.values(one.operation.requestBody?.content ?? {});
      const properties = (content?.schema['properties'] ?? {}) as Record<string, Part>;
      const required = (content?.schema['required'] ?? []) as string[];
      const optional = Object.entries(properties).filter(([name]) => !required.includes(name));
      return optional.map(([name, schema]): [Case, string, Part] => [one, name, schema]);
    });
  }

  it('has an example of every optional field, which is taken', async () => {
    const fields = optionalFields();
    assert.ok(fields.length > 70, `${fields.length} optional fields`);
    const refused: string[] = [];
    for (const [one, name, schema] of fields) {
      const { reason, message } = await check(one, await ask(one, { [name]: exampleOf(schema) }));
      if (reason !== undefined) refused.push(`${one.path} ${name}: ${String(message)}`);
    }
    assert.deepEqual(
      refused,
      ['/meter-number-ocr/file', '/meter-number-ocr/base64', '/v1/meters/batch', '/v1/meters/fuse'].map(
        (path) => `${path} max_increase: previous_reading is missing, want it together with max_increase`,
      ),
    );
  });

  it('has the bounds of every optional field: values at them are taken, values beyond are refused', async () => {
    const bounds = optionalFields().flatMap(([one, name, schema]) =>
      boundsOf(schema).map(([at, beyond]) => ({ one, name, at, beyond })),
    );
    assert.ok(bounds.length > 60, `${bounds.length} bounds`);
    for (const { one, name, at, beyond } of bounds) {
      const what = `${one.path} ${name} ${String(at)} ${String(beyond)}`;
      const taken = await check(one, await ask(one, { [name]: at }));
      assert.notEqual(fieldOf(taken), name, what);
      const refused = await check(one, await ask(one, { [name]: beyond }));
      assert.deepEqual([fieldOf(refused), refused['code']], [name, 'INVALID_ARGUMENT'], what);
    }
  });

  it('needs a key for operations only', async () => {
    for (const one of cases) {
      const answer = await ask(one, {}, {});
      const isOpen = one.operation.security?.length === 0;
      assert.equal(answer.status, isOpen ? 200 : 401, one.path);
      const body = await check(one, answer);
      if (!isOpen) assert.equal(body['reason'], 'MISSING_API_KEY');
    }
  });

  function withPassword(): Case[] {
    const found = cases.filter(({ operation }) => operation.parameters?.some(isPassword));
    assert.equal(found.length, 3);
    return found;
  }

  it('needs the password of a company wherever there is a parameter for it', async () => {
    for (const one of withPassword()) {
      const answer = await ask({ ...one, operation: withExample(one.operation, isPassword, 'no') });
      assert.deepEqual([answer.status, (await check(one, answer))['reason']], [401, 'COMPANY_AUTH_FAILED'], one.path);
    }
  });

  it('has every refusal that an operation gives', async () => {
    const seen = new Set<unknown>();
    const limited = await service.createKey({ operations: [] });
    await service.revokeKey(limited.id);
    for (const one of cases.filter(({ operation }) => operation.security === undefined)) {
      const answers = [
        await ask(one, {}, { apikey: limited.secret }),
        await ask({ ...one, operation: withoutParameters(one.operation) }, { detection_score: 2 }),
        await ask({ ...one, operation: { ...one.operation, tags: ['none'] } }),
        await ask(one, { min_score: '1.5' }),
        await ask(one, { company: 'nobody' }),
        await ask({ ...one, operation: swapped(one.operation) }),
        await ask({ ...one, operation: swapped(one.operation) }, { min_score: 1 }),
      ];
      for (const answer of answers) seen.add((await check(one, answer))['reason']);
    }
    for (const reason of [
      'INVALID_API_KEY',
      'MISSING_FIELD',
      'EMPTY_IMAGE',
      'INVALID_SCORE',
      'UNKNOWN_COMPANY',
      'NO_READING',
      'NO_FACE',
    ])
      assert.ok(seen.has(reason), `${reason} was seen`);
  });

  it('has the refusal of a password that finds no room', async () => {
    const { service: full } = await startScripted(lifetime, { CORE_MAX_QUEUE: '0' });
    for (const one of withPassword()) {
      const answers = await Promise.all(
        // A check a core at most begins at once.
        Array.from({ length: availableParallelism() + 8 }, () => ask(one, {}, { apikey: full.apiKey }, full)),
      );
      const bodies = await Promise.all(answers.map((answer) => check(one, answer)));
      const refused = bodies.find(({ reason }) => reason === 'QUEUE_FULL');
      const shown = one.operation.responses['429']?.content['application/json']?.examples?.['QUEUE_FULL']
        ?.value as Part;
      assert.equal(withoutNumbers(refused), withoutNumbers(shown), one.path);
    }
  });

  it('has the schema of every error reason, each under some status', () => {
    const schema = document.components.schemas['ErrorResponse']?.['properties'] as Record<string, Part>;
    const all = Object.keys(ErrorReason).slice(1, -1);
    assert.deepEqual(schema['reason']?.['enum'], all);
    const described = cases.flatMap(({ operation }) => Object.values(operation.responses).flatMap(reasonsOf));
    // Of the administration, of no operation at all, or with nobody there to read it.
    const elsewhere = ['NO_SUCH_ROUTE', 'UNKNOWN_API_KEY', 'COMPANY_EXISTS', 'METHOD_NOT_ALLOWED', 'CLIENT_CLOSED'];
    assert.deepEqual(
      all.filter((reason) => !described.includes(reason)),
      elsewhere,
    );
  });

  it('says what a text may be', () => {
    const partOf = (path: string, verb: string, name: string): Part => {
      const operation = document.paths[path]?.[verb];
      const [content] = Object.values(operation?.requestBody?.content ?? {});
      const properties = content?.schema['properties'] as Record<string, Part> | undefined;
      return properties?.[name] ?? operation?.parameters?.find((each) => each.name === name)?.schema ?? {};
    };
    const table: [path: string, verb: string, name: string, taken: string[], refused: string[]][] = [
      ['/face_config_score', 'get', 'password', ['x'], ['']],
      [
        ...(['/face_config_score', 'get', 'detection'] as const),
        ['', '0', '0.000001', '1.000000'],
        ['1.5', '0.0000001', '1e-4', '.5'],
      ],
      ['/face_detect_multi', 'post', 'company', ['', 'a'.repeat(64)], ['a'.repeat(65)]],
      ['/meter-number-ocr/base64', 'post', 'max_increase', ['', '00470.1'], ['1e3', '1.']],
      [
        ...(['/meter-number-ocr/base64', 'post', 'image'] as const),
        ['data:image/png;base64,YQ==', 'DATA:Image/png;name=a;BASE64,YQ=='],
        ['data:text/plain;base64,YQ==', 'data:image/png,YQ==', 'data:image/png;base64,'],
      ],
    ];
    for (const [path, verb, name, taken, refused] of table) {
      const takes = validator(partOf(path, verb, name));
      for (const text of taken) assert.equal(takes(text), true, `${name} ${text}`);
      for (const text of refused) assert.equal(takes(text), false, `${name} ${text}`);
    }
  });

  it('says that a body has no other members', () => {
    const bodies = cases
      .flatMap(({ operation }) => Object.entries(operation.requestBody?.content ?? {}))
      .filter(([type]) => /json|form/.test(type));
    assert.ok(bodies.length > 8, `${bodies.length} bodies`);
    for (const [, { schema }] of bodies) assert.equal(schema['additionalProperties'], false);
  });

  it('says that null is the same as absent in JSON', async () => {
    const path = '/meter-number-ocr/base64';
    const operation = document.paths[path]?.['post'];
    const body = operation?.requestBody?.content['application/json'];
    assert.ok(operation && body);
    const { image, ...optional } = body.schema['properties'] as Record<string, Part>;
    const nulls = Object.fromEntries(Object.keys(optional).map((name) => [name, null]));
    assert.ok(validator(body.schema)({ ...(body.example as object), ...nulls }));
    assert.equal(validator(image ?? {})(null), false);
    assert.equal((await ask({ verb: 'post', path, operation }, nulls)).status, 200);
  });

  it('says what a message says beside success, where it does', () => {
    const said = (name: string) => JSON.stringify(document.components.schemas[name]);
    assert.match(said('DetectAllFacesResponse'), /: `success`; of more than 1000 faces, that with how many were left/);
    assert.match(said('ReadMeterResponse'), /: `success`[.]"/);
  });

  it('shows an example of every reason that it names, and examples that fit their schemas', () => {
    assert.ok(countFittingExamples(document) > 100);
  });

  it('offers a body of what is required alone where optional members have examples', () => {
    const contents = cases.flatMap(({ operation }) => operation.requestBody?.content['application/json'] ?? []);
    assert.equal(contents.length, 5);
    for (const { schema, example } of contents) {
      const members = Object.keys(schema['properties'] as object).length;
      const required = schema['required'] as string[];
      if (members === required.length) continue;
      assert.ok(validator(schema)(example), JSON.stringify(example));
      assert.deepEqual(Object.keys(example as object), required);
    }
  });
});

type Part = Record<string, unknown>;

/** What a refusal says, whatever the numbers. */
const withoutNumbers = (refused: Part | undefined) => String(refused?.['message']).replaceAll(/\d+/g, '0');

/** One, or beside it `null`, which is the same as absent. */
const typesOf = ({ type }: Part) => [type].flat();

/** A value that the schema takes. */
function exampleOf(schema: Part): unknown {
  const [example] = (schema['examples'] ?? []) as unknown[];
  assert.ok(example !== undefined || typesOf(schema).includes('boolean'), JSON.stringify(schema));
  return example ?? true;
}

/** The field that a refusal is about. */
const fieldOf = ({ details }: Part) => (details as Part | undefined)?.['field'];

/** Values at and beyond each end of what the schema takes. */
function boundsOf(schema: Part): [at: unknown, beyond: unknown][] {
  const { minimum, maximum, pattern } = schema;
  const step = typesOf(schema).includes('integer') ? 1 : 1e-6;
  const bounds: [unknown, unknown][] = [];
  if (typeof minimum === 'number') bounds.push([minimum, minimum - step]);
  if (typeof maximum === 'number') bounds.push([maximum, maximum + step]);
  if (pattern !== undefined) bounds.push([exampleOf(schema), '?']);
  return bounds;
}

const isPassword = ({ name }: Parameter) => name.endsWith('password');

/** With another value for some parameters. */
function withExample(operation: Operation, isIt: (parameter: Parameter) => boolean, example: string): Operation {
  const parameters = operation.parameters?.map((each) => (isIt(each) ? { ...each, example } : each)) ?? [];
  return { ...operation, parameters };
}

function withoutParameters(operation: Operation): Operation {
  return { ...operation, parameters: operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [] };
}

/** With a picture of the other kind. */
function swapped(operation: Operation): Operation {
  const [tag] = operation.tags;
  return { ...operation, tags: [tag === 'Meter reading' ? 'Face detection' : 'Meter reading'] };
}
