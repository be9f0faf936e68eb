/** What a provider says when it did not let somebody in. Nobody signed it, so it is told and nothing else. */
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, textOf } from '../xml/xml-tree.ts';
import { refuse, told } from './refuse.ts';

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
const WORDS: Readonly<Record<string, string>> = {
  AuthnFailed: 'the provider could not sign them in',
  InvalidNameIDPolicy:
    'the provider cannot give the NameID that was asked for: name an attribute that never changes as subject_attribute',
  NoAuthnContext: 'the provider cannot sign them in in the way that was asked for',
  NoPassive: 'the provider wants to ask them, and was not allowed to',
  RequestDenied: 'the provider denied the request: it may want it signed (signing_key_pair), or not know this gateway',
  RequestUnsupported: 'the provider does not support the request',
  UnknownPrincipal: 'the provider does not know them',
  Requester: 'the provider found a mistake in the request: compare its address and entity id with what it was told',
  Responder: 'the provider had a mistake of its own',
};

export function checkStatus(response: XmlElement): void {
  const statuses = childrenOf(response, 'protocol', 'Status');
  const codes = statuses.flatMap((status) => childrenOf(status, 'protocol', 'StatusCode'));
  if (statuses.length !== 1 || codes.length !== 1) refuse('the answer has no status, or more than one');
  const code = attributeOf(codes[0]!, 'Value');
  if (code === `${STATUS}Success`) return;
  const detail = childrenOf(codes[0]!, 'protocol', 'StatusCode').map((inner) => attributeOf(inner, 'Value'));
  const known = [...detail, code]
    .map((value) => WORDS[value?.replace(STATUS, '') ?? ''])
    .find((words) => words !== undefined);
  const [message] = childrenOf(statuses[0]!, 'protocol', 'StatusMessage');
  const said = message && textOf(message);
  refuse(`${known ?? `the provider answered with the status ${told(code)}`}${said ? ` (it says ${told(said)})` : ''}`, {
    step: 'redirect',
  });
}
