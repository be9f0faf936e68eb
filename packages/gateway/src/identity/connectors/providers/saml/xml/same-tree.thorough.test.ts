/** What our reader takes, the reader of the library must see in the same way: where they differ, one of them can be lied to. */
import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertionXml, responseXml } from '../../../../../../testing/connectors/saml-forge.ts';
import { readXml, type XmlElement, XmlRefused } from './read-xml.ts';

const RUNS = 4_000;
const parts = { acs: 'https://gate.example/acs', requestId: '_r', issuer: 'i', audience: 'a', now: 0 };
const answer = responseXml(assertionXml(parts), parts);

/** Each is a place where readers were found to differ, or might. */
const pieces = fc.constantFrom(
  ...[
    '<',
    '>',
    '/',
    '"',
    "'",
    '=',
    ':',
    ';',
    '&',
    ' ',
    '\n',
    '\t',
    '\r',
    '\r\n',
    'x',
    '-',
    '--',
    '<!',
    '<?',
    ']]',
    ']]>',
  ],
  ...[
    '&amp;',
    '&lt;',
    '&quot;',
    '&#65;',
    '&#x9;',
    '&#10;',
    '&#13;',
    '&#xFEFF;',
    '\u00a0',
    '\u200b',
    '\u00e9',
    '\u{1f600}',
    '\ufeff',
  ],
  ...[
    '<x/>',
    '<x>',
    '</x>',
    '</x >',
    '<a.b/>',
    '<a-b/>',
    '<_/>',
    '<__proto__/>',
    '<constructor/>',
    '<x\n\ty = "1"\n/>',
  ],
  ...[' a="1"', " a='&quot;'", ' x:y="1"', ' xml:id="q"', ' xml:lang="en"', ' __proto__="1"', ' xsi:type="x"'],
  ...[' xmlns=""', ' xmlns="urn:q"', ' xmlns:saml="urn:e"', '<saml:x a="b">t</saml:x>'],
);
const places = fc.constantFrom('anywhere', 'behind a tag', 'at the end of a tag', 'in a value');
const edits = fc.array(
  fc.tuple(fc.integer({ min: 0, max: answer.length - 1 }), places, pieces, fc.integer({ min: 0, max: 2 })),
  {
    minLength: 1,
    maxLength: 3,
  },
);

test('whatever is put into an answer, two readers see the same in it, or ours refuses it', () => {
  let taken = 0;

  fc.assert(
    fc.property(edits, (given) => {
      const xml = given.reduce((text, [at, place, piece, dropped]) => {
        const from = startOf(text, Math.min(at, text.length - 1), place);
        return `${text.slice(0, from)}${piece}${text.slice(from + dropped)}`;
      }, answer);
      const ours = readOrRefuse(xml);
      if (!ours) return;
      taken++;
      expect(readByLibrary(xml)).toEqual(ours);
    }),
    { numRuns: RUNS },
  );

  // What refuses everything agrees with everybody.
  expect(taken).toBeGreaterThan(RUNS / 50);
});

function startOf(text: string, at: number, place: string): number {
  const end = text.indexOf('>', at);
  if (place === 'behind a tag') return end + 1;
  if (place === 'at the end of a tag') return Math.max(0, text[end - 1] === '/' ? end - 1 : end);
  return place === 'in a value' ? text.indexOf('"', at) + 1 : at;
}

function readOrRefuse(xml: string): XmlElement | undefined {
  try {
    return readXml(xml, { comments: 'refused' });
  } catch (error) {
    if (error instanceof XmlRefused) return undefined;
    throw error;
  }
}

function readByLibrary(xml: string): XmlElement {
  const complain = (message: string) => {
    throw new Error(message);
  };
  const errorHandler = { warning: complain, error: complain, fatalError: complain };
  return treeOf(new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml').documentElement);
}

function treeOf(element: Element): XmlElement {
  const nodes = Array.from({ length: element.childNodes.length }, (_, index) => element.childNodes[index]!);
  return {
    local: element.localName,
    namespace: element.namespaceURI ?? '',
    attributes: Array.from({ length: element.attributes.length }, (_, index) => element.attributes[index]!)
      .filter(({ name, prefix }) => name !== 'xmlns' && prefix !== 'xmlns')
      .map(({ localName, namespaceURI, value }) => ({ local: localName, namespace: namespaceURI ?? '', value })),
    children: nodes.filter(({ nodeType }) => nodeType === 1).map((node) => treeOf(node as Element)),
    text: nodes.map((node) => (node.nodeType === 3 ? (node.nodeValue ?? '') : '')).join(''),
  };
}
