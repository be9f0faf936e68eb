/** Forged answers under encryption: whoever has our certificate, and everybody has, can encrypt what they like for us. */
import { promisify } from 'node:util';
import { encrypt } from 'xml-encryption';
import { type AnswerParts, assertionXml, cut, responseXml, signed } from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';
import { afterIssuer, type ForgedAnswer } from './saml-wrapped.ts';

const XENC = 'http://www.w3.org/2001/04/xmlenc#';

export interface EncryptionOptions {
  data?:
    | 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
    | 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'
    | 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc';
  key?: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' | 'http://www.w3.org/2001/04/xmlenc#rsa-1_5';
}

/** As an EncryptedAssertion. */
export async function encryptedFor(
  recipient: SamlKeys,
  xml: string,
  { data = 'http://www.w3.org/2009/xmlenc11#aes256-gcm', key = `${XENC}rsa-oaep-mgf1p` }: EncryptionOptions = {},
): Promise<string> {
  const encrypted = await promisify(encrypt)(xml, {
    rsa_pub: recipient.cert,
    pem: recipient.cert,
    encryptionAlgorithm: data,
    keyEncryptionAlgorithm: key,
    warnInsecureAlgorithm: false,
  });
  return `<saml:EncryptedAssertion>${encrypted}</saml:EncryptedAssertion>`;
}

export async function encryptedAnswers(parts: AnswerParts, idp: SamlKeys, ours: SamlKeys): Promise<ForgedAnswer[]> {
  const good = signed(assertionXml(parts), '_assertion', { keys: idp });
  const evil = assertionXml({ ...parts, assertionId: '_evil', nameId: 'admin' });
  const wrap = async (inner: string, options?: EncryptionOptions) =>
    responseXml(await encryptedFor(ours, inner, options), parts);
  const hidden = await encryptedFor(ours, good);
  const key = cut(hidden, 'EncryptedKey');

  return [
    { name: 'an encrypted assertion that nobody signed', xml: await wrap(evil), why: /the assertion is not signed/ },
    {
      name: 'an encrypted assertion in a signed Response, itself not signed',
      xml: signed(await wrap(evil), '_response', { keys: idp }),
      why: /the assertion is not signed/,
    },
    {
      name: 'an encrypted assertion that was changed',
      xml: await wrap(good.replace('ann-0001', 'admin')),
      why: /does not fit the certificate/,
    },
    {
      name: 'a changed name in an encrypted assertion, in a Response that somebody else signed',
      xml: signed(await wrap(good.replace('ann-0001', 'admin')), '_response', { keys: ours }),
      why: /does not fit the certificate/,
    },
    { name: 'two assertions in one encryption', xml: await wrap(`${good}${evil}`), why: /more than one root/ },
    {
      name: 'a forged assertion around the signed one, encrypted',
      xml: await wrap(evil.replace('</saml:Assertion>', `${good}</saml:Assertion>`)),
      why: /not exactly one assertion/,
    },
    {
      name: 'a signature about another assertion, encrypted',
      xml: await wrap(afterIssuer(evil, cut(good, 'Signature'))),
      why: /is about '#_assertion'/,
    },
    {
      name: 'a comment in an encrypted NameID',
      xml: await wrap(good.replace('ann-0001', 'ann<!-- -->-0001')),
      why: /decrypted assertion is refused: it holds a comment/,
    },
    {
      name: 'entities in an encrypted assertion',
      xml: await wrap(`<!DOCTYPE x [<!ENTITY a "b">]>${good}`),
      why: /decrypted assertion is refused: it holds a DOCTYPE/,
    },
    {
      name: 'a whole Response, encrypted',
      xml: await wrap(responseXml(good, parts)),
      why: /not exactly one assertion/,
    },
    { name: 'something else, encrypted', xml: await wrap('<x/>'), why: /not exactly one assertion/ },
    {
      name: 'the ID of the Response again inside the encryption',
      xml: await wrap(signed(assertionXml({ ...parts, assertionId: '_response' }), '_response', { keys: idp })),
      why: /two elements .* have the ID '_response'/,
    },
    {
      name: 'an encrypted assertion beside a plain one',
      xml: responseXml(`${hidden}${evil}`, parts),
      why: /assertions, \d of them in their place/,
    },
    {
      name: 'a second key',
      xml: responseXml(hidden.replace(key, `${key}${key}`), parts),
      why: /exactly one EncryptedData with one EncryptedKey/,
    },
    {
      name: 'a key that lies elsewhere',
      xml: responseXml(
        hidden.replace(
          key,
          `${key}<x:RetrievalMethod xmlns:x="http://www.w3.org/2000/09/xmldsig#" URI="#a' or '1'='1"/>`,
        ),
        parts,
      ),
      why: /points at something outside/,
    },
    {
      name: 'Triple DES',
      xml: await wrap(good, { data: `${XENC}tripledes-cbc` }),
      why: /'xmlenc#tripledes-cbc', which is not taken/,
    },
    {
      name: 'RSA without OAEP',
      xml: await wrap(good, { key: `${XENC}rsa-1_5` }),
      why: /'xmlenc#rsa-1_5', which is not taken/,
    },
    {
      name: 'what was encrypted for somebody else',
      xml: responseXml(await encryptedFor(idp, good), parts),
      why: /cannot be decrypted/,
    },
    {
      name: 'nothing to decrypt',
      xml: responseXml('<saml:EncryptedAssertion/>', parts),
      why: /exactly one EncryptedData/,
    },
  ];
}
