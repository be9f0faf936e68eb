/** What an answer must look like before a library sees it. Libraries find elements by name; with one of each and in its place, they can find no other. */
import { readXml, type XmlElement, XmlOverfull, XmlRefused } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, everyElement, isElement, textOf } from '../xml/xml-tree.ts';
import { checkSignature } from './check-signature.ts';
import { checkStatus } from './check-status.ts';
import { decryptAssertion } from './decrypt-assertion.ts';
import { refuse, told } from './refuse.ts';

const MAX_BYTES = 256 * 1024;
/** What the library takes for an answer grows with the square of these, true or forged: five thousand cost more than a second, sixty thousand minutes. */
const MAX_ELEMENTS = 2_500;
/** The same for everything else that the library makes an object of. Enough for as many groups, each with a type and on a line of its own. */
const MAX_NODES = 10_000;

/** Mean something wherever they stand: to find one elsewhere is to be told to look elsewhere. */
const ONLY_IN_A_SIGNATURE: readonly string[] = [
  'SignedInfo',
  'SignatureValue',
  'SignatureMethod',
  'CanonicalizationMethod',
  'Reference',
  'Transforms',
  'Transform',
  'DigestValue',
  'Object',
  'Manifest',
];
const NEVER: readonly string[] = [
  'EncryptedID',
  'EncryptedAttribute',
  'LogoutResponse',
  'LogoutRequest',
  'ArtifactResponse',
];

export interface ExpectedAnswer {
  /** Where answers are taken: the address the provider was told. */
  acs: string;
  requestId: string;
  /** Who may answer. */
  issuer: string;
  /** PEM; without it, encrypted assertions are refused. */
  decryptionKey?: string | undefined;
}

export interface CheckedResponse {
  /** What was checked, to be handed on as it is. */
  text: string;
  /** Its own signature then has to hold as well, beside the assertion's. */
  isSigned: boolean;
  /** Of the assertion, and of the answer where it has one. */
  signatures: readonly { of: string; signature: XmlElement }[];
  /** Before anybody has tried the signature: good for refusing, and for nothing else. */
  unverified: XmlElement;
}

export async function checkResponse(encoded: string, expected: ExpectedAnswer): Promise<CheckedResponse> {
  const text = decodeAnswer(encoded);
  const response = readAnswer(text, 'the answer');
  if (!isElement(response, 'protocol', 'Response'))
    refuse(`the answer is a ${told(response.local)}, not a SAML Response`);
  const elements = everyElement(response);
  checkCount(elements);
  checkPlaces(elements);
  checkEnvelope(response, expected);
  checkStatus(response);

  const assertions = [
    ...childrenOf(response, 'assertion', 'Assertion'),
    ...childrenOf(response, 'assertion', 'EncryptedAssertion'),
  ];
  const all = elements.filter(({ local }) => local === 'Assertion' || local === 'EncryptedAssertion');
  if (assertions.length !== 1 || all.length !== 1)
    refuse(
      `the answer holds ${all.length} assertions, ${assertions.length} of them in their place: exactly one is taken`,
    );
  const [assertion] = assertions;

  const isEncrypted = assertion!.local === 'EncryptedAssertion';
  const opened = isEncrypted ? await openAssertion(assertion!, expected) : assertion!;
  checkIds(isEncrypted ? [...elements, ...everyElement(opened)] : elements);
  const isSigned = checkSigned(response, elements, opened);
  checkSigned(opened, isEncrypted ? everyElement(opened) : [], opened);
  const signatures = [
    ...signaturesOf(response).map((signature) => ({ of: 'answer', signature })),
    ...signaturesOf(opened).map((signature) => ({ of: 'assertion', signature })),
  ];
  if (!signatures.some(({ of }) => of === 'assertion'))
    refuse('the assertion is not signed: let the provider sign assertions, not the answer around them alone');
  return { text, isSigned, signatures, unverified: opened };
}

function signaturesOf(element: XmlElement): XmlElement[] {
  return childrenOf(element, 'signature', 'Signature');
}

/** The field of the form, before anybody reads it. */
export function givenText(encoded: unknown): string {
  if (typeof encoded !== 'string' || encoded === '') refuse('there is no SAMLResponse in the answer');
  // A third more than the bytes, and line breaks.
  if (encoded.length > MAX_BYTES * 1.5) refuse(`the answer is larger than ${MAX_BYTES / 1024} KiB`);
  return encoded;
}

