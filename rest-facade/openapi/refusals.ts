import { status } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { fieldOptionsOf } from '../protos/field-options.js';
import { readProtos } from '../protos/rpcs.js';
import { nameContentTypes } from '../request/choose-route.js';
import { hasPicture, type Route } from '../request/route.js';
import { type Schema, unwrap } from './schema.js';

/** Why a call is refused: a row of the table of errors, which is the enumeration of the protos. */
export type ErrorReason = ReturnType<typeof readReasons>[number];

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
  const { body, query, headers, openFields, pathFields, refusals } = route;
  const fields = [...openFields, ...query.flatMap(({ field }) => field ?? [])];
  const occasions: Readonly<Record<string, boolean>> = {
    any: true,
    none: body.kind === 'none' && fields.length > 0,
    header: headers.length > 0,
    json: body.kind === 'json',
    multipart: body.kind === 'multipart',
    'data-url': body.kind === 'data-url',
    raw: body.kind === 'raw',
    // Of a batch, they are in the lines.
    picture: hasPicture(body) && !route.isBatch,
    batch: route.isBatch,
    // A path without its variables is another one.
    required: route.request.fieldsArray.some(
      (field) => isRequired(field) && !pathFields.some(({ definition }) => definition === field),
    ),
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

/** `{field}`, `{limit:64}` or `{begun=true}`, as `RestRefusal.says` has them. */
const placeholder = /\{([^:=}]+)(?:([:=])([^}]*))?\}/g;

/**
 * The example of a reason that fits an operation best, as a caller gets it; undefined where there is none. A test has
 * the service say each that the document shows.
 */
export function errorExampleOf({ name, code, says }: ErrorReason, routes: readonly Route[]): Schema | undefined {
  const given = routes.flatMap((route) => Object.entries(namesOf(route)).filter(([, named]) => named !== undefined));
  const names = new Map(given);
  for (const template of says) {
    const details: Record<string, string> = {};
    let fits = true;
    const message = template.replaceAll(
      placeholder,
      (_, key: string, mark: string | undefined, value = names.get(key)) => {
        if (value === undefined) fits = false;
        const isDetail = mark !== undefined || key === 'operation' || key === 'nearest';
        details[isDetail ? key : 'field'] ??= String(value);
        return mark === '=' ? '' : String(value);
      },
    );
    if (fits) return { message, code, reason: name, request_id: '5c1d6b0e-6c0e-4c53-9f0a-6f2a8f5e3b1d', details };
  }
  return undefined;
}

/**
 * What refusals of an operation may be about, by the words of the templates: fields of its message, and what it takes of a
 * kind, each as the caller sends it.
 */
function namesOf(route: Route): Record<string, string | undefined> {
  const { body, query, headers, openFields, sentAs, names, rpc } = route;
  const sent = [...openFields.map((field) => ({ name: field.name, field })), ...query, ...headers];
  const [text] = [...headers, ...openFields];
  const [any] = names;
  const hasBody = body.kind !== 'none';
  const filePart = body.kind === 'multipart' ? body.sentAs : undefined;
  return {
    operation: operationOf(route),
    [rpc.key]: rpc.key,
    'query string': 'query string',
    // Of a batch, what the core refuses is in the lines.
    ...(!route.isBatch && Object.fromEntries(sent.map(({ name, field }) => [field?.name ?? name, name]))),
    ...Object.fromEntries(sentAs),
    score: sent.findLast(({ field }) => field?.type === 'score')?.name,
    required: sent.findLast(({ field }) => field && isRequired(field.definition))?.name,
    text: text?.name,
    nearest: any,
    // Beside a password, an unknown name is not repeated.
    misspelt: names.has('password') ? undefined : any?.slice(0, -1),
    body: hasBody ? 'body' : undefined,
    'content-encoding': hasBody ? 'content-encoding' : undefined,
    image: hasPicture(body) ? body.sentAs : undefined,
    batches: route.isBatch ? 'batches' : undefined,
    'files together': hasPicture(body) && body.maxFiles !== undefined ? body.sentAs : undefined,
    'content-type': filePart && 'content-type',
    'content types': filePart && nameContentTypes(route),
    'file part': filePart,
    'data URL': body.kind === 'data-url' ? body.sentAs : undefined,
  };
}

const isRequired = (field: protobuf.Field): boolean => fieldOptionsOf(field).required;
