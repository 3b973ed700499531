import { ConfigError } from '../runtime/settings/read-settings.js';
import { trimKey } from '../sdk/typescript/trim-key.js';

/**
 * Reads the key from the variable APIKEY. It never appears in a message.
 *
 * @throws ConfigError if there is none, or one that cannot be sent
 */
export function readKey(environment: Readonly<NodeJS.ProcessEnv>): string {
  let key: string;
  try {
    key = trimKey('APIKEY', environment['APIKEY'] ?? '');
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  if (key === '') throw new ConfigError('APIKEY is not set, want an API key of the service');
  return key;
}
