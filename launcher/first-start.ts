/** Shown once: the store keeps hashes only. */
export interface DemoCredentials {
  readonly apiKey: string;
  readonly company: string;
  readonly password: string;
}

/** Runs the admin command with these arguments and returns the JSON that it prints. */
export type RunAdmin = (args: readonly string[]) => Promise<unknown>;

const label = 'demo';
const company = 'demo';

/**
 * Registers a demo company and an API key, for a store that never had a key.
 *
 * The key comes last and marks the store as used, so that if a start is interrupted between the two,
 * the next one completes it.
 */
export async function registerDemo(runAdmin: RunAdmin): Promise<DemoCredentials> {
  const companies = (await runAdmin(['companies', 'list'])) as readonly { name: string }[];
  const action = companies.some(({ name }) => name === company) ? 'set-password' : 'create';
  const { password } = (await runAdmin(['companies', action, company])) as { password: string };
  const { key } = (await runAdmin(['keys', 'create', '--label', label])) as { key: string };
  return { apiKey: key, company, password };
}
