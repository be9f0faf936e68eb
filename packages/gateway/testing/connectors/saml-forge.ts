/** Answers of a SAML provider written by hand, so that each part can be left out, doubled, moved or signed by somebody else. */
import { SignedXml } from 'xml-crypto';
import type { SamlKeys } from './saml-keys.ts';

export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export interface AnswerParts {
  acs: string;
  requestId: string;
  issuer: string;
  audience: string;
  now: number;
  assertionId?: string;
  responseId?: string;
  nameId?: string;
  nameIdFormat?: string;
  /** Instead of the one that `requestId`, `acs` and `now` make. */
  confirmation?: string;
  conditions?: string;
  statement?: string;
  attributes?: string;
  issueInstant?: number;
  /** Behind everything else in the assertion. */
  more?: string;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function attributeXml(name: string, ...values: string[]): string {
  return `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
}

export function confirmationXml({ acs, requestId, now }: Pick<AnswerParts, 'acs' | 'requestId' | 'now'>): string {
  return `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${acs}" InResponseTo="${requestId}" NotOnOrAfter="${instant(now + 300_000)}"/></saml:SubjectConfirmation>`;
}

export function conditionsXml({ audience, now }: Pick<AnswerParts, 'audience' | 'now'>): string {
  return `<saml:Conditions NotBefore="${instant(now - 1_000)}" NotOnOrAfter="${instant(now + 300_000)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`;
}

export function statementXml(
  { now }: Pick<AnswerParts, 'now'>,
  contextClass = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
  more = '',
): string {
  return `<saml:AuthnStatement AuthnInstant="${instant(now)}" SessionIndex="_session"${more}><saml:AuthnContext><saml:AuthnContextClassRef>${contextClass}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
}

export function assertionXml(parts: AnswerParts): string {
  const {
    assertionId = '_assertion',
    nameId = 'ann-0001',
    nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  } = parts;
  const attributes =
    parts.attributes ?? attributeXml('groups', 'staff', 'ops') + attributeXml('mail', 'ann@acme.example');
  return `<saml:Assertion xmlns:saml="${SAML}" ID="${assertionId}" Version="2.0" IssueInstant="${instant(parts.issueInstant ?? parts.now)}"><saml:Issuer>${parts.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${nameIdFormat}">${nameId}</saml:NameID>${parts.confirmation ?? confirmationXml(parts)}</saml:Subject>${parts.conditions ?? conditionsXml(parts)}${parts.statement ?? statementXml(parts)}<saml:AttributeStatement>${attributes}</saml:AttributeStatement>${parts.more ?? ''}</saml:Assertion>`;
}

export interface EnvelopeParts {
  acs: string;
  issuer: string;
  now: number;
  responseId?: string;
  /** Empty for none. */
  destination?: string;
  /** Empty for none. */
  requestId: string;
  status?: string;
  /** Between the issuer and the status. */
  before?: string;
}

export function responseXml(inner: string, parts: EnvelopeParts): string {
  const { responseId = '_response', destination = parts.acs, requestId, status, before = '' } = parts;
  const attributes = [
    ['ID', responseId],
    ['Version', '2.0'],
    ['IssueInstant', instant(parts.now)],
    ['Destination', destination],
    ['InResponseTo', requestId],
  ]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
  const code = status ?? '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>';
  return `<samlp:Response xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}"${attributes}><saml:Issuer>${parts.issuer}</saml:Issuer>${before}<samlp:Status>${code}</samlp:Status>${inner}</samlp:Response>`;
}

export interface SigningOptions {
  keys: SamlKeys;
  signatureAlgorithm?: string;
  digestAlgorithm?: string;
  transforms?: string[];
  canonicalization?: string;
  /** In KeyInfo, instead of the certificate of the key. */
  shownCert?: string;
}

/** Signs the element with this ID, and puts the signature behind its Issuer. */
export function signed(xml: string, id: string, options: SigningOptions): string {
  const signer = new SignedXml({
    privateKey: options.keys.key,
    publicCert: options.shownCert ?? options.keys.cert,
    signatureAlgorithm: options.signatureAlgorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: (options.canonicalization ?? EXCLUSIVE) as typeof EXCLUSIVE,
  });
  signer.addReference({
    xpath: `//*[@ID='${id}']`,
    digestAlgorithm: options.digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: options.transforms ?? [`${DS}enveloped-signature`, EXCLUSIVE],
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `//*[@ID='${id}']/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signer.getSignedXml();
}

export function encoded(xml: string): string {
  return Buffer.from(xml, 'utf8').toString('base64');
}

/** The first element of that name, with all in it. */
export function cut(xml: string, local: string): string {
  const found = new RegExp(`<(\\w+:)?${local}[\\s>][\\s\\S]*?</(?:\\w+:)?${local}>`).exec(xml);
  if (!found) throw new Error(`there is no ${local}`);
  return found[0];
}
