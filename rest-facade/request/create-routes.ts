import protobuf from 'protobufjs';
import type { FieldRules, RestBinding, RestOptions } from '../../generated/imageanalysis/v1/rest.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { optionOf, readOption } from '../protos/read-option.js';
import type { Rpc } from '../protos/rpcs.js';
import { groupRoutes } from './choose-route.js';
import { type Field, readFields } from './field.js';
import { type BodyRule, hasPicture, isChoice, type PictureRule, type Route } from './route.js';

const verbs = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** One `google.api.http` rule, its own or an additional one. */
type HttpRule = Readonly<Partial<Record<(typeof verbs)[number], string>>> & {
  readonly body: string;
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
};

/** `imageanalysis.v1.FaceDetectionService.DetectSingleFace` */
const nameOf = ({ method }: Rpc): string => method.fullName.slice(1);

/** The routes of all RPCs that are available over REST. @throws Error that names the RPC with an invalid option */
export function createRoutes(rpcs: readonly Rpc[]): Route[] {
  const routes = rpcs.flatMap((rpc) => {
    try {
      return createRoutesOf(rpc);
    } catch (error) {
      throw new Error(`${nameOf(rpc)}: ${(error as Error).message}`, { cause: error });
    }
  });
  for (const [place, [first, other]] of groupRoutes(routes, placeOf)) {
    if (other !== undefined) throw new Error(`${nameOf(other.rpc)}: ${place} is taken by ${nameOf(first.rpc)}`);
  }
  return routes;
}

/** No two routes have the same: verb, path, and what chooses between those of one path. */
function placeOf({ verb, template, query }: Route): string {
  const choices = query.filter(isChoice).map(({ name, presence }) => `${name} ${presence}`);
  return [verb, template.replaceAll(/\{[^}]+\}/g, '{}'), ...choices].join(' ');
}

function createRoutesOf(rpc: Rpc): Route[] {
  const http = readOption<HttpRule>(rpc.method, 'google.api.http');
  const { bindings, refusals } = optionOf<RestOptions>(rpc.method, 'rest');
  const unknown = refusals.find((name) => !Object.hasOwn(codeOfReason, name));
  if (unknown !== undefined)
    throw new Error(`option rest: refusals is "${unknown}", want one of ${Object.keys(codeOfReason).join(', ')}`);
  const rules = http === undefined ? [] : [http, ...http.additionalBindings];
  const routes = rules.map((rule) => createRoute(rpc, rule, bindings, refusals as Reason[]));
  const stray = bindings.find(({ path }) => !routes.some((route) => route.template === path));
  if (stray !== undefined) throw new Error(`option rest names the path "${stray.path}", google.api.http does not`);
  return routes;
}

function createRoute(rpc: Rpc, rule: HttpRule, bindings: readonly RestBinding[], refusals: readonly Reason[]): Route {
  const messages = readMessages(rpc);
  const { verb, template } = readAddress(rule);
  const binding = bindings.find(({ path }) => path === template);
  try {
    const { bodies, ...bound } = bindFields(readFields(messages.request), template, rule.body, binding);
    const [route, ...variants] = bodies.map((body): Route => {
      return { rpc, ...messages, verb, template, refusals, ...bound, body, ...nameInputs(bound, body), variants: [] };
    }) as [Route, ...Route[]];
    if (!messages.isBatch) return { ...route, variants };
    if (route.body.kind !== 'multipart') throw new Error('a stream needs a multipart form');
    return route;
  } catch (error) {
    throw new Error(`path "${template}": ${(error as Error).message}`, { cause: error });
  }
}

/**
 * What a route's requests and responses are. The messages of a stream have an `id` and the `request` for one picture, and
 * that id and its `response` or `error`.
 */
function readMessages({ request, response, requestStream }: Rpc): Pick<Route, 'request' | 'response' | 'isBatch'> {
  if (!requestStream) return { request, response, isBatch: false };
  const own = request.fields['request']?.resolvedType;
  const answer = response.fields['response']?.resolvedType;
  if (!(own instanceof protobuf.Type) || !(answer instanceof protobuf.Type))
    throw new Error('a stream needs messages with an id and a request, and with an id and a response or an error');
  return { request: own, response: answer, isBatch: true };
}

function readAddress(http: HttpRule): Pick<Route, 'verb' | 'template'> {
  const [verb, ...others] = verbs.filter((each) => http[each] !== undefined);
  if (verb === undefined || others.length > 0) throw new Error(`google.api.http must have one of ${verbs.join(', ')}`);
  if ((verb === 'get' || verb === 'delete') && http.body !== '')
    throw new Error(`google.api.http: a ${verb} has no body`);
  if (http.responseBody !== '') throw new Error('google.api.http has a response_body, which has no REST form yet');
  return { verb: verb.toUpperCase(), template: http[verb] ?? '' };
}

