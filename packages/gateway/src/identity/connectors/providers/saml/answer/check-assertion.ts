/** Whether a signed assertion is for us, for this sign-in, and for now. It is given as it was signed; times are the gateway's. */
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, isElement, NAMESPACES, textOf } from '../xml/xml-tree.ts';
import { refuse, told } from './refuse.ts';

export const SKEW_MS = 30_000;
const MAX_AGE_MS = 10 * 60_000;
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
/** Say nothing that could be broken by signing in. */
const HARMLESS_CONDITIONS: readonly string[] = ['OneTimeUse', 'ProxyRestriction'];

export interface ExpectedAssertion {
  acs: string;
  requestId: string;
  issuer: string;
  audience: string;
  now: number;
  /** When the request was made, where it asked that they sign in anew. */
  signedInAfter?: number | undefined;
}

export interface CheckedAssertion {
  subject: XmlElement;
  statements: readonly XmlElement[];
  /** The earliest, where the provider says so. */
  expires: number | undefined;
  sessionIndex: string | undefined;
  /** The earliest: one of several may tell of a password, another of the second factor. */
  signedInAt: number;
}

export function checkAssertion(assertion: XmlElement, expected: ExpectedAssertion): CheckedAssertion {
  if (!isElement(assertion, 'assertion', 'Assertion') || attributeOf(assertion, 'Version') !== '2.0')
    refuse('what is signed is not an assertion of SAML 2.0');
  const issuer = textOf(only(assertion, 'Issuer'));
  if (issuer !== expected.issuer) refuse(`the assertion is of ${told(issuer)}, not of '${expected.issuer}'`);
  checkAge(timeOf(assertion, 'IssueInstant'), expected.now);
  const subject = only(assertion, 'Subject');
  checkConfirmations(subject, expected);
  checkConditions(only(assertion, 'Conditions'), expected);
  return { subject, ...checkStatements(assertion, expected) };
}

function checkAge(issued: number | undefined, now: number): void {
  if (issued === undefined) refuse('the assertion does not say when it was made (IssueInstant)');
  if (issued > now + SKEW_MS) refuse(`the assertion was made at ${at(issued)}, which is to come: compare the clocks`);
  if (issued < now - MAX_AGE_MS - SKEW_MS)
    refuse(`the assertion was made at ${at(issued)}, more than 10 minutes ago: compare the clocks`);
}

/** Every one of them: which one another reader would go by is not ours to guess. */
function checkConfirmations(subject: XmlElement, { acs, requestId, now }: ExpectedAssertion): void {
  const confirmations = childrenOf(subject, 'assertion', 'SubjectConfirmation');
  if (confirmations.length === 0) refuse('the assertion does not say who may use it (SubjectConfirmation)');
  for (const confirmation of confirmations) {
    if (attributeOf(confirmation, 'Method') !== BEARER)
      refuse(`the assertion is confirmed by ${told(attributeOf(confirmation, 'Method'))}, not by bearing it`);
    const data = only(confirmation, 'SubjectConfirmationData');
    const recipient = attributeOf(data, 'Recipient');
    if (recipient !== acs) refuse(`the assertion is meant for ${told(recipient)} (Recipient), not for '${acs}'`);
    const inResponseTo = attributeOf(data, 'InResponseTo');
    if (inResponseTo === undefined)
      refuse('the assertion answers no request (InResponseTo): only sign-ins begun here are taken');
    if (inResponseTo !== requestId) refuse('the assertion belongs to another request (InResponseTo)');
    if (timeOf(data, 'NotOnOrAfter') === undefined)
      refuse('the assertion does not say until when it may be used (NotOnOrAfter)');
    checkWindow(data, 'the assertion', now);
  }
}

function checkConditions(conditions: XmlElement, { audience, now }: ExpectedAssertion): void {
  checkWindow(conditions, 'what the assertion says', now);
  const restrictions = childrenOf(conditions, 'assertion', 'AudienceRestriction');
  if (restrictions.length === 0) refuse('the assertion does not say whom it is for (AudienceRestriction)');
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, 'assertion', 'Audience').map(textOf);
    if (!audiences.includes(audience))
      refuse(`the assertion is for ${told(audiences.join(', '))} (Audience), not for '${audience}'`);
  }
  const unknown = conditions.children.find(
    ({ local, namespace }) =>
      namespace !== NAMESPACES.assertion || ![...HARMLESS_CONDITIONS, 'AudienceRestriction'].includes(local),
  );
  if (unknown) refuse(`the assertion holds under a condition that is not known here (${told(unknown.local)})`);
}

function checkStatements(assertion: XmlElement, { now, signedInAfter }: ExpectedAssertion) {
  const statements = childrenOf(assertion, 'assertion', 'AuthnStatement');
  if (statements.length === 0) refuse('the assertion does not say that anybody signed in (AuthnStatement)');
  const ends = statements.flatMap((statement) => timeOf(statement, 'SessionNotOnOrAfter') ?? []);
  const expires = ends.length === 0 ? undefined : Math.min(...ends);
  if (expires !== undefined && expires <= now - SKEW_MS)
    refuse(`their session at the provider ended at ${at(expires)} (SessionNotOnOrAfter)`);
  const instants = statements.map((statement) => {
    const instant = timeOf(statement, 'AuthnInstant');
    if (instant === undefined || instant > now + SKEW_MS)
      refuse('the assertion does not say when they signed in (AuthnInstant), or that it is to come');
    if (signedInAfter !== undefined && instant < signedInAfter - SKEW_MS)
      refuse(`force_authn asked them to sign in anew, and the provider tells of a sign-in at ${at(instant)}`);
    return instant;
  });
  const sessionIndex = statements.flatMap((statement) => attributeOf(statement, 'SessionIndex') ?? [])[0];
  return { statements, expires, sessionIndex, signedInAt: Math.min(...instants) };
}

function checkWindow(element: XmlElement, what: string, now: number): void {
  const from = timeOf(element, 'NotBefore');
  const until = timeOf(element, 'NotOnOrAfter');
  if (from !== undefined && from > now + SKEW_MS) refuse(`${what} begins to hold at ${at(from)}: compare the clocks`);
  if (until !== undefined && until <= now - SKEW_MS) refuse(`${what} held until ${at(until)}: compare the clocks`);
}

function only(parent: XmlElement, local: string): XmlElement {
  const [first, second] = childrenOf(parent, 'assertion', local);
  if (!first || second) refuse(`${parent.local} of the assertion has ${first ? 'more than one' : 'no'} ${local}`);
  return first;
}

/** Nothing where the attribute is not there; what is no time is refused. */
function timeOf(element: XmlElement, local: string): number | undefined {
  const value = attributeOf(element, local);
  if (value === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const time = isTime ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) refuse(`${local} of the assertion is ${told(value)}, which is no time`);
  return time;
}

function at(time: number): string {
  return new Date(time).toISOString();
}
