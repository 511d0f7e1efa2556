/**
 * Every goal of the benchmark. A missed goal is a row of the table, never an error: timings depend on the machine. Only the
 * soak, which judges no timings, fails.
 */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

const atLeast = (number: number) => ({ atLeast: number });
const atMost = (number: number) => ({ atMost: number });

/** Without a unit: a ratio of CPU times, or of latencies where the name says so. */
export const GOALS = {
  page: atLeast(0.85),
  singleRecord: atLeast(0.8),
  pageAsOf: atMost(1.5),
  fastifyWithOrm: atLeast(5),
  postGraphile: atLeast(10),
  listOfSmallTenant: atMost(1.3),
  growth: atMost(1.2),
  growthOfSteepestPage: atMost(1.5),
  dearestPageMs: atMost(2),
  bytesOfTransaction: atMost(7),
  csvPerSecond: atLeast(1_000_000),
  ndjsonPerSecond: atLeast(1_600_000),
  events: atMost(1.1),
  ledger: atMost(1.1),
  series: atMost(2),
  correctedValueSeconds: atMost(2),
  exportCpuSeconds: atMost(1),
  exportMegabytes: atMost(60),
  stoppedReadersMegabytes: atMost(100),
  eventLagP99Ms: atMost(1000),
  webhookP99Ms: atMost(1000),
  webhooksBesideBadEndpoints: atMost(1.2),
  overloadDue: atLeast(1.9),
  overloadAnswered: atLeast(0.85),
  overloadP99Ms: atMost(2000),
  overloadFailed: atMost(0),
  overloadRecoveryMs: atMost(1000),
  overloadAfterwards: atLeast(0.9),
  /** Nothing beyond the noise of the machine. */
  slowSenders: atMost(1.1),
  slowSendersP99: atMost(1.2),
  memoryMegabytes: atMost(250),
  startCpuSeconds: atMost(3),
  nettingSeconds: atMost(0.5),
  exchangeSeconds: atMost(10),
  moveSeconds: atMost(3),
  moveP99OfOthers: atMost(1.5),
  /** Of a soak: the trend over its second half. */
  soakMegabytes: atMost(20),
  soakHandles: atMost(10),
} satisfies Record<string, Goal>;
