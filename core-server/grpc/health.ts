import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** What the health service says of all services together, and of each. */
export interface Health {
  set(status: 'SERVING' | 'NOT_SERVING'): void;
}

/** Serves the health of these services, and of the whole under the name ''. */
export function serveHealth(server: Server, serviceNames: readonly string[]): Health {
  const health = new HealthImplementation();
  forgetUnwatched(health);
  health.addToServer(server);
  return {
    set(status) {
      for (const name of ['', ...serviceNames]) health.setStatus(name, status);
    },
  };
}

/** Its private members. */
interface Watchers {
  readonly watchers: Map<string, Set<unknown>>;
  removeWatcher(service: string, watcher: unknown): void;
}

/** The package keeps each name that was ever watched, and anybody may make them up. */
function forgetUnwatched(health: HealthImplementation): void {
  const inner = health as unknown as Watchers;
  const remove = inner.removeWatcher.bind(health);
  inner.removeWatcher = (service, watcher) => {
    remove(service, watcher);
    if (inner.watchers.get(service)?.size === 0) inner.watchers.delete(service);
  };
}
