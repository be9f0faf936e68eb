import { CONNECTOR_DOCUMENTS } from '@gatehouse/contract/identity/connectors/connector-document';
import { expect, test } from 'vitest';
import { readDocument } from '../../shared/document-editor/read-document.ts';
import { MAPPINGS } from './mapping.ts';
import { PRESET, PRESETS } from './presets.ts';
import { startText } from './start-text.ts';

test.each(PRESETS)('a new connector of %s gives nobody a role before somebody has said who gets it', (preset) => {
  const { kind } = PRESET[preset];
  const { list, value } = MAPPINGS[kind];
  const issues = CONNECTOR_DOCUMENTS[kind].safeParse(readDocument(startText(preset, ''), '').value).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toContain(`spec.${list}.0.${value}`);
});

test('whose organisation on GitHub it is must be said too', () => {
  const { value } = readDocument(startText('github', ''), '');
  const issues = CONNECTOR_DOCUMENTS.github.safeParse(value).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toContain('spec.teams_to_roles.0.organization');
});
