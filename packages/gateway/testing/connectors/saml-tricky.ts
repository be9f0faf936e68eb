/** XML that readers understand differently, or not in time. Signed first: the signature must not be what stops it. */
import { type AnswerParts, assertionXml, attributeXml, responseXml, signed } from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';
import type { ForgedAnswer } from './saml-wrapped.ts';

export function trickyXml(parts: AnswerParts, idp: SamlKeys): ForgedAnswer[] {
  const sign = (change: Partial<AnswerParts>) =>
    responseXml(signed(assertionXml({ ...parts, ...change }), '_assertion', { keys: idp }), parts);
  const good = sign({});
  const doctype = (inner: string) => `<!DOCTYPE r [${inner}]>${good}`;
  const deep = '<x>'.repeat(60_000 / 7);
  const manyPrefixes = Array.from({ length: 40 }, (_, depth) => {
    const declared = Array.from({ length: 60 }, (__, at) => ` xmlns:p${depth * 60 + at}="u"`);
    return `<a${declared.join('')}>`;
  }).join('');

  return [
    { name: 'a comment in NameID', xml: sign({ nameId: 'admin<!-- -->@evil.example' }), why: /a comment/ },
    {
      name: 'a comment added to NameID after signing',
      xml: good.replace('ann-0001', 'ann<!-- -->-0001'),
      why: /a comment/,
    },
    {
      name: 'a comment in an attribute',
      xml: sign({ attributes: attributeXml('groups', 'admins<!---->.evil') }),
      why: /a comment/,
    },
    { name: 'a comment before the root', xml: `<!-- x -->${good}`, why: /a comment/ },
    { name: 'CDATA in NameID', xml: good.replace('ann-0001', '<![CDATA[ann-0001]]>'), why: /CDATA/ },
    { name: 'CDATA in an attribute', xml: good.replace('>staff<', '><![CDATA[staff]]><'), why: /CDATA/ },
    {
      name: 'a processing instruction in NameID',
      xml: sign({ nameId: 'admin<?x y?>@evil.example' }),
      why: /processing instruction/,
    },
    { name: 'an element in NameID', xml: sign({ nameId: 'admin<x/>@evil.example' }), why: /NameID holds elements/ },
    { name: 'a DOCTYPE', xml: doctype(''), why: /DOCTYPE/ },
    { name: 'a DOCTYPE in lower case', xml: `<!doctype r>${good}`, why: /not plain XML/ },
    {
      name: 'an outside entity',
      xml: doctype('<!ENTITY x SYSTEM "file:///etc/passwd">').replace('ann-0001', '&x;'),
      why: /DOCTYPE/,
    },
    { name: 'an outside DTD', xml: `<!DOCTYPE r SYSTEM "https://evil.example/x.dtd">${good}`, why: /DOCTYPE/ },
    {
      name: 'entities of entities',
      xml: doctype('<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">'),
      why: /DOCTYPE/,
    },
    {
      name: 'an entity nobody declared',
      xml: good.replace('ann-0001', '&admin;'),
      why: /'&admin;', which is no plain character/,
    },
    {
      name: 'a reference to a character that is none',
      xml: good.replace('ann-0001', 'ann&#0;'),
      why: /no plain character/,
    },
    { name: 'a NUL', xml: good.replace('ann-0001', 'ann\u0000'), why: /characters that XML does not have/ },
    { name: 'a line separator', xml: good.replace('ann-0001', 'ann\u2028'), why: /characters that XML does not have/ },
    { name: 'a byte order mark', xml: `\ufeff${good}`, why: /text outside its root/ },
    { name: 'text behind the root', xml: `${good}x`, why: /text outside its root/ },
    { name: 'another encoding', xml: `<?xml version="1.0" encoding="UTF-7"?>${good}`, why: /processing instruction/ },
    { name: 'XML 1.1', xml: `<?xml version="1.1"?>${good}`, why: /processing instruction/ },
    {
      name: 'an attribute twice',
      xml: good.replace('Version="2.0"', 'Version="2.0" Version="2.0"'),
      why: /same attribute twice/,
    },
    {
      name: 'an attribute twice, by two prefixes',
      xml: good.replace('<samlp:Status>', '<samlp:Status xmlns:a="urn:x" xmlns:b="urn:x" a:y="1" b:y="2">'),
      why: /same attribute twice/,
    },
    {
      name: 'an undeclared prefix',
      xml: good.replace('<samlp:Status>', '<samlp:Status x:y="1">'),
      why: /without declaring it/,
    },
    {
      name: 'xml declared anew',
      xml: good.replace('<samlp:Status>', '<samlp:Status xmlns:xml="urn:x">'),
      why: /declares the prefix 'xml' anew/,
    },
    { name: 'a tag that does not end', xml: good.slice(0, -5), why: /not plain XML|ends before/ },
    {
      name: 'space in a closing tag, which the library takes for another end',
      xml: good.replace('</saml:NameID>', '</saml:NameID >'),
      why: /not plain XML/,
    },
    { name: 'tags that cross', xml: good.replace('</saml:Subject>', '</saml:NameID>'), why: /closes nothing/ },
    { name: 'an attribute without quotes', xml: good.replace('Version="2.0"', 'Version=2.0'), why: /not plain XML/ },
    { name: 'very deep XML', xml: responseXml(`${deep}${'</x>'.repeat(60_000 / 7)}`, parts), why: /nested more than/ },
    {
      name: 'very many attributes',
      xml: good.replace(
        '<samlp:Status>',
        `<samlp:Status ${Array.from({ length: 200 }, (_, at) => `a${at}="x"`).join(' ')}>`,
      ),
      why: /more than 64 attributes/,
    },
    {
      name: 'very many elements',
      xml: good.replace('>staff<', `>${'<a/>'.repeat(60_000)}<`),
      why: /more than 10000 elements, attributes and texts: let the provider/,
    },
    {
      name: 'very many prefixes, copied very often',
      xml: good.replace('>staff<', `>${manyPrefixes}${'<a xmlns:b="c"/>'.repeat(12_000)}${'</a>'.repeat(40)}<`),
      why: /more than 64 prefixes/,
    },
    {
      name: 'more than 256 KiB',
      xml: good.replace(
        '</samlp:Status>',
        `<samlp:StatusMessage>${'x'.repeat(256 * 1024)}</samlp:StatusMessage></samlp:Status>`,
      ),
      why: /larger than 256 KiB/,
    },
    { name: 'much more than 256 KiB', xml: 'x'.repeat(480 * 1024), why: /larger than 256 KiB/ },
    { name: 'no XML', xml: 'hello', why: /text outside its root/ },
    { name: 'nothing', xml: '', why: /no SAMLResponse/ },
  ];
}
