/** Reads a trust out of the text somebody wrote, or says on which line what is wrong with it. Its token leaves the text here. */
import {
  MAX_TRUST_CHARACTERS,
  rootAddress,
  type TrustedClusterDocument,
  trustedClusterDocument,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { describeIssues } from '../../../access/document/describe-issue.ts';
import { type LocatedDocument, readLocated } from '../../../access/document/locate.ts';
import { type DocumentIssue, RoleDocumentError } from '../../../access/document/role-document-error.ts';
import { nameProblem } from '../../../access/document/role-name.ts';
import { takeOutFields } from '../../../access/document/take-out-fields.ts';
import { wrongWithMap } from '../map/role-map.ts';

export interface ParsedTrust {
  name: string;
  document: TrustedClusterDocument;
  /** The text without its token: what is kept, and what is given back. */
  content: string;
  token: string | undefined;
  /** Where the root is dialled: an origin. */
  address: string;
}

const MAX_NAME = 63;

/** Throws `RoleDocumentError` with everything that is wrong. */
export function parseTrust(text: string, exists: (role: string) => boolean): ParsedTrust {
  if (text.length > MAX_TRUST_CHARACTERS) throw wrong([{ path: '', line: 1, column: 1, message: 'is too long' }]);
  const located = readLocated(text);
  const parsed = trustedClusterDocument.safeParse(located.value);
  if (!parsed.success) throw wrong(describeIssues(trustedClusterDocument, parsed.error.issues, located));
  const { metadata, spec } = parsed.data;
  const { text: content, values } = takeOutFields(text, [['spec', 'token']]);
  const address = originOf(spec.web_proxy_addr);
  const issues = [
    ...checkName(metadata.name, located),
    ...(address === undefined
      ? [
          located.issueAt(
            ['spec', 'web_proxy_addr'],
            'value',
            'must be the address people open the root by: https://HOST, or HOST:PORT (http:// only for localhost, to try things)',
          ),
        ]
      : []),
    ...wrongWithMap(spec.role_map, exists).map(({ path, message }) =>
      located.issueAt(['spec', 'role_map', ...path], 'value', message),
    ),
    ...checkToken(spec.token, values.get('spec.token'), content, located),
  ];
  if (issues.length > 0 || address === undefined) throw wrong(issues);
  return { name: metadata.name, document: parsed.data, content, token: spec.token, address };
}

/** One that was accepted before, from the store. */
export function readStoredTrust(content: string): TrustedClusterDocument {
  return trustedClusterDocument.parse(readLocated(content).value);
}

/** As they stand in the text, from above. */
function wrong(issues: readonly DocumentIssue[]): RoleDocumentError {
  return new RoleDocumentError(issues.toSorted((a, b) => a.line - b.line || a.column - b.column));
}

function checkName(name: string, located: LocatedDocument): DocumentIssue[] {
  const problem = name.length > MAX_NAME ? `must have at most ${MAX_NAME} characters` : nameProblem(name);
  return problem === undefined ? [] : [located.issueAt(['metadata', 'name'], 'value', problem)];
}

/** An alias or a comment would keep it in the text that everybody who may list trusts reads. */
function checkToken(
  token: string | undefined,
  taken: string | undefined,
  content: string,
  located: LocatedDocument,
): DocumentIssue[] {
  if (token === undefined || (taken === token && !content.includes(token))) return [];
  return [located.issueAt(['spec', 'token'], 'value', 'must be written here, once, and nowhere else in the text')];
}

function originOf(given: string): string | undefined {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `https://${given}`;
  if (!rootAddress.safeParse(text).success || !URL.canParse(text)) return undefined;
  const { origin, pathname, search } = new URL(text);
  return pathname === '/' && search === '' ? origin : undefined;
}
