import assert from 'node:assert/strict';
import { status } from '@grpc/grpc-js';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { codeOfReason, type Reason } from '../../../runtime/errors/reasons.js';

/** A JSON Schema, or any other part of an OpenAPI document. */
type Part = Record<string, unknown>;

export interface OpenApiDocument extends Part {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Part> };
}

export interface Operation extends Part {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<
    string,
    {
      readonly description: string;
      readonly headers?: Readonly<Record<string, object>>;
      readonly content: Record<string, Content>;
    }
  >;
}

export interface Content {
  readonly schema: Part;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Parameter extends Part {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Part;
  readonly example?: unknown;
}

/**
 * Compiles schemas of a document. Objects that list their members take no others, so that an answer
 * with a member that is not documented is found.
 */
export function createValidator(document: OpenApiDocument): (schema: Part) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary(['example', 'xml']);
  for (const format of ['double', 'float', 'int32', 'binary']) ajv.addFormat(format, true);
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  const $defs = rename(close(document.components.schemas)) as Part;
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...(rename(close(schema)) as Part), $defs });
    compiled.set(key, validate);
    return validate;
  };
}

/** The reasons that an answer may have, as its description names them. */
export function reasonsOf({ description }: Operation['responses'][string]): string[] {
  return [...description.matchAll(/^- `([A-Z0-9_]+)`/gm)].map(([, reason = '']) => reason);
}

/**
 * Asserts that every example of an answer fits its schema, and that there is one of each reason that is named.
 * @returns how many there are
 */
export function countFittingExamples(document: OpenApiDocument): number {
  const validator = createValidator(document);
  const responses = Object.values(document.paths)
    .flatMap((verbs) => Object.values(verbs))
    .flatMap((operation) => Object.values(operation.responses));
  let count = 0;
  for (const response of responses) {
    const { schema = {}, example, examples = {} } = response.content['application/json'] ?? {};
    assert.deepEqual(Object.keys(examples), reasonsOf(response), response.description);
    for (const [name, { value }] of Object.entries(examples)) {
      const { reason, code } = value as Part;
      assert.deepEqual([reason, code], [name, status[codeOfReason[name as Reason]]]);
    }
    const shown = Object.values(examples).map(({ value }) => value);
    for (const one of example === undefined ? shown : [example, ...shown]) {
      const validate = validator(schema);
      assert.ok(validate(one), JSON.stringify([one, validate.errors]));
      count += 1;
    }
  }
  return count;
}

/** Copies a schema with `additionalProperties: false` wherever members are listed. */
function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, close(value)]));
  const lists = copy['type'] === 'object' && 'properties' in copy;
  return lists ? { ...copy, additionalProperties: false } : copy;
}

/** References point into the schema itself. */
function rename(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(rename);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace('#/components/schemas/', '#/$defs/') : rename(value),
    ]),
  );
}
