import protobuf from 'protobufjs';
import { isTimed } from '../response/render-response.js';
import { commentOf, unwrap } from './definitions.js';
import { rulesOf } from './field-rules.js';
import { scalarSchema, type Schema } from './schema.js';

/*
 * Responses show the fields of their message under their own names. Where the documented contract differs, the
 * renderers in `transcode/render-*.ts` implement it and the tables here describe it in schemas; the contract
 * test validates real responses against them and allows no additional members.
 */

/** How a field is shown, by message and field. */
const unusual: Readonly<
  Record<
    string,
    {
      readonly name?: string;
      readonly schema?: Schema;
      /** Its members replace the field. */
      readonly spread?: true;
      readonly hidden?: true;
    }
  >
> = {
  'DetectSingleFaceResponse.face': { spread: true },
  'DetectSingleFaceResponse.details': { spread: true },
  'DetectAllFacesResponse.faces': { name: 'result' },
  // `message` says how many.
  'DetectAllFacesResponse.omitted_faces': { hidden: true },
  'DetectAllFacesResponse.details': { spread: true },
  'Face.bounding_box': { name: 'bbox' },
  'Face.detection_score': {
    schema: {
      type: 'string',
      pattern: '^[01]\\.\\d{4,6}$',
      description: 'Confidence that this is a face, 0..1, as text with 4 to 6 decimals.',
    },
  },
  'Face.crop_jpeg': { name: 'face' },
  'ReadMeterResponse.bounding_box': { name: 'bbox' },
  // A separate message in the proto, so that an empty list differs from none.
  'ReadMeterResponse.alternatives': { spread: true },
  'AlternativeReadings.readings': { name: 'alternatives' },
  'MeterDigit.bounding_box': { name: 'bbox' },
};

/** Enums whose values are shown in lower case. */
const lowerCase: ReadonlySet<string> = new Set(['ReadingStatus', 'ThresholdSource']);

/** Collects the schemas of responses and of the messages inside them, by message name. */
export function createAnswerSchemas(): {
  /** The schema of an RPC's response, by reference. */
  describe(message: protobuf.Type): Schema;
  readonly schemas: Record<string, Schema>;
} {
  const schemas: Record<string, Schema> = {};

  const reference = (message: protobuf.Type): Schema => {
    if (schemas[message.name] === undefined) {
      schemas[message.name] = {};
      schemas[message.name] = objectSchema(message, membersOf(message));
    }
    return { $ref: `#/components/schemas/${message.name}` };
  };

  const membersOf = (message: protobuf.Type, areOptional = false): Members => {
    const members: Members = { properties: {}, required: [] };
    for (const field of message.fieldsArray) {
      const rule = unusual[`${message.name}.${field.name}`] ?? {};
      const name = rule.name ?? field.name;
      const isOptional = areOptional || rulesOf(field).onRequest;
      if (rule.hidden) continue;
      if (rule.spread && field.resolvedType instanceof protobuf.Type) {
        const inner = membersOf(field.resolvedType, isOptional);
        Object.assign(members.properties, inner.properties);
        members.required.push(...inner.required);
        continue;
      }
      const schema = { description: commentOf(field), ...(rule.schema ?? valueSchema(field)) };
      members.properties[name] = schema;
      if (!isOptional) members.required.push(name);
    }
    return members;
  };

  const valueSchema = (field: protobuf.Field): Schema => {
    const { resolvedType, repeated } = field.resolve();
    const item =
      resolvedType instanceof protobuf.Type
        ? reference(resolvedType)
        : resolvedType instanceof protobuf.Enum
          ? enumSchema(resolvedType)
          : scalarSchema(field);
    return repeated ? { type: 'array', items: item } : item;
  };

  return {
    schemas,
    describe(message) {
      const { $ref } = reference(message);
      const { properties, required } = membersOf(message);
      schemas[message.name] = objectSchema(message, {
        properties: {
          message: {
            type: 'string',
            description: 'The processing status: `success`, or that with what was left out.',
          },
          ...(isTimed(message.name) && { process_time: processTime }),
          ...properties,
        },
        required: ['message', ...(isTimed(message.name) ? ['process_time'] : []), ...required],
      });
      return { $ref };
    },
  };
}

interface Members {
  readonly properties: Record<string, Schema>;
  readonly required: string[];
}

const processTime = {
  type: 'number',
  format: 'double',
  minimum: 0,
  description: 'Seconds that the service spent on the request.',
};

function objectSchema(message: protobuf.Type, { properties, required }: Members): Schema {
  return { type: 'object', description: commentOf(message), properties, required };
}

/** Values without the prefix that protos need, except the one that is never sent. */
function enumSchema({ name, values, comments }: protobuf.Enum): Schema {
  const prefix = `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_`;
  const shown = Object.keys(values)
    .filter((value) => values[value] !== 0)
    .map((value) => {
      const short = value.replace(prefix, '');
      return {
        const: lowerCase.has(name) ? short.toLowerCase() : short,
        description: unwrap(comments[value] ?? ''),
      };
    });
  return { type: 'string', enum: shown.map((value) => value.const), oneOf: shown };
}
