/** Progress of a long command: one changing line on a terminal, a new line at intervals elsewhere. */

type Output = { readonly isTTY?: boolean; write(text: string): unknown };

export type Progress = {
  /** Starts the next step. A total of zero means unknown. */
  start(label: string, total: number): void;
  /** `done` has the unit of the step's total. */
  add(step: { done: number; rows?: number; bytes: number }): void;
  /** Clears the progress line, so that other output can follow. */
  stop(): void;
};

const REDRAW_MS = 200;
const LINE_EVERY_MS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

export const formatCount = (count: number): string => count.toLocaleString('en-US');

export const secondsSince = (startedAt: number): string => ((Date.now() - startedAt) / 1000).toFixed(1);

export function createProgress(output: Output, now: () => number = Date.now): Progress {
  const isTerminal = output.isTTY === true;
  let [label, total, done, rows, bytes] = ['', 0, 0, 0, 0];
  let [startedAt, writtenAt] = [0, 0];

  const write = (text: string) => {
    writtenAt = now();
    output.write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
  };
  const describe = () => {
    const seconds = (now() - startedAt) / 1000;
    return [
      // The total may be an estimate, so do not show 100 % before the step ends.
      ...(total > 0 ? [`${Math.min(99, Math.floor((done / total) * 100))} %`] : []),
      ...(rows > 0 ? [`${formatCount(rows)} rows`] : []),
      ...(bytes > 0 ? [formatBytes(bytes)] : []),
      ...(bytes > 0 && seconds > 0 ? [`${formatBytes(Math.round(bytes / seconds))}/s`] : []),
    ].join(', ');
  };
  return {
    start(nextLabel, nextTotal) {
      [label, total, done, rows, bytes, startedAt] = [nextLabel, nextTotal, 0, 0, 0, now()];
      write(`${label}…`);
    },
    add(step) {
      done += step.done;
      rows += step.rows ?? 0;
      bytes += step.bytes;
      if (now() - writtenAt >= (isTerminal ? REDRAW_MS : LINE_EVERY_MS)) write(`${label}: ${describe()}`);
    },
    stop() {
      if (isTerminal) output.write(CLEAR_LINE);
    },
  };
}
