/** Opens an encrypted assertion to check it, with the code that the library will open it with. */
import { ProviderError } from '../../provider-error.ts';
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, escapeXml, everyElement, isElement, NAMESPACES } from '../xml/xml-tree.ts';
import { refuse, told } from './refuse.ts';

const DATA_METHODS: readonly string[] = [
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  `${NAMESPACES.encryption}aes128-cbc`,
  `${NAMESPACES.encryption}aes256-cbc`,
];
/** RSA without OAEP tells whoever asks often enough what was encrypted. */
const KEY_METHODS: readonly string[] = [`${NAMESPACES.encryption}rsa-oaep-mgf1p`];

export async function loadDecryption() {
  return await import('xml-encryption');
}

export async function decryptAssertion(encrypted: XmlElement, key: string): Promise<string> {
  const { data, dataMethod, wrapped, keyMethod, keyDigest } = partsOf(encrypted);
  // Written anew from what was checked: the library looks for these by name alone, wherever they stand.
  const plain = `<x:EncryptedData xmlns:x="${NAMESPACES.encryption}" xmlns:d="${NAMESPACES.signature}"><x:EncryptionMethod Algorithm="${dataMethod}"/><d:KeyInfo><x:EncryptedKey><x:EncryptionMethod Algorithm="${keyMethod}">${keyDigest === undefined ? '' : `<d:DigestMethod Algorithm="${escapeXml(keyDigest)}"/>`}</x:EncryptionMethod><x:CipherData><x:CipherValue>${wrapped}</x:CipherValue></x:CipherData></x:EncryptedKey></d:KeyInfo><x:CipherData><x:CipherValue>${data}</x:CipherValue></x:CipherData></x:EncryptedData>`;
  const { decrypt } = await loadDecryption();
  return await new Promise((resolve, reject) => {
    decrypt(plain, { key, disallowDecryptionWithInsecureAlgorithm: true }, (cause, opened: string | undefined) => {
      if (!cause && opened !== undefined) resolve(opened);
      // One sentence for every cause: to tell a wrong key from a wrong end would help to guess what is inside.
      else
        reject(
          new ProviderError(
            'token',
            'the assertion cannot be decrypted: does the provider have the certificate of assertion_key_pair?',
            { cause },
          ),
        );
    });
  });
}

function partsOf(encrypted: XmlElement) {
  const elements = everyElement(encrypted);
  const keys = elements.filter(({ local }) => local === 'EncryptedKey');
  const all = elements.filter(({ local }) => local === 'EncryptedData');
  const [data] = childrenOf(encrypted, 'encryption', 'EncryptedData');
  const [key] = keys;
  const values = elements.filter(({ local }) => local === 'CipherValue');
  if (
    !data ||
    all.length > 1 ||
    !key ||
    keys.length > 1 ||
    !isElement(key, 'encryption', 'EncryptedKey') ||
    values.length !== 2
  )
    refuse('the encrypted assertion does not hold exactly one EncryptedData with one EncryptedKey');
  const pointers = elements.filter(({ local }) => local === 'RetrievalMethod' || local.endsWith('Reference'));
  if (pointers.some((pointer) => !/^#[\w.-]+$/.test(attributeOf(pointer, 'URI') ?? '')))
    refuse('the encrypted assertion points at something outside of itself');
  const keyMethod = methodOf(key, KEY_METHODS, 'RSA-OAEP (rsa-oaep-mgf1p)');
  const [digest] = childrenOf(keyMethod.element, 'signature', 'DigestMethod');
  return {
    data: cipherOf(data),
    dataMethod: methodOf(data, DATA_METHODS, 'AES-256-GCM').used,
    wrapped: cipherOf(key),
    keyMethod: keyMethod.used,
    keyDigest: digest && attributeOf(digest, 'Algorithm'),
  };
}

function methodOf(element: XmlElement, taken: readonly string[], advice: string) {
  const [method] = childrenOf(element, 'encryption', 'EncryptionMethod');
  const used = method && attributeOf(method, 'Algorithm');
  if (!method || used === undefined || !taken.includes(used))
    refuse(
      `the assertion is encrypted with ${told(used?.replace(/^.*\//, ''))}, which is not taken: let the provider use ${advice}`,
    );
  return { element: method, used };
}

function cipherOf(element: XmlElement): string {
  const [data] = childrenOf(element, 'encryption', 'CipherData');
  const value = data && childrenOf(data, 'encryption', 'CipherValue')[0];
  if (!value || !/^[A-Za-z0-9+/=\s]+$/.test(value.text)) refuse('the encrypted assertion holds no base64 to decrypt');
  return value.text.replaceAll(/\s/g, '');
}
