import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { roleDocument } from '@gatehouse/contract/access/roles/role-document';
import { expect, test } from 'vitest';
import { completeDocument } from './complete-document.ts';
import { documentSchema } from './document-schema.ts';

const complete = completeDocument(documentSchema(roleDocument));

/** `|` is the cursor. */
function offered(text: string): string[] {
  const pos = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', '') });
  return (complete(new CompletionContext(state, pos, true))?.options ?? []).map(({ label }) => label);
}

test.each<[string, string[], string[]]>([
  ['|', ['kind', 'version', 'metadata', 'spec'], ['allow']],
  ['spec:\n  |', ['allow', 'deny', 'options'], ['logins']],
  ['spec:\n  allow:\n    lo|', ['logins', 'node_labels', 'rules'], ['max_session_ttl']],
  ['spec:\n  options:\n    |', ['max_session_ttl', 'record_session'], ['logins']],
  ['spec:\n  options:\n    record_session:\n      default: |', ['strict', 'best_effort', 'off'], []],
  ['spec:\n  options:\n    port_forwarding: t|', ['true', 'false'], []],
  ['spec:\n  allow:\n    rules:\n      - resources: [ses|', ['session', 'user', '*'], ['list']],
  [
    'spec:\n  allow:\n    rules:\n      - resources: [session]\n        verbs: [list, |',
    ['read', 'update', '*'],
    ['session'],
  ],
  ['spec:\n  allow:\n    rules:\n      - |', ['resources', 'verbs', 'where'], []],
  ['spec:\n  allow:\n    rules:\n      - resources:\n          - |', ['session', 'user'], []],
  ['version: |', ['v6'], []],
  ['kind: |', ['role'], []],
])('%j', (text, present, absent) => {
  const labels = offered(text);

  expect(labels).toEqual(expect.arrayContaining(present));
  for (const label of absent) expect(labels).not.toContain(label);
});

test('nothing is offered in comments, for free texts and directly behind a colon', () => {
  expect(offered('spec: # al|')).toEqual([]);
  expect(offered('metadata:\n  description: a|')).toEqual([]);
  expect(offered('kind:|')).toEqual([]);
});
