import { Badge, type Tone } from '../ui/badge.tsx';

const toneOf = (status: number): Tone =>
  status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'neutral' : 'ok';

/** The HTTP status of an answer. */
export function StatusBadge({ status }: { status: number }) {
  return <Badge tone={toneOf(status)}>{String(status)}</Badge>;
}
