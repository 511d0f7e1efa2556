import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/runs.ts';
import { formatMessage } from '../../messages/message.ts';
import { escapeXml, placeOf, readXml, XML_LIMITS, type XmlElement, XmlFault } from './xml.ts';

type Tree = { name: string; attributes: [string, string][]; children: Tree[]; text: string };

/** Generated records have the usual prototype, as those of the reader do. */
const PLAIN = { noNullPrototype: true } as const;

const anyName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/);
const anyValue = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').trim());
const anyAttributes = fc.uniqueArray(fc.tuple(anyName, anyValue), {
  maxLength: 3,
  selector: ([name]) => name,
});
const { tree: anyTree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { name: anyName, attributes: anyAttributes, children: fc.constant<Tree[]>([]), text: anyValue },
      PLAIN,
    ),
    fc.record(
      {
        name: anyName,
        attributes: anyAttributes,
        children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
        text: fc.constant(''),
      },
      PLAIN,
    ),
  ),
}));
const anyGap = fc.constantFrom('', '\n', ' \t', '\r\n  ', '<!-- a < b & c -->', ' <!---->\n');

/** Elements as other programs may write them: with either quotation mark, spaces and comments wherever allowed. */
function print({ name, attributes, children, text }: Tree, gap: string): string {
  const quote = gap === '' ? '"' : "'";
  const attributeText = attributes
    .map(([key, value]) => ` ${key}=${quote}${escapeXml(value)}${quote}`)
    .join('');
  if (children.length === 0 && text === '') return `<${name}${attributeText}/>`;
  const content = children.map((child) => gap + print(child, gap)).join('');
  return `<${name}${attributeText}>${escapeXml(text)}${content}${gap}</${name}>`;
}

function plain({ name, attributes, children, text }: XmlElement): Tree {
  return { name, attributes: [...attributes], children: children.map(plain), text };
}

function read(text: string): Tree {
  const [root, ...children] = [...readXml(text)];
  return { ...plain(root!), children: children.map(plain) };
}

function faultOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof XmlFault, String(error));
    return formatMessage(error.fault, 'en');
  }
  return 'none';
}

const anyDocument = fc.record(
  {
    name: anyName,
    attributes: anyAttributes,
    children: fc.array(anyTree, { maxLength: 4 }),
    text: fc.constant(''),
  },
  PLAIN,
);

test('a document is read as written, with any white space and comments', () => {
  fc.assert(
    fc.property(anyDocument, anyGap, (document, gap) => {
      const text = `<?xml version="1.0" encoding="UTF-8"?>${gap}${print(document, gap)}${gap}`;
      assert.deepEqual(read(text), document);
    }),
    { numRuns: runs(500) },
  );
});

test('a truncated document is rejected', () => {
  fc.assert(
    fc.property(anyDocument, fc.nat(), (document, cut) => {
      const text = print(document, '');
      assert.throws(() => read(text.slice(0, cut % text.length)), XmlFault);
    }),
    { numRuns: runs(500) },
  );
});

