import { EventEmitter } from 'node:events';
import { PICTURE_FRAME } from '@gatehouse/contract/sessions/desktop-frames';
import { expect, test, vi } from 'vitest';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import { silentLog } from '../../platform/std/log.ts';
import { serveDesktopSocket } from './desktop-socket.ts';

test('what is typed keeps somebody signed in; what their client says by itself does not', () => {
  const socket = new EventEmitter();
  const active = vi.fn();
  const add = vi.fn();
  serveDesktopSocket({ add } as unknown as Sockets, { log: silentLog } as Parameters<typeof serveDesktopSocket>[1]);
  const serve = add.mock.calls[0]![2] as (opened: SignedInSocket, request: object) => void;
  serve({ socket, active } as unknown as SignedInSocket, {});

  socket.emit('message', Buffer.from([PICTURE_FRAME, 3, 0, 0, 8, 2, 0xf0, 0x80, 0]), true);
  expect(active).not.toHaveBeenCalled();
  socket.emit('message', Buffer.from([PICTURE_FRAME, 0x04, 0x09, 0x20, 0, 0x10, 1, 0, 1, 0]), true);
  expect(active).toHaveBeenCalledOnce();
});

test('a page that says what is no message is heard no more, whatever it goes on to say', () => {
  const socket = Object.assign(new EventEmitter(), { close: vi.fn(), terminate: vi.fn() });
  const active = vi.fn();
  const add = vi.fn();
  serveDesktopSocket({ add } as unknown as Sockets, { log: silentLog } as Parameters<typeof serveDesktopSocket>[1]);
  const serve = add.mock.calls[0]![2] as (opened: SignedInSocket, request: object) => void;
  serve({ socket, active } as unknown as SignedInSocket, {});

  socket.emit('message', Buffer.from('{'), false);
  socket.emit('message', Buffer.from([PICTURE_FRAME, 0x04, 0x09, 0x20, 0, 0x10, 1, 0, 1, 0]), true);
  expect(socket.close).toHaveBeenCalledExactlyOnceWith(1008, 'the message is not understood');
  expect(active).not.toHaveBeenCalled();
});
