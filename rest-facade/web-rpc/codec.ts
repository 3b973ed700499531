import protobuf from 'protobufjs';
import { bodyTooLarge, refuseField } from '../../runtime/errors/refusal.js';
import type { RequestLimits } from '../config.js';
import type { Rpc } from '../protos/rpcs.js';
import type { RequestMessage } from '../request/bind-request.js';
import { decodeBase64 } from '../request/body/data-url.js';
import { parseJsonObject } from '../request/body/parse-json-object.js';
import { checkNames } from '../request/check-names.js';
import { describeJson, type Field, parseMember, readFields } from '../request/field.js';
import { type LateText, withBase64 } from '../response/late-base64.js';
import { messageOf, type Scalar, scalarOf } from '../response/scalars.js';

/** How messages of an RPC come from and go to a browser. */
interface Codec {
  /** The RPC as it takes and gives what stands between. */
  readonly rpc: Rpc;
  /** @throws Refusal */
  readonly read: (message: Buffer) => object;
  readonly write: (answer: object) => Buffer | LateText;
}

/** Protobuf, which is passed on unread: decoding it here would cost an attacker nothing and the process much. */
export function createBinaryCodec(rpc: Rpc): Codec {
  const asItIs = (bytes: object) => bytes as Buffer;
  return { rpc: { ...rpc, requestSerialize: asItIs, responseDeserialize: asItIs }, read: asItIs, write: asItIs };
}

/**
 * The JSON mapping of proto3, as far as our messages go, read as strictly as the JSON of REST and by the same rules. Why
 * it is ours: docs/choices.md.
 * @see https://protobuf.dev/programming-guides/json/
 * @throws Error for a type that has no JSON form here yet
 */
export function createJsonCodec(rpc: Rpc, limits: RequestLimits): Codec {
  const fields = new Map(
    [...readFields(rpc.request)].flatMap(([name, field]) => [
      [name, field],
      [jsonNameOf(name), field],
    ]),
  );
  const names = new Set(fields.keys());
  const writeMessage = compileMessage(rpc.response);
  return {
    rpc,
    read(text) {
      const message: RequestMessage = {};
      const members = parseJsonObject(text);
      checkNames({ names }, Object.keys(members), limits);
      for (const [name, value] of Object.entries(members)) {
        const field = fields.get(name);
        // null is the same as absent.
        if (field === undefined || value === null) continue;
        if (field.name in message) throw refuseField('REPEATED_FIELD', field.name, 'is given 2 times, want once');
        message[field.name] = readMember(field, value, limits);
      }
      return message;
    },
    write(answer) {
      const text = withBase64((later) => writeMessage(answer as never, later));
      return typeof text === 'string' ? Buffer.from(text) : text;
    },
  };
}

function readMember(field: Field, value: unknown, { maxImageBytes }: RequestLimits): unknown {
  const { name, type, isList } = field;
  if (type !== 'bytes') return parseMember(field, value);
  let left = maxImageBytes;
  const decode = (text: unknown): Buffer => {
    if (typeof text !== 'string') throw refuseField('INVALID_FIELD', name, `is ${describeJson(text)}, want base64`);
    if (/^data:/i.test(text))
      throw refuseField('INVALID_BASE64', name, 'is a data URL, want the base64 after its comma alone');
    const bytes = decodeBase64(text, name);
    left -= bytes.length;
    if (left < 0) throw bodyTooLarge(name, maxImageBytes);
    return bytes;
  };
  if (!isList) return decode(value);
  if (!Array.isArray(value)) throw refuseField('INVALID_FIELD', name, `is ${describeJson(value)}, want an array`);
  return value.map(decode);
}

const jsonNameOf = (name: string): string => name.replaceAll(/_(.)/g, (_, next: string) => next.toUpperCase());

/** Compiles what writes a message, as proto-loader gives it. */
function compileMessage({ fieldsArray }: protobuf.Type): Scalar['write'] {
  const fields = fieldsArray.map((field) => ({ field, key: jsonNameOf(field.name), write: compileItem(field) }));
  return (message: Readonly<Record<string, unknown>>, later) => {
    const members = fields.flatMap(({ field, key, write }) => {
      const value = message[field.name];
      if (value === null || value === undefined) return [];
      const writeItem = (item: unknown): string => write(item as never, later);
      return [`"${key}":${Array.isArray(value) ? `[${value.map(writeItem).join(',')}]` : writeItem(value)}`];
    });
    return `{${members.join(',')}}`;
  };
}

function compileItem(field: protobuf.Field): Scalar['write'] {
  const message = messageOf(field);
  if (message !== undefined) return compileMessage(message);
  // REST shows a whole double with a point, and an enumeration without its prefix.
  const isPlain = field.type === 'double' || field.resolvedType instanceof protobuf.Enum;
  return isPlain ? (value) => JSON.stringify(value) : scalarOf(field).write;
}
