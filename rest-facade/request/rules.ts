import protobuf from 'protobufjs';
import {
  type FieldRules,
  QueryParameter_Presence as Presence,
  type RestBinding,
  type RestOptions,
} from '../../generated/imageanalysis/v1/rest.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import type { Rpc } from '../protos.js';
import { optionOf, readOption } from '../read-option.js';
import { type Field, type FieldType, type InvalidReason, invalidReasons } from './field.js';

/** How the body of a request is read. */
export type BodyRule =
  /** `json`: an object whose members fill the fields that nothing else fills. */
  { readonly kind: 'none' | 'json' } | PictureRule;

/**
 * A body with a picture, as a file of a form or as a data URL in a JSON object; form fields and members as
 * above. Or a body that is the picture, `raw`; the query string fills the other fields.
 */
export interface PictureRule {
  readonly kind: 'multipart' | 'data-url' | 'raw';
  /** Name of the file part or member; for refusals `body` where it has none. */
  readonly sentAs: string;
  /** Name of the field that it fills. */
  readonly field: string;
  /** The most files that a form may have; undefined if the field takes one. */
  readonly maxFiles: number | undefined;
}

export const hasPicture = (rule: BodyRule): rule is PictureRule => 'sentAs' in rule;

/** A query parameter that the proto names. */
export interface QueryRule {
  readonly name: string;
  /** If undefined, only its presence counts. */
  readonly field: Field | undefined;
  readonly presence: Presence;
  readonly invalidReason: InvalidReason | undefined;
  /** What it is for, if its field does not say it. */
  readonly description: string;
}

/** One HTTP path of one RPC: everything in the options, checked and normalised once at startup. */
export interface Route {
  readonly rpc: Rpc;
  /** The messages of the RPC, or those for one picture of its streams. */
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
  /** Whether a form has many files, and each is a request of the RPC's stream. */
  readonly isBatch: boolean;
  readonly verb: string;
  readonly template: string;
  /** The same as Express takes it. */
  readonly path: string;
  readonly body: BodyRule;
  readonly query: readonly QueryRule[];
  readonly headers: readonly { readonly name: string; readonly field: Field }[];
  /** Fields that path variables fill. */
  readonly pathFields: readonly Field[];
  /** Fields that the body, or without one the query string, fills under their own names. */
  readonly openFields: readonly Field[];
  /** Fields that are sent under another name than their own, with that name. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Every name that a query string, form or JSON object may have. */
  readonly names: ReadonlySet<string>;
  /** The same route for bodies of other content types. */
  readonly variants: readonly Route[];
  /** Reasons for refusing its RPC, beyond those that follow from how the request is sent. */
  readonly refusals: readonly Reason[];
}

/** Whether it chooses between routes with the same verb and path. */
export const isChoice = ({ presence }: QueryRule): boolean => presence !== Presence.UNSPECIFIED;

const verbs = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** One `google.api.http` rule, its own or an additional one. */
type HttpRule = Readonly<Partial<Record<(typeof verbs)[number], string>>> & {
  readonly body: string;
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
};

/** `imageanalysis.v1.FaceDetectionService.DetectSingleFace` */
const nameOf = ({ method }: Rpc): string => method.fullName.slice(1);

/**
 * The routes of all RPCs that are available over REST.
 * @throws Error that names every RPC with an invalid option, one per line
 */
export function createRoutes(rpcs: readonly Rpc[]): Route[] {
  const routes: Route[] = [];
  const mistakes: string[] = [];
  for (const rpc of rpcs) {
    try {
      routes.push(...createRoutesOf(rpc));
    } catch (error) {
      mistakes.push(`${nameOf(rpc)}: ${(error as Error).message}`);
    }
  }
  mistakes.push(...findAmbiguities(routes));
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return routes;
}

