import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { exitCodes } from '../../runtime/process/exit-codes.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Ends a program that was called in a wrong way. */
export function stop(mistake: string): never {
  process.stderr.write(`${mistake}\n`);
  process.exit(exitCodes.mistaken);
}

/** The options of a program; where one has a number or a picture by default, it must be one. */
export function readOptions<const T extends Options>(options: T) {
  const { values } = parse(options);
  for (const [name, { default: usual }] of Object.entries(options)) {
    const value = String((values as Record<string, unknown>)[name]);
    if (typeof usual !== 'string') continue;
    if (isNumber(usual) && !isNumber(value)) stop(`--${name} is "${value}", want a number`);
    if (usual.endsWith('.jpg') && !existsSync(value)) stop(`--${name} is "${value}", want a file that is there`);
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

function isNumber(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}
