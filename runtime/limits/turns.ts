import { createSymbolProperty } from '../node-patches/symbol-property.js';

/** Begins a piece of work, told how much of the same connection still waits. */
type Begin = (waiting: number) => void;

/** What waits of a connection. */
interface Line {
  readonly caller: string;
  readonly work: Begin[];
}

/**
 * Begins one piece of work per turn of the event loop, the first at once. Addresses take turns, and so do the connections
 * of each, so that a client with much work on one connection, or on thousands, has no more of it begun than others.
 *
 * libuv accepts one connection per turn. If a turn began all pending work, it would take longer the more there is, and
 * new connections, health checks among them, would wait in the kernel for seconds while others are served. This way, as
 * many connections are accepted as work is begun.
 *
 * @param callerOf address by which a connection is counted, asked for once
 * @returns `take` adds work of a connection, and tells how much of it waits now; `drop` forgets what waits of it
 */
export function createTurns<Connection extends object>(callerOf: (connection: Connection) => string) {
  const lines = createSymbolProperty<Connection, Line>();
  /** Those in which something waits, by address, in the order of their turns. */
  const callers = new Map<string, Line[]>();
  let hasBegun = false;

  const join = (line: Line): void => {
    const others = callers.get(line.caller);
    if (others) others.push(line);
    else callers.set(line.caller, [line]);
  };

  const next = (): void => {
    const [turn] = callers;
    hasBegun = turn !== undefined;
    if (turn === undefined) return;
    setImmediate(next);
    const [caller, own] = turn;
    callers.delete(caller);
    const line = own.shift() as Line;
    const begin = line.work.shift();
    if (own.length > 0) callers.set(caller, own);
    if (line.work.length > 0) join(line);
    // Dropped work leaves its line a turn, since looking for the line among thousands would take longer.
    begin?.(line.work.length);
  };

  return {
    take(connection: Connection, begin: Begin): number {
      const line = lines.get(connection) ?? { caller: callerOf(connection), work: [] };
      lines.set(connection, line);
      if (line.work.push(begin) === 1) join(line);
      if (!hasBegun) next();
      return line.work.length;
    },
    drop: (connection: Connection): void => void lines.get(connection)?.work.splice(0),
  };
}
