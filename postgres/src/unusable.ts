/** The database cannot be used as it is. The message is for the operator: the fact first, then the remedy. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable';
}
