/** One desktop of this page: the line to its session, the client that draws it, and what is to be said about both. */
import type { Party } from '@gatehouse/contract/sessions/terminal-frames';
import type { SendBytes } from '../../../platform/api/send-bytes.ts';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import type {
  ClientEnd,
  Copied,
  PictureClient,
  PictureEvents,
  PictureInput,
  PictureSize,
} from '../../../shared/desktop-picture/picture-client.ts';
import { createFolderSharing, type FolderSharing, type FolderView } from '../folders/share-folder.ts';
import { createTransferFiles, NO_TRANSFER, type TransferFiles, type TransferView } from '../folders/transfer-files.ts';
import type { SoundMemory } from '../sound/sound-memory.ts';
import { createSoundPlayer, type SoundPlayer } from '../sound/sound-player.ts';
import {
  type Challenge,
  connectDesktop,
  type DesktopLine,
  type DesktopNews,
  type FactorAnswer,
  type LineState,
  type SessionState,
  type Wanted,
} from './desktop-line.ts';
import type { DesktopShape } from './desktop-size.ts';

/** How many round trips the bar shows. */
const SAMPLES = 40;
/** Nobody has looked for so long: the host need not draw. */
export const HIDDEN_MS = 5 * 60_000;
/** A client that fails again so soon fails always. */
const SOON_MS = 15_000;

export interface DesktopView {
  line: LineState;
  session: SessionState | undefined;
  /** Of the picture, as the host draws it. */
  size: PictureSize | undefined;
  /** Something was drawn since the last segment began. */
  isDrawn: boolean;
  parties: readonly Party[];
  /** What it waits for; undefined while it runs. */
  held: Extract<DesktopNews, { type: 'flow' }> | undefined;
  gatewayMs: readonly number[];
  notice: Extract<DesktopNews, { type: 'notice' }> | undefined;
  challenge: Challenge | undefined;
  /** What was copied there last, and when. */
  copied: { copied: Copied; at: number } | undefined;
  /** What was last passed on or not. */
  passed: Extract<DesktopNews, { type: 'clipboard' }> | undefined;
  /** Of this machine, shared with the desktop; undefined: none. */
  folder: FolderView | undefined;
  /** The folder that the gateway keeps for it. */
  transfer: TransferView;
  /** What the host plays is played here. */
  isLoud: boolean;
  /** The client of this page cannot go on; why, as it says itself. */
  broken: ClientEnd | undefined;
}

export interface ClientOptions extends PictureEvents {
  canvas: HTMLCanvasElement;
  size: PictureSize;
  hasClipboard: boolean;
  /** What was put on the clipboard for the desktop; nothing once something was copied there. */
  offered(): Copied;
}

export interface LiveDeps {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  /** Fetches what draws this protocol. */
  loadClient: (protocol: SessionState['protocol']) => Promise<(options: ClientOptions) => PictureClient>;
  onSession: (session: SessionState) => void;
  onCopied: (copied: Copied) => void;
  sendBytes: SendBytes;
  /** Undefined: this browser plays nothing. */
  openAudio: () => AudioContext | undefined;
  /** What the person chose here before, and chooses. */
  soundMemory: SoundMemory;
  /** Lets the browser save what is at an address. */
  save: (url: string) => void;
}

export interface LiveDesktop {
  view: Store<DesktopView>;
  act(inputs: readonly PictureInput[]): void;
  releaseAll(): void;
  syncLocks(locks: { scroll: boolean; num: boolean; caps: boolean }): void;
  copy(copied: Copied): void;
  folder: Pick<FolderSharing, 'share' | 'end'>;
  transfer: Omit<TransferFiles, 'lineOpened' | 'hear' | 'stop'>;
  /** Chosen by the person, and remembered. */
  listen(isOn: boolean): void;
  resize(shape: DesktopShape): void;
  answerFactor(answer: FactorAnswer): void;
  /** Whoever has no factor at hand is not kept waiting for the gateway to give up. */
  giveUp(): void;
  change(part: Partial<DesktopView>): void;
  check(): void;
  offline(): void;
  putAway(): void;
  hide(isHidden: boolean): void;
  /** For the owner, who closes it, and for a moderator, who says why. */
  end(reason?: string): void;
  /** Leaves the session as it is. */
  leave(): void;
}

export const NOTHING_YET: DesktopView = {
  line: { is: 'connecting' },
  session: undefined,
  size: undefined,
  isDrawn: false,
  parties: [],
  held: undefined,
  gatewayMs: [],
  notice: undefined,
  challenge: undefined,
  copied: undefined,
  passed: undefined,
  folder: undefined,
  transfer: NO_TRANSFER,
  isLoud: false,
  broken: undefined,
};

