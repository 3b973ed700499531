import type { RequestLimits } from '../config.js';
import { fieldOptionsOf } from '../protos/field-options.js';
import type { Field } from '../request/field.js';
import { hasPicture, isChoice, type PictureRule, type Route } from '../request/route.js';
import { showValue } from '../response/create-renderer.js';
import { formatBytes, requestSchema, type Schema, unwrap } from './schema.js';

/** Path variables, headers and query parameters; a name shared by several routes is one parameter. */
export function describeParameters(routes: readonly Route[]): Schema[] {
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

/** The ways in which a route takes a body, by their content types. */
export function describeBodies(route: Route, limits: RequestLimits): Schema {
  if (route.body.kind === 'none') return {};
  const contents = [route, ...route.variants].map((each) => describeBody(each, limits));
  return { requestBody: { required: true, content: Object.fromEntries(contents) } };
}

/** The content type of a body, and what it contains. */
function describeBody({ body, openFields, isBatch }: Route, limits: RequestLimits): [string, Schema] {
  if (body.kind === 'raw') {
    const limit = formatBytes(limits.maxImageBytes);
    const description = `The picture, at most ${limit}; the query string has the form's fields.`;
    return ['image/*', { schema: { type: 'string', format: 'binary', description } }];
  }
  const isForm = body.kind === 'multipart';
  const pictures: [string, Schema][] = hasPicture(body) ? [[body.sentAs, describePicture(body, isBatch, limits)]] : [];
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
  if (isBatch) {
    const description = `The pictures, at most ${maxBatchFiles}, behind all other fields.`;
    return { ...list, maxItems: maxBatchFiles, description };
  }
  if (rule.maxFiles === undefined) return picture;
  const description = `The pictures, at most ${rule.maxFiles}, together ${limit}.`;
  return { ...list, maxItems: rule.maxFiles, description };
}
