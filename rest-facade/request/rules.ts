import type { Reason } from '../../runtime/errors/reasons.js';
import type { Rpc } from '../protos.js';
import { type Field, type FieldType, type InvalidReason, invalidReasons } from './field.js';
import { type HttpBinding, readMethodOptions, type RestBinding } from './method-options.js';
import { parsePathTemplate } from './path-template.js';

/** How the body of a request is read. */
export type BodyRule =
  /** `json`: an object whose members fill the fields that nothing else fills. */
  { readonly kind: 'none' | 'json' } | PictureRule;

/**
 * A body with a picture, as a file of a form or as a data URL in a JSON object; form fields and members as
 * above.
 */
export interface PictureRule {
  readonly kind: 'multipart' | 'data-url';
  /** Name of the file part or member. */
  readonly sentAs: string;
  /** Name of the field that it fills. */
  readonly field: string;
}

export const hasPicture = (rule: BodyRule): rule is PictureRule => 'sentAs' in rule;

/** A query parameter that the proto names. */
export interface QueryRule {
  readonly name: string;
  /** If undefined, only its presence counts. */
  readonly field: Field | undefined;
  /** Chooses between routes with the same verb and path. */
  readonly presence: 'any' | 'with-value' | 'bare';
  readonly invalidReason: InvalidReason | undefined;
  /** What it is for, if its field does not say it. */
  readonly description: string;
}

/** One HTTP path of one RPC: everything in the options, checked and normalised once at startup. */
export interface Route {
  readonly rpc: Rpc;
  /** `imageanalysis.v1.FaceDetectionService.DetectSingleFace` */
  readonly rpcName: string;
  readonly verb: string;
  readonly template: string;
  /** The same as Express takes it. */
  readonly path: string;
  readonly body: BodyRule;
  readonly query: readonly QueryRule[];
  readonly headers: readonly { readonly name: string; readonly field: Field }[];
  /** Fields that path variables fill, by name. */
  readonly pathFields: ReadonlyMap<string, Field>;
  /** Fields that the body, or without one the query string, fills under their own names. */
  readonly openFields: readonly Field[];
  /** Reasons for refusing its RPC, beyond those that follow from how the request is sent. */
  readonly refusals: readonly Reason[];
}

const verbs = ['get', 'put', 'post', 'delete', 'patch'] as const;

/**
 * The routes of all RPCs that are available over REST.
 * @throws Error that names every RPC with an invalid option, one per line
 */
export function createRoutes(rpcs: readonly Rpc[]): Route[] {
  const routes: Route[] = [];
  const mistakes: string[] = [];
  for (const rpc of rpcs) {
    const rpcName = rpc.path.slice(1).replace('/', '.');
    try {
      routes.push(...createRoutesOf(rpc, rpcName));
    } catch (error) {
      mistakes.push(`${rpcName}: ${(error as Error).message}`);
    }
  }
  mistakes.push(...findAmbiguities(routes));
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return routes;
}

function createRoutesOf(rpc: Rpc, rpcName: string): Route[] {
  const { http, rest, refusals } = readMethodOptions(rpc.options ?? {});
  if (http.length === 0) return [];
  if (rpc.requestStream || rpc.responseStream) throw new Error('streams are not available over REST');
  const fields = readFields(rpc);
  const routes = http.map((binding) => ({
    ...createRoute(rpc, rpcName, fields, binding, rest),
    refusals,
  }));
  for (const { path } of rest) {
    if (!routes.some((route) => route.template === path))
      throw new Error(`option rest names the path "${path}", google.api.http does not`);
  }
  return routes;
}

function createRoute(
  rpc: Rpc,
  rpcName: string,
  fields: ReadonlyMap<string, Field>,
  http: HttpBinding,
  rest: readonly RestBinding[],
): Omit<Route, 'refusals'> {
  const { verb, template } = readAddress(http);
  const [options, ...others] = rest.filter(({ path }) => path === template);
  if (others.length > 0) throw new Error(`option rest names the path "${template}" twice`);
  const { path, variables } = parsePathTemplate(template);
  const find = createFinder(fields, template);
  const filled = {
    body: createBodyRule(http, options, find),
    pathFields: new Map(variables.map((name) => [name, find(name, 'text')])),
    query: (options?.query ?? []).map((rule) => ({
      name: rule.name,
      field: rule.field === '' ? undefined : find(rule.field, 'text'),
      presence: presenceOf[rule.presence],
      invalidReason: toInvalidReason(rule.invalid_reason),
      description: rule.description,
    })),
    headers: (options?.headers ?? []).map(({ name, field }) => ({
      name,
      field: find(field, 'text'),
    })),
  };
  return {
    rpc,
    rpcName,
    verb,
    template,
    path,
    ...filled,
    openFields: openFieldsOf(fields, filled),
  };
}

