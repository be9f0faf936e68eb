/** A page on a desktop without a client that draws: makes the handshake as one does, then says what it is given. */
import { PICTURE_FRAME } from '@gatehouse/contract/sessions/desktop-frames';
import { WebSocket } from 'ws';
import { writeConnectInitial } from '../../src/kinds/desktop/engine/rdp/connect-initial.ts';
import {
  attachedUser,
  channelPdu,
  clientShareData,
  DATA,
  describe,
  joinRequest,
  type PduKind,
  SHARE,
  sealed,
  shareHeader,
} from '../../src/kinds/desktop/engine/rdp/pdu.ts';
import type { Tab } from '../sessions/terminal-client.ts';

export const CHANNELS = { io: 1003, clipboard: 1004, dynamic: 1005 } as const;
const SHARE_ID = 0x10001;
const ERECT = sealed(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x04, 1, 0, 1, 0]));
const ATTACH = sealed(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x28]));
const INFO = Buffer.from([0x40, 0, 0, 0, ...Buffer.alloc(18)]);

export interface BarePage {
  readonly socket: WebSocket;
  /** Resolves when the desktop is drawn, or the socket is closed. */
  readonly drawn: Promise<void>;
  send(pdu: Buffer): void;
  sendOn(channel: number, body: Buffer): void;
}

export interface BarePageOptions {
  /** Reads nothing. */
  rests?: boolean;
  /** Each message of the handshake, before it leaves. */
  change?: (pdu: Buffer) => Buffer;
}

export function openBarePage(
  { url, headers, token }: Tab,
  target: { desktop: string; login: string },
  { rests = false, change = (pdu) => pdu }: BarePageOptions = {},
): BarePage {
  const socket = new WebSocket(url.replace(/[^/]*$/, 'desktop'), { headers, perMessageDeflate: false });
  const size = { width: 1024, height: 768, scale: 100, keyboard: 0 };
  let user = 1001;
  let confirmed = 0;
  const send = (pdu: Buffer): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.concat([Buffer.of(PICTURE_FRAME), pdu]));
  };
  const sendOn = (channel: number, body: Buffer): void => send(channelPdu('client', user, channel, body));
  const say = (pdu: Buffer): void => send(change(pdu));
  socket.on('error', () => {});
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token }));
    socket.send(JSON.stringify({ type: 'open', ...target, ...size, request: crypto.randomUUID() }));
    if (rests) socket.pause();
  });
  const drawn = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        const { type } = JSON.parse(data.toString()) as { type: string };
        if (type === 'segment') say(writeConnectInitial(size, 1, ['cliprdr', 'drdynvc']));
        return;
      }
      const pdu = data.subarray(1);
      const described = describedOrNothing(pdu);
      if (described?.kind === 'connect_response') for (const each of [ERECT, ATTACH]) say(each);
      else if (described?.kind === 'attach_confirm') {
        user = attachedUser(pdu);
        for (const channel of [user, ...Object.values(CHANNELS)]) say(joinRequest(user, channel));
      } else if (described?.kind === 'join_confirm') {
        confirmed += 1;
        if (confirmed === 4) say(channelPdu('client', user, CHANNELS.io, INFO));
      } else if (described?.kind === 'data' && described.channel === CHANNELS.io) {
        const header = shareHeader(pdu, described.offset);
        if (header?.type === SHARE.demandActive) for (const each of activation(user)) say(each);
        if (header?.data === DATA.fontMap) resolve();
      }
    });
  });
  return { socket, drawn, send, sendOn };
}

function activation(user: number): Buffer[] {
  const confirm = Buffer.alloc(20);
  confirm.writeUInt16LE(20, 0);
  confirm.writeUInt16LE(0x10 | SHARE.confirmActive, 2);
  const data = (type: number) => clientShareData(user, CHANNELS.io, SHARE_ID, type, Buffer.alloc(8));
  return [
    channelPdu('client', user, CHANNELS.io, confirm),
    ...[DATA.synchronize, DATA.control, DATA.control, DATA.fontList].map(data),
  ];
}

function describedOrNothing(pdu: Buffer): PduKind | undefined {
  try {
    return describe(pdu);
  } catch {
    return undefined;
  }
}
