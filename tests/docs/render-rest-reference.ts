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
    'What `ErrorResponse` has: [below](#errorresponse). What each reason means: [Errors](errors.md).',
    ...operations.flatMap(({ title, operation }) => renderOperation(title, operation, schemas)),
    '## Objects',
    ...Object.entries(schemas)
      .filter(([name]) => !answers.has(name))
      .flatMap(([name, schema]) => [`### ${name}`, String(schema['description']), renderMembers(schema)]),
  ].join('\n\n');
}

function renderOperation(title: string, operation: Operation, schemas: Schemas): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) => renderParameter(parameter));
  const rows = [...parameters, ...renderBody(operation)];
  const types = Object.keys(operation.requestBody?.content ?? {});
  return [
    `## ${title}`,
    String(operation['description'] ?? operation['summary']),
    ...(types.length > 0 ? [`Body: ${types.map((type) => `\`${type}\``).join(' or ')}.`] : []),
    ...(rows.length > 0 ? [['| name | in | type | meaning |', '|---|---|---|---|', ...rows].join('\n')] : []),
    ...renderAnswer(operation, schemas),
    ...renderExample(operation),
    renderRefusals(operation),
  ].filter((part) => part !== '');
}

/** The members of the body, each once, even where a form and a JSON object have it. */
function renderBody({ requestBody }: Operation): string[] {
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
  return [...rows.values()].map(({ name, places, member, isRequired }) =>
    renderRow(name, places.join(', '), member, isRequired),
  );
}

function renderAnswer(operation: Operation, schemas: Schemas): string[] {
  const { content = {}, headers = {}, description = '' } = operation.responses['200'] ?? {};
  const [type = ''] = Object.keys(content);
  if (type === 'application/json') return ['Response:', renderMembers(schemas[answerName(operation)] ?? {})];
  const shown = Object.entries(headers as Record<string, Member & { readonly schema?: Member }>)
    .filter(([, { schema }]) => schema)
    .map(([name, header]) => `| \`${name}\` | ${typeOf(header.schema ?? {})} | ${meaningOf(header)} |`);
  return [
    `Response: \`${type}\`. ${description}`,
    ...(shown.length > 0 ? [['| header | type | meaning |', '|---|---|---|', ...shown].join('\n')] : []),
  ];
}

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

function renderMembers(schema: Schemas[string]): string {
  const required = (schema['required'] ?? []) as readonly string[];
  const rows = Object.entries((schema['properties'] ?? {}) as Record<string, Member>).map(([name, member]) => {
    const type = `${typeOf(member)}${required.includes(name) ? '' : ', optional'}`;
    return `| \`${name}\` | ${type} | ${meaningOf(member)} |`;
  });
  return ['| name | type | meaning |', '|---|---|---|', ...rows].join('\n');
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
  const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
  return [`\`\`\`json\n${text}\n\`\`\``];
}

/** `400: MISSING_FIELD, … · 401: …` */
function renderRefusals({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, { description }]) => {
      const reasons = [...description.matchAll(/^- `([A-Z0-9_]+)`/gm)].map(([, reason]) => reason);
      return reasons.length > 0 ? `- ${status}: ${reasons.join(', ')}` : `- ${status}`;
    })
    .join('\n');
}
