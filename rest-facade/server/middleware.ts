import type { IncomingMessage, ServerResponse } from 'node:http';

/** A step that every request goes through before it is answered; throws a Refusal to refuse it. */
export type Middleware = (request: IncomingMessage, response: ServerResponse) => void;
