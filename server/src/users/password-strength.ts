import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Minimum number of guesses. A word, a year and a special character together need about 100 million. */
const SUFFICIENT_GUESSES = 1e9;
/** Only this prefix is estimated, because the estimate takes up to 0.1 s for longer texts. */
const ESTIMATED_LENGTH = 64;

/** German and energy-market words, in addition to the common passwords that the package includes. */
const LOCAL_WORDS =
  'saldo passwort kennwort geheim willkommen hallo schatz frühling fruehling sommer herbst winter ' +
  'januar februar märz maerz april mai juni juli august september oktober november dezember ' +
  'montag dienstag mittwoch donnerstag freitag samstag sonntag deutschland berlin hamburg münchen muenchen köln koeln ' +
  'fussball fußball bayern borussia schalke strom energie bilanzkreis fahrplan windpark solarpark stadtwerke';

/** Personal data of the user, which an attacker would try first. */
type Owner = {
  readonly email: string;
  readonly name: string;
  readonly brp_name: string | null;
  readonly account_name: string | null;
};

let loading: Promise<ZxcvbnFactory> | null = null;

/** Lazy: the word lists take 30 MB, and most processes never check a new password. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const localWords = LOCAL_WORDS.split(' ');
  return new ZxcvbnFactory({
    dictionary: { ...dictionary, localWords },
    graphs: adjacencyGraphs,
    maxLength: ESTIMATED_LENGTH,
  });
}

/** Returns whether the password is guessable: common passwords, names, dates, patterns and their combinations. */
export async function isGuessable(password: string, owner: Owner): Promise<boolean> {
  loading ??= load();
  const estimator = await loading;
  const known = [owner.email, owner.name, owner.brp_name ?? '', owner.account_name ?? ''];
  const words = known
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word !== '');
  return estimator.check(password.normalize('NFKC'), words).guesses < SUFFICIENT_GUESSES;
}
