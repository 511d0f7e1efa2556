import { readFileSync } from 'node:fs';

/** An invalid environment variable. The message is one line for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The content of the file that the setting `name` gives. */
export function fileOf(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError(`${name} must be the path of a file that can be read, but it was "${file}".`);
  }
}
