/** Who may use the transfer folder of a session, for how long, and what a page or a host that lies about it can do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TRANSFER_BYTES } from '@gatehouse/contract/kinds/desktop/transfer';
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type SessionOptions, sessionOptions } from '../../../../access/session-options.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import { HostedSession } from '../../../../sessions/host/hosted-session.ts';
import type { JoinRule } from '../../../../sessions/host/moderation.ts';
import type { Session } from '../../../../sessions/host/session-store.ts';
import { DesktopViewer } from '../../desktop-viewer.ts';
import type { DesktopLink } from '../../engine/desktop-link.ts';
import type { FileUse, FolderShare } from '../../engine/shared-folder.ts';
import { DesktopFolders } from '../desktop-folders.ts';
import { SealedBlocks } from './sealed-blocks.ts';
import { createTransferTickets, USE_MS } from './transfer-tickets.ts';

const ALLOWED = { ...sessionOptions({ roles: [] }), directorySharing: true };
const RULE = { role: 'watched' } as unknown as JoinRule;

const signedIn = async () => {};

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'gatehouse-transfer-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

type Transfer = Extract<DesktopReply, { type: 'transfer' }>;

function open({ options = ALLOWED, opened }: { options?: SessionOptions; opened?: () => Promise<SealedBlocks> } = {}) {
  const nothing = () => {};
  const session = {
    id: 'one',
    cluster: 'home',
    user: 'ann',
    action: { kind: 'desktop' },
    participants: ['ann'],
  } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options, rules: [], now: () => 0, onEnd: nothing, onEnter: nothing, onLeave: nothing },
    ...{ onRemove: nothing, onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  const clock = { now: 0 };
  const tickets = createTransferTickets({ now: () => clock.now });
  const shares: FolderShare[] = [];
  const takenAway: string[] = [];
  const told: unknown[] = [];
  const link = {
    hasFolders: true,
    share(share: FolderShare) {
      shares.push(share);
      return () => takenAway.push(share.name);
    },
  };
  const tell = {
    shared: ({ name }: { name: string }, error?: string) =>
      told.push(error === undefined ? ['shared', name] : ['refused', name, error]),
    used: (_folder: unknown, use: FileUse) => told.push(use),
    sent: nothing,
  };
  const folders = new DesktopFolders(hosted, () => link as unknown as DesktopLink, tell, {
    open: opened ?? (() => SealedBlocks.open({ folder: place, maxBlocks: 100 })),
    ...{ tickets, now: () => clock.now, failed: (error) => told.push(['failed', error]) },
  });
  onTestFinished(() => folders.close());
  const come = (mode: ParticipantMode = 'peer', username = 'ann', id = `page of ${username}`) => {
    const replies: DesktopReply[] = [];
    const wire = {
      ...{ picture: nothing, files: nothing, unsent: () => 0, end: nothing },
      tell: (reply: DesktopReply) => void replies.push(reply),
    };
    hosted.enter({ id, username, signInId: `sign-in of ${username}`, address: '', mode, onRemoved: nothing });
    const viewer = new DesktopViewer({ id, mode, wire, isOwners: username === 'ann' });
    folders.transfer.enter(viewer);
    const transfers = () => replies.filter((reply): reply is Transfer => reply.type === 'transfer');
    return { viewer, replies, transfers, last: () => transfers().at(-1) };
  };
  return { hosted, folders, transfer: folders.transfer, tickets, clock, shares, takenAway, told, come };
}

/** The host has it. */
async function begun() {
  const all = open();
  const page = all.come();
  all.transfer.hear(page.viewer, { type: 'transfer', isOn: true });
  await expect.poll(() => all.shares.length).toBe(1);
  const share = all.shares[0]!;
  share.onTaken(true);
  let id = 0;
  const ask = (what: 'upload' | 'download', name: string, size = 0) => {
    id += 1;
    all.transfer.hear(page.viewer, what === 'upload' ? { type: what, id, name, size } : { type: what, id, path: name });
    const found = page.replies.find((reply) => reply.type === 'ticket' && reply.id === id);
    if (found?.type !== 'ticket') throw new Error('no answer');
    return { ...found, ticket: found.url?.split('/').at(-1) ?? '' };
  };
  const upload = (name: string, body: string, size = body.length, signIn = 'sign-in of ann') =>
    all.tickets
      .use(ask('upload', name, size).ticket, signIn, 'upload')
      .take(Readable.from([Buffer.from(body)]), signedIn);
  const download = (path: string) =>
    all.tickets.use(ask('download', path).ticket, 'sign-in of ann', 'download').give(signedIn);
  return { ...all, ...page, share, ask, upload, download };
}

