import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { exitCodes } from '../../runtime/process/exit-codes.js';

type Option = NonNullable<ParseArgsConfig['options']>[string];
type Options = Readonly<Record<string, Option & { readonly wish?: string; readonly fits?: (text: string) => boolean }>>;

const takes = (wish: string, fits: (text: string) => boolean) => (usual: number | string) =>
  ({ type: 'string', default: String(usual), wish, fits }) as const;

/** An option that takes a number. */
export const number = takes('a number', (text) => /^\d+(\.\d+)?$/.test(text));
/** An option that takes a file. */
export const file = takes('a file that is there', existsSync);

/** Ends a program that was called in a wrong way. */
export function stop(mistake: string): never {
  process.stderr.write(`${mistake}\n`);
  process.exit(exitCodes.mistaken);
}

/** The options of a program. */
export function readOptions<const T extends Options>(options: T) {
  const { values } = parse(options);
  for (const [name, { wish, fits }] of Object.entries(options)) {
    const value = String((values as Record<string, unknown>)[name]);
    if (fits && !fits(value)) stop(`--${name} is "${value}", want ${wish}`);
  }
  return values;
}

function parse<const T extends Options>(options: T) {
  try {
    return parseArgs({ options });
  } catch (error) {
    return stop((error as Error).message);
  }
}
