/** What people hear when the connection to a host is over: whoever took it over, the agent that was lost, or what the host said. */
import { expect, test } from 'vitest';
import type { DesktopNote } from '../../sessions/desktop/desktop-recorder.ts';
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import { CLOSED_BY_HOST, type DesktopEnd, LOST_HOST } from './engine/desktop-link.ts';
import { TAKEN_OVER } from './engine/rdp/error-info.ts';
import { TAKEN_WITHIN_MS, whyOver } from './why-over.ts';

const CLOSED: DesktopEnd = { cause: 'closed', message: CLOSED_BY_HOST };
const LOST: DesktopEnd = { cause: 'lost', message: LOST_HOST };

interface More {
  login?: string;
  end?: SessionEnd['cause'];
  id?: string;
}

const running = (user: string, created: number, { login = 'svc', end, id = 'win-1' }: More = {}) => {
  const action = { kind: 'desktop', login, resource: { id } };
  const session = { id: `${user}-${created}`, user, created, action } as unknown as Session;
  return { protocol: 'rdp' as const, hosted: { session, end: end && { cause: end, message: '' } } };
};

interface Around {
  others?: ReturnType<typeof running>[];
  now?: number;
  dialledBy?: string;
  protocol?: 'rdp' | 'vnc';
}

function told(end: DesktopEnd, { others = [], now = 101_000, dialledBy = '', protocol = 'rdp' }: Around = {}) {
  const ann = running('ann', 0);
  const notes: DesktopNote[] = [];
  const taken: string[] = [];
  const why = whyOver(
    { protocol, session: ann.hosted.session },
    {
      ...{ others: () => [ann, ...others], now: () => now, dialledBy },
      isConnected: (agent) => agent === 'edge-1',
      onTaken: ({ user }) => taken.push(user),
    },
  );
  return { why: why(end, (note) => notes.push(note)), notes, taken };
}

test('whoever came with the same login just before the host ended another has taken it over, which is noted in its recording', () => {
  const others = [running('bob', 100_000, { login: 'SVC' })];
  for (const end of [CLOSED, LOST, { ...CLOSED, message: TAKEN_OVER, told: 'taken_over' as const }])
    expect(told(end, { others })).toEqual({
      why: { cause: 'taken_over', message: 'bob connected with the same login, and the host has one session of each' },
      notes: [{ kind: 'take-over', user: 'bob' }],
      taken: ['bob'],
    });
});

test('one that the same person begins anew is told as theirs, and is no news for the audit log', () => {
  const { why, notes, taken } = told(CLOSED, { others: [running('ann', 100_000)] });
  expect(why.cause).toBe('taken_over');
  expect(why.message).toContain('you connected anew');
  expect(notes).toEqual([{ kind: 'take-over', user: 'ann' }]);
  expect(taken).toEqual([]);
});

test('who was there for long, is over as well, is somewhere else or speaks VNC has taken nothing over', () => {
  const bob = running('bob', 100_000);
  for (const around of [
    { others: [bob], now: 100_001 + TAKEN_WITHIN_MS },
    { others: [running('bob', 100_000, { end: 'closed' })] },
    { others: [running('bob', 100_000, { login: 'other' })] },
    { others: [running('bob', 100_000, { id: 'win-2' })] },
    { others: [bob], protocol: 'vnc' as const },
  ])
    expect(told(CLOSED, around)).toMatchObject({ why: { cause: 'exited' }, notes: [], taken: [] });
});

test('what the host says counts before what may be guessed', () => {
  const others = [running('bob', 100_000)];
  const idle: DesktopEnd = { cause: 'closed', message: 'nobody did anything for too long', told: 'reason' };
  expect(told(idle, { others, dialledBy: 'gone' }).why).toEqual({ cause: 'exited', message: idle.message });
  // By somebody who did not come through this gateway.
  expect(told({ ...CLOSED, message: TAKEN_OVER, told: 'taken_over' }).why).toEqual({
    cause: 'taken_over',
    message: TAKEN_OVER,
  });
  const broken: DesktopEnd = { cause: 'failed', message: 'the host sent what is no RDP' };
  expect(told(broken, { others, dialledBy: 'gone' }).why).toEqual({ cause: 'target_lost', message: broken.message });
});

test('where the agent is gone the host is not blamed', () => {
  for (const end of [CLOSED, LOST])
    expect(told(end, { dialledBy: 'gone' }).why).toEqual({
      cause: 'agent_lost',
      message: 'the connection to the agent that reaches this desktop was lost',
    });
  expect(told(LOST, { dialledBy: 'edge-1' }).why).toEqual({ cause: 'target_lost', message: LOST_HOST });
  expect(told(CLOSED, { dialledBy: 'edge-1' }).why.message).toContain('did not say why');
});
