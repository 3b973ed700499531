import type protobuf from 'protobufjs';
import type { RestEnum } from '../../generated/imageanalysis/v1/rest.js';
import { optionOf } from './read-option.js';

/** The values of an enumeration by their names in the proto, which need a prefix there. */
export function shownValues(enumeration: protobuf.Enum): ReadonlyMap<string, string> {
  const { lowerCase: isLowerCase } = optionOf<RestEnum>(enumeration, 'rest_enum');
  const prefix = `${enumeration.name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_`;
  return new Map(
    Object.keys(enumeration.values).map((value) => {
      const short = value.replace(prefix, '');
      return [value, isLowerCase ? short.toLowerCase() : short];
    }),
  );
}
