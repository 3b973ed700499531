import protobuf from 'protobufjs';
import { QueryParameter_Presence as Presence } from '../../generated/imageanalysis/v1/rest.js';
import type { RequestLimits } from '../config.js';
import { fieldOptionsOf, fileOptionsOf } from '../protos/field-options.js';
import type { Candidates } from '../request/choose-route.js';
import { hasPicture, isChoice, type Route } from '../request/route.js';
import { createResponder } from '../response/create-renderer.js';
import { scalarOf } from '../response/scalars.js';
import { describeErrors } from './describe-errors.js';
import { describeBodies, describeParameters } from './describe-request.js';
import { type createResponseSchemas, exampleOf } from './describe-response.js';
import { type ErrorReason, refusalsOf, tagOf } from './refusals.js';
import { commentOf, describeAnswer, type Schema } from './schema.js';

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
  const refusals = refusalsOf(
    routes.flatMap((each) => [...each.variants, each]),
    context.limits,
  );
  return {
    operationId: lcFirst(isMain ? route.rpc.method.name : toPascalCase(route.template)),
    tags: [tagOf(route)],
    summary: toSentence(routes.map(({ rpc }) => firstSentence(commentOf(rpc.method)))),
    description: routes.map((each) => describeRpc(each, routes)).join('\n\n'),
    parameters: describeParameters(routes),
    ...describeBodies(route, context.limits),
    responses: { 200: describeSuccess(routes, context), ...describeErrors(refusals, context.reasons) },
  };
}

function describeSuccess(routes: Candidates, { responses }: OperationContext): Schema {
  const [{ response, isBatch, body }] = routes;
  const file = fileOptionsOf(response);
  if (file !== undefined) return describeFile(response, file);
  const respond = createResponder(response, hasPicture(body));
  const example = JSON.parse(respond(exampleOf(response), 21).body as string) as object;
  const schemas = routes.map((route) => responses.describe(route));
  if (isBatch) return describeLines(response, example);
  // Where there are several, they have the same members: generated clients have no good type for a choice.
  const [schema] = schemas;
  const description = [...new Set(routes.map((route) => commentOf(route.response)))].join(' ');
  return describeAnswer(description, { 'application/json': { schema, example } });
}

function describeLines({ name }: protobuf.Type, example: object): Schema {
  const description =
    'A line for each picture, as soon as it is ready: a JSON object with `index` (of the file in the form, from 0), ' +
    `\`filename\` (as sent, without folders, at most 255 characters), and the members of \`${name}\` or those of ` +
    '`ErrorResponse`. If the request itself breaks off, the last line is an `ErrorResponse` without `index`, and ' +
    'pictures that had not arrived have no line.';
  const line = `${JSON.stringify({ index: 0, filename: 'a.jpg', ...example })}\n`;
  // A text, as generated clients have no type for lines.
  const content = { 'application/x-ndjson': { schema: { type: 'string' }, example: line } };
  return describeAnswer(description, content);
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

type RestFile = NonNullable<ReturnType<typeof fileOptionsOf>>;

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
