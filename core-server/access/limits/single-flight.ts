/**
 * Lets simultaneous callers with the same id share one lookup in the store, so that a flood with one key does
 * not keep others from the store. Nobody gets a result that was read before they asked: callers who arrive
 * during a lookup share the next one. So a revoked key is refused from then on, as without sharing.
 */
export function singleFlight<Value>(find: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const running = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();

  const start = (id: string): Promise<Value> => {
    next.delete(id);
    const lookup = find(id).finally(() => {
      if (running.get(id) === lookup) running.delete(id);
    });
    running.set(id, lookup);
    return lookup;
  };

  return (id) => {
    const planned = next.get(id);
    if (planned !== undefined) return planned;
    const current = running.get(id);
    if (current === undefined) return start(id);
    const lookup = current.catch(() => undefined).then(() => start(id));
    next.set(id, lookup);
    return lookup;
  };
}