function createRoutesOf(rpc: Rpc): Route[] {
  const http = readOption<HttpRule>(rpc.method, 'google.api.http');
  const rest = optionOf<RestOptions>(rpc.method, 'rest');
  if (http === undefined) {
    if (rest.bindings.length > 0) throw new Error('option rest without google.api.http');
    return [];
  }
  const messages = readMessages(rpc);
  const refusals = rest.refusals.map((name) => oneOf(name, Object.keys(codeOfReason) as Reason[], 'refusals'));
  const fields = readFields(messages.request);
  const routes = [http, ...http.additionalBindings].map((rule) => {
    const { verb, template } = readAddress(rule);
    const [binding, ...others] = rest.bindings.filter(({ path }) => path === template);
    if (others.length > 0) throw new Error(`option rest names the path "${template}" twice`);
    const { bodies, ...bound } = bindFields(fields, template, rule, binding);
    const [route, ...variants] = bodies.map((body): Route => {
      return { rpc, ...messages, verb, template, refusals, ...bound, body, ...nameInputs(bound, body), variants: [] };
    }) as [Route, ...Route[]];
    if (!messages.isBatch) return { ...route, variants };
    if (route.body.kind !== 'multipart') throw new Error(`path "${template}": a stream needs a multipart form`);
    return route;
  });
  for (const { path } of rest.bindings) {
    if (!routes.some((route) => route.template === path))
      throw new Error(`option rest names the path "${path}", google.api.http does not`);
  }
  return routes;
}

/**
 * What a route's requests and responses are. The messages of a stream have an `id` and the `request` for one picture, and
 * that id and its `response` or `error`.
 */
function readMessages(rpc: Rpc): Pick<Route, 'request' | 'response' | 'isBatch'> {
  const { request, response, requestStream, responseStream } = rpc;
  if (!requestStream && !responseStream) return { request, response, isBatch: false };
  const own = request.fields['request']?.resolvedType;
  const answer = response.fields['response']?.resolvedType;
  const error = response.fields['error']?.resolvedType?.fullName;
  const haveIds = [request, response].every(({ fields }) => fields['id']?.type === 'string');
  const isKnown = requestStream && responseStream && haveIds && error === '.google.rpc.Status';
  if (!isKnown || !(own instanceof protobuf.Type) || !(answer instanceof protobuf.Type))
    throw new Error('a stream needs both sides, with an id and a request, and with an id and a response or an error');
  return { request: own, response: answer, isBatch: true };
}

function readAddress(http: HttpRule): Pick<Route, 'verb' | 'template'> {
  const [verb, ...others] = verbs.filter((each) => http[each] !== undefined);
  if (verb === undefined || others.length > 0) throw new Error(`google.api.http must have one of ${verbs.join(', ')}`);
  if (http.responseBody !== '') throw new Error('google.api.http has a response_body, which has no REST form yet');
  return { verb: verb.toUpperCase(), template: http[verb] ?? '' };
}

/** What of a request fills which field. */
function bindFields(
  fields: ReadonlyMap<string, Field>,
  template: string,
  { body }: HttpRule,
  binding: RestBinding | undefined,
): Pick<Route, 'path' | 'query' | 'headers' | 'pathFields' | 'openFields'> & { readonly bodies: readonly BodyRule[] } {
  const { path, variables } = parsePathTemplate(template);
  const find = (name: string): Field => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`path "${template}": no field "${name}"`);
    return field;
  };
  /** One that a single string can fill. */
  const findText = (name: string): Field => {
    if (find(name).type === 'bytes' || find(name).isList)
      throw new Error(`path "${template}": field "${name}" cannot be filled by one text`);
    return find(name);
  };
  const pathFields = variables.map(findText);
  const query = (binding?.query ?? []).map(({ field, invalidReason, ...rule }) => ({
    ...rule,
    field: field === '' ? undefined : findText(field),
    invalidReason: invalidReason === '' ? undefined : oneOf(invalidReason, invalidReasons, 'invalid_reason'),
  }));
  const headers = (binding?.headers ?? []).map(({ name, field }) => {
    if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`path "${template}": header "${name}", want it in lower case`);
    return { name, field: findText(field) };
  });
  const taken = new Set([...pathFields, ...[...query, ...headers].map(({ field }) => field)]);
  // Pictures come only as files or data URLs.
  const openFields = [...fields.values()].filter((field) => !taken.has(field) && field.type !== 'bytes');
  const bodies = createBodyRules(template, body, binding, find);
  const list = openFields.find(({ isList }) => isList);
  if (list !== undefined && bodies.some(({ kind }) => kind !== 'json'))
    throw new Error(`field "${list.name}" is repeated, which has a REST form in JSON only`);
  return { path, pathFields, query, headers, openFields, bodies };
}

/**
 * Parses a path of `google.api.http`, such as `/v1/companies/{company}/detection-score`, into that of Express,
 * `/v1/companies/:company/detection-score`, and the fields that its variables fill. Of the template syntax, only
 * `{name}` for one whole segment is supported; patterns (`{name=shelves/*}`), wildcards and verbs (`:cancel`) are refused.
 * @see https://cloud.google.com/service-infrastructure/docs/service-management/reference/rpc/google.api#path-template-syntax
 */
