import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** For histograms of seconds: the time of a request or one of its steps. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A metrics registry for a process, labelled with what it is, and what makes metrics in it. */
export function createRegistry(component: 'core' | 'facade', version: string) {
  const registry = new Registry();
  const common = (name: string, help: string) => ({ name: `imageanalysis_${name}`, help, registers: [registry] });
  new Gauge({
    ...common('build_info', 'Always 1; the labels have the version.'),
    labelNames: ['component', 'version', 'node'],
  }).set({ component, version, node: process.versions.node }, 1);
  return {
    registry,
    /** What every metric of prom-client needs. */
    common,
    counter: <Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Counter({ ...common(name, help), labelNames }),
    histogram: <Label extends string>(name: string, help: string, labelNames: Label[], buckets = secondsBuckets) =>
      new Histogram({ ...common(name, help), labelNames, buckets }),
    /** @param read called for each scrape */
    gauge: (name: string, help: string, read: () => number) =>
      new Gauge({
        ...common(name, help),
        collect() {
          this.set(read());
        },
      }),
  };
}
