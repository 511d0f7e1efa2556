/** Set by `npm run test:all`. */
export const LONG_VARIABLE = 'SALDO_LONG_RUNS';

/** Whether tests take the time for every look and every run. */
export const isLong = process.env[LONG_VARIABLE] === '1';

/** The number of runs of a property test: a fifth of `all` in `npm test`, all of them in `npm run test:all`. */
export const runs = (all: number): number => (isLong ? all : Math.ceil(all / 5));
