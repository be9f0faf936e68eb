/** Reads a role out of the text somebody wrote, or says on which line and column what is wrong with it. */
import { MAX_ROLE_CHARACTERS, type RoleDocument, roleDocument } from '@gatehouse/contract/access/roles/role-document';
import { LABEL_FIELDS, PRINCIPAL_FIELDS } from '@gatehouse/contract/access/roles/vocabulary';
import { PatternError, parsePattern } from '../match/pattern.ts';
import { parseTemplate, TemplateError } from '../match/template.ts';
import { parseWhere, WhereError } from '../where/parse-where.ts';
import { describeIssues } from './describe-issue.ts';
import { type LocatedDocument, type Path, readLocated } from './locate.ts';
import { entryProblems } from './object-entries.ts';
import { type DocumentIssue, RoleDocumentError } from './role-document-error.ts';
import { nameProblem } from './role-name.ts';
import { notesOn, refusals } from './unenforced.ts';

/** Reading one takes up to some milliseconds, during which nothing else runs. */
const MAX_EXPRESSIONS = 100;

export interface ParsedRole {
  document: RoleDocument;
  /** Permissions it asks for that give nothing here. */
  notes: readonly string[];
}

/**
 * Throws `RoleDocumentError` with everything that is wrong. One that is `stored` was accepted once: what is refused by name
 * since then must not take everything from those who hold it.
 */
export function parseRole(text: string, from: 'written' | 'stored' = 'written'): ParsedRole {
  if (text.length > MAX_ROLE_CHARACTERS) throw new RoleDocumentError([wholeIssue('is too long')]);
  const located = readLocated(text);
  const parsed = roleDocument.safeParse(located.value);
  if (!parsed.success) throw new RoleDocumentError(describeIssues(roleDocument, parsed.error.issues, located));
  const document = parsed.data;
  const issues = [...checkName(document, located), ...checkContents(document, located)];
  const refused = from === 'stored' ? [] : refusals(document);
  for (const { path, message } of refused) issues.push(located.issueAt(path, 'key', message));
  if (issues.length > 0) throw new RoleDocumentError(issues);
  return { document, notes: notesOn(document) };
}

function wholeIssue(message: string): DocumentIssue {
  return { path: '', line: 1, column: 1, message };
}

function checkName({ metadata }: RoleDocument, located: LocatedDocument): DocumentIssue[] {
  const problem = nameProblem(metadata.name);
  return problem === undefined ? [] : [located.issueAt(['metadata', 'name'], 'value', problem)];
}

/** What the schema cannot know: templates, patterns and conditions must be readable. */
function checkContents({ version, spec }: RoleDocument, located: LocatedDocument): DocumentIssue[] {
  const issues: DocumentIssue[] = [];
  let expressions = 0;
  const check = (path: Path, read: () => unknown, text = '') => {
    if (text.startsWith('^')) expressions += 1;
    if (expressions > MAX_EXPRESSIONS) {
      if (expressions === MAX_EXPRESSIONS + 1)
        issues.push(
          located.issueAt(path, 'value', `is one regular expression too many: a role may hold ${MAX_EXPRESSIONS}`),
        );
      return;
    }
    try {
      read();
    } catch (error) {
      if (!(error instanceof PatternError || error instanceof TemplateError || error instanceof WhereError))
        throw error;
      issues.push(located.issueAt(path, 'value', error.message));
    }
  };
  for (const side of ['allow', 'deny'] as const) {
    const conditions = spec[side] ?? {};
    const at = (...path: PropertyKey[]): Path => ['spec', side, ...path];
    for (const field of PRINCIPAL_FIELDS) {
      for (const [index, value] of (conditions[field] ?? []).entries())
        check(at(field, index), () => parseTemplate(value) ?? parsePattern(value), value);
    }
    for (const field of LABEL_FIELDS) {
      for (const [key, values] of Object.entries(conditions[field] ?? {})) {
        for (const [index, value] of values.entries()) {
          check(at(field, key, index), () => parseTemplate(value) ?? parsePattern(value), value);
        }
        if (key === '*' && !values.every((value) => value === '*')) {
          issues.push(
            located.issueAt(at(field, key), 'value', "must be '*' too: a pattern for any label is not known"),
          );
        }
      }
    }
    for (const [index, { where }] of (conditions.rules ?? []).entries()) {
      if (where !== undefined) check(at('rules', index, 'where'), () => parseWhere(where));
    }
    for (const [index, { filter }] of (conditions.require_session_join ?? []).entries()) {
      check(at('require_session_join', index, 'filter'), () => parseWhere(filter));
    }
    for (const [index, { roles }] of (conditions.join_sessions ?? []).entries()) {
      for (const [place, role] of roles.entries())
        check(at('join_sessions', index, 'roles', place), () => parsePattern(role));
    }
    for (const [index, rule] of (conditions.kubernetes_resources ?? []).entries()) {
      const entry = at('kubernetes_resources', index);
      for (const field of ['api_group', 'namespace', 'name'] as const) {
        const value = rule[field];
        if (value !== undefined) check([...entry, field], () => parsePattern(value), value);
      }
      for (const { field, message } of entryProblems(version, rule))
        issues.push(located.issueAt(field === undefined ? entry : [...entry, field], 'value', message));
    }
  }
  return issues;
}
