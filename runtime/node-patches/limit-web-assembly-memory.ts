/**
 * Lets no WebAssembly memory of this thread grow beyond so many bytes: `grow` fails as it does where the machine has no
 * more, and malloc in it returns null.
 *
 * Gain: what a library does with a hostile file has a bound; a worker's `resourceLimits` do not count this memory. Cost: a
 * method of a global is replaced, in a thread that has one library. Delete when `resourceLimits` count it.
 */
export function limitWebAssemblyMemory(maxBytes: number): void {
  const pageBytes = 65_536;
  const { prototype } = WebAssembly.Memory;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the memory as `this`
  const { grow } = prototype;
  prototype.grow = function (this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > maxBytes) throw new RangeError('the memory is at its limit');
    return grow.call(this, pages);
  };
}
