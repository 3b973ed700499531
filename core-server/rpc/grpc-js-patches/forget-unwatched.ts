import type { HealthImplementation } from 'grpc-health-check';

interface Watchers {
  readonly watchers: Map<string, Set<unknown>>;
  removeWatcher(service: string, watcher: unknown): void;
}

/**
 * Has the health service forget names that nobody watches any more.
 *
 * - Gains: the package keeps every name that was ever watched, and anyone can make names up, without a key.
 * - Costs: two private members of grpc-health-check.
 * - Delete when it forgets them itself, as grpc-go does since https://github.com/grpc/grpc-go/pull/9411.
 */
export function forgetUnwatched(health: HealthImplementation): void {
  const inner = health as unknown as Watchers;
  const remove = inner.removeWatcher.bind(health);
  const removeAndForget: Watchers['removeWatcher'] = (service, watcher) => {
    remove(service, watcher);
    if (inner.watchers.get(service)?.size === 0) inner.watchers.delete(service);
  };
  inner.removeWatcher = removeAndForget;
}
