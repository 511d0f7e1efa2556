const KEYWORDS = new Set(['from', 'import', 'class', 'global', 'is', 'in', 'not', 'or', 'and', 'with', 'as']);

export const isKeyword = (name: string): boolean => KEYWORDS.has(name);

/** The name of a parameter in Python, which has keywords of its own. */
export const pythonParameter = (name: string): string => (isKeyword(name) ? `${name}_` : name);

const snake = (name: string) =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** The name of an operation in its own API: `operatorListEvents` and `listMarketEvents` are `list_events`. */
export const pythonMethod = (id: string): string =>
  snake(id.replace(/^(?:operator|market)(?=[A-Z])/, '').replace(/(?<=[a-z])Market(?=[A-Z])/, ''));
