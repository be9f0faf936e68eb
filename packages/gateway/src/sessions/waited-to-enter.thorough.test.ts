/** Somebody who was let into a session waits until its shell is there: what was taken from them meanwhile is not theirs when it comes. */
import type { Duplex } from 'node:stream';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { encodeShellFrame, gatewayFrameReader } from '@gatehouse/tunnel/shell-frame-codec';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connectCompat } from '../../testing/sessions/compat-client.ts';
import { startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, type Tab, tabOf } from '../../testing/sessions/terminal-client.ts';
import { decodeEnvelope, encodeEnvelope } from '../doors/terminal/compat/envelope.ts';
import { Terminal } from './terminal/terminal.ts';

const JOIN = 'join_sessions: [{name: j, kinds: [ssh], roles: [dev], modes: [peer]}]';
const STATE = { start: 0, end: 0, taken: {}, echo: true, program: '', pid: 1, login: 'ubuntu', cols: 80, rows: 24 };

/** The shell of ann, which does not answer yet, and bob, who may type in it. */
async function waiting() {
  const shells: Duplex[] = [];
  let typed = '';
  const world = await startShellWorld({ onShell: (stream) => shells.push(stream) });
  onTestFinished(() => world.close());
  await world.makeRole('joins', `{allow: {${JOIN}}}`);
  await world.gateway.addUser('bob', { roles: ['joins'] });
  const bob = await world.gateway.signedIn('bob');
  // Not by our terminal: that asks of it what the tests look for.
  const owner = connectCompat(tabOf(world.gateway.app, world.ann), 'edge', 'ubuntu');
  onTestFinished(() => owner.socket.terminate());
  const params = { clusterId: 'localhost' };
  const sid = await vi.waitFor(async () => {
    const { sessions } = await call(bob.send, sessionRoutes.list, { params });
    expect([sessions.length, shells.length]).toEqual([1, 1]);
    return sessions[0]?.id ?? '';
  });
  return {
    ...{ tab: tabOf(world.gateway.app, bob), sid, owner },
    typed: () => typed,
    change: async (spec: string) => {
      const content = `kind: role\nversion: v6\nmetadata: {name: joins}\nspec: ${spec}\n`;
      await call(world.admin.send, roleRoutes.update, { params: { name: 'joins' }, body: { content } });
      await world.gateway.settled();
    },
    answer() {
      const shell = shells[0] as Duplex;
      const reader = gatewayFrameReader();
      shell.on('data', (piece: Buffer) => {
        for (const frame of reader.push(piece)) if (frame.type === 'input') typed += Buffer.from(frame.bytes);
      });
      shell.write(Buffer.concat(encodeShellFrame({ type: 'state', state: STATE })));
    },
  };
}

interface Guest {
  /** They were let in, and wait. */
  waits: Promise<unknown>;
  over: Promise<unknown>;
  said(): string;
}

const GUESTS: Record<string, (tab: Tab, sid: string) => Guest> = {
  terminal(tab, sid) {
    const guest = connectTerminal(tab, {
      type: 'attach',
      sid,
      cols: 80,
      rows: 24,
      writer: '00000000000000bb',
      mode: 'peer',
    });
    onTestFinished(() => guest.cut());
    guest.state.catch(() => {});
    // Looked at once they are let in, before they wait.
    const looked = vi.spyOn(Terminal.prototype, 'away', 'get');
    onTestFinished(() => looked.mockRestore());
    const waits = vi.waitFor(() => expect(looked).toHaveBeenCalled()).then(() => guest.type('id\n'));
    return { waits, over: guest.closed, said: () => JSON.stringify(guest.replies) };
  },
  'socket of the reference'(tab, sid) {
    const params = encodeURIComponent(JSON.stringify({ sid, mode: 'peer', term: { w: 80, h: 24 } }));
    const url = `${tab.url.replace(/terminal$/, 'connect')}?access_token=${tab.token}&params=${params}`;
    const socket = new WebSocket(url, { headers: tab.headers });
    onTestFinished(() => socket.terminate());
    let said = '';
    const waits = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const { type, payload } = decodeEnvelope(data) ?? {};
        said += payload;
        if (type !== 's') return;
        socket.send(encodeEnvelope('r', Buffer.from('id\n')));
        resolve();
      });
    });
    return { waits, over: new Promise((resolve) => socket.once('close', resolve)), said: () => said };
  },
};

test.each(Object.keys(GUESTS))(
  'by the %s: who may not join any more comes in to nothing, and types nothing',
  async (door) => {
    const { tab, sid, owner, change, answer, typed } = await waiting();
    const guest = GUESTS[door]!(tab, sid);
    await guest.waits;
    await change('{allow: {}}');
    answer();
    await guest.over;
    owner.type('mine');
    await vi.waitFor(() => expect(typed()).toContain('mine'));

    expect(typed()).toBe('mine');
    expect(guest.said()).not.toContain('"type":"state"');
  },
);

test.each(Object.keys(GUESTS))(
  'by the %s: a role that asks for a second factor since keeps out who gave none',
  async (door) => {
    const { tab, sid, change, answer, typed } = await waiting();
    const guest = GUESTS[door]!(tab, sid);
    await guest.waits;
    await change(`{options: {require_session_mfa: true}, allow: {${JOIN}}}`);
    answer();
    await guest.over;

    expect(guest.said()).toContain('asks for a second factor');
    expect(typed()).toBe('');
  },
);

test.each(Object.keys(GUESTS))('by the %s: who still may comes in with what they typed', async (door) => {
  const { tab, sid, answer, typed } = await waiting();
  await GUESTS[door]!(tab, sid).waits;
  answer();

  await vi.waitFor(() => expect(typed()).toBe('id\n'));
});
