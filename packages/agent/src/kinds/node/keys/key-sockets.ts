/**
 * Sockets by which what runs in a session asks for the keys of whoever it runs for. They belong to the login, and lie in folders that
 * do not: what the login could replace by a link, the agent would follow when it cleans up.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type KeysSaid, keysRequest } from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { messageOf, StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../../reach/metadata.ts';
import { joinStreams } from '../../../reach/tcp/dial.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import type { AgentLog } from '../../../runtime/log.ts';
import { checkLogin, type LoginRules } from '../login/check-login.ts';

const MAX_SOCKETS = 256;
/** Of one session, waiting or open. */
const MAX_CONNECTIONS = 32;
/** For a gateway to take what was told. */
const TAKE_MS = 30_000;

export interface KeySocketsDeps {
  rules: LoginRules;
  /** False: its file turns forwarding off. */
  mayForward: boolean;
  log: AgentLog;
}

export interface KeySockets {
  /** Throws LoginRefused or StreamRefused. */
  serve(offered: OfferedStream, metadata: StreamMetadata): Promise<void>;
  /** Undefined where nobody offers keys to this session. */
  socketOf(session: string, login: string): string | undefined;
  readonly size: number;
  close(): void;
}

interface KeySocket {
  path: string;
  login: string;
  waiting: Map<string, Socket>;
  close(): void;
}

export function createKeySockets({ rules, mayForward, log }: KeySocketsDeps): KeySockets {
  const sockets = new Map<string, KeySocket>();

  async function open(offered: OfferedStream, { session, login }: { session: string; login: string }): Promise<void> {
    if (!mayForward)
      throw new StreamRefused('not_allowed', `this agent forwards nothing: 'forward: false' in ${rules.where}`);
    const person = await checkLogin(login, rules);
    if (sockets.has(session)) throw new StreamRefused('bad_request', 'this session has a socket for keys already');
    if (sockets.size >= MAX_SOCKETS)
      throw new StreamRefused('busy', `this agent has sockets for ${MAX_SOCKETS} sessions; it takes no more`);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    const waiting = new Map<string, Socket>();
    const connections = new Set<Socket>();
    let stream: Duplex | undefined;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      if (connections.size >= MAX_CONNECTIONS || !stream) return void socket.destroy();
      connections.add(socket);
      const connection = randomBytes(16).toString('hex');
      waiting.set(connection, socket);
      const timer = setTimeout(() => socket.destroy(), TAKE_MS).unref();
      socket.once('close', () => {
        clearTimeout(timer);
        connections.delete(socket);
        waiting.delete(connection);
      });
      void writeMessage(stream, { type: 'came', connection } satisfies KeysSaid).catch(() => socket.destroy());
    });
    const kept: KeySocket = {
      ...{ path: join(folder, 'socket'), login, waiting },
      close() {
        if (sockets.get(session) === kept) sockets.delete(session);
        server.close();
        for (const socket of connections) socket.destroy();
        rmSync(folder, { recursive: true, force: true });
      },
    };
    sockets.set(session, kept);
    try {
      await listen(server, kept.path);
      giveTo(person, kept.path);
      chmodSync(folder, 0o711);
    } catch (error) {
      kept.close();
      throw new StreamRefused('failed', `no socket for keys can be made: ${messageOf(error)}`);
    }
    const accepted = offered.accept();
    stream = accepted;
    accepted.on('error', () => {});
    accepted.once('close', kept.close);
    accepted.once('end', () => accepted.destroy());
    // Nothing is to be heard but its end.
    accepted.resume();
    await writeMessage(accepted, { type: 'ready' } satisfies KeysSaid).catch(() => accepted.destroy());
  }

  return {
    get size() {
      return sockets.size;
    },
    socketOf(session, login) {
      const known = sockets.get(session);
      return known?.login === login ? known.path : undefined;
    },
    async serve(offered, metadata) {
      const { session, login, user, take } = readMetadata(keysRequest, metadata);
      if (take === undefined) {
        await open(offered, { session, login });
        log.info({ sessionId: session, username: user, login }, 'keys are offered to a session');
        return;
      }
      const known = sockets.get(session);
      const socket = known?.login === login ? known.waiting.get(take) : undefined;
      if (!socket) throw new StreamRefused('not_found', 'nobody waits there any more');
      known?.waiting.delete(take);
      await joinStreams(offered.accept(), socket);
      socket.destroy();
    },
    close() {
      for (const { close } of [...sockets.values()]) close();
    },
  };
}

/** Nobody gets to it before: the folder is still closed to others. */
function giveTo({ uid, gid }: Person, path: string): void {
  chmodSync(path, 0o600);
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}
