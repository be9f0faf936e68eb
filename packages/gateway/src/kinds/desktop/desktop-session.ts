/** A session with a desktop: one connection to the host, the pages that look at it, and its recording. What may pass is asked of the host of sessions for every piece. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { AppError } from '../../platform/std/app-error.ts';
import type { DesktopRecorder } from '../../sessions/desktop/desktop-recorder.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { ParticipantUpdates } from '../../sessions/host/participant-updates.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import { ClipboardTally } from './clipboard-tally.ts';
import { DesktopSound } from './desktop-sound.ts';
import { DesktopViewer } from './desktop-viewer.ts';
import type { ClipboardTransfer, DesktopLink, DesktopSize, PagedLink, SharedLink } from './engine/desktop-link.ts';
import { isInput, isLastOfGreeting } from './engine/page-messages.ts';
import { PduSplitter } from './engine/rdp/pdu.ts';
import { DesktopFolders } from './folders/desktop-folders.ts';
import type { FolderTeller } from './folders/folder-teller.ts';
import type { TransferStore } from './folders/transfer/transfer-drive.ts';
import { HostPace } from './host-pace.ts';
import type { Rejoin } from './rejoin.ts';
import { VncViewers } from './vnc-viewers.ts';
import { watchBlank } from './watch-blank.ts';
import type { WhyOver } from './why-over.ts';

/** What a client that comes later is sent, so that it shows what the others show. */
export type Latecomers = Pick<Rejoin, 'feed' | 'ready' | 'size' | 'picture' | 'close'>;

export interface DesktopSessionDeps {
  hosted: HostedSession;
  recorder: DesktopRecorder | undefined;
  /** Pages are told before the host is dialled. */
  protocol: 'rdp' | 'vnc';
  /** Where nobody can come later than the first there is none. */
  latecomers(link: DesktopLink): Latecomers | undefined;
  couldJoin(): Promise<string[]>;
  onClipboard(transfer: ClipboardTransfer): void;
  mayShareClipboard(): boolean;
  folders: Omit<FolderTeller, 'sent'>;
  transfers: TransferStore | undefined;
  whyOver: WhyOver;
}

