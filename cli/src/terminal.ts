import type { Readable, Writable } from 'node:stream';
import type { Dependencies } from '@saldo/sdk';

type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All external dependencies of the command line; tests replace them. */
export type Terminal = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative file names are resolved against this folder. */
  readonly cwd: string;
  readonly home: string;
  /** The root of the checkout, if the command runs in one. */
  readonly checkout: URL;
  readonly signal: AbortSignal;
  /** Default: the real network and clock. */
  readonly dependencies?: Partial<Dependencies>;
};

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Style = (style: keyof typeof STYLES, text: string) => string;

/** Colours are used on terminals only, and not if NO_COLOR is set. */
export function styleFor(output: Output, env: Terminal['env']): Style {
  const wanted = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  if (!wanted) return (_, text) => text;
  return (style, text) => `\u001b[${STYLES[style][0]}m${text}\u001b[${STYLES[style][1]}m`;
}

/** Names are untrusted input: control characters are escaped so that they cannot control the terminal. */
export const harmless = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

export const write = (output: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });
