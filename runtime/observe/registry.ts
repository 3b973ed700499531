import { Gauge, Registry } from 'prom-client';

/** Buckets for histograms of seconds: the time of a request or one of its steps. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A metrics registry for a process, labelled with what it is. */
export function createRegistry(component: 'core' | 'facade', version: string): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'imageanalysis_build_info',
    help: 'Always 1; the labels have the version.',
    labelNames: ['component', 'version', 'node'],
    registers: [registry],
  }).set({ component, version, node: process.versions.node }, 1);
  return registry;
}
