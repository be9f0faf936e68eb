/** Words for the state of the audit log: whether it is signed, what waits, and which sinks do not take events. */
import type { AuditState } from '@gatehouse/contract/audit/search';
import { printable } from '@gatehouse/contract/std/printable';

export function stateText(state: AuditState): string {
  const { retentionDays, queued, deadLetters, sinks } = state;
  const trouble = signingTrouble(state);
  return [
    retentionDays === 0 ? 'events are kept for ever\n' : `events are kept for ${retentionDays} days\n`,
    trouble === '' ? 'the log is signed\n' : trouble,
    queued > 0 ? `${queued} events wait on disk for the store\n` : '',
    deadLetters > 0 ? `${deadLetters} events were refused by the store, and are kept in a file of the gateway\n` : '',
    ...sinks.map(({ name, behind, error }) =>
      printable(
        error === ''
          ? `the sink ${name} takes events`
          : `the sink ${name} does not take events, ${behind} behind: ${error}`,
      ).concat('\n'),
    ),
  ].join('');
}

/** Empty when the gateway signs the log, and knows what it signed before. */
export function signingTrouble({ signing = '', memoryLost = '' }: AuditState): string {
  const refused = signing === '' ? '' : `the gateway does not sign the log any more: ${printable(signing)}\n`;
  const forgot =
    memoryLost === ''
      ? ''
      : `the gateway did not know at its start what it had signed last: ${printable(memoryLost)}\n`;
  return refused + forgot;
}
