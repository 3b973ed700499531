import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { createDocument } from '../../rest-facade/openapi/create-document.js';
import { loadRpcs } from '../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../rest-facade/request/create-routes.js';
import type { OpenApiDocument } from '../helpers/net/openapi.js';
import { limits } from '../rest-facade/serve-app.js';

// The types of the REST client are written by hand: they have the members of the OpenAPI document, and no others, and
// options for its fields, whose names the client makes of theirs.

const document = createDocument(createRoutes(loadRpcs()), limits) as OpenApiDocument;
const program = ts.createProgram(['sdk/typescript/rest.ts'], { strict: true, exactOptionalPropertyTypes: true });
const checker = program.getTypeChecker();
const [source] = program.getRootFileNames().map((file) => program.getSourceFile(file));
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source as ts.Node) as ts.Symbol);

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A line for each value below: its path, with `?` where it may be absent, and its type in JSON. */
function* linesOfSchema(given: Schema, path = ''): Generator<string> {
  const { schemas } = document.components;
  const schema: Schema = given.$ref ? (schemas[given.$ref.replace('#/components/schemas/', '')] ?? {}) : given;
  const { type, items, properties = {}, required = [] } = schema;
  if (items) yield* linesOfSchema(items, `${path}[]`);
  else if (type !== 'object') yield `${path}: ${type === 'integer' ? 'number' : type}`;
  for (const [name, member] of Object.entries(properties))
    yield* linesOfSchema(member, `${path}.${name}${required.includes(name) ? '' : '?'}`);
}

function* linesOfType(given: ts.Type, path = ''): Generator<string> {
  const type = checker.getBaseTypeOfLiteralType(given);
  if (checker.isArrayType(type))
    yield* linesOfType(checker.getTypeArguments(type as ts.TypeReference)[0] as ts.Type, `${path}[]`);
  else if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
    yield `${path}: ${checker.typeToString(type)}`;
  else
    for (const member of checker.getPropertiesOfType(type)) {
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
      const value = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      yield* linesOfType(value, `${path}.${member.name}${isOptional ? '?' : ''}`);
    }
}

for (const [name, path] of Object.entries({
  SingleFaceAnswer: '/face_detect_single',
  AllFacesAnswer: '/face_detect_multi',
  MeterAnswer: '/meter-number-ocr/file',
  FusedMeterAnswer: '/v1/meters/fuse',
  ScoreAnswer: '/v1/companies/{company}/detection-score',
  VersionAnswer: '/v1/version',
}))
  test(`${name} has the members that the document gives to the response of ${path}`, () => {
    const { post, get } = document.paths[path] ?? {};
    const { schema } = (post ?? get)?.responses['200']?.content['application/json'] ?? {};
    const symbol = exported.find((one) => one.name === name);
    assert.ok(schema && symbol);
    const typed = [...linesOfType(checker.getDeclaredTypeOfSymbol(symbol))];
    // Of all responses, in one type: those of the scores and the version do not have it.
    const common = (line: string) => !line.startsWith('.process_time');
    assert.deepEqual(typed.filter(common).sort(), [...linesOfSchema(schema as Schema)].filter(common).sort());
  });

for (const [name, path] of Object.entries({
  detectSingleFace: '/face_detect_single',
  detectAllFaces: '/face_detect_multi',
  redactFaces: '/v1/faces/redact',
  readMeter: '/meter-number-ocr/file',
  readMeterDataUrl: '/meter-number-ocr/base64',
  fuseMeterReadings: '/v1/meters/fuse',
  detectFacesBatch: '/v1/faces/batch',
  readMetersBatch: '/v1/meters/batch',
}))
  test(`${name} has an option for each field that the document gives to ${path}`, () => {
    const client = exported.find((one) => one.name === 'RestClient');
    const method = client && checker.getDeclaredTypeOfSymbol(client).getProperty(name);
    const [signature] = method ? checker.getTypeOfSymbol(method).getCallSignatures() : [];
    const options = signature?.getParameters().find((parameter) => parameter.name === 'options');
    assert.ok(options);
    const optionNames = checker
      .getNonNullableType(checker.getTypeOfSymbol(options))
      .getProperties()
      .map((option) => option.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const [content] = Object.values(document.paths[path]?.post?.requestBody?.content ?? {});
    const fieldNames = Object.keys((content?.schema as Schema).properties ?? {});
    const isField = (one: string) => !['file', 'image', 'timeout_ms', 'signal', 'request_id'].includes(one);
    assert.deepEqual(optionNames.filter(isField).sort(), fieldNames.filter(isField).sort());
  });
