import { isIP } from 'node:net';
import * as z from 'zod';
import { ConfigError } from '../errors/config-error.js';

export const wholeNumber = (smallest: number, largest: number) => {
  const wish = `want a whole number from ${smallest} to ${largest}`;
  const isInRange = (value: number): boolean => value >= smallest && value <= largest;
  return z.string().regex(/^\d+$/, wish).transform(Number).refine(isInRange, wish);
};

export const port = wholeNumber(0, 65_535);

/** An address to listen on. */
export const host = z
  .string()
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), 'want an address such as 0.0.0.0 or ::, or a host name')
  .default('127.0.0.1');

/** A score or a confidence, as finely as requests tell it. */
export const share = z
  .string()
  .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'want a number from 0 to 1 with at most 6 decimals')
  .transform(Number);

export const file = z.string().optional();

/** Off by default. */
export const flag = z
  .enum(['true', 'false'], 'want true or false')
  .default('false')
  .transform((text) => text === 'true');

/** The settings that every process has, under its own prefix. */
export const metricsPort = port
  .optional()
  .describe('Port for Prometheus metrics, at `/metrics`; off when unset, 0 picks a free port.');
export const metricsHost = host.describe('Address that the metrics port listens on; metrics need no key.');
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const logLevel = z
  .enum(logLevels, `want ${logLevels.slice(0, -1).join(', ')} or ${logLevels.at(-1)}`)
  .default('info')
  .describe('Lowest level that is logged.');

/** What the `meta` of a setting says. */
export interface SettingMeta {
  /** Whether its value must not appear in a message. */
  readonly secret?: boolean;
  /** Settings without which it is meaningless. */
  readonly needs?: readonly string[];
  /** What the documentation has as its default, where that is not a value of its own. */
  readonly shownDefault?: string;
}

/**
 * Reads settings from environment variables. An empty variable counts as unset.
 *
 * @param findMisfits finds settings that are valid on their own but not together; invalid ones are left out
 * @throws ConfigError naming every mistake: variable, value and wish
 */
export function readSettings<Shape extends z.ZodRawShape>(
  settings: z.ZodObject<Shape>,
  environment: Readonly<Record<string, string | undefined>>,
  findMisfits: (read: Partial<z.infer<z.ZodObject<Shape>>>) => Iterable<string> = () => [],
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const read: Record<string, unknown> = {};
  const mistakes = (Object.entries(settings.shape) as [string, z.ZodType][]).flatMap(([name, setting]) => {
    const { secret, needs = [] } = (setting.meta() ?? {}) as SettingMeta;
    const { data, error } = setting.safeParse(given[name]);
    if (data !== undefined) read[name] = data;
    const shown = secret ? 'set' : JSON.stringify(given[name]);
    const missing = name in given ? needs.filter((other) => !(other in given)) : [];
    return [
      ...(error?.issues ?? []).map(({ message }) => `${name} is ${shown}: ${message}`),
      ...missing.map((other) => `${name} is set: want ${other} too`),
    ];
  });
  const all = read as z.infer<z.ZodObject<Shape>>;
  mistakes.push(...findMisfits(all));
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return all;
}

/** Variables that Kubernetes sets in each pod for a Service whose name is the prefix. */
const ofKubernetes = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** Variables with the settings' prefix that are not settings: most likely mistyped. */
export function findUnknown(
  settings: z.ZodObject,
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith(prefix) && !(name in settings.shape) && !ofKubernetes.test(name),
  );
}
