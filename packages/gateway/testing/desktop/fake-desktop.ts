/** A session with a desktop whose host only notes what it is told, and the pages that come to it. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { sessionOptions } from '../../src/access/session-options.ts';
import { DesktopSession, type Latecomers } from '../../src/kinds/desktop/desktop-session.ts';
import type { DesktopWire } from '../../src/kinds/desktop/desktop-viewer.ts';
import type { DesktopLink, ShowPage } from '../../src/kinds/desktop/engine/desktop-link.ts';
import { clientShareData, DATA } from '../../src/kinds/desktop/engine/rdp/pdu.ts';
import { HostedSession } from '../../src/sessions/host/hosted-session.ts';
import type { Session, SessionEnd } from '../../src/sessions/host/session-store.ts';

/** One click, in the short form of RDP. */
export const CLICK = Buffer.from([0x04, 0x09, 0x20, 0x00, 0x10, 0x01, 0x00, 0x01, 0x00]);
export const LAST_OF_GREETING = clientShareData(1004, 1003, 0x1_0000, DATA.fontList, Buffer.alloc(8));
export const MiB = 1024 * 1024;

export class FakeLink {
  readonly protocol: 'rdp' | 'vnc' = 'rdp';
  size = { width: 800, height: 600 };
  heard: { bytes: Buffer; from: string; mayType: boolean }[] = [];
  isPaused = false;
  isClosed = false;
  isSuppressed = false;
  mayCopy: boolean | undefined;
  draw: (pdu: Buffer, kept?: Buffer) => void = () => {};
  /** On a channel, which nobody keeps. */
  say: (pdu: Buffer) => void = () => {};
  copy: Parameters<DesktopLink['onClipboard']>[0] = () => {};
  end: Parameters<DesktopLink['onEnd']>[0] = () => {};
  fromPage(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean) {
    this.heard.push({ bytes, from, mayType });
  }
  onPicture(listener: (pdu: Buffer, kept: Buffer | undefined) => void) {
    this.draw = (pdu, kept = pdu) => listener(pdu, kept);
    this.say = (pdu) => listener(pdu, undefined);
  }
  onPointer() {}
  onSize() {}
  onClipboard(listener: Parameters<DesktopLink['onClipboard']>[0]) {
    this.copy = listener;
  }
  onEnd(listener: Parameters<DesktopLink['onEnd']>[0]) {
    this.end = listener;
  }
  channelsAgain() {
    return [Buffer.from('channels')];
  }
  allowClipboard(allowed: boolean) {
    this.mayCopy = allowed;
  }
  /** How often it was woken: each time it sends all of its screen. */
  wakings = 0;
  suppressOutput(hidden: boolean) {
    if (!hidden) this.wakings += 1;
    this.isSuppressed = hidden;
  }
  pause() {
    this.isPaused = true;
  }
  resume() {
    this.isPaused = false;
  }
  resize() {}
  close() {
    this.isClosed = true;
  }
}

export class FakePage implements DesktopWire {
  pictures: string[] = [];
  told: DesktopReply[] = [];
  ended: SessionEnd | undefined;
  lying = 0;
  #sent: (() => void) | undefined;
  picture(bytes: Buffer, sent: () => void) {
    this.pictures.push(bytes.toString());
    this.#sent = sent;
  }
  asked: Uint8Array[] = [];
  files(bytes: Uint8Array, sent: () => void) {
    this.asked.push(bytes);
    this.#sent = sent;
  }
  tell(reply: DesktopReply) {
    this.told.push(reply);
  }
  unsent() {
    return this.lying;
  }
  end(end: SessionEnd) {
    this.ended = end;
  }
  take() {
    this.lying = 0;
    this.#sent?.();
  }
}

export function openFake({ latecomers = true, protocol = 'rdp' as 'rdp' | 'vnc' } = {}) {
  const nothing = () => {};
  const session = {
    ...{ id: 'one', user: 'ann', size: { cols: 800, rows: 600 }, participants: ['ann'], recorded: false },
    action: { kind: 'desktop', resource: { id: 'win-1', name: 'win-1', labels: {} } },
  } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options: sessionOptions({ roles: [] }), rules: [], now: () => 0 },
    ...{ onEnd: nothing, onEnter: nothing, onLeave: nothing, onRemove: nothing },
    ...{ onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  const kept: string[] = [];
  const late: Latecomers = {
    feed(pdu) {
      kept.push(pdu.toString());
      return pdu.toString() === 'wider' ? { segment: { width: 900, height: 600 }, pdus: [pdu] } : { pdus: [pdu] };
    },
    ready: async () => [Buffer.from(`screen of ${kept.join(' ')}`)],
    picture: async () => Buffer.from(`picture of ${kept.join(' ')}`),
    size: () => ({ width: 800, height: 600 }),
    close: nothing,
  };
  const copied: unknown[] = [];
  const desktop = new DesktopSession({
    ...{ hosted, protocol, recorder: undefined, couldJoin: async () => [] },
    latecomers: () => (latecomers ? late : undefined),
    onClipboard: (transfer) => copied.push(transfer),
    mayShareClipboard: () => false,
    folders: { shared: nothing, used: nothing },
    transfers: undefined,
    whyOver: ({ message }) => ({ cause: 'exited', message }),
  });
  const link = new FakeLink();
  let people = 0;
  const come = (mode: ParticipantMode, username = 'ann') => {
    people += 1;
    const page = new FakePage();
    const id = `page-${people}`;
    const viewer = desktop.attach({ id, mode, wire: page, isOwners: username === 'ann' });
    hosted.enter({ id, username, signInId: 'one', address: '', mode, onRemoved: (end) => page.end(end) });
    desktop.begin(viewer);
    return { page, viewer };
  };
  const connect = () => {
    desktop.link = link as unknown as DesktopLink;
  };
  /** The first page is there, and its handshake is over. */
  const begun = () => {
    connect();
    const first = come('peer');
    desktop.hear(first.viewer, LAST_OF_GREETING);
    return first;
  };
  return { desktop, hosted, link, come, connect, begun, copied };
}

/** By VNC: each page is greeted by itself, which is all that is noted here. */
export class FakePagedLink extends FakeLink {
  override readonly protocol = 'vnc';
  pages: { show: ShowPage; heard: string[]; isClosed: boolean }[] = [];
  openPage(show: ShowPage) {
    const page = { show, heard: [] as string[], isClosed: false };
    this.pages.push(page);
    show(Buffer.from('greeting'), false);
    return {
      hear(bytes: Buffer, from: string, mayType: boolean) {
        page.heard.push(`${from} ${mayType} ${bytes.toString()}`);
        return mayType;
      },
      close: () => {
        page.isClosed = true;
      },
    };
  }
  greeting() {
    return Buffer.from('greeting');
  }
  onBeginning() {}
  show(text: string, isClipboard = false) {
    for (const page of this.pages) if (!page.isClosed) page.show(Buffer.from(text), isClipboard);
  }
}

export function openFakePaged() {
  const opened = openFake({ latecomers: false, protocol: 'vnc' });
  const link = new FakePagedLink();
  opened.desktop.link = link as unknown as DesktopLink;
  return { ...opened, link };
}
