import type { UploadProgress } from '@saldo/sdk';
import type { Terminal } from './terminal.ts';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `12.3 MB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

const rateText = (bytes: number, elapsedMs: number) =>
  elapsedMs > 0 ? `${bytesText(Math.round((bytes / elapsedMs) * 1000))}/s` : '';

function barText(part: number): string {
  const filled = Math.round(part * BAR_WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${`${Math.floor(part * 100)}%`.padStart(4)}`;
}

/** One line of progress: amount, share and speed. */
function uploadLine({ bytes, totalBytes }: UploadProgress, elapsedMs: number): string {
  const rate = rateText(bytes, elapsedMs);
  if (totalBytes === null) return `${bytesText(bytes)}  ${rate}`;
  const part = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const state = part === 1 ? 'sent, waiting for the answer' : rate;
  return `${barText(part)}  ${bytesText(bytes)} of ${bytesText(totalBytes)}  ${state}`;
}

/** The size of an export is unknown, so its share is that of its delivery days, where the format shows them. */
export type DownloadProgress = { readonly bytes: number; readonly part: number | null };

function downloadLine({ bytes, part }: DownloadProgress, elapsedMs: number): string {
  const amount = `${bytesText(bytes)}  ${rateText(bytes, elapsedMs)}`;
  return part === null ? amount : `${barText(part)}  ${amount}`;
}

/** Draws a line again and again on a terminal; prints nothing to files and pipes. */
function redrawn<T>(
  { stderr }: Terminal,
  lineOf: (progress: T, elapsedMs: number) => string,
  now = Date.now,
) {
  const startedAt = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  const clear = '\r\u001b[2K';
  return {
    update(progress: T, isEnd = false): void {
      if (!stderr.isTTY || (!isEnd && now() - drawnAt < REDRAW_MS)) return;
      drawnAt = now();
      stderr.write(clear + lineOf(progress, now() - startedAt));
    },
    clear(): void {
      if (stderr.isTTY) stderr.write(clear);
    },
  };
}

export function progressBar(terminal: Terminal, totalBytes: number | null) {
  const line = redrawn(terminal, uploadLine);
  const update = ({ bytes }: UploadProgress) => line.update({ bytes, totalBytes }, bytes === totalBytes);
  return { ...line, update };
}

export const downloadBar = (terminal: Terminal) => redrawn(terminal, downloadLine);
