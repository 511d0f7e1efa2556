import type { UploadProgress } from '@saldo/sdk';
import type { Terminal } from './terminal.ts';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `12.3 MB`. */
function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

/** One line of progress: amount, share and speed. */
function progressLine({ bytes, totalBytes }: UploadProgress, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? `${bytesText(Math.round((bytes / elapsedMs) * 1000))}/s` : '';
  if (totalBytes === null) return `${bytesText(bytes)}  ${rate}`;
  const part = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const filled = Math.round(part * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const state = part === 1 ? 'sent, waiting for the answer' : rate;
  return `${bar} ${percent}  ${bytesText(bytes)} of ${bytesText(totalBytes)}  ${state}`;
}

/** A progress bar for terminals; prints nothing to files and pipes. */
export function progressBar({ stderr }: Terminal, totalBytes: number | null, now: () => number = Date.now) {
  const startedAt = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  const clear = '\r\u001b[2K';
  return {
    update({ bytes }: UploadProgress): void {
      const isEnd = bytes === totalBytes;
      if (!stderr.isTTY || (!isEnd && now() - drawnAt < REDRAW_MS)) return;
      drawnAt = now();
      stderr.write(clear + progressLine({ bytes, totalBytes }, now() - startedAt));
    },
    clear(): void {
      if (stderr.isTTY) stderr.write(clear);
    },
  };
}
