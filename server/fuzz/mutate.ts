import type { Random } from '../faults/random.ts';

/** Pieces that attack a reader of XML, or that are wrong in an interesting way. `LISTENER` is an address of ours. */
const INSERTS = [
  '<!DOCTYPE x SYSTEM "http://LISTENER/x.dtd">',
  '<!DOCTYPE x [<!ENTITY a SYSTEM "http://LISTENER/a">]>',
  '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://LISTENER/p"> %p;]>',
  '<!DOCTYPE x PUBLIC "-//X" "http://LISTENER/x.dtd">',
  '<?xml-stylesheet href="http://LISTENER/x.xsl"?>',
  '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="http://LISTENER/"/>',
  'xsi:schemaLocation="http://LISTENER/ http://LISTENER/x.xsd"',
  '&a;',
  '&lt;',
  '&#49;',
  '&#x0;',
  '<![CDATA[1.000]]>',
  '<!-- 1.000 -->',
  '<!--',
  '\ufeff',
  '\u0000',
  '\u2028',
  '-1.000',
  '1e9',
  '0x10',
  '1,5',
  '1.0005',
  '99999999999999999999',
  'NaN',
  'A99',
  'codingScheme="A10"',
  '<a>'.repeat(50),
  ' '.repeat(70_000),
  'x'.repeat(3000),
];
const NUMBER = /\d+\.\d{3}/g;
const ELEMENT = /<(\w[\w.]*)[^<>]*(?:\/>|>[^<>]*<\/\1>)\n?/g;

type Mutation = (document: string, random: Random) => string;

const cut = (text: string, from: number, to: number, replacement = '') =>
  text.slice(0, from) + replacement + text.slice(to);

/** Replaces one of the matches. */
function replaceOne(
  document: string,
  form: RegExp,
  random: Random,
  replace: (found: string) => string,
): string {
  const found = [...document.matchAll(form)];
  if (found.length === 0) return document;
  const { 0: text, index } = random.pick(found);
  return cut(document, index, index + text.length, replace(text));
}

const changeNumber: Mutation = (document, random) => {
  const thousandths = String(random.integer(0, 999)).padStart(3, '0');
  return replaceOne(document, NUMBER, random, () => `${random.integer(0, 5000)}.${thousandths}`);
};
const changeCode: Mutation = (document, random) => {
  const code = `A${String(random.integer(0, 99)).padStart(2, '0')}`;
  return replaceOne(document, /A\d\d/g, random, () => code);
};

const MUTATIONS: readonly Mutation[] = [
  // One character becomes another.
  (document, random) => {
    const at = random.integer(0, Math.max(0, document.length - 1));
    return cut(document, at, at + 1, String.fromCharCode(32 + random.integer(0, 94)));
  },
  // A part is missing, or doubled, or elsewhere.
  (document, random) => {
    const at = random.integer(0, Math.max(0, document.length - 1));
    return cut(document, at, at + 1 + random.integer(0, 199));
  },
  (document, random) => {
    const at = random.integer(0, Math.max(0, document.length - 1));
    const part = document.slice(at, at + 1 + random.integer(0, 199));
    return cut(document, at, at, part);
  },
  (document, random) => document.slice(0, random.integer(0, Math.max(0, document.length - 1))),
  // An element is missing, or doubled, or another one.
  (document, random) => replaceOne(document, ELEMENT, random, () => ''),
  (document, random) => replaceOne(document, ELEMENT, random, (found) => found + found),
  (document, random) => {
    const [other = ''] = random.pick([...document.matchAll(ELEMENT), ['']]);
    return replaceOne(document, ELEMENT, random, () => other);
  },
  // Another value. These leave most documents valid, so they are more frequent than the others.
  ...Array.from({ length: 6 }, () => changeNumber),
  ...Array.from({ length: 3 }, () => changeCode),
  (document, random) =>
    replaceOne(document, /(?<=")[^"<>]{1,40}(?=")|(?<=>)[^<>\s]{1,40}(?=<)/g, random, () =>
      random.pick(INSERTS),
    ),
  // A hostile piece, between elements or anywhere.
  (document, random) => replaceOne(document, /\n/g, random, () => `\n${random.pick(INSERTS)}\n`),
  (document, random) => {
    const at = random.integer(0, Math.max(0, document.length - 1));
    return cut(document, at, at, random.pick(INSERTS));
  },
];

/** A document with one to three mutations, as bytes. Some leave it valid. */
export function mutate(document: string, random: Random, listener: string): Buffer {
  let text = document;
  const count = random.pick([1, 1, 1, 1, 2, 3]);
  for (let done = 0; done < count; done++) text = random.pick(MUTATIONS)(text, random);
  const bytes = Buffer.from(text.replaceAll('LISTENER', listener));
  // Bytes that are no UTF-8.
  if (random.integer(0, 19) === 0 && bytes.length > 0)
    bytes[random.integer(0, Math.max(0, bytes.length - 1))] = 128 + random.integer(0, 127);
  return bytes;
}
