import { expect, test } from 'vitest';
import { signingTrouble, stateText } from './audit-state-text.ts';

const WELL = { retentionDays: 0, strict: false, queued: 0, deadLetters: 0, signing: '', memoryLost: '', sinks: [] };

test('a log that is well is said to be signed', () => {
  expect(signingTrouble(WELL)).toBe('');
  expect(stateText(WELL)).toBe('events are kept for ever\nthe log is signed\n');
});

test('a log that is not signed any more and a gateway that forgot are told with their reasons', () => {
  const state = { ...WELL, signing: 'event 7 was written anew', memoryLost: 'its file is gone\u001b[2J' };

  expect(stateText(state)).not.toContain('the log is signed');
  expect(stateText(state)).toContain('does not sign the log any more: event 7 was written anew\n');
  expect(signingTrouble(state)).toContain('did not know at its start what it had signed last: its file is gone');
  expect(signingTrouble(state)).not.toContain('\u001b');
});
