import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '../../runtime/node-patches/v8-flags.js';
import type { LoadOrder, LoadResult, OpenLoadOrder } from './messages.js';

/** A process of its own that sends requests. */
export interface LoadProcess {
  run(order: Omit<LoadOrder, 'id'> | Omit<OpenLoadOrder, 'id'>): Promise<LoadResult>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL('./load-main.js', import.meta.url)), {
    serialization: 'advanced',
    // As the service: bodies lie outside the heap, and threads that collect garbage take its cores.
    execArgv: [...nodeOptions],
  });
  const waiting = new Map<number, (result: LoadResult) => void>();
  let nextId = 1;
  child.on('message', (result: LoadResult) => {
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
  });
  child.on('exit', (code) => {
    if (waiting.size > 0) throw new Error(`the load process ended (exit code ${code})`);
  });
  return {
    run: (order) =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        child.send({ ...order, id });
      }),
    close() {
      child.disconnect();
    },
  };
}
