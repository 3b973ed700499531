import { status } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { readProtos } from '../protos.js';
import { hasPicture, type Route } from '../request/route.js';
import { fieldOptionsOf } from '../response/field-options.js';
import { type Schema, unwrap } from './schema.js';

/** Why a call is refused: a row of the table of errors, which is the enumeration of the protos. */
export type ErrorReason = ReturnType<typeof readReasons>[number];

/** Reads all reasons, in the order of the proto. */
export function readReasons() {
  const table = readProtos(['imageanalysis/v1/errors.proto']).lookupEnum('imageanalysis.v1.ErrorReason');
  const { values, valuesOptions, comments } = table;
  return Object.keys(values)
    .filter((value) => values[value] !== 0)
    .map((value) => {
      const name = value.replace('ERROR_REASON_', '') as Reason;
      // Of the options of values, protobufjs keeps the members one by one.
      const options = (valuesOptions?.[value] ?? {}) as Readonly<Record<string, string>>;
      const { '(rest_refusal).on': on = '', '(rest_refusal).says': says = '' } = options;
      return {
        name,
        /** Name of the gRPC code it comes with. */
        code: status[codeOfReason[name]],
        comment: unwrap(comments[value] ?? ''),
        /** What an operation has that may be refused for it. */
        on: on.split(' ').filter(Boolean),
        /** Templates of examples. */
        says: says.split('\n').filter(Boolean),
      };
    });
}

/**
 * The reasons for which an operation may be refused: by what it takes, and by the options of its RPC.
 * @throws Error for an option `rest_refusal` with an unknown word
 */
export function reasonsOf(route: Route, reasons: readonly ErrorReason[]): ErrorReason[] {
  const { body, query, headers, openFields, refusals } = route;
  const fields = [...openFields, ...query.flatMap(({ field }) => field ?? [])];
  const occasions: Readonly<Record<string, boolean>> = {
    any: true,
    none: body.kind === 'none' && fields.length + headers.length > 0,
    json: body.kind === 'json',
    multipart: body.kind === 'multipart',
    'data-url': body.kind === 'data-url',
    raw: body.kind === 'raw',
    // Of a batch, they are in the lines.
    picture: hasPicture(body) && !route.isBatch,
    required: route.request.fieldsArray.some(isRequired),
    score: fields.some(({ type }) => type === 'score'),
    // Otherwise any key will do.
    permission: operationOf(route).toUpperCase() in Operation,
  };
  const has = (word: string): boolean => {
    const answer = occasions[word];
    if (answer === undefined)
      throw new Error(`option rest_refusal: on is "${word}", want one of ${Object.keys(occasions).join(', ')}`);
    return answer;
  };
  return reasons.filter(({ name, on }) => [refusals.includes(name), ...on.map(has)].includes(true));
}

/** `FaceDetectionService` becomes "Face detection". */
export function tagOf({ rpc }: Route): string {
  const service = rpc.method.parent?.name ?? '';
  const words = service.replace(/Service$/, '').split(/(?=[A-Z])/);
  return words.map((word, at) => (at === 0 ? word : word.toLowerCase())).join(' ');
}

/** What a key must be allowed to do for it: `face_detection`. */
const operationOf = (route: Route): string => tagOf(route).toLowerCase().replaceAll(' ', '_');

const isRequired = (field: protobuf.Field): boolean => fieldOptionsOf(field).required;

/**
 * The example of a reason that fits an operation best, as a caller gets it; undefined where there is none. A test has
 * the service say each that the document shows.
 */
export function errorExampleOf({ name, code, says }: ErrorReason, routes: readonly Route[]): Schema | undefined {
  const names = new Map(routes.flatMap(namesOf));
  for (const template of says) {
    const details: Record<string, string> = {};
    let fits = true;
    const message = template.replaceAll(
      /\{([^:=}]+)(?:([:=])([^}]*))?\}/g,
      (_, key: string, mark: string | undefined, value = names.get(key)) => {
        if (value === undefined) fits = false;
        details[mark !== undefined || key === 'operation' || key === 'nearest' ? key : 'field'] = String(value);
        return mark === '=' ? '' : String(value);
      },
    );
    if (fits) return { message, code, reason: name, request_id: '5c1d6b0e-6c0e-4c53-9f0a-6f2a8f5e3b1d', details };
  }
  return undefined;
}

type Name = readonly [key: string, name: string];

/** What refusals of an operation may be about: fields of its message by what the caller sends them as. */
function namesOf(route: Route): Name[] {
  const { body, query, headers, openFields, pathFields, sentAs, rpc, request } = route;
  const sent = [...openFields.map((field) => ({ name: field.name, field })), ...query, ...headers];
  const names: Name[] = [
    ['operation', operationOf(route)],
    [rpc.key, rpc.key],
    ['query string', 'query string'],
    ...sent.map(({ name, field }): Name => [field?.name ?? name, name]),
    ...sentAs,
  ];
  for (const { name, field } of sent) {
    if (field?.type === 'score') names.push(['score', name]);
    const definition = request.fields[field?.name ?? ''];
    if (definition && isRequired(definition)) names.push(['required', name]);
  }
  const [text] = [...headers, ...openFields];
  if (text !== undefined) names.push(['text', text.name]);
  const [any] = [...openFields, ...query, ...pathFields];
  if (any !== undefined) names.push(['nearest', any.name]);
  // Beside a password, an unknown name is not repeated.
  if (any !== undefined && !route.names.has('password')) names.push(['misspelt', any.name.slice(0, -1)]);
  if (body.kind !== 'none') names.push(['body', 'body'], ['content-encoding', 'content-encoding']);
  if (hasPicture(body)) names.push(['image', body.sentAs]);
  if (body.kind === 'multipart') names.push(['content-type', 'content-type'], ['file part', body.sentAs]);
  if (body.kind === 'data-url') names.push(['data URL', body.sentAs]);
  return names;
}
