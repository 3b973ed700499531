import protobuf from 'protobufjs';

/*
 * protobufjs parses options from the text of a proto, but never checks them against their message. A repeated member
 * given once is not an array; an absent member is absent; an enum value is its name; the key is the option's name as
 * written. Here they are checked strictly, since a misspelt member would otherwise be silently ignored.
 */

const ownPackage = 'imageanalysis.v1.';

/**
 * An option of something in a proto, as the types in `generated/` have its message; undefined where it is not given.
 * @param name with its package, but for our own options
 * @throws Error, in words for whoever wrote the proto
 */
export function readOption<Message>(object: protobuf.ReflectionObject, name: string): Message | undefined {
  // One item per option, as written.
  const all = Object.assign({}, ...Object.values(object.parsedOptions ?? {})) as Readonly<Record<string, unknown>>;
  const given = all[`(${name})`] ?? all[`(${ownPackage}${name})`] ?? all[`(.${ownPackage}${name})`];
  return given === undefined ? undefined : toOption(object, name, given);
}

/** The same, with the defaults of its members where it is not given. */
export function optionOf<Message>(object: protobuf.ReflectionObject, name: string): Message {
  return readOption(object, name) ?? toOption(object, name, {});
}

/**
 * Checks the members of an option.
 * @param object what has the option
 */
export function toOption<Message>(object: protobuf.ReflectionObject, name: string, given: unknown): Message {
  const { root } = object;
  const { resolvedType } = root.lookup(name.includes('.') ? name : ownPackage + name) as protobuf.Field;
  try {
    return readMessage(resolvedType as protobuf.Type, given, []) as Message;
  } catch (error) {
    throw new Error(`${object.fullName.slice(1)}: option ${name}: ${(error as Error).message}`, { cause: error });
  }
}

type Path = readonly (string | number)[];

function readMessage(type: protobuf.Type, given: unknown, path: Path): object {
  if (typeof given !== 'object' || given === null) throw mistake(path, given, type.name);
  const stranger = Object.keys(given).find((name) => type.fields[name] === undefined);
  if (stranger !== undefined) throw new Error(`${type.name} has no member "${stranger}"`);
  const members = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    type.fieldsArray.map((field) => {
      const { name } = field;
      return [protobuf.util.camelCase(name), readMember(field, members[name], [...path, name])];
    }),
  );
}

function readMember(field: protobuf.Field, given: unknown, path: Path): unknown {
  if (field.repeated)
    return given === undefined ? [] : [given].flat().map((item, at) => readItem(field, item, [...path, at]));
  if (given !== undefined) return readItem(field, given, path);
  const { resolvedType } = field;
  if (field.partOf !== null || resolvedType instanceof protobuf.Type) return undefined;
  return resolvedType === null ? field.defaultValue : resolvedType.valuesById[0];
}

function readItem({ resolvedType, type }: protobuf.Field, given: unknown, path: Path): unknown {
  if (resolvedType instanceof protobuf.Type) return readMessage(resolvedType, given, path);
  const defaults: Readonly<Record<string, unknown>> = protobuf.types.defaults;
  const isValid = resolvedType === null ? typeof given === typeof defaults[type] : String(given) in resolvedType.values;
  if (!isValid) throw mistake(path, given, type);
  return given;
}

function mistake(path: Path, given: unknown, wish: string): Error {
  return new Error(`${path.join('.')} is ${JSON.stringify(given)}, want ${wish}`);
}