export function parsePathTemplate(template: string): { readonly path: string; readonly variables: readonly string[] } {
  if (!/^(\/([A-Za-z0-9._~-]+|\{[a-z][a-z0-9_]*\}))+$/.test(template))
    throw new Error(`path "${template}", want segments that are a plain text or {name}, each behind "/"`);
  const variables = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return { path: template.replaceAll(/\{(\w+)\}/g, ':$1'), variables };
}

/** How bodies are read, by default in the first way. */
function createBodyRules(
  template: string,
  body: string,
  { multipart, dataUrl }: Partial<RestBinding> = {},
  find: (name: string) => Field,
): BodyRule[] {
  if (body !== '' && body !== '*') throw new Error(`body is "${body}", known is "*" only`);
  const pictures: PictureRule[] = [];
  if (multipart) {
    const { filePart, fileField: field } = multipart;
    const { definition } = find(field);
    const maxFiles = definition.repeated ? optionOf<FieldRules>(definition, 'rules').maxItems : undefined;
    if (maxFiles === 0)
      throw new Error(`path "${template}": field "${field}" is repeated, want max_items in its rules`);
    pictures.push({ kind: 'multipart', sentAs: filePart, field, maxFiles });
    if (maxFiles === undefined) pictures.push({ kind: 'raw', sentAs: 'body', field, maxFiles });
  }
  if (dataUrl) pictures.push({ kind: 'data-url', sentAs: dataUrl.member, field: dataUrl.field, maxFiles: undefined });
  if (pictures.length === 0) return [{ kind: body === '' ? 'none' : 'json' }];
  if (body === '') throw new Error(`path "${template}": a picture needs body: "*"`);
  for (const { field } of pictures) {
    if (find(field).type !== 'bytes') throw new Error(`path "${template}": field "${field}" must be of type bytes`);
  }
  return pictures;
}

function nameInputs(
  { query, headers, pathFields, openFields }: Pick<Route, 'query' | 'headers' | 'pathFields' | 'openFields'>,
  body: BodyRule,
): Pick<Route, 'sentAs' | 'names'> {
  const sentAs = new Map([...query, ...headers].flatMap(({ name, field }) => (field ? [[field.name, name]] : [])));
  const names = new Set([...[...openFields, ...pathFields, ...query].map(({ name }) => name), ...sentAs.keys()]);
  if (hasPicture(body)) sentAs.set(body.field, body.sentAs);
  if (hasPicture(body) && body.kind !== 'raw') names.add(body.sentAs);
  return { sentAs, names };
}

function oneOf<Name extends string>(name: string, names: readonly Name[], what: string): Name {
  const known = names.find((each) => each === name);
  if (known === undefined) throw new Error(`option rest: ${what} is "${name}", want one of ${names.join(', ')}`);
  return known;
}

const fieldTypes: Readonly<Record<string, FieldType>> = {
  string: 'string',
  bytes: 'bytes',
  bool: 'bool',
  double: 'share',
  uint32: 'uint32',
  '.google.protobuf.Timestamp': 'time',
};

/** Fields of the request message. What no RPC has yet is not supported, since no request could test it. */
export function readFields(request: protobuf.Type): Map<string, Field> {
  return new Map(
    request.fieldsArray.map((definition) => {
      const { name, type: protoType, resolvedType, repeated: isList } = definition;
      const type = resolvedType instanceof protobuf.Enum ? 'enum' : fieldTypes[resolvedType?.fullName ?? protoType];
      if (type === undefined) throw new Error(`field "${name}" is of type ${protoType}, which has no REST form yet`);
      return [name, { name, type: name.endsWith('_score') ? 'score' : type, isList, definition }];
    }),
  );
}

/** Two routes with the same verb and path must differ in the presence of one query parameter. */
function findAmbiguities(routes: readonly Route[]): string[] {
  const shape = (route: Route): string => `${route.verb} ${route.template.replaceAll(/\{[^}]+\}/g, '{}')}`;
  return routes.flatMap((route, index) =>
    routes
      .slice(index + 1)
      .filter((other) => shape(other) === shape(route) && !areToldApart(route, other))
      .map((other) => `${nameOf(other.rpc)}: ${shape(other)} is taken by ${nameOf(route.rpc)}`),
  );
}

function areToldApart(one: Route, other: Route): boolean {
  return one.query
    .filter(isChoice)
    .some(({ name, presence }) =>
      other.query.filter(isChoice).some((rule) => rule.name === name && rule.presence !== presence),
    );
}
