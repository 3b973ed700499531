import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is done with every request before it is answered; throws a Refusal to refuse it. */
export type Middleware = (request: IncomingMessage, response: ServerResponse) => void;
