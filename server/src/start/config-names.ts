type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, and the names of all variables that were read from it. */
export function recordNames(environment: Environment): { env: Environment; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const env = new Proxy(environment, {
    get(target, name) {
      if (typeof name === 'string') names.add(name);
      return Reflect.get(target, name);
    },
  });
  return { env, names };
}

/** One line for each variable whose name is nearly that of a setting. Values may be secrets and are not shown. */
export const describeMisspelled = (environment: Environment, settings: ReadonlySet<string>): string[] =>
  Object.keys(environment).flatMap((name) => {
    if (settings.has(name)) return [];
    const meant = [...settings].find((setting) => isNearly(plain(name), plain(setting)));
    return meant === undefined
      ? []
      : [`${name} is not a setting of Saldo and has no effect. ${meant} is one.`];
  });

const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Short names such as HOST differ by one letter from variables of other programs. */
const MIN_LENGTH = 5;

/** Whether at most one character was added, left out or replaced, or two neighbours were exchanged. */
function isNearly(one: string, other: string): boolean {
  if (one === other) return true;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  const isExchanged =
    rest.slice(0, 2) === `${otherRest[1]}${otherRest[0]}` && rest.slice(2) === otherRest.slice(2);
  if (isExchanged) return true;
  if (Math.min(one.length, other.length) < MIN_LENGTH) return false;
  return rest.slice(1) === otherRest.slice(1) || rest.slice(1) === otherRest || rest === otherRest.slice(1);
}
