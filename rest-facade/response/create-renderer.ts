import protobuf from 'protobufjs';
import type { RestNote } from '../../generated/imageanalysis/v1/rest.js';
import { fieldOptionsOf, fileOptionsOf } from '../protos/field-options.js';
import { shownValues } from '../protos/shown-values.js';
import { withBase64 } from './late-base64.js';
import { messageOf, type Scalar, scalarOf, writeFloat } from './scalars.js';
import type { HttpAnswer } from './send.js';

/** A message as proto-loader gives it: names as in the proto, absent messages null. */
type Message = Readonly<Record<string, unknown>>;
/** Appends members to the text of a JSON object that has been begun. */
type Append = (text: string, message: Message, later: Buffer[]) => string;
type Write = Scalar['write'];

/** Shows a message of the core as the JSON body of a response, as text. @param later takes its bytes */
type Renderer = (answer: object, elapsedMs: number, later: Buffer[]) => string;

/**
 * Compiles what shows a message as the JSON body of a response: `message`, `process_time` in seconds, and the
 * members by the message's fields and their options, in one pass without reflection.
 * @param isTimed whether it has `process_time`
 * @throws Error for an option or type that has no REST form
 */
export function createRenderer(type: protobuf.Type, isTimed: boolean): Renderer {
  const tell = compileMessage(type);
  const append = compileMembers(type);
  return (answer, elapsedMs, later) => {
    const message = answer as Message;
    // The clock's resolution is microseconds.
    const time = isTimed ? `,"process_time":${writeFloat(Math.round(elapsedMs * 1000) / 1e6)}` : '';
    return `${append(`{"message":${tell(message)}${time}`, message, later)}}`;
  };
}

/** Shows a message of the core as a successful response. */
export type Responder = (message: object, elapsedMs: number) => Omit<HttpAnswer, 'status'>;

/**
 * How the responses of an RPC are shown: as the file in its message where the options name one, or as JSON.
 * @throws Error for an option or type that has no REST form
 */
export function createResponder(type: protobuf.Type, isTimed: boolean): Responder {
  const file = fileOptionsOf(type);
  if (file === undefined) {
    const render = createRenderer(type, isTimed);
    return (message, elapsedMs) => ({ headers: {}, body: withBase64((later) => render(message, elapsedMs, later)) });
  }
  return (message) => {
    const fields = message as Message;
    const headers: Record<string, string> = { 'content-type': String(fields[file.type]) };
    for (const { name, field } of file.headers) headers[name] = String(fields[field.name]);
    return { headers, body: fields[file.body] as Buffer };
  };
}

/** The value of a field, which has no bytes, as JSON shows it. @param value in the shape of proto-loader's */
export function showValue(field: protobuf.Field, value: unknown): unknown {
  return JSON.parse(compileValue(field)(value as never, []));
}

/** The processing status: `success`, with the notes of the message. */
function compileMessage(type: protobuf.Type): (message: Message) => string {
  const notes = type.fieldsArray.flatMap((field) => {
    const { note } = fieldOptionsOf(field);
    return note === undefined ? [] : [(message: Message) => clauseOf(note, field.name, message)];
  });
  return (message) => JSON.stringify(['success', ...notes.flatMap((note) => note(message))].join(', '));
}

function clauseOf(note: RestNote, name: string, message: Message): string[] {
  const { length } = message[note.list] as readonly unknown[];
  const number = message[name] as number;
  if (number === 0 || length < note.minItems) return [];
  return [number === 1 ? note.one : note.other.replace('{n}', String(number))];
}

/** Of a message that does not contain itself. */
function compileMembers({ fieldsArray }: protobuf.Type): Append {
  const members = fieldsArray.filter((field) => fieldOptionsOf(field).note === undefined).map(compileMember);
  return (text, message, later) => {
    let all = text;
    for (const member of members) all = member(all, message, later);
    return all;
  };
}

function compileMember(field: protobuf.Field): Append {
  const { name: key, resolvedType } = field;
  const { name, isInline, isEmptyAbsent } = fieldOptionsOf(field);
  if (isInline) {
    if (!(resolvedType instanceof protobuf.Type) || field.repeated)
      throw new Error(`${field.fullName.slice(1)}: inline, want it to be one message`);
    const append = compileMembers(resolvedType);
    return (text, message, later) => {
      const value = message[key];
      return value === null || value === undefined ? text : append(text, value as Message, later);
    };
  }
  const start = `${JSON.stringify(name)}:`;
  const write = compileValue(field);
  return (text, message, later) => {
    const value = message[key] as never;
    if (value === null || value === undefined) return text;
    if (isEmptyAbsent && (value as ArrayLike<unknown>).length === 0) return text;
    return `${text}${text.length === 1 ? '' : ','}${start}${write(value, later)}`;
  };
}

function compileValue(field: protobuf.Field): Write {
  const write = compileItem(field);
  if (!field.repeated) return write;
  return (values: readonly never[], later) => `[${values.map((value) => write(value, later)).join(',')}]`;
}

function compileItem(field: protobuf.Field): Write {
  const { resolvedType } = field;
  const { decimals } = fieldOptionsOf(field);
  const message = messageOf(field);
  if (message !== undefined) {
    const append = compileMembers(message);
    return (message: Message, later) => `${append('{', message, later)}}`;
  }
  if (resolvedType instanceof protobuf.Enum) {
    const texts = new Map([...shownValues(resolvedType)].map(([value, shown]) => [value, JSON.stringify(shown)]));
    // A value newer than this facade is a number.
    return (value: string | number) => texts.get(String(value)) ?? `"${value}"`;
  }
  if (decimals !== undefined) {
    const { min, max } = decimals;
    const zeros = new RegExp(`0{0,${max - min}}$`);
    return (value: number) => `"${value.toFixed(max).replace(zeros, '')}"`;
  }
  return scalarOf(field).write;
}
