import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '../../runtime/node-patches/v8-flags.js';
import { nextMessage } from '../systems/child.js';
import type { LoadOrder, LoadResult, OpenLoadOrder } from './messages.js';

/** A process of its own that sends requests. */
export interface LoadProcess {
  /** One order at a time. */
  run(order: LoadOrder | OpenLoadOrder): Promise<LoadResult>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL('./load-main.js', import.meta.url)), {
    serialization: 'advanced',
    // As the service: bodies lie outside the heap, and threads that collect garbage take its cores.
    execArgv: [...nodeOptions],
  });
  return {
    run(order) {
      child.send(order);
      return nextMessage<LoadResult>(child);
    },
    close() {
      child.disconnect();
    },
  };
}
