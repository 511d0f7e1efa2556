/** The command was not given as it must be: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
