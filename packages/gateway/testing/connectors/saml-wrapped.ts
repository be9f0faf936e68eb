/** Answers in which a signature holds, and somebody else's words stand where a careless reader would look: signature wrapping in its known forms. */
import { type AnswerParts, assertionXml, cut, DS, responseXml, SAML, SAMLP, signed } from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';

export interface ForgedAnswer {
  name: string;
  xml: string;
  /** What the reason must say. */
  why: RegExp;
}

const DOUBLED = /assertions, \d of them in their place|another Response/;

export function wrappedAnswers(parts: AnswerParts, keys: SamlKeys): ForgedAnswer[] {
  const good = signed(assertionXml(parts), '_assertion', { keys });
  const signature = cut(good, 'Signature');
  const bare = good.replace(signature, '');
  const evil = assertionXml({ ...parts, assertionId: '_evil', nameId: 'admin' });
  const twin = assertionXml({ ...parts, nameId: 'admin' });
  const whole = signed(responseXml(good, parts), '_response', { keys });
  const wholeSignature = cut(whole, 'Signature');
  const bareWhole = whole.replace(wholeSignature, '');
  const evilWhole = (inner: string) =>
    afterIssuer(responseXml(evil, { ...parts, responseId: '_evil_response' }), inner);
  const wrap = (inner: string) => responseXml(inner, parts);
  const objectIn = (inner: string) =>
    signature.replace('</ds:Signature>', `<ds:Object>${inner}</ds:Object></ds:Signature>`);

  return [
    {
      name: 'XSW1: the signed Response inside the signature of a forged one',
      xml: evilWhole(wholeSignature.replace('</ds:Signature>', `${bareWhole}</ds:Signature>`)),
      why: DOUBLED,
    },
    {
      name: 'XSW2: the signed Response beside its signature in a forged one',
      xml: evilWhole(`${bareWhole}${wholeSignature}`),
      why: DOUBLED,
    },
    { name: 'XSW3: a forged assertion before the signed one', xml: wrap(`${evil}${good}`), why: DOUBLED },
    { name: 'XSW3 turned: a forged assertion behind the signed one', xml: wrap(`${good}${evil}`), why: DOUBLED },
    { name: 'XSW4: the signed assertion inside a forged one', xml: wrap(inside(evil, good)), why: DOUBLED },
    {
      name: 'XSW5: the signature in a forged assertion, what it signed behind',
      xml: wrap(`${afterIssuer(evil, signature)}${bare}`),
      why: DOUBLED,
    },
    {
      name: 'XSW6: what was signed inside the signature of a forged assertion',
      xml: wrap(afterIssuer(evil, signature.replace('</ds:Signature>', `${bare}</ds:Signature>`))),
      why: DOUBLED,
    },
    {
      name: 'XSW7: a forged assertion in Extensions',
      xml: responseXml(good, { ...parts, before: `<samlp:Extensions>${evil}</samlp:Extensions>` }),
      why: DOUBLED,
    },
    {
      name: 'XSW7 turned: the signed assertion in Extensions',
      xml: responseXml(evil, { ...parts, before: `<samlp:Extensions>${good}</samlp:Extensions>` }),
      why: DOUBLED,
    },
    {
      name: 'XSW8: what was signed in an Object of a forged assertion',
      xml: wrap(afterIssuer(evil, objectIn(bare))),
      why: DOUBLED,
    },
    {
      name: 'a forged assertion in an Object of the true signature',
      xml: wrap(afterIssuer(bare, objectIn(evil))),
      why: DOUBLED,
    },
    {
      name: 'a forged assertion in an attribute of the signed one',
      xml: wrap(good.replace('>staff<', `>${evil}<`)),
      why: DOUBLED,
    },
    { name: 'a forged assertion of no namespace', xml: wrap(`${good}<Assertion ID="_evil"/>`), why: DOUBLED },
    {
      name: 'a forged assertion of another namespace',
      xml: wrap(`<x:Assertion xmlns:x="urn:x" ID="_evil"/>${good}`),
      why: DOUBLED,
    },
    {
      name: 'a forged assertion under the prefix of the true one',
      xml: wrap(`<x:Extra xmlns:x="urn:x" xmlns:saml="urn:evil"><saml:Assertion ID="_e"/></x:Extra>${good}`),
      why: DOUBLED,
    },
    {
      name: 'the true assertion not directly in the Response',
      xml: wrap(`<samlp:Extensions>${good}</samlp:Extensions>`),
      why: DOUBLED,
    },
    {
      name: 'an encrypted assertion beside the signed one',
      xml: wrap(`${good}<saml:EncryptedAssertion/>`),
      why: DOUBLED,
    },
    { name: 'two assertions of one ID', xml: wrap(`${good}${twin}`), why: DOUBLED },
    { name: 'two roots', xml: `${wrap(good)}${wrap(evil)}`, why: /more than one root/ },
    { name: 'a forged assertion behind the root', xml: `${wrap(good)}${evil}`, why: /more than one root/ },
    {
      name: 'a Response around the Response',
      xml: `<samlp:Response xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="_outer">${wrap(good)}</samlp:Response>`,
      why: /another Response/,
    },
    { name: 'a bare assertion', xml: good, why: /'Assertion', not a SAML Response/ },
    {
      name: 'another element with the ID of the assertion',
      xml: responseXml(good, { ...parts, before: '<samlp:Extensions><x ID="_assertion"/></samlp:Extensions>' }),
      why: /two elements .* have the ID '_assertion'/,
    },
    {
      name: 'the ID again, written Id',
      xml: responseXml(good, { ...parts, before: '<samlp:Extensions><x Id="_assertion"/></samlp:Extensions>' }),
      why: /two elements .* have the ID/,
    },
    {
      name: 'the ID again, written id',
      xml: responseXml(good, { ...parts, before: '<samlp:Extensions><x id="_assertion"/></samlp:Extensions>' }),
      why: /two elements .* have the ID/,
    },
    {
      name: 'the ID again, written xml:id',
      xml: responseXml(good, { ...parts, before: '<samlp:Extensions><x xml:id="_assertion"/></samlp:Extensions>' }),
      why: /two elements .* have the ID/,
    },
    {
      name: 'an assertion with ID and Id',
      xml: wrap(
        twin
          .replace('ID="_assertion"', 'ID="_other" Id="_assertion"')
          .replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
      ),
      why: /more than one ID/,
    },
    {
      name: 'an assertion with Id in place of ID',
      xml: wrap(good.replace('ID="_assertion"', 'Id="_assertion"')),
      why: /has no ID/,
    },
    {
      name: 'the signature of an assertion on the Response',
      xml: afterIssuer(wrap(twin), signature),
      why: /is about '#_assertion', not about the Response/,
    },
    {
      name: 'a signature about the Response on the assertion',
      xml: wrap(afterIssuer(twin, wholeSignature)),
      why: /is about '#_response', not about the Assertion/,
    },
    {
      name: 'a signature about the whole document',
      xml: wrap(good.replace('URI="#_assertion"', 'URI=""')),
      why: /is about '', not about/,
    },
    {
      name: 'a signature about nothing',
      xml: wrap(good.replace(' URI="#_assertion"', '')),
      why: /is about nothing, not about/,
    },
    {
      name: 'a signature about a file elsewhere',
      xml: wrap(good.replace('URI="#_assertion"', 'URI="https://evil.example/x"')),
      why: /not about the Assertion/,
    },
    {
      name: 'a signature by XPointer',
      xml: wrap(good.replace('URI="#_assertion"', `URI="#xpointer(id('_assertion'))"`)),
      why: /not about the Assertion/,
    },
    {
      name: 'a signed Response around a foreign assertion',
      xml: whole.replace(cut(whole, 'Assertion'), evil),
      why: /the assertion is not signed/,
    },
    {
      name: 'a Response with a signature of somebody else',
      xml: whole
        .replace(
          wholeSignature,
          cut(signed(responseXml(good, parts).replace('_request', '_other'), '_response', { keys }), 'Signature'),
        )
        .replace('Destination=', 'Consent="x" Destination='),
      why: /signature of the answer does not fit/,
    },
    { name: 'two signatures on the assertion', xml: wrap(afterIssuer(good, signature)), why: /has two signatures/ },
    { name: 'two signatures on the Response', xml: afterIssuer(whole, wholeSignature), why: /has two signatures/ },
    {
      name: 'a signature below the subject',
      xml: wrap(good.replace('</saml:Subject>', `${signature}</saml:Subject>`)),
      why: /'Signature' where no signature belongs/,
    },
    {
      name: 'a signature of another namespace',
      xml: wrap(bare.replace('</saml:Issuer>', `</saml:Issuer>${signature.replaceAll(DS, 'urn:not-a-signature')}`)),
      why: /not one of XML signatures/,
    },
    {
      name: 'a logout in the place of a sign-in',
      xml: wrap(good).replaceAll('samlp:Response', 'samlp:LogoutResponse'),
      why: /'LogoutResponse', not a SAML Response/,
    },
    {
      name: 'a Response of another namespace',
      xml: wrap(good).replaceAll(SAMLP, 'urn:oasis:names:tc:SAML:1.0:protocol'),
      why: /not a SAML Response/,
    },
  ];
}

export function afterIssuer(xml: string, more: string): string {
  return xml.replace('</saml:Issuer>', `</saml:Issuer>${more}`);
}

function inside(outer: string, inner: string): string {
  return outer.replace('</saml:Assertion>', `${inner}</saml:Assertion>`);
}
