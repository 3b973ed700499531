import protobuf from 'protobufjs';
import { QueryParameter_Presence as Presence } from '../../generated/imageanalysis/v1/rest.js';
import type { RequestLimits } from '../config.js';
import { fieldOptionsOf, messageOptionsOf } from '../protos/field-options.js';
import type { Candidates } from '../request/choose-route.js';
import type { Field } from '../request/field.js';
import { hasPicture, isChoice, type PictureRule, type Route } from '../request/route.js';
import { createRenderer, showValue } from '../response/create-renderer.js';
import { scalarOf } from '../response/scalars.js';
import { describeErrors } from './describe-errors.js';
import { type createResponseSchemas, exampleOf } from './describe-response.js';
import { type ErrorReason, reasonsOf, tagOf } from './refusals.js';
import { commentOf, describeAnswer, formatBytes, requestSchema, type Schema, unwrap } from './schema.js';

const { lcFirst, ucFirst } = protobuf.util;

interface OperationContext {
  readonly reasons: readonly ErrorReason[];
  readonly responses: ReturnType<typeof createResponseSchemas>;
  readonly limits: RequestLimits;
}

/**
 * One operation of the document: the routes with one verb and path. If there are several, they differ in how
 * a query parameter is given, and are merged into one operation.
 *
 * @param isMain whether this is the first address of its RPC, which then names it
 */
export function describeOperation(routes: Candidates, isMain: boolean, context: OperationContext): Schema {
  const [route] = routes;
  // Last what an example is about where there is a choice.
  const variants = routes.flatMap((each) => [...each.variants, each]);
  const reasons = new Set(variants.flatMap((each) => reasonsOf(each, context.reasons)));
  return {
    operationId: lcFirst(isMain ? route.rpc.method.name : toPascalCase(route.template)),
    tags: [tagOf(route)],
    summary: toSentence(routes.map(({ rpc }) => firstSentence(commentOf(rpc.method)))),
    description: routes.map((each) => describeRpc(each, routes)).join('\n\n'),
    parameters: describeParameters(routes),
    ...describeBodies(route, context),
    responses: {
      200: describeSuccess(routes, context),
      ...describeErrors(
        context.reasons.filter((reason) => reasons.has(reason)),
        variants,
      ),
    },
  };
}

function describeSuccess(routes: Candidates, { responses }: OperationContext): Schema {
  const [{ response, isBatch }] = routes;
  const { file } = messageOptionsOf(response);
  if (file !== undefined) return describeFile(response, file);
  const example = JSON.parse(createRenderer(response)(exampleOf(response), 21)) as object;
  const schemas = routes.map((route) => responses.describe(route.response));
  if (isBatch) return describeLines(response, example);
  // Where there are several, they have the same members: generated clients have no good type for a choice.
  const [schema] = schemas;
  const description = [...new Set(routes.map((route) => commentOf(route.response)))].join(' ');
  return describeAnswer(description, { 'application/json': { schema, example } });
}

function describeLines({ name }: protobuf.Type, example: object): Schema {
  const schema = {
    // A text, as generated clients have no type for lines.
    type: 'string',
    description:
      'JSON objects, each on a line of its own: `index` (of the file in the form, from 0), `filename`, and the ' +
      `members of \`${name}\`, or those of \`ErrorResponse\`. If the request itself breaks off, the last line is ` +
      'an `ErrorResponse` without `index`.',
  };
  const line = `${JSON.stringify({ index: 0, filename: 'a.jpg', ...example })}\n`;
  const content = { 'application/x-ndjson': { schema, example: line } };
  return describeAnswer('A line for each picture, as soon as it is ready.', content);
}

/** A response that is a file, and the headers that show the other fields. */
function describeFile(message: protobuf.Type, { headers, mediaRange }: RestFile): Schema {
  const shown = headers.map(({ name, field }) => {
    const { example } = fieldOptionsOf(field);
    return [
      name,
      { description: commentOf(field), schema: scalarOf(field).schema, ...(example !== undefined && { example }) },
    ];
  });
  const content = { [mediaRange]: { schema: { type: 'string', format: 'binary' } } };
  return describeAnswer(commentOf(message), content, Object.fromEntries(shown) as Schema);
}

type RestFile = NonNullable<ReturnType<typeof messageOptionsOf>['file']>;

/** Path variables, headers and query parameters; a name shared by several routes is one parameter. */
function describeParameters(routes: readonly Route[]): Schema[] {
  const parameters = new Map<string, Schema>();
  for (const route of routes) {
    const add = (place: string, name: string, field: Field) => {
      const { required, example } = fieldOptionsOf(field.definition);
      const { description, ...schema } = requestSchema(field.definition);
      parameters.set(`${place} ${name}`, {
        name,
        in: place,
        required: required || place === 'path',
        description: place === 'header' ? `${String(description)} In UTF-8.` : description,
        schema,
        ...(example !== undefined && { example }),
      });
    };
    for (const field of route.pathFields) add('path', field.name, field);
    for (const { name, field } of route.headers) add('header', name, field);
    for (const rule of route.query) {
      if (!isChoice(rule) && rule.field !== undefined) add('query', rule.name, rule.field);
    }
    if (route.body.kind === 'none') {
      for (const field of route.openFields) add('query', field.name, field);
    }
  }
  return [...describeChoice(routes), ...parameters.values()];
}

