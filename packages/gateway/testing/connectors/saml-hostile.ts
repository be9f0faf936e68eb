/** Documents that are written to be dear: as long and as many-sided as an answer may be. Each is signed by the provider, and changed afterwards. */
import { type AnswerParts, assertionXml, responseXml, signed } from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';

export interface HostileAnswer {
  name: string;
  xml: string;
}

const times = (length: number, piece: (at: number) => string) => Array.from({ length }, (_, at) => piece(at)).join('');

/** As much of each as the bounds of answers leave room for. */
export function dearAnswers(parts: AnswerParts, keys: SamlKeys): HostileAnswer[] {
  return Object.entries({
    'many elements': '<a/>'.repeat(2_430),
    'many elements and texts': 'text<a/>'.repeat(2_430),
    'many values with types': `<saml:AttributeValue t="x"> x</saml:AttributeValue>\n`.repeat(2_400),
    'many attributes': times(150, () => `<a ${times(63, (at) => `a${at}="" `)}/>`),
    'attributes on every element': '<a b="" c="" d=""/>'.repeat(2_420),
    'many declarations of prefixes': times(160, () => `<a ${times(58, (at) => `xmlns:n${at}="u:${at}" `)}/>`),
    'declarations that are used': times(80, () => `<a ${times(30, (at) => `xmlns:n${at}="u:${at}" n${at}:b="" `)}/>`),
    'deep nesting': times(60, () => `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`),
    'deep nesting with declarations': times(
      60,
      () => `${times(40, (at) => `<a xmlns:n${at}="u:${at}">`)}${'</a>'.repeat(40)}`,
    ),
    'many references': '<a URI="#_assertion"/>'.repeat(2_420),
    'many entities': `<a>${'&amp;'.repeat(48_000)}</a>`,
  }).map(([name, inside]) => ({ name, xml: changed(parts, keys, inside) }));
}

/** Whoever has one answer of the provider can put its signature under anything. */
function changed(parts: AnswerParts, keys: SamlKeys, inside: string): string {
  const attributes = (content: string) => `<saml:Attribute Name="groups">${content}</saml:Attribute>`;
  const honest = signed(assertionXml({ ...parts, attributes: attributes('') }), '_assertion', { keys });
  const forged = honest.replace(/<saml:Attribute Name="groups"\/?>(?:<\/saml:Attribute>)?/, () => attributes(inside));
  return responseXml(forged, parts);
}

/** What stays below the bounds of length, and above one of those of nodes. */
export function overfullAnswers(parts: AnswerParts, keys: SamlKeys): HostileAnswer[] {
  return Object.entries({
    elements: '<a/>'.repeat(2_600),
    attributes: times(170, () => `<a ${times(63, (at) => `a${at}="" `)}/>`),
    declarations: times(180, () => `<a ${times(60, (at) => `xmlns:n${at}="" `).replaceAll('=""', '="u"')}/>`),
    'attributes of many elements': '<a b="" c="" d="" e=""/>'.repeat(2_100),
    texts: 'x<a b="" c=""/>'.repeat(2_480),
  }).map(([name, inside]) => ({ name, xml: changed(parts, keys, inside) }));
}
