import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** In Prometheus's text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'saldo_http_request_seconds',
    help: 'How long requests took, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  new Gauge({
    name: 'saldo_start_time_seconds',
    help: 'When this process started.',
    registers: [registry],
  }).setToCurrentTime();
  return {
    observeRequest: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
