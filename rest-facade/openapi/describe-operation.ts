import type { Field } from '../request/field.js';
import type { Route } from '../request/rules.js';
import { commentOf, type Definitions } from './definitions.js';
import type { createAnswerSchemas } from './describe-answer.js';
import { describeErrors, reasonsOf } from './describe-errors.js';
import { answerExample, fieldExamples } from './examples.js';
import { formatBytes, isRequired, requestSchema, type Schema } from './schema.js';

/** What describing an operation needs. */
export interface OperationContext {
  readonly definitions: Definitions;
  readonly answers: ReturnType<typeof createAnswerSchemas>;
  readonly maxImageBytes: number;
}

/** Words for an operation's id and summary. */
const pathWords = /[A-Za-z0-9]+/g;

/**
 * One operation of the document: the routes with one verb and path. If there are several, they differ in how
 * a query parameter is given, and are merged into one operation.
 *
 * @param isMain whether this is the first address of its RPC, which then names it
 */
export function describeOperation(
  routes: readonly [Route, ...Route[]],
  isMain: boolean,
  context: OperationContext,
): Schema {
  const { definitions } = context;
  const [route] = routes;
  const reasons = new Set(routes.flatMap((each) => reasonsOf(each, definitions)));
  return {
    operationId: isMain ? lowerFirst(methodName(route)) : toCamelCase(route.template),
    tags: [tagOf(route)],
    summary: routes.map((each) => firstSentence(commentOfRpc(each, definitions))).join(' '),
    description: routes.map((each) => describeRpc(each, routes, definitions)).join('\n\n'),
    parameters: describeParameters(routes, definitions),
    ...describeBody(route, context),
    responses: {
      200: describeSuccess(routes, context),
      ...describeErrors(
        definitions.reasons.filter((reason) => reasons.has(reason)),
        routes,
      ),
    },
  };
}

/** `FaceDetectionService` becomes "Face detection". */
export function tagOf(route: Route): string {
  const service = route.rpcName.split('.').at(-2) ?? '';
  const words = service.replace(/Service$/, '').split(/(?=[A-Z])/);
  return words.map((word, at) => (at === 0 ? word : word.toLowerCase())).join(' ');
}

function describeSuccess(
  routes: readonly [Route, ...Route[]],
  { definitions, answers }: OperationContext,
): Schema {
  const messages = routes.map(({ rpcName }) => definitions.method(rpcName).response);
  const schemas = messages.map((message) => answers.describe(message));
  const example = messages.map(answerExample).find((found) => found !== undefined);
  return {
    description: [...new Set(messages.map(commentOf))].join(' '),
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
    content: {
      'application/json': {
        // Where there are several, they have the same members: generated clients have no good type for a choice.
        schema: schemas[0],
        ...(example !== undefined && { example }),
      },
    },
  };
}

/** Path variables, headers and query parameters; a name shared by several routes is one parameter. */
function describeParameters(routes: readonly Route[], definitions: Definitions): Schema[] {
  const parameters = new Map<string, Schema>();
  for (const route of routes) {
    const { request } = definitions.method(route.rpcName);
    const add = (place: string, name: string, field: Field, isNeeded: boolean) => {
      const { description, ...schema } = requestSchema(field, request);
      const example = fieldExamples[field.name];
      parameters.set(`${place} ${name}`, {
        name,
        in: place,
        required: isNeeded,
        description: place === 'header' ? `${String(description)} In UTF-8.` : description,
        schema,
        ...(example !== undefined && { example }),
      });
    };
    for (const field of route.pathFields.values()) add('path', field.name, field, true);
    for (const { name, field } of route.headers)
      add('header', name, field, isRequired(field, request));
    for (const { name, field, presence } of route.query) {
      if (presence === 'any' && field !== undefined)
        add('query', name, field, isRequired(field, request));
    }
    if (route.body.kind === 'none') {
      for (const field of route.openFields)
        add('query', field.name, field, isRequired(field, request));
    }
  }
  return [...describeChoice(routes, definitions), ...parameters.values()];
}

