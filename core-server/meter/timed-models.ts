import type { Model } from '../inference/sessions.js';

/** The same models; the milliseconds of their runs, by the clock, are added up in `timings` under their names. */
export function timedModels<Name extends string>(
  models: Readonly<Record<Name, Pick<Model, 'run'>>>,
  timings: Partial<Record<Name, number>>,
  now: () => number,
): Record<Name, Pick<Model, 'run'>> {
  const timed = Object.entries<Pick<Model, 'run'>>(models).map(([name, model]) => [
    name,
    {
      async run(feeds: Parameters<Model['run']>[0]) {
        const start = now();
        const outputs = await model.run(feeds);
        timings[name as Name] = (timings[name as Name] ?? 0) + now() - start;
        return outputs;
      },
    },
  ]);
  return Object.fromEntries(timed) as Record<Name, Pick<Model, 'run'>>;
}
