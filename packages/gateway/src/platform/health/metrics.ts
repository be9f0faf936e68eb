/** The numbers a gateway keeps about itself. One registry per gateway, so that two in one process never mix. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** By method, route pattern and status; never by address, which would grow without bound. */
  httpRequests: Counter<'method' | 'route' | 'status'>;
  httpDuration: Histogram<'method' | 'route'>;
  /** By the sort of connection that was closed for it. */
  containedErrors: Counter<'where'>;
  buildInfo: Gauge<'version' | 'node'>;
}

/** A number that is asked for when somebody looks. */
export function watchNumber(registry: Registry, { name, help, read }: WatchedNumber): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

interface WatchedNumber {
  name: string;
  help: string;
  read(): number;
}

export interface MetricsOptions {
  version: string;
  /** Memory, CPU, event loop and the like. `none` where many gateways share a process, as in tests. */
  processMetrics?: 'all' | 'none';
}

export function createMetrics({ version, processMetrics = 'all' }: MetricsOptions): {
  registry: Registry;
  metrics: Metrics;
} {
  const registry = new Registry();
  if (processMetrics === 'all') collectDefaultMetrics({ register: registry });
  const metrics: Metrics = {
    httpRequests: new Counter({
      name: 'gatehouse_http_requests_total',
      help: 'HTTP requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
    }),
    httpDuration: new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Time from a request to its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    containedErrors: new Counter({
      name: 'gatehouse_contained_errors_total',
      help: 'Errors nobody expected that closed the connection they came of; each is a bug worth a report.',
      labelNames: ['where'],
      registers: [registry],
    }),
    buildInfo: new Gauge({
      name: 'gatehouse_build_info',
      help: 'Always 1; the labels say what is running.',
      labelNames: ['version', 'node'],
      registers: [registry],
    }),
  };
  metrics.buildInfo.set({ version, node: process.versions.node }, 1);
  return { registry, metrics };
}
