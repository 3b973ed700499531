import protobuf from 'protobufjs';

/*
 * protobufjs parses options from the text of a proto: an absent member is absent, a repeated one that is given once is no
 * array, an enum value is its name, and the key is the option's name as written. `make generate` has checked them.
 */

const ownPackage = 'imageanalysis.v1.';

/**
 * An option of something in a proto, as the types in `generated/` have its message; undefined where it is not given.
 * @param name with its package, but for our own options
 */
export function readOption<Message>(object: protobuf.ReflectionObject, name: string): Message | undefined {
  // One item per option, as written.
  const all = Object.assign({}, ...Object.values(object.parsedOptions ?? {})) as Readonly<Record<string, unknown>>;
  const given = all[`(${name})`] ?? all[`(${ownPackage}${name})`] ?? all[`(.${ownPackage}${name})`];
  return given === undefined ? undefined : toOption(object, name, given as Given);
}

/** The same, with the defaults of its members where it is not given. */
export function optionOf<Message>(object: protobuf.ReflectionObject, name: string): Message {
  return readOption(object, name) ?? toOption(object, name, {});
}

type Given = Readonly<Record<string, unknown>>;

function toOption<Message>({ root }: protobuf.ReflectionObject, name: string, given: Given): Message {
  const { resolvedType } = root.lookup(name.includes('.') ? name : ownPackage + name) as protobuf.Field;
  return readMessage(resolvedType as protobuf.Type, given) as Message;
}

function readMessage(type: protobuf.Type, given: Given): object {
  const members = type.fieldsArray.map((field) => [protobuf.util.camelCase(field.name), readMember(field, given)]);
  return Object.fromEntries(members) as object;
}

function readMember({ name, resolvedType, repeated, partOf, defaultValue }: protobuf.Field, given: Given): unknown {
  const value = given[name];
  const toItem = (item: unknown): unknown =>
    resolvedType instanceof protobuf.Type ? readMessage(resolvedType, item as Given) : item;
  if (repeated) return value === undefined ? [] : [value].flat().map(toItem);
  if (value !== undefined) return toItem(value);
  if (partOf !== null || resolvedType instanceof protobuf.Type) return undefined;
  return resolvedType === null ? defaultValue : resolvedType.valuesById[0];
}
