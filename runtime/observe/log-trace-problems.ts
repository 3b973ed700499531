import type { Logger } from 'pino';

const periodMs = 60_000;
/** Some, such as those with a count, differ each time. */
const maxPerPeriod = 10;

/** An error of the OpenTelemetry SDK, possibly from an export, or what it says without one. */
export type TraceProblem =
  string | { readonly message?: string | undefined; readonly code?: string | number | undefined };

/** Logs what goes wrong with traces: each problem once a minute, since every export of a few seconds may have it. */
export function logTraceProblems(log: Logger): (problem: TraceProblem) => void {
  const logged = new Set<string>();
  return (caught) => {
    // Not the whole error, which has the collector's response.
    const { message, code } = typeof caught === 'string' ? { message: caught } : caught;
    const key = `${message} ${code}`;
    if (logged.has(key) || logged.size === maxPerPeriod) return;
    if (logged.size === 0) setTimeout(() => logged.clear(), periodMs).unref();
    logged.add(key);
    log.warn({ problem: message, code }, 'problem with traces');
  };
}
