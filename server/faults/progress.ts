/** The time at which the program started. */
export const startedAt = Date.now();

/** Prints a line of progress with the seconds since the start. */
export const log = (message: string): void => {
  const seconds = (Date.now() - startedAt) / 1000;
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${message}\n`);
};
