/**
 * Lets callers who ask for the same id at once share one look into the store, so that a flood with one
 * key does not keep the store from others. Nobody gets what was read before it asked: who comes while
 * one look is under way shares the next. So a key that is revoked is refused from then on, as without.
 */
export function shareLookups<Value>(
  find: (id: string) => Promise<Value>,
): (id: string) => Promise<Value> {
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
    const current = running.get(id);
    if (current === undefined) return start(id);
    const planned = next.get(id) ?? current.catch(() => undefined).then(() => start(id));
    next.set(id, planned);
    return planned;
  };
}
