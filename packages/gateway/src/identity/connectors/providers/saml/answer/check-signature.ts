/** The one shape of signature that is taken, checked before any key is tried: whatever else XML signatures can say, nobody needs for a sign-in. */
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, everyElement, isElement, NAMESPACES } from '../xml/xml-tree.ts';
import { refuse, told } from './refuse.ts';

const ENVELOPED = `${NAMESPACES.signature}enveloped-signature`;
const SIGNATURE_METHODS: readonly string[] = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const DIGEST_METHODS: readonly string[] = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];
/** In characters. Each name in it is looked for anew. */
const MAX_PREFIX_LIST = 512;
/** A hint which certificate to try, and never taken for the certificate itself. */
const KEY_INFO: readonly string[] = [
  'KeyInfo',
  'KeyName',
  'KeyValue',
  'RSAKeyValue',
  'Modulus',
  'Exponent',
  'X509Data',
  'X509Certificate',
  'X509IssuerSerial',
  'X509IssuerName',
  'X509SerialNumber',
  'X509SKI',
  'X509SubjectName',
];

/** `signed` is the element the signature stands in, and must be the one it is about. */
export function checkSignature(signature: XmlElement, signed: XmlElement): void {
  const [signedInfo, signatureValue, keyInfo] = partsOf(signature, ['SignedInfo', 'SignatureValue'], 'KeyInfo');
  const [canonicalization, method, reference] = partsOf(signedInfo!, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ]);
  const [transforms, digestMethod, digestValue] = partsOf(reference!, ['Transforms', 'DigestMethod', 'DigestValue']);

  if (algorithmOf(canonicalization!) !== NAMESPACES.exclusive)
    refuse(`the signature is over ${algorithm(canonicalization!)}, not exclusive canonical XML`);
  checkAlgorithm(method!, SIGNATURE_METHODS, 'RSA with SHA-256');
  checkAlgorithm(digestMethod!, DIGEST_METHODS, 'SHA-256');
  checkTransforms(transforms!);
  for (const bare of [method!, digestMethod!])
    if (bare.children.length > 0) refuse(`${bare.local} of the signature holds elements`);
  for (const value of [signatureValue!, digestValue!]) checkBase64(value);
  if (keyInfo) checkKeyInfo(keyInfo);

  const id = attributeOf(signed, 'ID');
  if (id === undefined || attributeOf(reference!, 'URI') !== `#${id}`)
    refuse(
      `the signature of the ${signed.local} is about ${told(attributeOf(reference!, 'URI'))}, not about the ${signed.local}`,
    );
}

/** Exactly these, in this order. */
function partsOf(element: XmlElement, names: readonly string[], last?: string): XmlElement[] {
  const parts = [...element.children];
  const wanted = last !== undefined && parts.length > names.length ? [...names, last] : names;
  const fits =
    parts.length === wanted.length && wanted.every((name, index) => isElement(parts[index]!, 'signature', name));
  if (!fits)
    refuse(
      `${element.local} of the signature holds ${parts.map(({ local }) => local).join(', ') || 'nothing'} instead of ${names.join(', ')}`,
    );
  if (element.text.trim() !== '') refuse(`${element.local} of the signature holds text beside its elements`);
  return parts;
}

function checkTransforms(transforms: XmlElement): void {
  const [enveloped, exclusive] = partsOf(transforms, ['Transform', 'Transform']);
  if (algorithmOf(enveloped!) !== ENVELOPED || algorithmOf(exclusive!) !== NAMESPACES.exclusive)
    refuse(
      `the signature transforms by ${transforms.children.map(algorithm).join(' and ')}: only enveloped-signature and exclusive canonical XML are taken`,
    );
  const allowed = exclusive!.children.every(
    (child) =>
      isElement(child, 'exclusive', 'InclusiveNamespaces') &&
      child.children.length === 0 &&
      (attributeOf(child, 'PrefixList') ?? '').length <= MAX_PREFIX_LIST,
  );
  if (enveloped!.children.length > 0 || exclusive!.children.length > 1 || !allowed)
    refuse('a transform of the signature holds elements of its own, or a long PrefixList');
}

function checkAlgorithm(method: XmlElement, taken: readonly string[], advice: string): void {
  const used = algorithmOf(method);
  if (used !== undefined && taken.includes(used)) return;
  const why = used?.endsWith('sha1') ? 'SHA-1, which can be forged' : `${algorithm(method)}, which is not taken`;
  refuse(`the signature uses ${why}: let the provider use ${advice}`);
}

function checkBase64(value: XmlElement): void {
  if (value.children.length > 0 || !/^[A-Za-z0-9+/=\s]+$/.test(value.text))
    refuse(`${value.local} of the signature is not base64 alone`);
}

function checkKeyInfo(keyInfo: XmlElement): void {
  const foreign = everyElement(keyInfo).find(
    (element) => element.namespace !== NAMESPACES.signature || !KEY_INFO.includes(element.local),
  );
  if (foreign) refuse(`KeyInfo of the signature holds '${foreign.local}', which is not taken`);
}

function algorithmOf(method: XmlElement): string | undefined {
  return attributeOf(method, 'Algorithm');
}

function algorithm(method: XmlElement): string {
  return told(algorithmOf(method)?.replace(/^.*\//, ''));
}
