import type protobuf from 'protobufjs';
import { createRenderer } from './create-renderer.js';
import { messageOptionsOf } from './field-options.js';
import type { HttpAnswer } from './send.js';

/** Shows a message of the core as a successful response. */
export type Responder = (message: object, elapsedMs: number) => Omit<HttpAnswer, 'status'>;

/**
 * How the responses of an RPC are shown: as the file in its message where the options name one, or as JSON.
 * @throws Error for an option or type that has no REST form
 */
export function createResponder(type: protobuf.Type): Responder {
  const { file } = messageOptionsOf(type);
  if (file === undefined) {
    const render = createRenderer(type);
    return (message, elapsedMs) => ({ headers: {}, body: render(message, elapsedMs) });
  }
  return (message) => {
    const fields = message as Readonly<Record<string, unknown>>;
    const headers: Record<string, string> = { 'content-type': String(fields[file.type]) };
    for (const { name, field } of file.headers) headers[name] = String(fields[field.name]);
    return {
      headers,
      body: fields[file.body] as Buffer,
    };
  };
}