/** The query parameter whose presence chooses between the routes. */
function describeChoice(routes: readonly Route[], definitions: Definitions): Schema[] {
  const rules = routes.flatMap((route) =>
    route.query
      .filter(({ presence }) => presence !== 'any')
      .map((rule) => ({ ...rule, message: definitions.method(route.rpcName).request })),
  );
  const names = [...new Set(rules.map(({ name }) => name))];
  return names.map((name) => {
    const withValue = rules.find((rule) => rule.name === name && rule.field !== undefined);
    const { description = '' } = withValue?.field
      ? requestSchema(withValue.field, withValue.message)
      : {};
    const example = fieldExamples[withValue?.field?.name ?? ''];
    return {
      name,
      in: 'query',
      required: true,
      allowEmptyValue: true,
      description:
        `Required. With a value it sets the score; bare or empty it returns it. ${String(description)}`.trim(),
      // A text, as generated clients cannot send a choice of a number and an empty text.
      schema: { type: 'string', pattern: '^(0([.][0-9]{1,6})?|1([.]0{1,6})?)?$' },
      ...(example !== undefined && { example: JSON.stringify(example) }),
    };
  });
}

function describeBody(route: Route, { definitions, maxImageBytes }: OperationContext): Schema {
  const { request } = definitions.method(route.rpcName);
  const isJson = route.body.kind !== 'multipart';
  const fields = Object.fromEntries(
    route.openFields.map((field) => {
      const example = fieldExamples[field.name];
      const schema = requestSchema(field, request);
      // As in the JSON mapping of proto3: null is the same as absent.
      const isNullable = isJson && !isRequired(field, request);
      return [
        field.name,
        {
          ...schema,
          ...(isNullable && { type: [schema['type'], 'null'] }),
          ...(example !== undefined && { examples: [example] }),
        },
      ];
    }),
  );
  const needed = route.openFields.filter((field) => isRequired(field, request));
  const object = (properties: object, required: readonly string[]) => ({
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  });
  const body = (type: string, schema: object, example?: object) => ({
    requestBody: {
      required: true,
      content: { [type]: { schema, ...(example !== undefined && { example }) } },
    },
  });
  const limit = `at most ${formatBytes(maxImageBytes)}`;
  switch (route.body.kind) {
    case 'none':
      return {};
    case 'json': {
      const names = needed.map(({ name }) => name);
      return body('application/json', object(fields, names));
    }
    case 'multipart': {
      const file = {
        type: 'string',
        format: 'binary',
        contentMediaType: 'application/octet-stream',
        description: `The picture file, ${limit}; the part needs a filename, which may be any.`,
      };
      const schema = object({ [route.body.sentAs]: file, ...fields }, [
        route.body.sentAs,
        ...needed.map(({ name }) => name),
      ]);
      return body('multipart/form-data', schema);
    }
    case 'data-url': {
      const image = {
        type: 'string',
        pattern:
          '^[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/[^;,]+(;[^;,]*)*;[bB][aA][sS][eE]64,[0-9A-Za-z+/]{2}',
        description:
          `The picture as \`data:image/<type>;base64,<data>\`, ${limit} once decoded. The standard alphabet of ` +
          'base64, not the one for URLs; padding and line breaks are optional.',
      };
      return body(
        'application/json',
        object({ [route.body.sentAs]: image, ...fields }, [route.body.sentAs]),
        // Otherwise viewers would prefill every optional field with its example, which is not what the caller wants.
        { [route.body.sentAs]: 'data:image/jpeg;base64,/9j/' },
      );
    }
  }
}

/** The comment of the RPC; if several share a path, with how to request each. */
function describeRpc(route: Route, routes: readonly Route[], definitions: Definitions): string {
  const comment = commentOfRpc(route, definitions);
  const rule = route.query.find(({ presence }) => presence !== 'any');
  if (routes.length === 1 || rule === undefined) return comment;
  const how = rule.presence === 'bare' ? `\`?${rule.name}\`` : `\`?${rule.name}=<value>\``;
  return `${how}: ${comment}`;
}

function commentOfRpc(route: Route, definitions: Definitions): string {
  return definitions.method(route.rpcName).comment;
}

function methodName(route: Route): string {
  return route.rpcName.split('.').at(-1) ?? '';
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function toCamelCase(path: string): string {
  const words = path.match(pathWords) ?? [];
  return lowerFirst(words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
