/** Who a checked assertion is about: subject, name, claims, and whether a second factor was used. */
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, textOf } from '../xml/xml-tree.ts';
import type { CheckedAssertion } from './check-assertion.ts';
import { refuse } from './refuse.ts';

const FORMAT = /^urn:oasis:names:tc:SAML:(?:1\.1|2\.0):nameid-format:/;
const CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
/** Those whose definition asks for two factors; a class that only may mean two counts as one. */
const TWO_FACTORS: ReadonlySet<string> = new Set([
  `${CLASS}MobileTwoFactorContract`,
  `${CLASS}MobileTwoFactorUnregistered`,
  `${CLASS}SmartcardPKI`,
  'http://schemas.microsoft.com/claims/multipleauthn',
  'https://refeds.org/profile/mfa',
]);

export interface IdentityRules {
  subjectAttribute: string | undefined;
  usernameAttribute: string | undefined;
}

export interface Identity {
  subject: string;
  username: string;
  claims: Map<string, string[]>;
  mfa: boolean;
  notes: string[];
}

export function readIdentity(
  assertion: XmlElement,
  { subject, statements }: CheckedAssertion,
  rules: IdentityRules,
): Identity {
  const { claims, notes } = readClaims(assertion);
  const nameIds = childrenOf(subject, 'assertion', 'NameID');
  if (nameIds.length > 1) refuse('the assertion has more than one NameID', { step: 'identity' });
  const nameId = nameIds[0] && readNameId(nameIds[0]);
  return {
    subject:
      rules.subjectAttribute === undefined
        ? persistent(nameId)
        : oneValue(claims, rules.subjectAttribute, 'subject_attribute'),
    username: usernameOf(nameId, claims, rules.usernameAttribute),
    claims,
    mfa: statements.every((statement) => TWO_FACTORS.has(classOf(statement))),
    notes,
  };
}

interface NameId {
  value: string;
  /** Its last word: `persistent`. */
  format: string;
}

function readNameId(element: XmlElement): NameId {
  const value = textOf(element);
  if (value === '' || element.children.length > 0)
    refuse('the NameID is empty or holds elements', { step: 'identity' });
  return { value, format: (attributeOf(element, 'Format') ?? 'unspecified').replace(FORMAT, '') };
}

/** Other formats are given to somebody else one day, or to somebody new each time. */
function persistent(nameId: NameId | undefined): string {
  const advice =
    'let the provider send a persistent NameID, or name an attribute that never changes as subject_attribute';
  if (!nameId) refuse(`the assertion has no NameID: ${advice}`, { step: 'identity' });
  if (nameId.format === 'transient')
    refuse(`the NameID is transient, another one at each sign-in: ${advice}`, { step: 'identity' });
  if (nameId.format === 'emailAddress')
    refuse(`the NameID is an e-mail address, which can be given to somebody else: ${advice}`, { step: 'identity' });
  if (nameId.format !== 'persistent')
    refuse(`the NameID is '${nameId.format.slice(0, 200)}', not persistent: ${advice}`, { step: 'identity' });
  return nameId.value;
}

function usernameOf(
  nameId: NameId | undefined,
  claims: ReadonlyMap<string, readonly string[]>,
  attribute: string | undefined,
): string {
  if (attribute !== undefined) return oneValue(claims, attribute, 'username_attribute');
  if (!nameId || nameId.format === 'transient')
    refuse('the assertion has no lasting NameID to be called by: name an attribute as username_attribute', {
      step: 'identity',
    });
  return nameId.value;
}

function oneValue(claims: ReadonlyMap<string, readonly string[]>, name: string, field: string): string {
  const values = claims.get(name) ?? [];
  const [first, second] = values;
  if (!first || second !== undefined) {
    const names = [...claims.keys()]
      .map((key) => `'${key}'`)
      .join(', ')
      .slice(0, 500);
    refuse(`${field} '${name}' has ${values.length} values, not one; the provider sent ${names || 'no attributes'}`, {
      step: 'identity',
    });
  }
  return first;
}

/** An attribute that stands there twice has the values of both: some providers write one for each role. */
function readClaims(assertion: XmlElement): { claims: Map<string, string[]>; notes: string[] } {
  const claims = new Map<string, string[]>();
  const skipped = new Set<string>();
  const attributes = childrenOf(assertion, 'assertion', 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, 'assertion', 'Attribute'),
  );
  for (const attribute of attributes) {
    const name = attributeOf(attribute, 'Name');
    if (!name) refuse('an attribute of the assertion has no name', { step: 'identity' });
    const values = claims.get(name) ?? [];
    claims.set(name, values);
    for (const value of childrenOf(attribute, 'assertion', 'AttributeValue')) {
      if (value.children.length > 0) skipped.add(name);
      else if (textOf(value) !== '') values.push(textOf(value));
    }
  }
  return { claims, notes: [...skipped].map((name) => `a value of '${name}' is XML, not text, and was left out`) };
}

function classOf(statement: XmlElement): string {
  const [context] = childrenOf(statement, 'assertion', 'AuthnContext');
  const reference = context && childrenOf(context, 'assertion', 'AuthnContextClassRef')[0];
  return reference ? textOf(reference) : '';
}
