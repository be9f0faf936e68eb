/** Answers whose signature must not hold, or must not even be tried: other keys, other algorithms, more parts than one. */
import { type AnswerParts, assertionXml, attributeXml, cut, DS, responseXml, signed } from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';
import type { ForgedAnswer } from './saml-wrapped.ts';

interface Keys {
  idp: SamlKeys;
  stranger: SamlKeys;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export function forgedSignatures(parts: AnswerParts, { idp, stranger }: Keys): ForgedAnswer[] {
  const plain = assertionXml(parts);
  const good = signed(plain, '_assertion', { keys: idp });
  const wrap = (inner: string) => responseXml(inner, parts);
  const by = (options: Omit<Parameters<typeof signed>[2], 'keys'>, keys = idp) =>
    wrap(signed(plain, '_assertion', { keys, ...options }));
  const digest = /<ds:DigestValue>([^<]+)<\/ds:DigestValue>/.exec(good)![1]!;
  const evilDigest = /<ds:DigestValue>([^<]+)</.exec(
    signed(assertionXml({ ...parts, nameId: 'admin' }), '_assertion', { keys: stranger }),
  )![1]!;
  const evil = good.replace('ann-0001', 'admin');
  const info = cut(good, 'SignedInfo');
  const enveloped = `<ds:Transform Algorithm="${DS}enveloped-signature"/>`;

  return [
    { name: 'no signature at all', xml: wrap(plain), why: /the assertion is not signed/ },
    {
      name: 'the Response signed alone',
      xml: signed(wrap(plain), '_response', { keys: idp }),
      why: /the assertion is not signed/,
    },
    {
      name: 'an empty signature',
      xml: wrap(plain.replace('</saml:Issuer>', `</saml:Issuer><ds:Signature xmlns:ds="${DS}"/>`)),
      why: /Signature of the signature holds nothing/,
    },
    { name: 'a changed name', xml: wrap(evil), why: /does not fit the certificate/ },
    {
      name: 'a changed attribute',
      xml: wrap(good.replace('>staff<', '>admins<')),
      why: /does not fit the certificate/,
    },
    {
      name: 'one attribute more',
      xml: wrap(
        good.replace('</saml:AttributeStatement>', `${attributeXml('groups', 'admins')}</saml:AttributeStatement>`),
      ),
      why: /does not fit the certificate/,
    },
    {
      name: 'a changed name with its own digest',
      xml: wrap(evil.replace(digest, evilDigest)),
      why: /does not fit the certificate/,
    },
    { name: "somebody else's key", xml: by({}, stranger), why: /does not fit the certificate/ },
    {
      name: "somebody else's key with their certificate in KeyInfo",
      xml: by({ shownCert: stranger.cert }, stranger),
      why: /does not fit the certificate/,
    },
    {
      name: "somebody else's key with the true certificate in KeyInfo",
      xml: by({ shownCert: idp.cert }, stranger),
      why: /does not fit the certificate/,
    },
    {
      name: 'SHA-1 in the signature',
      xml: by({ signatureAlgorithm: `${DS}rsa-sha1` }),
      why: /SHA-1, which can be forged: let the provider use RSA with SHA-256/,
    },
    {
      name: 'SHA-1 in the digest',
      xml: by({ digestAlgorithm: `${DS}sha1` }),
      why: /SHA-1, which can be forged: let the provider use SHA-256/,
    },
    {
      name: 'HMAC with SHA-1',
      xml: wrap(good.replace(`${MORE}rsa-sha256`, `${DS}hmac-sha1`)),
      why: /SHA-1, which can be forged/,
    },
    {
      name: 'HMAC with SHA-256',
      xml: wrap(good.replace(`${MORE}rsa-sha256`, `${MORE}hmac-sha256`)),
      why: /'xmldsig-more#hmac-sha256', which is not taken/,
    },
    {
      name: 'the algorithm none',
      xml: wrap(good.replace(`${MORE}rsa-sha256`, 'none')),
      why: /'none', which is not taken/,
    },
    {
      name: 'no algorithm',
      xml: wrap(good.replace(` Algorithm="${MORE}rsa-sha256"`, '')),
      why: /nothing, which is not taken/,
    },
    {
      name: 'a transform by XSLT',
      xml: wrap(
        good.replace(
          enveloped,
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>',
        ),
      ),
      why: /transforms by 'REC-xslt-19991116'/,
    },
    {
      name: 'a transform by XPath',
      xml: wrap(
        good.replace(
          enveloped,
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(self::saml:NameID)</ds:XPath></ds:Transform>',
        ),
      ),
      why: /'Transform' where|transforms by 'REC-xpath-19991116'/,
    },
    {
      name: 'a third transform',
      xml: wrap(
        good.replace(enveloped, `${enveloped}<ds:Transform Algorithm="http://www.w3.org/2002/06/xmldsig-filter2"/>`),
      ),
      why: /Transforms of the signature holds/,
    },
    {
      name: 'canonical XML with comments',
      xml: by({ transforms: [`${DS}enveloped-signature`, `${EXCLUSIVE}WithComments`] }),
      why: /only enveloped-signature and exclusive canonical XML/,
    },
    {
      name: 'inclusive canonical XML',
      xml: by({ transforms: [`${DS}enveloped-signature`, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'] }),
      why: /only enveloped-signature and exclusive/,
    },
    {
      name: 'SignedInfo over inclusive canonical XML',
      xml: by({ canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }),
      why: /not exclusive canonical XML/,
    },
    {
      name: 'two SignedInfo (CVE-2025-29774)',
      xml: wrap(good.replace(info, `${info}${info}`)),
      why: /Signature of the signature holds SignedInfo, SignedInfo/,
    },
    {
      name: 'a forged SignedInfo before the true one',
      xml: wrap(evil.replace(info, `${info.replace(digest, evilDigest)}${info}`)),
      why: /holds SignedInfo, SignedInfo/,
    },
    {
      name: 'a second Reference',
      xml: wrap(good.replace(cut(good, 'Reference'), `${cut(good, 'Reference')}${cut(good, 'Reference')}`)),
      why: /SignedInfo of the signature holds/,
    },
    {
      name: 'no Reference',
      xml: wrap(good.replace(cut(good, 'Reference'), '')),
      why: /SignedInfo of the signature holds/,
    },
    {
      name: 'a comment in DigestValue (CVE-2025-29775)',
      xml: wrap(evil.replace(`>${digest}<`, `><!--${evilDigest}-->${digest}<`)),
      why: /a comment/,
    },
    {
      name: 'two DigestValues (CVE-2024-45409)',
      xml: wrap(evil.replace('<ds:DigestValue>', `<ds:DigestValue>${evilDigest}</ds:DigestValue><ds:DigestValue>`)),
      why: /Reference of the signature holds/,
    },
    {
      name: 'a DigestValue inside DigestValue',
      xml: wrap(evil.replace(`>${digest}<`, `><ds:DigestValue>${evilDigest}</ds:DigestValue>${digest}<`)),
      why: /DigestValue of the signature is not base64 alone/,
    },
    {
      name: 'a DigestValue smuggled into Extensions (CVE-2024-45409)',
      xml: responseXml(evil, {
        ...parts,
        before: `<samlp:Extensions><ds:DigestValue xmlns:ds="${DS}">${evilDigest}</ds:DigestValue></samlp:Extensions>`,
      }),
      why: /'DigestValue' where no signature belongs/,
    },
    {
      name: 'a DigestValue smuggled into the status',
      xml: responseXml(evil, {
        ...parts,
        status: `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/><samlp:StatusDetail><DigestValue xmlns="${DS}">${evilDigest}</DigestValue></samlp:StatusDetail>`,
      }),
      why: /'DigestValue' where no signature belongs/,
    },
    {
      name: 'words of a signature in KeyInfo',
      xml: wrap(good.replace('<ds:X509Data>', '<ds:KeyName><ds:SignedInfo/></ds:KeyName><ds:X509Data>')),
      why: /KeyInfo of the signature holds 'SignedInfo'/,
    },
    {
      name: 'a key that lies elsewhere',
      xml: wrap(good.replace('<ds:X509Data>', '<ds:RetrievalMethod URI="https://evil.example/key"/><ds:X509Data>')),
      why: /KeyInfo of the signature holds 'RetrievalMethod'/,
    },
    {
      name: 'an Object in the signature',
      xml: wrap(good.replace('</ds:Signature>', '<ds:Object/></ds:Signature>')),
      why: /Signature of the signature holds/,
    },
    {
      name: 'text beside the parts of the signature',
      xml: wrap(good.replace('<ds:SignedInfo>', '<ds:SignedInfo>x')),
      why: /holds text beside its elements/,
    },
    {
      name: 'an unsigned assertion behind a true namespace trick',
      xml: wrap(good.replace('<saml:NameID ', '<saml:NameID xmlns:saml="urn:evil" ')),
      why: /does not fit the certificate|no lasting NameID|has no NameID/,
    },
  ];
}