export function startDesktop(
  wanted: Wanted,
  shape: DesktopShape,
  canvas: HTMLCanvasElement,
  deps: LiveDeps,
): LiveDesktop {
  const view = createStore<DesktopView>(NOTHING_YET);
  const change = (part: Partial<DesktopView>) => view.set((before) => ({ ...before, ...part }));
  let client: PictureClient | undefined;
  /** What came for a client that is not there yet. */
  let early: Uint8Array[] | undefined;
  let segment = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let wasHidden = false;
  let player: SoundPlayer | undefined;
  /** Hosts ask for it when it is pasted there, which may be after this client was replaced by another. */
  let offered: Copied = {};

  const begin = async (size: PictureSize) => {
    segment += 1;
    const mine = segment;
    client?.close();
    client = undefined;
    const waiting: Uint8Array[] = [];
    early = waiting;
    change({ size, isDrawn: false });
    const { session } = view.get();
    if (!session) return;
    try {
      const start = await deps.loadClient(session.protocol);
      if (mine !== segment) return;
      const begun = start({
        canvas,
        size,
        hasClipboard: session.clipboard && session.mode === 'peer',
        offered: () => offered,
        onSend: (bytes) => mine === segment && line.send(bytes),
        onSize: (drawn) => mine === segment && change({ size: drawn }),
        onCopied(copied) {
          if (mine !== segment) return;
          offered = {};
          change({ copied: { copied, at: deps.now() } });
          deps.onCopied(copied);
        },
        onEnd: (end) => mine === segment && fail(end),
      });
      client = begun;
      await begun.waiting;
      if (mine !== segment) return;
      early = undefined;
      for (const bytes of waiting) begun.push(bytes);
      await begun.connected;
      if (mine === segment) change({ isDrawn: true, broken: undefined });
    } catch (error) {
      if (mine === segment) fail({ isBroken: false, reason: String(error) });
    }
  };

  /** Where the session goes on, a fresh client does too; one that fails again and again is told to the person. */
  const fail = (end: ClientEnd) => {
    if (view.get().line.is !== 'open') return;
    const isAgain = deps.now() - failedAt < SOON_MS;
    failedAt = deps.now();
    segment += 1;
    client = undefined;
    early = undefined;
    if (end.isBroken || isAgain) return change({ broken: end });
    line.again();
  };

  const hearTold = (told: DesktopNews) => {
    switch (told.type) {
      case 'size':
        return change({ size: { width: told.width, height: told.height } });
      case 'parties':
        return change({ parties: told.parties });
      case 'flow':
        return change({ held: told.flow === 'live' ? undefined : told });
      case 'clipboard':
        return change({ passed: told });
      case 'shared':
        return folder.hearTold(told);
      case 'transfer':
      case 'ticket':
        return transfer.hear(told);
      case 'notice': {
        const { session } = view.get();
        // From then on nobody may read that it is recorded.
        if (told.kind === 'unrecorded' && session) change({ session: { ...session, recorded: false } });
        return change({ notice: told });
      }
    }
  };

  const play = () => {
    if (player) return;
    const audio = deps.openAudio();
    player = audio && createSoundPlayer(audio);
    change({ isLoud: player !== undefined });
  };

  const hush = () => {
    player?.close();
    player = undefined;
    change({ isLoud: false });
  };

  const line: DesktopLine = connectDesktop(wanted, shape, {
    openSocket: deps.openSocket,
    token: deps.token,
    now: deps.now,
    onLine(state) {
      change({ line: state, challenge: undefined, ...(state.is === 'open' ? {} : { notice: undefined }) });
      if (state.is !== 'ended' && state.is !== 'refused') return;
      segment += 1;
      client?.close();
      client = undefined;
      hush();
    },
    onState(session) {
      change({ session, held: undefined });
      deps.onSession(session);
      folder.lineOpened();
      transfer.lineOpened();
      if (player) line.sound(true);
      // Fetched while the host is still dialled: it is the larger part of what the first picture waits for.
      void deps.loadClient(session.protocol).catch(() => undefined);
    },
    onSegment: (size) => void begin(size),
    onPicture(bytes) {
      if (early) early.push(bytes);
      else client?.push(bytes);
    },
    onFiles: (bytes) => folder.hear(bytes),
    onSound: (bytes) => player?.play(bytes),
    onTold: hearTold,
    onFactor: (challenge) => change({ challenge }),
    onLatency: (ms) => change({ gatewayMs: [...view.get().gatewayMs, ms].slice(-SAMPLES) }),
  });

  const folder = createFolderSharing({
    send: line.sendFiles,
    unshare: line.unshare,
    change: (shared) => change({ folder: shared }),
  });
  const transfer = createTransferFiles({
    tell: line.tellTransfer,
    sendBytes: deps.sendBytes,
    save: deps.save,
    view: () => view.get().transfer,
    change: (kept) => change({ transfer: kept }),
  });
  if (deps.soundMemory.wasOn()) play();
  const mayType = () => view.get().session?.mode === 'peer' && view.get().held === undefined;
  return {
    view,
    change,
    act(inputs) {
      if (mayType()) client?.act(inputs);
    },
    releaseAll: () => client?.releaseAll(),
    folder,
    transfer,
    syncLocks: (locks) => mayType() && client?.syncLocks(locks),
    copy(copied) {
      if (!mayType()) return;
      offered = copied;
      client?.copy(copied);
    },
    listen(isOn) {
      deps.soundMemory.remember(isOn);
      if (isOn) play();
      else hush();
      line.sound(player !== undefined);
    },
    resize(next) {
      // Whoever looks on has the size of the one who works there.
      if (!mayType() || !isOwnSession(view.get())) return;
      if (view.get().session?.protocol === 'vnc') line.resize(next, next.scale);
      else client?.resize(next, next.scale);
    },
    answerFactor(answer) {
      change({ challenge: undefined });
      line.answerFactor(answer);
    },
    giveUp: line.refuse,
    check: line.check,
    offline: line.offline,
    putAway: line.putAway,
    hide(isHidden) {
      clearTimeout(hiding);
      if (isHidden) {
        hiding = setTimeout(() => {
          wasHidden = true;
          line.watch(true);
        }, HIDDEN_MS);
      } else if (wasHidden) {
        wasHidden = false;
        line.watch(false);
      }
    },
    end: (reason) => line.end(reason),
    leave() {
      segment += 1;
      clearTimeout(hiding);
      player?.close();
      folder.end();
      transfer.stop();
      line.stop();
      client?.close();
      client = undefined;
    },
  };
}

/** Whose session it is; somebody else's is left and not ended. */
export function isOwnSession({ session, parties }: Pick<DesktopView, 'session' | 'parties'>): boolean {
  const self = parties.find((party) => party.self);
  return session?.mode === 'peer' && (self === undefined || self.user === session.user);
}
