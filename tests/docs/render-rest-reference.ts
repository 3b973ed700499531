import { createConfig, requestLimitsOf } from '../../rest-facade/config.js';
import { createDocument } from '../../rest-facade/openapi/create-document.js';
import { loadRpcs } from '../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../rest-facade/request/create-routes.js';
import type { OpenApiDocument, Operation, Parameter } from '../helpers/net/openapi.js';

interface Member {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly contentEncoding?: string;
  readonly items?: Member;
  readonly oneOf?: readonly { readonly const: string; readonly description: string }[];
  readonly $ref?: string;
}

type Schemas = OpenApiDocument['components']['schemas'];

/** The REST reference, generated from the OpenAPI document with the default limits: docs/rest.md. */
export function renderRestReference(): string {
  const limits = requestLimitsOf(createConfig({}));
  const document = createDocument(createRoutes(loadRpcs()), limits) as OpenApiDocument;
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => ({ title: `${verb.toUpperCase()} ${path}`, operation })),
  );
  const answers = new Set(operations.map(({ operation }) => answerName(operation)));
  const common = commonRefusals(operations.map(({ operation }) => operation));
  const shown = new Map<string, string>();
  const fields = new Map<string, string>();
  return [
    '# REST reference',
    'Generated from the OpenAPI document by `npm run docs`, with the default limits. A running service ' +
      'serves the document at `/openapi.json` and a page to try it at `/docs`.',
    '```sh\ncurl -H "apikey: $APIKEY" -F file=@samples/astronaut.jpg http://127.0.0.1:8080/face_detect_single\n```',
    // Folded in the viewer only.
    ((document['info'] as Member).description ?? '')
      .replaceAll(/<summary>.*<\/summary>|<\/?details>/g, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    `Each operation that needs a key has these refusals, beside its own below: ${renderRefusals(common)}`,
    'What `ErrorResponse` has: [below](#errorresponse). What each reason means, and [what may be sent again](errors.md#what-may-be-sent-again): [Errors](errors.md).',
    ...operations.flatMap(({ title, operation }) =>
      renderOperation(title, operation, { schemas, common, shown, fields }),
    ),
    '## Objects',
    ...Object.entries(schemas)
      .filter(([name]) => !answers.has(name))
      .flatMap(([name, schema]) => [`### ${name}`, String(schema['description']), memberHead + renderMembers(schema)]),
  ].join('\n\n');
}

interface Context {
  readonly schemas: Schemas;
  readonly common: Refusals;
  /** By the rows of a response, the operation that has shown them. */
  readonly shown: Map<string, string>;
  /** By the name, type and meaning of a field, the operation that has shown it. */
  readonly fields: Map<string, string>;
}

function renderOperation(title: string, operation: Operation, context: Context): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) => renderParameter(parameter));
  const rows = [...parameters, ...renderBody(title, operation, context)];
  const types = Object.keys(operation.requestBody?.content ?? {});
  const common = context.common.flatMap(([, reasons]) => reasons);
  const own = pick(refusalsOf(operation), (reason) => !common.includes(reason));
  return [
    `## ${title}`,
    String(operation['description'] ?? operation['summary']),
    ...(types.length > 0 ? [`Body: ${types.map((type) => `\`${type}\``).join(' or ')}.`] : []),
    ...(rows.length > 0 ? [['| name | in | type | meaning |', '|---|---|---|---|', ...rows].join('\n')] : []),
    ...renderAnswer(title, operation, context),
    ...(own.length > 0 ? [`Refusals: ${renderRefusals(own)}`] : []),
  ].filter((part) => part !== '');
}

/** The members of the body, each once, even where a form and a JSON object have it; the optional ones of an operation above by their names. */
function renderBody(title: string, { requestBody }: Operation, { fields }: Context): string[] {
  const rows = new Map<string, { name: string; places: string[]; member: Member; isRequired: boolean }>();
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    const place = type === 'application/json' ? 'JSON' : 'form';
    const required = (schema['required'] ?? []) as readonly string[];
    for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Member>)) {
      const row = rows.get(name);
      if (row) row.places.push(place);
      else rows.set(name, { name, places: [place], member, isRequired: required.includes(name) });
    }
  }
  const known = new Map<string, string[]>();
  const own = [...rows.values()].flatMap(({ name, places, member, isRequired }) => {
    // That `null` says the same as nothing stands above all operations.
    const key = `${name} ${typeOf(member).replace(' or null', '')} ${meaningOf(member)}`;
    const first = fields.get(key);
    if (first === undefined) fields.set(key, title);
    if (first === undefined || isRequired) return [renderRow(name, places.join(', '), member, isRequired)];
    const group = `${places.join(', ')} | as of [${first}](#${anchorOf(first)})`;
    known.set(group, [...(known.get(group) ?? []), `\`${name}\``]);
    return [];
  });
  return [...own, ...[...known].map(([group, names]) => `| ${names.join(', ')} | ${group} | |`)];
}