/** The query parameters whose presence chooses between the routes. */
function describeChoice(routes: readonly Route[]): Schema[] {
  const rules = routes.flatMap(({ query }) => query.filter(isChoice));
  return [...new Set(rules.map(({ name }) => name))].map((name) => {
    const own = rules.filter((rule) => rule.name === name);
    const { field } = own.find((rule) => rule.field !== undefined) ?? {};
    const words = [...own.map(({ description }) => description), field?.definition.comment ?? ''];
    const example = field && fieldOptionsOf(field.definition).example;
    return {
      name,
      in: 'query',
      required: true,
      allowEmptyValue: true,
      description: unwrap(words.filter((text) => text !== '').join(' ')),
      // A text, as generated clients cannot send a choice of a number and an empty text.
      schema: { type: 'string', ...(field?.type === 'score' && { pattern: scoreOrNothing }) },
      ...(example !== undefined && { example: JSON.stringify(example) }),
    };
  });
}

const scoreOrNothing = '^(0([.][0-9]{1,6})?|1([.]0{1,6})?)?$';

function describeBodies(route: Route, context: OperationContext): Schema {
  if (route.body.kind === 'none') return {};
  const contents = [route, ...route.variants].map((each) => describeBody(each, context));
  return { requestBody: { required: true, content: Object.fromEntries(contents) } };
}

/** The content type of a body, and what it contains. */
function describeBody({ body, openFields, isBatch }: Route, context: OperationContext): [string, Schema] {
  if (body.kind === 'raw') {
    const limit = formatBytes(context.limits.maxImageBytes);
    const description = `The picture, at most ${limit}; the query string has the form's fields.`;
    return ['image/*', { schema: { type: 'string', format: 'binary', description } }];
  }
  const isForm = body.kind === 'multipart';
  const pictures: [string, Schema][] = hasPicture(body)
    ? [[body.sentAs, describePicture(body, isBatch, context.limits)]]
    : [];
  const required = pictures.map(([name]) => name);
  const fields = openFields.map(({ name, definition, isList }): [string, Schema] => {
    const { required: isRequired, example } = fieldOptionsOf(definition);
    if (isRequired) required.push(name);
    const schema = requestSchema(definition);
    return [
      name,
      {
        ...schema,
        // As in the JSON mapping of proto3: null is the same as absent.
        ...(!isForm && !isRequired && { type: [schema['type'], 'null'] }),
        ...(example !== undefined && { examples: [showValue(definition, isList ? [example] : example)] }),
      },
    ];
  });
  // Generated clients send a form in this order, and a batch wants its fields first.
  const properties = Object.fromEntries(isBatch ? [...fields, ...pictures] : [...pictures, ...fields]);
  const content = {
    schema: { type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }) },
    // Otherwise viewers would prefill every optional field with its example, which is not what the caller wants.
    ...(body.kind === 'data-url' && { example: { [body.sentAs]: 'data:image/jpeg;base64,/9j/' } }),
  };
  return [isForm ? 'multipart/form-data' : 'application/json', content];
}

function describePicture(rule: PictureRule, isBatch: boolean, { maxImageBytes, maxBatchFiles }: RequestLimits): Schema {
  const limit = `at most ${formatBytes(maxImageBytes)}`;
  if (rule.kind === 'data-url')
    return {
      type: 'string',
      pattern: '^[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/[^;,]+(;[^;,]*)*;[bB][aA][sS][eE]64,[0-9A-Za-z+/]{2}',
      description:
        `The picture as \`data:image/<type>;base64,<data>\`, ${limit} once decoded. The standard alphabet of ` +
        'base64, not the one for URLs; padding and line breaks are optional.',
    };
  const picture = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: `The picture file, ${limit}; the part needs a filename, which may be any.`,
  };
  const list = { type: 'array', items: picture, minItems: 1 };
  if (isBatch) return { ...list, maxItems: maxBatchFiles, description: 'The pictures, behind all other fields.' };
  if (rule.maxFiles === undefined) return picture;
  return { ...list, maxItems: rule.maxFiles, description: `The pictures, together ${limit}.` };
}

/** The comment of the RPC; if several share a path, with how to request each. */
function describeRpc({ rpc, query }: Route, routes: readonly Route[]): string {
  const comment = commentOf(rpc.method);
  const rule = query.find(isChoice);
  if (routes.length === 1 || rule === undefined) return comment;
  const how = rule.presence === Presence.BARE ? `\`?${rule.name}\`` : `\`?${rule.name}=<value>\``;
  return `${how}: ${comment}`;
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function toSentence(sentences: readonly string[]): string {
  const rest = sentences.slice(1).map(lcFirst);
  return [sentences[0] ?? '', ...rest].map((text) => text.replace(/[.]$/, '')).join('; ') + '.';
}

function toPascalCase(path: string): string {
  return (path.match(/[A-Za-z0-9]+/g) ?? []).map(ucFirst).join('');
}
