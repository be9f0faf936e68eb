/** Finding one's way in XML that was read: by namespace and name, never by name alone. */
import type { XmlElement } from './read-xml.ts';

export const NAMESPACES = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
} as const;
export type Namespace = keyof typeof NAMESPACES;

export function isElement(element: XmlElement, namespace: Namespace, local: string): boolean {
  return element.local === local && element.namespace === NAMESPACES[namespace];
}

export function childrenOf(element: XmlElement, namespace: Namespace, local: string): XmlElement[] {
  return element.children.filter((child) => isElement(child, namespace, local));
}

/** Without a prefix: one that has it is another attribute. */
export function attributeOf(element: XmlElement, local: string): string | undefined {
  return element.attributes.find((attribute) => attribute.local === local && attribute.namespace === '')?.value;
}

/** Without the space around it. Not by `trim`: what XML calls space is less, and two names must not become one. */
export function textOf({ text }: XmlElement): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start]!)) start++;
  while (end > start && isSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}

/** The element and all below it, in the order of the document. */
export function everyElement(element: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    found.push(next);
    for (let index = next.children.length - 1; index >= 0; index--) waiting.push(next.children[index]!);
  }
  return found;
}

export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"'\t\n\r]/g, (character) => `&#${character.codePointAt(0)};`);
}
