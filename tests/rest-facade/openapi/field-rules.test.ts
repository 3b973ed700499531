import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { rulesOf } from '../../../rest-facade/openapi/field-rules.js';
import { requestSchema, scalarSchema } from '../../../rest-facade/openapi/schema.js';

/** A message with one field, as a proto has it. */
const load = (field: string): protobuf.Type =>
  protobuf
    .parse(`syntax = "proto3"; package a; message M { ${field} }`, {
      keepCase: true,
      alternateCommentMode: true,
    })
    .root.lookupType('a.M');

const schemaOf = (field: string, type: 'string' | 'score' | 'uint32') =>
  requestSchema({ name: 'x', type }, load(field));

test('rules of a field are in its schema', () => {
  assert.deepEqual(
    schemaOf(
      'string x = 1 [(rules) = {required: true, max_length: 64, pattern: "^a$"}];',
      'string',
    ),
    { type: 'string', maxLength: 64, pattern: '^a$', minLength: 1, description: '' },
  );
  assert.deepEqual(schemaOf('double x = 1 [(rules) = {minimum: 0, maximum: 1}];', 'score'), {
    type: 'number',
    format: 'double',
    minimum: 0,
    maximum: 1,
    description: '',
  });
  assert.deepEqual(schemaOf('uint32 x = 1 [(imageanalysis.v1.rules).maximum = 6];', 'uint32'), {
    type: 'integer',
    minimum: 0,
    maximum: 6,
    description: '',
  });
});

test('a comment is words alone', () => {
  const comment = 'Required. 0..1, at most 3 characters, `^a$`, only on request.';
  const field = `
    // ${comment}
    string x = 1;`;
  assert.deepEqual(schemaOf(field, 'string'), { type: 'string', description: comment });
  assert.deepEqual(rulesOf(load(field).fields['x']), {
    required: false,
    onRequest: false,
    values: {},
  });
});

test('a mistaken rule is an error that names the field', () => {
  for (const [rule, mistake] of [
    ['minimun: 0', /^a\.M\.x: option rules: .*minimun/],
    ['minimum: "0"', /^a\.M\.x: option rules: minimum/],
    ['required: 1', /^a\.M\.x: option rules: required/],
  ] as const)
    assert.throws(() => rulesOf(load(`string x = 1 [(rules) = {${rule}}];`).fields['x']), {
      message: mistake,
    });
});

test('a type that no field has yet is an error that names the field', () => {
  assert.throws(() => scalarSchema(load('int64 x = 1;').fields['x']), {
    message: 'a.M.x is of type int64, which has no schema yet',
  });
});
