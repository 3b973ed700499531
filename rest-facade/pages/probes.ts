/** Pages that an orchestrator asks for every few seconds. */
export const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz']);