function bindFields(
  fields: ReadonlyMap<string, Field>,
  template: string,
  body: string,
  binding: RestBinding | undefined,
): Pick<Route, 'query' | 'headers' | 'pathFields' | 'openFields'> & { readonly bodies: readonly BodyRule[] } {
  /** One that a single string can fill. */
  const findText = (name: string): Field => {
    const field = find(fields, name);
    if (field.type === 'bytes' || field.isList) throw new Error(`field "${name}" cannot be filled by one text`);
    return field;
  };
  const pathFields = variablesOf(template).map(findText);
  const query = (binding?.query ?? []).map(({ field, ...rule }) => ({
    ...rule,
    field: field === '' ? undefined : findText(field),
  }));
  const headers = (binding?.headers ?? []).map(({ name, field }) => {
    if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`header "${name}", want it in lower case`);
    return { name, field: findText(field) };
  });
  const taken = new Set([...pathFields, ...[...query, ...headers].map(({ field }) => field)]);
  // Pictures come only as files or data URLs.
  const openFields = [...fields.values()].filter((field) => !taken.has(field) && field.type !== 'bytes');
  const bodies = createBodyRules(body, binding, fields);
  const list = openFields.find(({ isList }) => isList);
  if (list !== undefined && bodies.some(({ kind }) => kind !== 'json'))
    throw new Error(`field "${list.name}" is repeated, which has a REST form in JSON only`);
  return { pathFields, query, headers, openFields, bodies };
}

function find(fields: ReadonlyMap<string, Field>, name: string): Field {
  const field = fields.get(name);
  if (field === undefined) throw new Error(`no field "${name}"`);
  return field;
}

/**
 * The fields that the variables of a path of `google.api.http` fill, such as `/v1/companies/{company}/detection-score`. Of
 * the template syntax, only `{name}` for one whole segment is supported; patterns (`{name=shelves/*}`), wildcards and verbs
 * (`:cancel`) are refused.
 * @see https://cloud.google.com/service-infrastructure/docs/service-management/reference/rpc/google.api#path-template-syntax
 */
function variablesOf(template: string): string[] {
  if (!/^(\/([A-Za-z0-9._~-]+|\{[a-z][a-z0-9_]*\}))+$/.test(template))
    throw new Error('want segments that are a plain text or {name}, each behind "/"');
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** How bodies are read, by default in the first way. */
function createBodyRules(
  body: string,
  { multipart, dataUrl }: Partial<RestBinding> = {},
  fields: ReadonlyMap<string, Field>,
): BodyRule[] {
  if (body !== '' && body !== '*') throw new Error(`body is "${body}", known is "*" only`);
  const pictures: PictureRule[] = [];
  if (multipart) {
    const { filePart, fileField: field } = multipart;
    const { isList, definition } = find(fields, field);
    const maxFiles = isList ? optionOf<FieldRules>(definition, 'rules').maxItems : undefined;
    if (maxFiles === 0) throw new Error(`field "${field}" is repeated, want max_items in its rules`);
    pictures.push({ kind: 'multipart', sentAs: filePart, field, maxFiles });
    if (!isList) pictures.push({ kind: 'raw', sentAs: 'body', field, maxFiles });
  }
  if (dataUrl) pictures.push({ kind: 'data-url', sentAs: dataUrl.member, field: dataUrl.field, maxFiles: undefined });
  if (pictures.length === 0) return [{ kind: body === '' ? 'none' : 'json' }];
  if (body === '') throw new Error('a picture needs body: "*"');
  const other = pictures.find(({ field }) => find(fields, field).type !== 'bytes');
  if (other !== undefined) throw new Error(`field "${other.field}" must be of type bytes`);
  return pictures;
}

function nameInputs(
  { query, headers, openFields }: Pick<Route, 'query' | 'headers' | 'openFields'>,
  body: BodyRule,
): Pick<Route, 'sentAs' | 'names'> {
  const sentAs = new Map([...query, ...headers].flatMap(({ name, field }) => (field ? [[field.name, name]] : [])));
  const names = new Set([...openFields, ...query].map(({ name }) => name));
  if (hasPicture(body)) sentAs.set(body.field, body.sentAs);
  if (hasPicture(body) && body.kind !== 'raw') names.add(body.sentAs);
  return { sentAs, names };
}
