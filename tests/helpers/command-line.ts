import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { exitCodes } from '../../runtime/process/exit-codes.js';

type Option = NonNullable<ParseArgsConfig['options']>[string];
type Options = Readonly<Record<string, Option & { readonly wish?: string; readonly fits?: (text: string) => boolean }>>;

const takes = (wish: string, fits: (text: string) => boolean, usual: string) =>
  ({ type: 'string', default: usual, wish, fits }) as const;

/** An option that takes a whole number. @param least so that a check of nothing does not pass */
export const number = (usual: number, least: number) =>
  takes(`a whole number from ${least} on`, (text) => /^\d+$/.test(text) && Number(text) >= least, String(usual));
/** An option that takes a file. */
export const file = (usual: string) => takes('a file that is there', existsSync, usual);

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
