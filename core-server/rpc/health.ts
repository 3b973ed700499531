import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** What the health service reports for all services together, and for each. */
export interface Health {
  set(status: 'SERVING' | 'NOT_SERVING'): void;
}

/** Serves the health of these services, and of the server as a whole under the name ''. */
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

/** The package keeps every name that was ever watched, and anyone can make names up. */
function forgetUnwatched(health: HealthImplementation): void {
  const inner = health as unknown as Watchers;
  const remove = inner.removeWatcher.bind(health);
  inner.removeWatcher = (service, watcher) => {
    remove(service, watcher);
    if (inner.watchers.get(service)?.size === 0) inner.watchers.delete(service);
  };
}