function readAddress(http: HttpBinding): Pick<Route, 'verb' | 'template'> {
  const [verb, ...others] = verbs.filter((each) => http[each] !== undefined);
  if (verb === undefined || others.length > 0) throw new Error(`google.api.http must have one of ${verbs.join(', ')}`);
  return { verb: verb.toUpperCase(), template: http[verb] ?? '' };
}

/** Finds a field by its name; if required, one that a single string can fill. */
type FindField = (name: string, by?: 'text') => Field;

function createFinder(fields: ReadonlyMap<string, Field>, template: string): FindField {
  return (name, by) => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`path "${template}": no field "${name}"`);
    if (by === 'text' && field.type === 'bytes')
      throw new Error(`path "${template}": field "${name}" cannot be filled by one text`);
    return field;
  };
}

/** The fields that nothing else fills. Pictures come only as files or data URLs. */
function openFieldsOf(
  fields: ReadonlyMap<string, Field>,
  { pathFields, query, headers }: Pick<Route, 'pathFields' | 'query' | 'headers'>,
): Field[] {
  const taken = new Set<string>([
    ...pathFields.keys(),
    ...[...query, ...headers].flatMap(({ field }) => field?.name ?? []),
  ]);
  return [...fields.values()].filter(({ name, type }) => !taken.has(name) && type !== 'bytes');
}

function createBodyRule(http: HttpBinding, options: RestBinding | undefined, find: FindField): BodyRule {
  const { multipart, data_url: dataUrl } = options ?? {};
  if (http.body === '') {
    if (multipart !== undefined || dataUrl !== undefined)
      throw new Error(`path "${options?.path}": a picture needs body: "*"`);
    return { kind: 'none' };
  }
  if (http.body !== '*') throw new Error(`body is "${http.body}", known is "*" only`);
  if (multipart !== undefined && dataUrl !== undefined)
    throw new Error(`path "${options?.path}": multipart and data_url exclude each other`);
  const picture = multipart?.file_field ?? dataUrl?.field;
  if (picture !== undefined && find(picture).type !== 'bytes')
    throw new Error(`path "${options?.path}": field "${picture}" must be of type bytes`);
  if (multipart !== undefined) return { kind: 'multipart', sentAs: multipart.file_part, field: multipart.file_field };
  if (dataUrl !== undefined) return { kind: 'data-url', sentAs: dataUrl.member, field: dataUrl.field };
  return { kind: 'json' };
}

const presenceOf = {
  PRESENCE_UNSPECIFIED: 'any',
  PRESENCE_WITH_VALUE: 'with-value',
  PRESENCE_BARE: 'bare',
} as const;

function toInvalidReason(reason: string): InvalidReason | undefined {
  if (reason === '') return undefined;
  const known = invalidReasons.find((name) => name === reason);
  if (known === undefined) throw new Error(`invalid_reason is "${reason}", want one of ${invalidReasons.join(', ')}`);
  return known;
}

const fieldTypes: Readonly<Record<string, FieldType>> = {
  string: 'string',
  bytes: 'bytes',
  bool: 'bool',
  double: 'share',
  uint32: 'uint32',
};

/** Fields of the request message. What no RPC has yet is not supported, since no request could test it. */
function readFields(rpc: Rpc): Map<string, Field> {
  return new Map(
    rpc.request.fieldsArray.map(({ name, type: protoType, repeated }) => {
      const type = fieldTypes[protoType];
      if (type === undefined) throw new Error(`field "${name}" is of type ${protoType}, which has no REST form yet`);
      if (repeated) throw new Error(`field "${name}" is repeated, which has no REST form yet`);
      return [name, { name, type: name.endsWith('_score') ? 'score' : type }];
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
      .map((other) => `${other.rpcName}: ${shape(other)} is taken by ${route.rpcName}`),
  );
}

function areToldApart(one: Route, other: Route): boolean {
  return one.query.some(
    ({ name, presence }) =>
      presence !== 'any' &&
      other.query.some((rule) => rule.name === name && rule.presence !== 'any' && rule.presence !== presence),
  );
}
