import { readdirSync } from 'node:fs';
import protobuf from 'protobufjs';
import { unwrap } from '../../rest-facade/openapi/schema.js';
import { fieldOptionsOf } from '../../rest-facade/protos/field-options.js';
import { readProtos } from '../../rest-facade/protos/rpcs.js';
import { grpcCodeOf } from '../helpers/net/grpc-code-of.js';

const ownFolder = 'imageanalysis/v1';
/** What only the facade reads, in the protos as options. */
const optionsFile = 'rest.proto';

/** The gRPC reference, made of the protos and their comments: docs/grpc.md. */
export function renderGrpcReference(): string {
  const types = readTypes();
  const services = types.filter((type) => type instanceof protobuf.Service);
  const messages = types.filter((type) => type instanceof protobuf.Type);
  const enums = types.filter((type) => type instanceof protobuf.Enum);
  return [
    '# gRPC reference',
    'Generated from [proto/imageanalysis/v1](../proto/imageanalysis/v1) by `npm run docs`. Refusals: [Errors](errors.md).',
    ...services.flatMap(renderService),
    '## Messages',
    ...messages.flatMap(renderMessage),
    '## Enumerations',
    ...enums.flatMap(renderEnum),
  ].join('\n\n');
}

function readTypes(): readonly protobuf.ReflectionObject[] {
  const files = readdirSync(`proto/${ownFolder}`).filter((file) => file !== optionsFile);
  const root = readProtos(files.map((file) => `${ownFolder}/${file}`));
  const own = root.lookup('imageanalysis.v1') as protobuf.Namespace;
  return own.nestedArray
    .filter((type) => !type.filename?.endsWith(optionsFile))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function renderService(service: protobuf.Service): string[] {
  const methods = service.methodsArray.flatMap((method) => [
    `### ${method.name}`,
    paragraphs(method.comment),
    `${streamWord(method.requestStream)}${link(method.resolvedRequestType)} → ` +
      `${streamWord(method.responseStream)}${link(method.resolvedResponseType)}`,
  ]);
  return [`## ${service.name}`, paragraphs(service.comment), ...methods];
}

function streamWord(isStream: boolean | undefined): string {
  return isStream ? 'stream of ' : '';
}

function renderMessage(message: protobuf.Type): string[] {
  const rows = message.fieldsArray.map((field) => {
    const type = field.resolvedType ? link(field.resolvedType) : field.type;
    const repeated = field.repeated ? 'repeated ' : '';
    const optional = field.options?.['proto3_optional'] ? 'optional ' : '';
    const { required, name, isInline } = fieldOptionsOf(field);
    const meaning = [line(field.comment)];
    if (required) meaning.push('Required.');
    if (name !== field.name) meaning.push(`Over REST: \`${name}\`.`);
    if (isInline) meaning.push('Over REST, its members are in its place.');
    return `| \`${field.name}\` | ${optional}${repeated}${type} | ${meaning.join(' ')} |`;
  });
  const table = ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
  return [`### ${message.name}`, paragraphs(message.comment), rows.length > 0 ? table : 'No fields.'];
}

function renderEnum(values: protobuf.Enum): string[] {
  const rows = Object.entries(values.values).map(([name, number]) => {
    const code = grpcCodeOf(values, name);
    const meaning = `${code === undefined ? '' : `[${code}] `}${line(values.comments[name])}`;
    return `| ${number} | \`${name}\` | ${meaning} |`;
  });
  return [
    `### ${values.name}`,
    paragraphs(values.comment),
    ['| number | name | meaning |', '|---|---|---|', ...rows].join('\n'),
  ];
}

/** A link to a message or enumeration of ours; the name of another. */
function link(type: protobuf.ReflectionObject | null): string {
  if (!type) return '';
  const name = type.fullName.slice(1);
  if (!name.startsWith('imageanalysis.v1.')) return `\`${name}\``;
  return `[${type.name}](#${type.name.toLowerCase()})`;
}

function line(comment: string | null | undefined): string {
  return (comment ?? '').replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}

function paragraphs(comment: string | null | undefined): string {
  return unwrap(comment ?? '');
}
