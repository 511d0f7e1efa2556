import type { OtlpTarget } from '../platform/telemetry/otlp-exporter.ts';
import type { TelemetrySettings } from '../platform/telemetry/tracer.ts';
import { ConfigError } from './config-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
const DEFAULT_DELAY_MS = 5_000;

/** Values are not printed: addresses and headers may have secrets. */
const refuse = (name: string, must: string): never => {
  throw new ConfigError(`${name} must be ${must}.`);
};

/** The standard variables of OpenTelemetry. Null if none of them names a collector. */
export function telemetrySettings(env: Environment): TelemetrySettings | null {
  const text = (name: string) => (env[name] === '' ? undefined : env[name]);
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const protocol = text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/json';
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT')?.replace(/\/+$/, '');

  const milliseconds = (name: string, byDefault: number) => {
    const value = Number(text(name) ?? byDefault);
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_MS)
      refuse(name, `a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`);
    return value;
  };
  const timeoutMs = milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT', DEFAULT_TIMEOUT_MS);
  const delayMs = milliseconds('OTEL_BSP_SCHEDULE_DELAY', DEFAULT_DELAY_MS);

  function targetOf(signal: 'traces' | 'logs'): OtlpTarget | null {
    const name = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
    const url = text(name) ?? (base === undefined ? undefined : `${base}/v1/${signal}`);
    if (url === undefined || text(`OTEL_${signal.toUpperCase()}_EXPORTER`) === 'none') return null;
    if (!isAddress(url))
      refuse(
        text(name) === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : name,
        'an http or https address without a user name or password; OTEL_EXPORTER_OTLP_HEADERS has those',
      );
    if (protocol !== 'http/json') refuse('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json, the only supported one');
    return { url, headers: headersOf(text('OTEL_EXPORTER_OTLP_HEADERS')), timeoutMs, delayMs };
  }

  const [traces, logs] = [targetOf('traces'), targetOf('logs')];
  if (traces === null && logs === null) return null;
  const resource = {
    'service.name': 'saldo',
    ...pairsOf('OTEL_RESOURCE_ATTRIBUTES', text('OTEL_RESOURCE_ATTRIBUTES')),
    ...(text('OTEL_SERVICE_NAME') === undefined
      ? {}
      : { 'service.name': text('OTEL_SERVICE_NAME') as string }),
  };
  return {
    traces,
    logs,
    resource,
    ratio: ratioOf(text('OTEL_TRACES_SAMPLER'), text('OTEL_TRACES_SAMPLER_ARG')),
  };
}

/** `fetch` sends no request to an address with a user name or password. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function headersOf(text: string | undefined): Record<string, string> {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = pairsOf(name, text);
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    return refuse(name, 'valid names and values of headers');
  }
}

/** `key=value` pairs, separated by commas and percent-encoded. */
function pairsOf(name: string, text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) refuse(name, 'pairs such as key=value, separated by commas');
      try {
        return [pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())];
      } catch {
        return refuse(name, 'percent-encoded');
      }
    }),
  );
}

/** The part of the traces without a parent that is recorded. The decision of a parent is always followed. */
function ratioOf(sampler: string | undefined, argument: string | undefined): number {
  if (sampler === undefined || sampler === 'parentbased_always_on') return 1;
  if (sampler === 'parentbased_always_off') return 0;
  if (sampler !== 'parentbased_traceidratio')
    refuse(
      'OTEL_TRACES_SAMPLER',
      'parentbased_always_on, parentbased_always_off or parentbased_traceidratio',
    );
  const ratio = Number(argument ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) refuse('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1');
  return ratio;
}
