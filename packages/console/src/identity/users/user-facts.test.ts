import { expect, test } from 'vitest';
import { loadWords, t } from '../../platform/i18n/words.ts';
import { typeWords } from './user-facts.ts';

test('whoever came through a connector that is gone is not called a local user', async () => {
  await loadWords(['users']);

  expect(typeWords(t, { authType: 'local', formerConnector: 'okta' })).toBe('okta (removed)');
  expect(typeWords(t, { authType: 'local' })).not.toContain('removed');
});