function renderAnswer(title: string, operation: Operation, { schemas, shown }: Context): string[] {
  const { content = {}, headers = {}, description = '' } = operation.responses['200'] ?? {};
  const [type = ''] = Object.keys(content);
  if (type === 'application/json') {
    const rows = renderMembers(schemas[answerName(operation)] ?? {});
    // What stands above is not repeated; what this one has more stands behind it.
    const [same, first] = [...shown].find(([above]) => rows.startsWith(above)) ?? [];
    if (same === undefined || first === undefined) {
      shown.set(rows, title);
      return ['Response:', memberHead + rows, ...renderExample(operation)];
    }
    const link = `Response: as of [${first}](#${anchorOf(first)})`;
    return rows === same ? [`${link}.`] : [`${link}, and:`, memberHead + rows.slice(same.length).trim()];
  }
  const headerRows = Object.entries(headers as Record<string, Member & { readonly schema?: Member }>)
    .filter(([, { schema }]) => schema)
    .map(([name, header]) => `| \`${name}\` | ${typeOf(header.schema ?? {})} | ${meaningOf(header)} |`);
  return [
    `Response: \`${type}\`. ${description}`,
    ...(headerRows.length > 0 ? [['| header | type | meaning |', '|---|---|---|', ...headerRows].join('\n')] : []),
    ...renderExample(operation),
  ];
}

/** As GitHub makes it of a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

function renderParameter(parameter: Parameter): string {
  const member = { ...(parameter.schema as Member), ...(parameter as Member) };
  const { type } = parameter.schema as Member;
  return renderRow(parameter.name, parameter.in, { ...member, ...(type && { type }) }, parameter.required);
}

function renderRow(name: string, place: string, member: Member, isRequired: boolean): string {
  const type = `${typeOf(member)}${isRequired ? ', required' : ''}`;
  return `| \`${name}\` | ${place} | ${type} | ${meaningOf(member)} |`;
}

/** The name of a successful response's schema. */
function answerName({ responses }: Operation): string {
  return nameOf(responses['200']?.content['application/json']?.schema);
}

const memberHead = '| name | type | meaning |\n|---|---|---|\n';

/** The rows of a table below {@link memberHead}. */
function renderMembers(schema: Schemas[string]): string {
  const required = (schema['required'] ?? []) as readonly string[];
  const rows = Object.entries((schema['properties'] ?? {}) as Record<string, Member>).map(([name, member]) => {
    const type = `${typeOf(member)}${required.includes(name) ? '' : ', optional'}`;
    return `| \`${name}\` | ${type} | ${meaningOf(member)} |`;
  });
  return rows.join('\n');
}

function typeOf(member: Member): string {
  const { type = 'string', contentEncoding, items, $ref } = member;
  if ($ref !== undefined) return `[${nameOf(member)}](#${nameOf(member).toLowerCase()})`;
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return contentEncoding === undefined ? [type].flat().join(' or ') : `${contentEncoding} string`;
}

function meaningOf({ description = '', oneOf, items }: Member): string {
  const values = (oneOf ?? items?.oneOf ?? []).map((value) => `\`${value.const}\`: ${value.description}`);
  const text = [description, ...values].join(' ');
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}

function nameOf(member: Member | undefined): string {
  return member?.$ref?.replace('#/components/schemas/', '') ?? '';
}

function renderExample({ responses }: Operation): string[] {
  const [example] = Object.values(responses['200']?.content ?? {}).map((content) => content.example);
  if (example === undefined) return [];
  // Lines of JSON are a text.
  const text =
    typeof example === 'string'
      ? example.trimEnd()
      : JSON.stringify(example, null, 2).replaceAll(/\{[^{}]*\}/g, (object) => object.replaceAll(/\s+/g, ' '));
  return [`\`\`\`json\n${text}\n\`\`\``];
}

/** The reasons of a status, by statuses. */
type Refusals = readonly (readonly [status: string, reasons: readonly string[]])[];

function refusalsOf({ responses }: Operation): Refusals {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, { description }]) => [status, description.match(/(?<=^- `)[A-Z0-9_]+/gm) ?? []]);
}

/** What every operation that needs a key may be refused for. */
function commonRefusals(operations: readonly Operation[]): Refusals {
  const all = operations.map(refusalsOf).filter((own) => own.some(([status]) => status === '401'));
  return pick(all[0] ?? [], (reason) => all.every((own) => own.some(([, reasons]) => reasons.includes(reason))));
}

function pick(refusals: Refusals, isWanted: (reason: string) => boolean): Refusals {
  const picked = refusals.map(([status, reasons]) => [status, reasons.filter(isWanted)] as const);
  return picked.filter(([, reasons]) => reasons.length > 0);
}

/** `400 MISSING_FIELD, INVALID_FIELD; 413 BODY_TOO_LARGE.` */
function renderRefusals(refusals: Refusals): string {
  return `${refusals.map(([status, reasons]) => `${status} ${reasons.join(', ')}`).join('; ')}.`;
}
