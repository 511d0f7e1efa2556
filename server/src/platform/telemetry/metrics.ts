import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** `read` is called at each scrape. */
  addGauge(name: string, help: string, read: () => number): void;
  /** The metrics in Prometheus's text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'saldo_start_time_seconds',
    help: 'When this process started.',
    registers: [registry],
  }).setToCurrentTime();
  const requests = new Histogram({
    name: 'saldo_http_request_seconds',
    help: 'Duration of requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  return {
    observeRequest: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    addGauge(name, help, read) {
      const collect = function (this: Gauge) {
        this.set(read());
      };
      registry.registerMetric(new Gauge({ name, help, collect, registers: [] }));
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/**
 * Merges the metrics of several workers. A label with the process id distinguishes their samples. The text format
 * requires all samples of a family to follow its one header.
 */
export function metricsOfWorkers(texts: readonly (readonly [pid: number, text: string])[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const [pid, text] of texts) {
    let family = { head: [] as string[], samples: [] as string[] };
    for (const line of text.split('\n')) {
      const head = /^# (HELP|TYPE) (\S+)/.exec(line);
      if (head) {
        const [, kind, name = ''] = head;
        family = families.get(name) ?? { head: [], samples: [] };
        families.set(name, family);
        if (!family.head.some((known) => known.startsWith(`# ${kind} `))) family.head.push(line);
      } else if (line !== '') {
        family.samples.push(
          line.replace(
            /^(\w+)(?:\{(.*)\})? /,
            (_all, name: string, labels?: string) => `${name}{worker="${pid}"${labels ? `,${labels}` : ''}} `,
          ),
        );
      }
    }
  }
  return `${[...families.values()].flatMap(({ head, samples }) => [...head, ...samples]).join('\n')}\n`;
}
