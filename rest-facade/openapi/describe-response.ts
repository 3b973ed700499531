import protobuf from 'protobufjs';
import { fieldOptionsOf } from '../protos/field-options.js';
import { hasPicture, type Route } from '../request/route.js';
import { messageOf } from '../response/scalars.js';
import { commentOf, listOf, type Schema, valueSchema } from './schema.js';

/** Collects the schemas of responses and of the messages inside them, by message name. */
export function createResponseSchemas() {
  const schemas: Record<string, Schema> = {};

  /** @param own members beside those of its fields */
  const add = (message: protobuf.Type, own: Record<string, Schema>): void => {
    // Has its place before the messages in it.
    schemas[message.name] ??= {};
    const { properties, required } = membersOf(message);
    schemas[message.name] = {
      type: 'object',
      description: commentOf(message),
      properties: { ...own, ...properties },
      required: [...Object.keys(own), ...required],
    };
  };
  const reference = (message: protobuf.Type): Schema => {
    if (schemas[message.name] === undefined) add(message, {});
    return { $ref: `#/components/schemas/${message.name}` };
  };

  const membersOf = (message: protobuf.Type, areOptional = false): Members => {
    const members: Members = { properties: {}, required: [] };
    for (const field of message.fieldsArray) {
      const options = fieldOptionsOf(field);
      const isOptional = areOptional || options.isOptional;
      if (options.note !== undefined) continue;
      if (options.isInline) {
        const inner = membersOf(field.resolvedType as protobuf.Type, isOptional);
        Object.assign(members.properties, inner.properties);
        members.required.push(...inner.required);
        continue;
      }
      const inner = messageOf(field);
      const schema = inner === undefined ? valueSchema(field) : reference(inner);
      members.properties[options.name] = {
        description: commentOf(field),
        ...(inner !== undefined && field.repeated ? listOf(schema) : schema),
      };
      if (!isOptional) members.required.push(options.name);
    }
    return members;
  };

  return {
    schemas,
    describe({ response, body }: Route): Schema {
      add(response, { message: describeStatus(response), ...(hasPicture(body) && { process_time }) });
      return reference(response);
    },
  };
}

interface Members {
  readonly properties: Record<string, Schema>;
  readonly required: string[];
}

function describeStatus({ fieldsArray }: protobuf.Type): Schema {
  const [note] = fieldsArray.flatMap((field) => fieldOptionsOf(field).note ?? []);
  const more = note && `; of more than ${note.minItems} ${note.list}, that with how many were left out`;
  return { type: 'string', description: `The processing status: \`success\`${more ?? ''}.` };
}

const process_time = {
  type: 'number',
  format: 'double',
  minimum: 0,
  description: 'Seconds that the service spent on the request.',
};

/** A message in the shape of proto-loader's: with the examples of the proto, else the least that a field has. */
export function exampleOf(message: protobuf.Type): Record<string, unknown> {
  const itemOf = (field: protobuf.Field): unknown => {
    const { resolvedType, type } = field;
    const message = messageOf(field);
    if (message !== undefined) return exampleOf(message);
    if (resolvedType instanceof protobuf.Enum)
      return Object.entries(resolvedType.values).find(([, number]) => number !== 0)?.[0];
    return leastOf[type] ?? 0;
  };
  const fields = message.fieldsArray.flatMap((field): [string, unknown][] => {
    const { example, isOptional } = fieldOptionsOf(field);
    if (isOptional && example === undefined) return [];
    if (!field.repeated) return [[field.name, example ?? itemOf(field)]];
    return [[field.name, messageOf(field) ? [itemOf(field)] : [example ?? []].flat()]];
  });
  return Object.fromEntries(fields);
}

const leastOf: Readonly<Record<string, unknown>> = { string: '', bool: false, bytes: Buffer.alloc(0) };
