import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { maxFacesInResponse } from '../../../core-server/features/face/validate.js';
import { requestSchema } from '../../../rest-facade/openapi/schema.js';
import { fieldOptionsOf } from '../../../rest-facade/protos/field-options.js';
import { readProtos } from '../../../rest-facade/protos/rpcs.js';

/** A message as a proto has it. */
const loadMessage = (body: string): protobuf.Type => {
  const text = `syntax = "proto3"; package a; message M { ${body} } message N {} enum E { E_A = 0; }`;
  const root = readProtos([]);
  protobuf.parse(text, root, { keepCase: true, alternateCommentMode: true });
  root.resolveAll();
  return root.lookupType('a.M');
};
const load = (field: string): protobuf.Field => loadMessage(field).fields['x'] as protobuf.Field;

test('no option has a number that the protos of a caller may use', () => {
  const { nestedArray } = readProtos(['imageanalysis/v1/errors.proto']).lookup(
    'imageanalysis.v1',
  ) as protobuf.Namespace;
  const ids = nestedArray.flatMap((item) => (item instanceof protobuf.Field ? [item.id] : []));
  // 6 was the option of reasons that said which refusals an operation has.
  const drawn = [0, 1, 2, 3, 4, 5, 7].map((index) => 478_223_200 + index);
  assert.deepEqual(ids.sort(), drawn);
});

test('rules of a field are in its schema', () => {
  const schemaOf = (field: string) => requestSchema(load(field));
  assert.deepEqual(schemaOf('string x = 1 [(rules) = {required: true, max_length: 64, pattern: "^a$"}];'), {
    type: 'string',
    maxLength: 64,
    pattern: '^a$',
    minLength: 1,
    description: '',
  });
  assert.deepEqual(schemaOf('double x = 1 [(rules) = {minimum: 0, maximum: 1}];'), {
    type: 'number',
    format: 'double',
    minimum: 0,
    maximum: 1,
    description: '',
  });
  assert.deepEqual(schemaOf('uint32 x = 1 [(imageanalysis.v1.rules).maximum = 6];'), {
    type: 'integer',
    minimum: 0,
    maximum: 6,
    description: '',
  });
});

test('an example is a value of its type', () => {
  const exampleOf = (field: string) => fieldOptionsOf(load(field)).example;
  assert.equal(exampleOf('string x = 1 [(rules).example = "8"];'), '8');
  assert.equal(exampleOf('uint32 x = 1 [(rules).example = "8"];'), 8);
  assert.equal(exampleOf('bool x = 1 [(rules).example = "true"];'), true);
  assert.equal(exampleOf('E x = 1 [(rules).example = "E_A"];'), 'E_A');
  assert.deepEqual(exampleOf('bytes x = 1 [(rules).example = "YQ=="];'), Buffer.from('a'));
});

test('a response may lack what is asked for, optional, or one of several', () => {
  for (const [field, isOptional, isEmptyAbsent] of [
    ['string x = 1;', false, false],
    ['N x = 1;', false, false],
    ['optional uint32 x = 1;', true, false],
    ['oneof y { uint32 x = 1; }', true, false],
    ['bytes x = 1 [(rules).on_request = true];', true, true],
    ['repeated N x = 1 [(rules).on_request = true];', true, true],
    ['N x = 1 [(rules).on_request = true];', true, false],
    ['optional double x = 1 [(rules).on_request = true];', true, false],
  ] as const) {
    const options = fieldOptionsOf(load(field));
    assert.deepEqual([options.isOptional, options.isEmptyAbsent], [isOptional, isEmptyAbsent]);
  }
});

test('a mistaken option is an error that names the field', () => {
  const field = load('uint32 x = 1 [(rules).on_request = true];');
  assert.throws(() => fieldOptionsOf(field), { message: 'a.M.x: on_request, want it optional' });
});

test('faces are said to be left out at the limit of the core', () => {
  const root = readProtos(['imageanalysis/v1/face_detection.proto']);
  const { fields } = root.lookupType('imageanalysis.v1.DetectAllFacesResponse');
  const { note } = fieldOptionsOf(fields['omitted_faces'] as protobuf.Field);
  assert.equal(note?.minItems, maxFacesInResponse);
});
