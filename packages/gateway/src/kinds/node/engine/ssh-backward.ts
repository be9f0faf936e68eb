/**
 * Lets a server with plain OpenSSH open connections towards the program that something runs for: to its keys, and to its windows.
 * ssh2 would fail what is run where the server forwards neither, and would join keys to an agent of its own without any bound.
 */
import type { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { boundChannel, tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { joinStreams } from '../../../platform/std/join-streams.ts';
import type { Backward, BackwardWay } from '../../../sessions/backward.ts';
import type { SshConnection } from './connect-ssh.ts';

/** Twice the window that ssh2 gives a channel. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
/** Of one session. Programs that draw have some, and a key is asked for one after the other. */
const MAX_OPEN = 32;
const AGENT = 'auth-agent@openssh.com';

type Replied = (failed: unknown) => void;

interface Opened {
  type: string;
  data: unknown;
}

/** What of ssh2 is reached into; the tests with forwarded keys and windows fail when a version has it otherwise. */
interface Inside {
  _acceptX11: number;
  _chanMgr: { _channels: Record<string, { outgoing?: { id: number }; _callbacks?: Replied[] } | true> };
  _protocol: {
    _handlers: { CHANNEL_OPEN?: (protocol: unknown, info: Opened) => void };
    exec(channel: number, command: string, wantReply: boolean): void;
    shell(channel: number, wantReply: boolean): void;
    openssh_agentForward(channel: number, wantReply: boolean): void;
    x11Forward(channel: number, wish: object, wantReply: boolean): void;
  };
}

/** What a certificate must say for it, and no more. */
export function backwardPermits(backward: Backward | undefined): string[] {
  return [...(backward?.agent ? ['permit-agent-forwarding'] : []), ...(backward?.x11 ? ['permit-X11-forwarding'] : [])];
}

/** Call it before the one session of the connection is opened. `onBegun` tells of each way whether the server goes it. */
export function allowBackward(
  { client, closed }: Pick<SshConnection, 'client' | 'closed'>,
  { agent, x11 }: Pick<Backward, 'agent' | 'x11'>,
  onBegun: (way: BackwardWay, hasFailed: boolean) => void,
): void {
  if (!agent && !x11) return;
  const inside = client as unknown as Inside;
  const { _protocol: protocol } = inside;
  const granted = { agent: false, x11: false };

  const ask = (channel: number) => {
    const replies = Object.values(inside._chanMgr._channels)
      .filter((known) => known !== true)
      .find(({ outgoing }) => outgoing?.id === channel)?._callbacks;
    if (!replies) throw new Error('this version of ssh2 keeps its requests in another way');
    const ways: BackwardWay[] = [...(agent ? ['agent' as const] : []), ...(x11 ? ['x11' as const] : [])];
    // They are asked, and answered, before what is run.
    replies.unshift(
      ...ways.map(
        (way): Replied =>
          (failed) => {
            granted[way] = !failed;
            onBegun(way, Boolean(failed));
          },
      ),
    );
    if (agent) protocol.openssh_agentForward(channel, true);
    if (x11) protocol.x11Forward(channel, x11, true);
  };
  const { exec, shell } = protocol;
  protocol.exec = function (channel, ...rest) {
    ask(channel);
    exec.call(this, channel, ...rest);
  };
  protocol.shell = function (channel, ...rest) {
    ask(channel);
    shell.call(this, channel, ...rest);
  };

  const before = protocol._handlers.CHANNEL_OPEN;
  if (!before) throw new Error('this version of ssh2 opens channels in another way');
  let open = 0;
  protocol._handlers.CHANNEL_OPEN = (given, info) => {
    const way = info.type === AGENT ? 'agent' : info.type === 'x11' ? 'x11' : undefined;
    const isWanted = way !== undefined && granted[way] && open < MAX_OPEN;
    inside._acceptX11 = isWanted ? 1 : 0;
    // As a window's connection it is handed to us, to be taken or turned away.
    before(given, isWanted && way === 'agent' ? { ...info, type: 'x11', data: AGENT } : info);
  };
  let isOver = false;
  void closed.then(() => {
    isOver = true;
  });
  client.on('x11', (data: unknown, accept: () => ClientChannel, reject: () => void) => {
    open += 1;
    const turnAway = () => {
      open -= 1;
      if (!isOver) reject();
    };
    const wanted = data === AGENT ? agent?.() : x11?.open(originOf(data));
    void Promise.resolve(wanted).then((near) => {
      if (near && !isOver) return join(near, accept());
      near?.destroy();
      turnAway();
    }, turnAway);
  });

  const join = (near: Duplex, far: ClientChannel) => {
    boundChannel(far, MAX_AHEAD_BYTES, () => far.destroy());
    tellOwnClose(far);
    far.on('error', () => {});
    const cut = joinStreams(near, far, () => {
      open -= 1;
    });
    far.once('close', cut);
    void closed.then(cut);
  };
}

function originOf(data: unknown): { host: string; port: number } {
  const { srcIP, srcPort } = data as { srcIP?: unknown; srcPort?: unknown };
  return { host: String(srcIP ?? '').slice(0, 253), port: Number(srcPort) || 0 };
}
