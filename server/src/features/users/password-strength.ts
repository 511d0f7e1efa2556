import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** How many guesses an attacker who knows the habits of people needs. A word, a year and a sign take 100 million. */
const SUFFICIENT_GUESSES = 1e9;
/** The estimate takes up to 0.1 s for longer texts. A password that is weak up to here is weak enough to be refused. */
const ESTIMATED_LENGTH = 64;

/** What passwords of German offices and of this trade begin with; the package knows the world's most common ones. */
const LOCAL_WORDS =
  'saldo passwort kennwort geheim willkommen hallo schatz frühling fruehling sommer herbst winter ' +
  'januar februar märz maerz april mai juni juli august september oktober november dezember ' +
  'montag dienstag mittwoch donnerstag freitag samstag sonntag deutschland berlin hamburg münchen muenchen köln koeln ' +
  'fussball fußball bayern borussia schalke strom energie bilanzkreis fahrplan windpark solarpark stadtwerke';

/** What is known of a user, and therefore tried first. */
type Owner = {
  readonly email: string;
  readonly name: string;
  readonly brp_name: string | null;
  readonly account_name: string | null;
};

let loading: Promise<ZxcvbnFactory> | null = null;

/** Loaded with the first new password: most processes never see one, and the word lists take 30 MB. */
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

/** Whether an attacker would soon come to this password: common ones, names, dates, patterns, and all of them together. */
export async function isGuessable(password: string, owner: Owner): Promise<boolean> {
  loading ??= load();
  const estimator = await loading;
  const known = [owner.email, owner.name, owner.brp_name ?? '', owner.account_name ?? ''];
  const words = known
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word !== '');
  return estimator.check(password.normalize('NFKC'), words).guesses < SUFFICIENT_GUESSES;
}
