/**
 * A generated message type in proto-loader's shape: names as in the proto, absent messages null. It ties the
 * renderers to the generated types without decoding twice.
 */
export type Wire<T> = T extends Uint8Array | string | number | boolean
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Name in keyof T as SnakeCase<Name & string>]: Wire<T[Name]> | Absent<T[Name]> }
      : T;

type Absent<T> = undefined extends T ? null : never;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name;
