import type { Socket } from 'node:net';

/** The parser that Node.js's HTTP server attaches to a connection. */
interface Parsed {
  readonly parser?: { onIncoming: () => number } | null;
}

/** To Node.js's parser: what follows this request is no HTTP. */
const nothingFollows = 2;

/**
 * Takes nothing that comes behind the request that is being handled for a request. Of what is read of the connection at a
 * time, 64 KiB at most, one more is parsed, and nothing is kept.
 *
 * Gain: Node.js parses all that it has read, also once the connection is destroyed. Where 150 connections sent 2,000
 * requests each, a new client waited 9 s; with 1,000 connections, the heap was full, and the process ended. Where one sent
 * 500,000 behind a request with `Upgrade`, Node.js kept them all, 1.1 GB. Cost: two private members of Node.js, which sets
 * the second anew for each connection; without them, requests are refused all the same. Delete when Node.js can be told to
 * parse nothing more.
 */
export function parseNoMore(socket: Socket): void {
  const { parser } = socket as Parsed;
  if (parser) parser.onIncoming = () => nothingFollows;
}

/** Ends a connection whose request is being handled, without parsing more than one of those behind it. */
export function endWithoutParsing(socket: Socket): void {
  parseNoMore(socket);
  socket.destroy();
}