function decodeAnswer(encoded: string): string {
  if (!/^[A-Za-z0-9+/=\s]+$/.test(encoded)) refuse('the SAMLResponse is not base64');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_BYTES) refuse(`the answer is larger than ${MAX_BYTES / 1024} KiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return refuse('the answer is not UTF-8', { cause });
  }
}

export function readAnswer(text: string, what: string): XmlElement {
  try {
    return readXml(text, { comments: 'refused', maxNodes: MAX_NODES });
  } catch (cause) {
    if (!(cause instanceof XmlRefused)) throw cause;
    const advice = cause instanceof XmlOverfull ? ': let the provider send fewer groups' : '';
    return refuse(`${what} is refused: ${cause.message}${advice}`, { cause });
  }
}

function checkCount({ length }: readonly XmlElement[]): void {
  if (length <= MAX_ELEMENTS) return;
  refuse(`the answer holds ${length} elements, more than ${MAX_ELEMENTS}: let the provider send fewer groups`);
}

function checkPlaces(elements: readonly XmlElement[]): void {
  if (elements.filter(({ local }) => local === 'Response').length > 1)
    refuse('the answer holds another Response inside');
  const never = elements.find(({ local }) => NEVER.includes(local));
  if (never) refuse(`the answer holds '${never.local}', which is not taken: encrypt the whole assertion or nothing`);
  const mixed = elements.find((element) => isElement(element, 'assertion', 'NameID') && element.children.length > 0);
  if (mixed) refuse('NameID holds elements: a name is text alone');
}

function checkEnvelope(response: XmlElement, { acs, requestId, issuer }: ExpectedAnswer): void {
  if (attributeOf(response, 'Version') !== '2.0') refuse('the answer is not of SAML 2.0');
  const destination = attributeOf(response, 'Destination');
  if (destination !== acs) refuse(`the answer is meant for ${told(destination)} (Destination), not for '${acs}'`);
  const inResponseTo = attributeOf(response, 'InResponseTo');
  if (inResponseTo === undefined)
    refuse('the provider began this sign-in by itself (no InResponseTo): only those begun here are taken');
  if (inResponseTo !== requestId) refuse('the answer belongs to another request (InResponseTo)');
  const issuers = childrenOf(response, 'assertion', 'Issuer');
  if (issuers.length > 1) refuse('the answer names more than one Issuer');
  if (issuers[0] && textOf(issuers[0]) !== issuer)
    refuse(`the answer is of ${told(textOf(issuers[0]))}, not of '${issuer}'`);
}

async function openAssertion(encrypted: XmlElement, { decryptionKey }: ExpectedAnswer): Promise<XmlElement> {
  if (decryptionKey === undefined)
    refuse('the assertion is encrypted: give assertion_key_pair, or let the provider leave it plain');
  const opened = readAnswer(await decryptAssertion(encrypted, decryptionKey), 'the decrypted assertion');
  const elements = everyElement(opened);
  const all = elements.filter(({ local }) => ['Assertion', 'EncryptedAssertion', 'Response'].includes(local));
  if (!isElement(opened, 'assertion', 'Assertion') || all.length !== 1)
    refuse('what is encrypted in the answer is not exactly one assertion');
  checkCount(elements);
  checkPlaces(elements);
  return opened;
}

/** As any reader may understand an identifier: whatever the case, with a prefix or without. */
function checkIds(elements: readonly XmlElement[]): void {
  const seen = new Set<string>();
  for (const { attributes } of elements) {
    const ids = attributes.filter(({ local }) => local.toLowerCase() === 'id');
    if (ids.length > 1) refuse('an element of the answer has more than one ID');
    for (const { value } of ids) {
      if (seen.has(value)) refuse(`two elements of the answer have the ID ${told(value)}`);
      seen.add(value);
    }
  }
}

/** Whether `element` has a signature. None of the elements may hold a part of one outside of those two that may be there. */
function checkSigned(element: XmlElement, elements: readonly XmlElement[], assertion: XmlElement): boolean {
  const [signature, second] = element.children.filter(({ local }) => local === 'Signature');
  if (second) refuse(`the ${element.local} has two signatures`);
  if (signature) {
    if (!isElement(signature, 'signature', 'Signature'))
      refuse('a Signature in the answer is not one of XML signatures');
    if (attributeOf(element, 'ID') === undefined) refuse(`the ${element.local} is signed and has no ID`);
    checkSignature(signature, element);
  }
  const own = new Set(
    [element, assertion].flatMap((place) => place.children.filter(({ local }) => local === 'Signature')),
  );
  const inside = new Set([...own].flatMap(everyElement));
  const stray = elements.find(
    (each) => !inside.has(each) && (each.local === 'Signature' || ONLY_IN_A_SIGNATURE.includes(each.local)),
  );
  if (stray) refuse(`the answer holds '${stray.local}' where no signature belongs`);
  return signature !== undefined;
}
