/** Mistakes in the configuration or on a command line, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
