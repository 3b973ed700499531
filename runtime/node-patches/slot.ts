/** A place for one value on objects that belong to others, such as sockets and responses. */
export interface Slot<Owner extends object, Value> {
  get(owner: Owner): Value | undefined;
  set(owner: Owner, value: Value): void;
}

/**
 * Creates a slot that nobody else can find. A WeakMap would keep each request with all its buffers until V8's next full
 * collection: the values of an old WeakMap keep what is young alive, and what belongs to a request leads to it.
 */
export function createSlot<Owner extends object, Value>(): Slot<Owner, Value> {
  const key = Symbol('slot');
  type WithValue = Owner & { [key]?: Value };
  return {
    get: (owner: WithValue) => owner[key],
    set(owner: WithValue, value) {
      owner[key] = value;
    },
  };
}