const MINE = 'sign-in of ann';
const put = async ({ folder }: FolderShare, path: string, body: string) => {
  await folder.create(path, false);
  await folder.write(path, 0, Buffer.from(body));
  folder.settle?.(path);
};

test('it is a drive of the host when the host has taken it, and that is told', async () => {
  const { share, transfers, told } = await begun();
  expect(share.name).toBe('Gatehouse');
  expect(transfers().map(({ is }) => is)).toEqual(['asking', 'on']);
  expect(told).toEqual([['shared', 'Gatehouse']]);
  expect(share.folder.room?.().totalBytes).toBe(TRANSFER_BYTES);
});

test('what a page puts there the host reads, and what the host puts into Download the page is offered and downloads', async () => {
  const { share, upload, download, last } = await begun();
  expect(await upload('hello.txt', 'hello')).toEqual({ path: 'hello.txt', size: 5 });
  expect(Buffer.from(await share.folder.read('hello.txt', 0, 100)).toString()).toBe('hello');
  await put(share, 'Download/back.txt', 'from the desktop');
  await expect.poll(() => last()?.files).toEqual([{ path: 'back.txt', size: 16, modified: 0 }]);
  const reply = download('back.txt');
  expect(reply.headers['content-disposition']).toContain('back.txt');
  expect(await text(reply.bytes!)).toBe('from the desktop');
});

test('tickets are for one sign-in, one use, one thing and a minute', async () => {
  const { ask, tickets, clock } = await begun();
  const { ticket } = ask('upload', 'a', 1);
  expect(() => tickets.use(ticket, 'sign-in of eve', 'upload')).toThrow('start it again');
  expect(() => tickets.use(ticket, MINE, 'download')).toThrow('start it again');
  expect(() => tickets.use('', MINE, 'upload')).toThrow();
  tickets.use(ticket, MINE, 'upload');
  expect(() => tickets.use(ticket, MINE, 'upload')).toThrow('start it again');
  const late = ask('upload', 'a', 1).ticket;
  clock.now += USE_MS + 1;
  expect(() => tickets.use(late, MINE, 'upload')).toThrow('start it again');
});

test('an upload that lies about its size is refused, and leaves nothing', async () => {
  const { upload, share } = await begun();
  await expect(upload('a', 'longer', 3)).rejects.toMatchObject({ code: 'bad_request' });
  await expect(upload('a', 'short', 30)).rejects.toThrow('only 5 of 30 bytes');
  await expect(upload('a', 'x', TRANSFER_BYTES + 1)).rejects.toMatchObject({ code: 'too_large' });
  expect((await share.folder.list('')).map(({ name }) => name)).toEqual(['Download']);
});

test('only whose session it is uses it, and only where roles let folders be shared without a moderator', async () => {
  const { transfer, come, shares, told } = open();
  const watcher = come('observer', 'eve');
  transfer.hear(watcher.viewer, { type: 'transfer', isOn: true });
  expect(watcher.last()).toMatchObject({ is: 'refused', why: expect.stringContaining('whose session') });
  const helper = come('peer', 'bob');
  transfer.hear(helper.viewer, { type: 'upload', id: 1, name: 'x', size: 1 });
  expect(helper.replies).toEqual([{ type: 'ticket', id: 1, why: expect.stringContaining('whose session') }]);
  expect(shares).toEqual([]);
  expect(told).toEqual([['refused', 'Gatehouse', expect.any(String)]]);

  const without = open({ options: { ...ALLOWED, directorySharing: false } });
  const page = without.come();
  without.transfer.hear(page.viewer, { type: 'transfer', isOn: true });
  expect(page.last()).toMatchObject({ is: 'refused', why: expect.stringContaining('a role of yours') });
});

test('a helper hears nothing of it, and cannot close it', async () => {
  const { transfer, come, takenAway, share } = await begun();
  const helper = come('peer', 'bob');
  transfer.hear(helper.viewer, { type: 'transfer', isOn: false });
  await put(share, 'Download/x', 'x');
  expect(takenAway).toEqual([]);
  expect(helper.replies).toEqual([]);
});

