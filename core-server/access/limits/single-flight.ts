/**
 * Lets simultaneous callers with the same id share one lookup in the store, those of each owner, so that a flood with one
 * key does not keep others from the store. Nobody gets a result that was read before they asked: callers who arrive
 * during a lookup share the next one. So a revoked key is refused from then on, as without sharing.
 */
export function singleFlight<Value>(find: (id: string, owner: string) => Promise<Value>) {
  const running = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();

  return (id: string, owner = ''): Promise<Value> => {
    const line = `${id} ${owner}`;
    const start = (): Promise<Value> => {
      next.delete(line);
      const lookup = find(id, owner).finally(() => running.delete(line));
      running.set(line, lookup);
      return lookup;
    };
    const planned = next.get(line);
    if (planned !== undefined) return planned;
    const current = running.get(line);
    if (current === undefined) return start();
    const lookup = current.catch(() => undefined).then(start);
    next.set(line, lookup);
    return lookup;
  };
}