test('any input is read as a document or rejected with its place', () => {
  const anySyntax = fc.constantFrom(
    '<',
    '>',
    '/',
    '&',
    ';',
    '"',
    "'",
    '=',
    '!',
    '?',
    '-',
    '[',
    ']',
    '\0',
    ' ',
    'a',
  );
  fc.assert(
    fc.property(anyDocument, fc.nat(), fc.nat(5), fc.array(anySyntax), (document, at, gone, put) => {
      const text = print(document, '\n');
      const from = at % text.length;
      const broken = text.slice(0, from) + put.join('') + text.slice(from + gone);
      try {
        read(broken);
      } catch (error) {
        assert.ok(error instanceof XmlFault, String(error));
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('a document type declaration without internal subset is skipped', () => {
  for (const declaration of [
    '<!DOCTYPE r>',
    '<!DOCTYPE another-name>',
    '<!DOCTYPE r SYSTEM "../scheduleV2r3/dtd/confirmation-xml.dtd">',
    "<!DOCTYPE\n r\tSYSTEM  'http://127.0.0.1:1/x.dtd' >",
    '<!DOCTYPE r PUBLIC "-//ENTSO-E//DTD" "file:///etc/passwd">',
    '<!DOCTYPE r SYSTEM "[internal]">',
    '<!-- before --><!DOCTYPE r><!-- after -->\n',
  ]) {
    for (const prolog of ['', '<?xml version="1.0" encoding="UTF-8"?>\n']) {
      const [root, child, ...more] = [...readXml(`${prolog}${declaration}<r><a v="1"/></r>`)];
      assert.deepEqual([root?.name, child?.attributes.get('v'), more], ['r', '1', []], declaration);
    }
  }
});

test('dangerous features of XML are rejected by name', () => {
  const bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>';
  const refused: [string, RegExp][] = [
    [bomb, /malformed or has an internal subset/],
    ['<!DOCTYPE r []><r/>', /malformed or has an internal subset/],
    ['<!DOCTYPE r SYSTEM "x.dtd" [<!ENTITY % p SYSTEM "y"> %p;]><r/>', /internal subset/],
    ['<!DOCTYPE r SYSTEM><r/>', /malformed/],
    ['<!DOCTYPE r PUBLIC "-//X"><r/>', /malformed/],
    ['<!DOCTYPE r SYSTEM "x.dtd\'><r/>', /malformed/],
    ['<!DOCTYPE><r/>', /malformed/],
    [`<!DOCTYPE r SYSTEM "${'x'.repeat(501)}"><r/>`, /malformed/],
    ['<!DOCTYPE r><!DOCTYPE r><r/>', /stands once/],
    ['<r><!DOCTYPE x></r>', /stands once, before the first element/],
    ['<r/><!DOCTYPE r>', /stands once, before the first element/],
    ['<!doctype r><r/>', /Declarations/],
    ['<!ENTITY a "b"><r/>', /Declarations/],
    ['<r><a>&b;</a></r>', /entity "&b;"/],
    ['<r><a v="&constructor;"/></r>', /entity/],
    ['<r><a>&#0;</a></r>', /begins no character/],
    ['<r><a>&#xD800;</a></r>', /begins no character/],
    ['<r><a>&#1114112;</a></r>', /begins no character/],
    ['<r><a>a & b</a></r>', /begins no character/],
    ['<r><a>&#8;</a></r>', /character that XML does not allow/],
    ['<r><a>\u0000</a></r>', /character that XML does not allow/],
    ['<?php echo 1 ?><r/>', /Processing instructions/],
    ['<r><?go?></r>', /Processing instructions/],
    ['<r><a><![CDATA[x]]></a></r>', /CDATA/],
  ];
  for (const [text, expected] of refused) assert.match(faultOf(text), expected, text);
});

test('text that is no XML is rejected with the reason', () => {
  const refused: [string, RegExp][] = [
    ['', /empty/],
    ['  \n', /empty/],
    ['{"a": 1}', /should be an element/],
    ['<r>', /cut off/],
    ['<r><a/>', /cut off/],
    ['<r><a>x', /cut off/],
    ['<r></s>', /r is closed by "s"/],
    ['<r><a></b></r>', /a is closed by "b"/],
    ['<r/><r/>', /follows after the end/],
    ['<r/>garbage', /follows after the end/],
    ['<r>text</r>', /should be an element/],
    ['<r><a>text<b/></a></r>', /both elements and the text "text"/],
    ['<r a="1" a="2"/>', /"a" of r stands twice/],
    ['<r a=1/>', /malformed/],
    ['<r a/>', /malformed/],
    ['<r a="<"/>', /"<" within an attribute/],
    ['<r a="1/>', /attribute "a" of r is cut off/],
    ['<r a="1"b="2"/>', /malformed/],
    ['<r><!-- a -- b --></r>', /holds "--"/],
    ['<r><!-- a', /comment does not end/],
    ['<?xml version="1.1"?><r/>', /version must be 1.0/],
    [
      '<?xml version="1.0" encoding="ISO-8859-7"?><r/>',
      /encoding "ISO-8859-7"; it must be UTF-8 or ISO-8859-1/,
    ],
    ['<r><?xml-stylesheet href="a.xsl"?></r>', /Processing instructions/],
    ['<r/><?xml-stylesheet href="a.xsl"?>', /Processing instructions/],
    ['<?xml-stylesheet><r/>', /Processing instructions/],
    [`<?xml-stylesheet ${'?'.repeat(600)}?><r/>`, /Processing instructions/],
    [' <?xml version="1.0"?><r/>', /Processing instructions/],
    ['<p:r xmlns:p="u"><a/></p:r>', /"a" is not of the document's namespace/],
  ];
  for (const [text, expected] of refused) assert.match(faultOf(text), expected, text);
});

test('all sizes are limited', () => {
  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  assert.equal(faultOf(nested(XML_LIMITS.depth)), 'none');
  assert.match(faultOf(nested(XML_LIMITS.depth + 1)), /deeper than 8 levels/);
  assert.match(faultOf(nested(1_000_000)), /deeper than 8 levels/);
  const value = 'x'.repeat(XML_LIMITS.valueLength);
  assert.equal(faultOf(`<r><a v="${value}">${value}</a></r>`), 'none');
  assert.match(faultOf(`<r><a v="${value}x"/></r>`), /longer than 2000 characters/);
  assert.match(faultOf(`<r><a>${value}x</a></r>`), /longer than 2000 characters/);
  assert.match(faultOf(`<${'n'.repeat(101)}/>`), /longer than 100 characters/);
  const space = ' '.repeat(XML_LIMITS.gapLength + 1);
  assert.match(faultOf(`${space}<r/>`), /too much space/);
  assert.match(faultOf(`<r>${space}</r>`), /too much space/);
  assert.match(faultOf(`<r><a>${space}</a></r>`), /longer than/);
  assert.match(faultOf(`<r><!--${space}--></r>`), /comment does not end/);
  assert.match(faultOf(`<r${space}/>`), /malformed/);
  assert.match(faultOf(`<r>${'<!---->'.repeat(XML_LIMITS.gapLength / 7 + 1)}</r>`), /too much space/);
  assert.match(faultOf(`<r><a>${'<b/>'.repeat(XML_LIMITS.partLength / 4)}</a></r>`), /One part .* longer/);
  assert.match(faultOf(`<r><a>${'<!---->'.repeat(XML_LIMITS.partLength)}</a></r>`), /One part .* longer/);
  // A backtracking regular expression would take hours for this.
  assert.match(faultOf(`<?xml${' '.repeat(4_000_000)}`), /declaration is malformed/);
  const attributes = Array.from({ length: XML_LIMITS.attributes + 1 }, (_, at) => ` a${at}="1"`).join('');
  assert.match(faultOf(`<r${attributes}/>`), /too many attributes/);
});

test('style sheets before the root are skipped', () => {
  const sheet = "<?xml-stylesheet type='text/xsl' href='http://127.0.0.1:1/a?b=1&amp;c=2'?>";
  for (const text of [
    `${sheet}<r/>`,
    `<?xml version="1.0"?>\n${sheet}\n<!-- a -->${sheet}<r/>`,
    `<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE r SYSTEM "r.dtd">${sheet}<r/>`,
  ])
    assert.equal(faultOf(text), 'none', text);
});

test('a document with a prefix is the same document', () => {
  assert.deepEqual(read('<n:r xmlns:n="u"><n:a>1</n:a></n:r>').children[0]?.name, 'a');
});

test('a place has line and column', () => {
  assert.deepEqual(placeOf('<r>\n  <a', 6), { line: 2, column: 3 });
  assert.deepEqual(placeOf('<r', 0), { line: 1, column: 1 });
});
