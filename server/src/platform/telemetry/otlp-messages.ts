/** OTLP in its JSON encoding: ids in hexadecimal, 64-bit numbers as text. */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Attributes;
};

/** A line of the log, and the trace that it belongs to. */
export type LogRecord = {
  readonly line: string;
  readonly traceId: string | null;
  readonly spanId: string | null;
};

const SPAN_KINDS = { server: 2, client: 3 };
const STATUS_ERROR = 2;
const SCOPE = { name: 'saldo' };

/** Nanoseconds since 1970. They do not fit into a number. */
const nanoseconds = (ms: number): string =>
  `${Math.floor(ms)}${String(Math.floor((ms % 1) * 1e6)).padStart(6, '0')}`;

const valueOf = (value: unknown) => {
  if (typeof value === 'boolean') return { boolValue: value };
  if (Number.isInteger(value)) return { intValue: String(value) };
  if (typeof value === 'number') return { doubleValue: value };
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) };
};
const attributesOf = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

export const tracesMessage = (resource: Attributes, spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [
        {
          scope: SCOPE,
          spans: spans.map((span) => ({
            traceId: span.traceId,
            spanId: span.spanId,
            ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
            name: span.name,
            kind: SPAN_KINDS[span.kind],
            startTimeUnixNano: nanoseconds(span.startMs),
            endTimeUnixNano: nanoseconds(span.endMs),
            attributes: attributesOf(span.attributes),
            status: span.isError ? { code: STATUS_ERROR } : {},
          })),
        },
      ],
    },
  ],
});

/** From pino's levels to the first severity number of the same name. */
const SEVERITIES: Readonly<Record<number, readonly [number, string]>> = {
  10: [1, 'TRACE'],
  20: [5, 'DEBUG'],
  30: [9, 'INFO'],
  40: [13, 'WARN'],
  50: [17, 'ERROR'],
  60: [21, 'FATAL'],
};

function logRecord({ line, traceId, spanId }: LogRecord) {
  const { level, time, msg, ...members } = JSON.parse(line) as {
    level: number;
    time: number;
    msg?: string;
  } & Record<string, unknown>;
  const [severityNumber, severityText] = SEVERITIES[level] ?? [9, 'INFO'];
  return {
    timeUnixNano: nanoseconds(time),
    severityNumber,
    severityText,
    body: { stringValue: msg ?? '' },
    attributes: attributesOf(members),
    ...(traceId === null ? {} : { traceId }),
    ...(spanId === null ? {} : { spanId }),
  };
}

export const logsMessage = (resource: Attributes, records: readonly LogRecord[]) => ({
  resourceLogs: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeLogs: [{ scope: SCOPE, logRecords: records.map(logRecord) }],
    },
  ],
});