export class DesktopSession {
  readonly hosted: HostedSession;
  readonly #deps: DesktopSessionDeps;
  readonly #viewers = new Map<string, DesktopViewer>();
  readonly #splitters = new WeakMap<DesktopViewer, PduSplitter>();
  readonly #news: ParticipantUpdates<DesktopViewer>;
  readonly folders: DesktopFolders;
  readonly sound: DesktopSound;
  readonly #copies = new ClipboardTally((direction, length) => {
    this.#deps.onClipboard({ direction, length });
    this.#recorder?.note({ kind: 'clipboard', direction, length });
  });
  readonly #pace = new HostPace({ viewers: this.#viewers, recorder: () => this.#recorder });
  #recorder: DesktopRecorder | undefined;
  #link: DesktopLink | undefined;
  #latecomers: Latecomers | undefined;
  /** By VNC: each page has a handshake of its own. */
  #greetings: VncViewers | undefined;
  /** Whose handshake it was, or who goes on in their place. */
  #driver: DesktopViewer | undefined;
  /** Where there is none, who makes a handshake that the host waits for: no more than that. */
  #answering: DesktopViewer | undefined;
  #isGreeted = false;
  /** The host has described its desktop anew, and waits for a client that answers. */
  #isAsking = false;
  #hasDrawn = false;
  #sent = 0;
  #received = 0;

  constructor(deps: DesktopSessionDeps) {
    const { hosted, recorder, couldJoin } = deps;
    this.#deps = deps;
    this.hosted = hosted;
    this.#recorder = recorder;
    this.#news = new ParticipantUpdates({
      ...{ hosted, viewers: this.#viewers, couldJoin },
      tell: ({ wire }, news) => wire.tell(news),
    });
    const shared: FolderTeller['shared'] = (folder, error) => {
      if (error === undefined) this.#recorder?.note({ kind: 'share', name: folder.name });
      deps.folders.shared(folder, error);
    };
    this.sound = new DesktopSound(hosted, () => this.#onSent());
    const told = { ...deps.folders, shared, sent: () => this.#onSent() };
    this.folders = new DesktopFolders(hosted, () => this.#link, told, deps.transfers);
    hosted.traffic = () => ({ sent: this.#sent, received: this.#received });
    recorder?.onFailed((reason) => this.#unrecorded(reason));
    recorder?.onFull((reason) => hosted.finish({ cause: 'unrecorded', message: `it was ended: ${reason}` }));
    hosted.onFlow((flow) => {
      this.#news.tellFlow();
      if (flow === 'live') this.#catchUpAll();
    });
    hosted.onPeople((what, who) => {
      if (what === 'came') this.#recorder?.joined(who.username, who.mode);
      if (what === 'left') this.#recorder?.left(who.username, who.mode);
      if (this.#viewers.size > 1) this.#news.tellParties();
      if (hosted.flow !== 'live') this.#news.tellFlow();
    });
    hosted.parts.attach({
      onTerms: () => {
        this.#link?.allowClipboard(deps.mayShareClipboard());
        this.folders.reconsider();
      },
    });
    // It may be over by now: the recording was opened meanwhile.
    whenAborted(hosted.signal, () => this.#cut(hosted.signal.reason as SessionEnd));
  }

  get protocol(): 'rdp' | 'vnc' {
    return this.#deps.protocol;
  }

  get size(): DesktopSize {
    const { cols, rows } = this.hosted.session.size;
    return this.#link?.size ?? { width: cols, height: rows };
  }

  isLive(): boolean {
    return this.#hasDrawn && this.hosted.flow === 'live' && !this.hosted.end;
  }

  /** Counts what the host has sent. */
  drawn(): number {
    return this.#sent;
  }

  /** PNG, for who looks at a list. */
  async picture(): Promise<Buffer> {
    if (!this.#latecomers) throw new AppError('unavailable', 'what is on this desktop is not known to the gateway');
    return await this.#latecomers.picture();
  }

  /** The host has let them in. */
  set link(link: DesktopLink) {
    this.#link = link;
    if (this.hosted.end) {
      link.close();
      return;
    }
    this.#latecomers = this.#deps.latecomers(link);
    this.#recorder?.begin(link.protocol, link.size);
    link.onPicture((pdu, kept) => this.#drawn(pdu, kept));
    link.onPointer((x, y, buttons) => this.#recorder?.pointer(x, y, buttons));
    link.onSize((size) => this.#resized(size));
    link.onClipboard((transfer) => this.#copied(transfer));
    link.onSound?.((sound) => this.sound.played(sound));
    link.onEnd((end) => this.hosted.finish(this.#deps.whyOver(end, (note) => this.#recorder?.note(note))));
    this.hosted.connected();
    if (link.protocol === 'vnc') {
      this.#greetEach(link);
      return;
    }
    const first = [...this.#viewers.values()].find(({ mayDrive }) => mayDrive);
    if (first) this.#greet(first);
  }

  /** Call `begin` when it has been told how things stand. */
  attach(options: ConstructorParameters<typeof DesktopViewer>[0]): DesktopViewer {
    const viewer = new DesktopViewer(options);
    this.#viewers.set(viewer.id, viewer);
    return viewer;
  }

  begin(viewer: DesktopViewer): void {
    if (this.hosted.end) {
      viewer.wire.end(this.hosted.end);
      return;
    }
    if (this.hosted.flow !== 'live') this.#news.tellFlow();
    this.#news.tellParties();
    if (!this.#link) return;
    // One that only looks on cannot greet the host: it waits for who can.
    if (!this.#driver && !this.#isGreeted) {
      if (viewer.mayDrive) this.#greet(viewer);
      return;
    }
    viewer.stage = 'behind';
    this.#catchUp(viewer);
    this.#pace.look(this.#link, this.#isGreeted);
  }

  detach(viewer: DesktopViewer): void {
    if (!this.#viewers.delete(viewer.id)) return;
    viewer.stage = 'waiting';
    this.#greetings?.leave(viewer);
    this.folders.leave(viewer);
    this.sound.leave(viewer);
    if (this.#answering === viewer) this.#answering = undefined;
    if (this.#driver === viewer) {
      this.#driver = undefined;
      // The host waits for the rest of a handshake that nobody can give.
      if (!this.#isGreeted && this.#link)
        this.hosted.finish({ cause: 'closed', message: 'the page was closed before the desktop was there' });
    }
    this.#news.tellParties();
    this.#pace.balance(this.#link);
    this.#pace.look(this.#link, this.#isGreeted);
  }

  /** What the client of a page says. Throws where it is no message at all: its page is wrong, and nobody else. */
  hear(viewer: DesktopViewer, bytes: Buffer): void {
    const link = this.#link;
    if (!link || viewer.stage === 'waiting') return;
    this.#received += bytes.length;
    if (link.protocol === 'vnc') {
      if (this.#greetings?.hear(viewer, bytes)) this.#typed(viewer);
      return;
    }
    const splitter = this.#splitters.get(viewer) ?? new PduSplitter();
    this.#splitters.set(viewer, splitter);
    for (const pdu of splitter.push(bytes)) {
      const isLast = isLastOfGreeting(pdu);
      if (this.#isAsking && !this.#driver && viewer.mayAnswer(this.#answering)) this.#answering = viewer;
      const isDriver = viewer === this.#driver;
      const answers = viewer === (this.#driver ?? this.#answering);
      if (!viewer.isGreeting) this.#pass(link, viewer, pdu);
      else if (answers && (!this.#isGreeted || this.#isAsking)) link.fromPage(pdu, 'driver', false);
      if (!isLast) continue;
      viewer.isGreeting = false;
      if (!answers) continue;
      this.#answering = undefined;
      this.#isAsking = false;
      if (!isDriver) continue;
      this.#giveChannels(link, viewer);
      if (!this.#isGreeted) this.#greeted();
    }
  }

  resize(viewer: DesktopViewer, size: DesktopSize & { scale: number }): void {
    if (viewer.mayDrive && this.hosted.mayType(viewer.id)) this.#link?.resize(size);
  }

  hide(viewer: DesktopViewer, isHidden: boolean): void {
    viewer.isHidden = isHidden;
    this.#pace.look(this.#link, this.#isGreeted);
  }

  notice(kind: Extract<DesktopReply, { type: 'notice' }>['kind'], text: string): void {
    for (const { wire } of this.#viewers.values()) wire.tell({ type: 'notice', kind, text });
  }

  #greetEach(link: PagedLink): void {
    const recorder = this.#recorder;
    this.#greetings = new VncViewers({
      link,
      mayWatch: ({ id }) => this.hosted.mayWatch(id),
      mayType: (viewer) => this.#mayType(viewer),
      sent: this.#onSent,
    });
    if (recorder) {
      recorder.picture(link.greeting());
      link.onBeginning(() => {
        this.#recorder?.segment(link.size);
        this.#recorder?.picture(link.greeting());
      });
    }
    this.#greeted();
  }

  #greet(viewer: DesktopViewer): void {
    this.#driver = viewer;
    viewer.stage = 'live';
    viewer.isFirst = true;
    viewer.begin({ type: 'segment', ...this.size });
    watchBlank(this, () => this.#hasDrawn || this.hosted.end !== undefined);
  }

  #greeted(): void {
    this.#isGreeted = true;
    for (const other of this.#viewers.values()) if (other.stage === 'waiting') other.stage = 'behind';
    this.#catchUpAll();
  }

  #pass(link: SharedLink, viewer: DesktopViewer, bytes: Buffer): void {
    const mayType = this.#mayType(viewer);
    if (!this.#driver && mayType && viewer.mayDrive) {
      this.#driver = viewer;
      this.#giveChannels(link, viewer);
    }
    link.fromPage(bytes, viewer === this.#driver ? 'driver' : 'peer', mayType);
    // What clients say by themselves, that a picture was taken, is no sign of a person.
    if (mayType && isInput(link.protocol, bytes)) this.#typed(viewer);
  }

  #mayType(viewer: DesktopViewer): boolean {
    return this.hosted.mayType(viewer.id) && !this.#pace.isStalled;
  }

  #typed(viewer: DesktopViewer): void {
    this.hosted.active(viewer.id);
    this.#pace.typed(this.#link, this.#isGreeted);
  }

  /** Clipboard and size, for who goes on in the place of another. The first has them by its handshake. */
  #giveChannels(link: SharedLink, viewer: DesktopViewer): void {
    if (viewer.isFirst) return;
    viewer.hasChannels = true;
    for (const pdu of link.channelsAgain()) viewer.wire.picture(pdu, this.#onSent);
  }

  #drawn(pdu: Buffer, kept: Buffer | undefined): void {
    this.#sent += pdu.length;
    if (this.#isGreeted) this.#hasDrawn = true;
    if (kept) this.#recorder?.picture(kept);
    if (this.#greetings) {
      this.#pace.balance(this.#link);
      return;
    }
    const later = kept && this.#latecomers?.feed(kept);
    this.#isAsking ||= later?.segment !== undefined;
    for (const viewer of this.#viewers.values()) {
      if (viewer.stage !== 'live') continue;
      const isTooSlow = viewer.isFull && !viewer.mayDrive;
      // The handshake itself shows nothing yet.
      const mayWatch = this.hosted.mayWatch(viewer.id) || !this.#isGreeted;
      if (!mayWatch || isTooSlow) viewer.fallBehind();
      else if (viewer.isFirst) viewer.wire.picture(pdu, this.#onSent);
      else if (later) this.#follow(viewer, later);
      else if (viewer.hasChannels && viewer === this.#driver) viewer.wire.picture(pdu, this.#onSent);
    }
    this.#pace.balance(this.#link);
  }

  /** To who did not make the handshake: where the size changes they make one of their own, and one of them answers the host. */
  #follow(viewer: DesktopViewer, { segment, pdus }: ReturnType<Latecomers['feed']>): void {
    if (segment) viewer.begin({ type: 'segment', ...segment });
    for (const each of pdus) viewer.wire.picture(each, this.#onSent);
  }

  readonly #onSent = () => {
    this.#pace.balance(this.#link);
    for (const viewer of this.#viewers.values()) if (viewer.isBehind && viewer.isDrained) this.#catchUp(viewer);
  };

  #catchUpAll(): void {
    for (const viewer of this.#viewers.values()) if (viewer.isBehind) this.#catchUp(viewer);
  }

  #catchUp(viewer: DesktopViewer): void {
    const latecomers = this.#latecomers;
    if (!this.hosted.mayWatch(viewer.id)) return;
    if (this.#greetings) {
      this.#greetings.begin(viewer);
      return;
    }
    if (!latecomers) {
      viewer.wire.end({ cause: 'failed', message: 'what is on the screen cannot be shown to a second page' });
      return;
    }
    void viewer
      .catchUp(
        () => latecomers.ready(),
        // It may be held up meanwhile, or they were made to leave.
        () => this.hosted.mayWatch(viewer.id),
        () => ({ type: 'segment', ...latecomers.size() }),
        this.#onSent,
      )
      .catch(() => viewer.wire.end({ cause: 'failed', message: 'what is on the screen cannot be drawn' }));
  }

  #resized(size: DesktopSize): void {
    const { session } = this.hosted;
    session.size = { cols: size.width, rows: size.height };
    this.#recorder?.size(size);
    this.hosted.resized({ ...session.size, by: session.user });
    for (const { wire } of this.#viewers.values()) wire.tell({ type: 'size', ...size });
  }

  #copied(transfer: ClipboardTransfer): void {
    const { direction, length, refused } = transfer;
    if (refused === undefined) this.#copies.add(direction, length);
    for (const { wire, mode } of this.#viewers.values())
      if (mode === 'peer')
        wire.tell({ type: 'clipboard', direction, length, ...(refused === undefined ? {} : { refused }) });
  }

  #unrecorded(reason: string): void {
    this.#recorder = undefined;
    this.hosted.session.recorded = false;
    if (this.hosted.isStrictlyRecorded)
      this.hosted.finish({ cause: 'unrecorded', message: `it cannot be recorded any more: ${reason}` });
    else this.notice('unrecorded', `what follows is not recorded: ${reason}`);
  }

  /** Nobody sees another picture. */
  #cut(end: SessionEnd): void {
    this.folders.close();
    this.#pace.close();
    this.#link?.close();
    this.#copies.close();
    this.#latecomers?.close();
    for (const viewer of this.#viewers.values()) {
      viewer.stage = 'waiting';
      viewer.wire.end(end);
    }
    this.#recorder?.close(end);
  }
}
