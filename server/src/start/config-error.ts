import { readFileSync } from 'node:fs';

/** An invalid environment variable. The message is one line for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const SECRET = /KEY|URL/;
const PUBLIC = ['BASE_URL', 'CUSTOMER_BASE_URL'];

export function refuse(name: string, must: string, was: string): never {
  // Never print keys, nor URLs that may contain passwords.
  const printed =
    SECRET.test(name) && !PUBLIC.includes(name) ? `a value of ${was.length} characters` : `"${was}"`;
  throw new ConfigError(`${name} must be ${must}, but it was ${printed}.`);
}

export function refuseAlone(name: string, other: string): never {
  throw new ConfigError(`${name} must be set together with ${other}, which is not set.`);
}

/** The content of the file that the setting `name` gives. */
export function fileOf(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError(`${name} must be the path of a file that can be read, but it was "${file}".`);
  }
}
