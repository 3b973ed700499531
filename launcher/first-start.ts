/** Shown once: the store keeps hashes only. */
export interface DemoCredentials {
  readonly apiKey: string;
  readonly company: string;
  readonly password: string;
}

/** Runs the admin command with these arguments and gives what it printed as JSON. */
export type RunAdmin = (args: readonly string[]) => Promise<unknown>;

const label = 'demo';
const company = 'demo';

/**
 * Registers a demo company and an API key in a store that never had a key.
 *
 * The key comes last and is what marks a store as used, so that a start that was interrupted
 * between the two is made good by the next.
 *
 * @returns the credentials, or undefined when this is not the first start.
 */
export async function registerDemoOnFirstStart(
  runAdmin: RunAdmin,
): Promise<DemoCredentials | undefined> {
  const keys = (await runAdmin(['keys', 'list'])) as readonly unknown[];
  if (keys.length > 0) return undefined;

  const companies = (await runAdmin(['companies', 'list'])) as readonly { name: string }[];
  const action = companies.some(({ name }) => name === company) ? 'set-password' : 'create';
  const { password } = (await runAdmin(['companies', action, company])) as { password: string };
  const { key } = (await runAdmin(['keys', 'create', '--label', label])) as { key: string };
  return { apiKey: key, company, password };
}
