import type { CoreClient } from './core-client.js';
import { refuse } from './errors.js';
import { writeJson } from './transcode/json.js';
import type { Route } from './transcode/rules.js';

const healthTimeoutMs = 2_000;

/**
 * Pages that need no key, by path: `/livez` (the process answers), `/readyz` (the core serves and
 * this process is not stopping), `/` (the operations). Rejects with a Refusal.
 */
export function createPages(deps: {
  routes: readonly Route[];
  core: Pick<CoreClient, 'checkHealth'>;
  isDraining: () => boolean;
}): ReadonlyMap<string, () => Promise<string>> {
  const index = writeJson({
    message: 'success',
    operations: deps.routes.map(({ verb, template, rpcName }) => ({
      method: verb,
      path: template,
      rpc: rpcName,
    })),
  });
  return new Map([
    ['/', () => Promise.resolve(index)],
    ['/livez', () => Promise.resolve(writeJson({ message: 'success' }))],
    [
      '/readyz',
      async () => {
        if (deps.isDraining()) throw refuse('SHUTTING_DOWN', 'The process is shutting down.');
        await deps.core.checkHealth(healthTimeoutMs);
        return writeJson({ message: 'success' });
      },
    ],
  ]);
}