test('a right that is taken away ends it at once: the drive, uploads and downloads, and tickets', async () => {
  const { hosted, folders, share, ask, download, tickets, last, takenAway } = await begun();
  await put(share, 'Download/x', 'x'.repeat(1_000_000));
  const begun_ = download('x');
  const rest = ask('download', 'x').ticket;
  const source = new Readable({ read() {} });
  source.push(Buffer.from('part'));
  const uploading = tickets.use(ask('upload', 'y', 10).ticket, MINE, 'upload').take(source, signedIn);
  const refused = expect(uploading).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('moderator'),
  });
  vi.spyOn(hosted, 'rules', 'get').mockReturnValue([RULE]);
  expect(share.mayPass()).toBe(false);
  folders.reconsider();
  expect(takenAway).toEqual(['Gatehouse']);
  expect(last()).toMatchObject({ is: 'off', why: expect.stringContaining('moderator'), files: [] });
  await refused;
  await expect(text(begun_.bytes!)).rejects.toThrow();
  expect(() => tickets.use(rest, MINE, 'download').give(signedIn)).toThrow();
  await expect(share.folder.read('Download/x', 0, 1)).rejects.toMatchObject({ fault: 'gone' });
});

test('a sign-in that ends takes what it uploads and downloads with it', async () => {
  const { ask, tickets, share } = await begun();
  await put(share, 'Download/x', 'x'.repeat(3_000_000));
  let isOver = false;
  const require = async () => {
    if (isOver) throw new AppError('not_signed_in', 'your sign-in has ended');
  };
  const { bytes } = tickets.use(ask('download', 'x').ticket, MINE, 'download').give(require);
  const given = bytes!.iterator();
  expect((await given.next()).value.length).toBeGreaterThan(0);
  const source = new Readable({ read() {} });
  const uploading = tickets.use(ask('upload', 'y', 10).ticket, MINE, 'upload').take(source, require);
  const refused = expect(uploading).rejects.toMatchObject({ code: 'not_signed_in' });
  isOver = true;
  await new Promise((done) => setTimeout(done, 1_050));
  source.push(Buffer.from('part'));
  await refused;
  const rest = async () => {
    for (;;) if ((await given.next()).done) return;
  };
  await expect(rest()).rejects.toThrow('your sign-in has ended');
  expect((await share.folder.list('')).map(({ name }) => name)).toEqual(['Download']);
});

test('it stays when its page is loaded again, which hears how it stands, and goes with one click', async () => {
  const { folders, transfer, viewer, come, share, takenAway } = await begun();
  await put(share, 'Download/x', 'x');
  folders.leave(viewer);
  expect(takenAway).toEqual([]);
  const again = come('peer', 'ann', 'another page');
  expect(again.transfers()).toMatchObject([{ is: 'on', files: [{ path: 'x' }] }]);
  transfer.hear(again.viewer, { type: 'transfer', isOn: false });
  expect(takenAway).toEqual(['Gatehouse']);
  expect(again.last()).toMatchObject({ is: 'off', files: [] });
});

test('a host that does not take it is told of, and what is closed while it is made is not begun', async () => {
  const refused = open();
  const page = refused.come();
  refused.transfer.hear(page.viewer, { type: 'transfer', isOn: true });
  await expect.poll(() => refused.shares.length).toBe(1);
  refused.shares[0]!.onTaken(false);
  expect(page.last()).toMatchObject({ is: 'refused', why: expect.stringContaining('does not take it') });
  expect(refused.told).toEqual([['refused', 'Gatehouse', expect.any(String)]]);

  const gate = Promise.withResolvers<void>();
  const slow = open({
    opened: async () => {
      await gate.promise;
      return await SealedBlocks.open({ folder: place, maxBlocks: 1 });
    },
  });
  const other = slow.come();
  slow.transfer.hear(other.viewer, { type: 'transfer', isOn: true });
  slow.transfer.hear(other.viewer, { type: 'transfer', isOn: false });
  expect(other.last()?.is).toBe('off');
  gate.resolve();
  await new Promise((done) => setTimeout(done, 50));
  expect(slow.shares).toEqual([]);
});

test('a disk that gives no room is told in words, and the reason to the log', async () => {
  const { transfer, come, told } = open({ opened: () => Promise.reject(new Error('read-only')) });
  const page = come();
  transfer.hear(page.viewer, { type: 'transfer', isOn: true });
  await expect.poll(() => page.last()).toMatchObject({ is: 'refused', why: expect.stringContaining('disk') });
  expect(told).toEqual([
    ['failed', expect.objectContaining({ message: 'read-only' })],
    ['refused', 'Gatehouse', expect.any(String)],
  ]);
});

test('what the host made shorter meanwhile does not look like a whole download', async () => {
  const { share, download } = await begun();
  await put(share, 'Download/x', 'x'.repeat(3_000_000));
  const { bytes } = download('x');
  await share.folder.resize?.('Download/x', 10);
  await expect(text(bytes!)).rejects.toThrow();
});
