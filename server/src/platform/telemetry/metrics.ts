import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

type AddMetric = (name: string, help: string, read: () => number) => void;
type AddLabelledMetric = (
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number>>,
) => void;

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /**
   * Adds a counter and returns the function that increments it. All `samples` begin at 0: the first increase of a sample that
   * did not exist before would not be seen.
   */
  addCounts<L extends Readonly<Record<string, string>>>(
    name: string,
    help: string,
    samples: readonly L[],
  ): (sample: L) => void;
  /** `read` is called at each scrape. */
  readonly addGauge: AddMetric;
  /** A gauge with a sample per value of its label. */
  readonly addLabelledGauge: AddLabelledMetric;
  /** A counter, whose value only grows. `read` is called at each scrape. */
  readonly addCounter: AddMetric;
  /** A counter with a sample per value of its label. */
  readonly addLabelledCounter: AddLabelledMetric;
  /** Runs `refresh` at each scrape, before gauges and counters are read. */
  beforeScrape(refresh: () => Promise<void>): void;
  /** The metrics in Prometheus's text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests per bucket. The last count is the bucket `+Inf`. */
type Durations = { readonly counts: number[]; sum: number };

/**
 * A histogram of request durations. The histogram of prom-client sorts and joins the labels of every observation: with
 * it and pino's own batching of the log, a single read took a fifth more CPU time.
 */
function requestHistogram(name: string, help: string) {
  const byRoute = new Map<string, Map<string, Durations>>();

  function durationsOf(method: string, route: string, status: number): Durations {
    let ofRoute = byRoute.get(route);
    if (!ofRoute) byRoute.set(route, (ofRoute = new Map()));
    const labels = `${method} ${status}`;
    let durations = ofRoute.get(labels);
    if (!durations) ofRoute.set(labels, (durations = { counts: BUCKETS_S.map(() => 0).concat(0), sum: 0 }));
    return durations;
  }

  function* lines(): Generator<string> {
    yield `# HELP ${name} ${help}`;
    yield `# TYPE ${name} histogram`;
    for (const [route, ofRoute] of byRoute) {
      for (const [key, { counts, sum }] of ofRoute) {
        const [method, status] = key.split(' ');
        const labels = `method="${method}",route="${route}",status="${status}"`;
        let upTo = 0;
        for (const [at, count] of counts.entries()) {
          upTo += count;
          yield `${name}_bucket{le="${BUCKETS_S[at] ?? '+Inf'}",${labels}} ${upTo}`;
        }
        yield `${name}_sum{${labels}} ${sum}`;
        yield `${name}_count{${labels}} ${upTo}`;
      }
    }
  }

  return {
    observe(method: string, route: string, status: number, seconds: number): void {
      const durations = durationsOf(method, route, status);
      let at = 0;
      while (at < BUCKETS_S.length && seconds > BUCKETS_S[at]!) at++;
      durations.counts[at]!++;
      durations.sum += seconds;
    },
    text: () => `${[...lines()].join('\n')}\n`,
  };
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges with the suffix of counters, which checks of the format report.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const refreshes: (() => Promise<void>)[] = [];
  const requests = requestHistogram(
    'saldo_http_request_seconds',
    'Duration of requests by method, route and status.',
  );
  return {
    observeRequest: requests.observe,
    addCounts(name, help, samples) {
      const counter = new Counter({ name, help, labelNames: Object.keys(samples[0] ?? {}), registers: [] });
      for (const sample of samples) counter.inc(sample, 0);
      registry.registerMetric(counter);
      return (sample) => counter.inc(sample);
    },
    addGauge(name, help, read) {
      const collect = function (this: Gauge) {
        this.set(read());
      };
      registry.registerMetric(new Gauge({ name, help, collect, registers: [] }));
    },
    addLabelledGauge(name, help, label, read) {
      const collect = function (this: Gauge) {
        this.reset();
        for (const [value, number] of Object.entries(read())) this.set({ [label]: value }, number);
      };
      registry.registerMetric(new Gauge({ name, help, labelNames: [label], collect, registers: [] }));
    },
    addCounter(name, help, read) {
      const collect = function (this: Counter) {
        this.reset();
        this.inc(read());
      };
      registry.registerMetric(new Counter({ name, help, collect, registers: [] }));
    },
    addLabelledCounter(name, help, label, read) {
      const collect = function (this: Counter) {
        this.reset();
        for (const [value, number] of Object.entries(read())) this.inc({ [label]: value }, number);
      };
      registry.registerMetric(new Counter({ name, help, labelNames: [label], collect, registers: [] }));
    },
    beforeScrape: (refresh) => void refreshes.push(refresh),
    async text() {
      await Promise.all(refreshes.map((refresh) => refresh()));
      return `${await registry.metrics()}\n${requests.text()}`;
    },
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
        family = families.getOrInsert(name, { head: [], samples: [] });
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
