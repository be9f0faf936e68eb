import { tellEvent } from '@gatehouse/contract/audit/tell-event';
import { render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { closePage } from '../../../testing/open-page.tsx';
import { loadWords, t } from '../../platform/i18n/words.ts';
import { Message } from './event-columns.tsx';
import { filterWords } from './event-words.ts';

afterEach(closePage);

test('what was done on the machine of the gateway is told in words, in lines and in filters', async () => {
  await loadWords(['common', 'audit']);
  const made = { code: 'T1002I', event: 'user.create', user: '-local-', name: 'bo', roles: ['access'] };
  render(<Message told={tellEvent(made)} />);

  expect(screen.getByText("somebody on the gateway's machine").tagName).toBe('B');
  expect(filterWords(t, 'user', '-local-')).toBe('somebody on the gateway’s machine');
  expect(filterWords(t, 'user', 'ann')).toBe('ann');
});
