/** One terminal of this page: the line to its session, its screen, and what is to be said about both. */
import type { ParticipantMode, Party } from '@gatehouse/contract/sessions/terminal-frames';
import type { ExecTarget } from '../../../kinds/kube/connect/exec-path.ts';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import type { TerminalSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import { needsWarning, type Paste, readPaste } from '../screen/paste.ts';
import { isReply } from '../screen/safe-output.ts';
import { createTerminalScreen, type TerminalScreen } from '../screen/terminal-screen.ts';
import {
  type Challenge,
  connectTerminal,
  type FactorAnswer,
  type LeftOff,
  type LineState,
  type SessionState,
  type TerminalNews,
  type TerminalSocket,
} from './terminal-socket.ts';
import { type Modifiers, withModifiers } from './typed-keys.ts';

/** How many round trips the line under the terminal shows. */
const SAMPLES = 40;
const CLEAR = '\x1bc';
/** What somebody types or pastes before there is a line; more than that is no typing. */
const MAX_EARLY_BYTES = 64 * 1024;
const NO_KEYS: Modifiers = { ctrl: false, alt: false };

export interface TerminalView {
  line: LineState;
  session: SessionState | undefined;
  /** What runs in the foreground; empty while the shell waits, or where nobody can tell. */
  program: string;
  parties: readonly Party[];
  /** What it waits for; undefined while it runs. */
  held: Extract<TerminalNews, { type: 'flow' }> | undefined;
  gatewayMs: readonly number[];
  serverMs: number | undefined;
  notice: Extract<TerminalNews, { type: 'notice' }> | undefined;
  /** As the program on the server calls it, made harmless. */
  title: string;
  /** Where the shell says it is, if it does. */
  folder: string | undefined;
  /** It rang while nobody looked. */
  rang: boolean;
  size: { cols: number; rows: number };
  /** A program wants this on the clipboard. */
  clipboard: string | undefined;
  paste: Paste | undefined;
  challenge: Challenge | undefined;
  link: string | undefined;
  isFinding: boolean;
  found: { at: number; count: number } | undefined;
  /** Keys of the bar on a phone that wait for the next letter. */
  modifiers: Modifiers;
}

export type Target =
  | { server: string; login: string; request: string }
  | { exec: ExecTarget; request: string }
  | { sid: string; mode?: ParticipantMode; kept?: LeftTerminal };

/** What a page that is left behind hands to the one that takes its place. */
export interface LeftTerminal {
  leftOff: LeftOff;
  screen: string;
  size: { cols: number; rows: number };
}

export interface LiveTerminal {
  view: Store<TerminalView>;
  screen: TerminalScreen;
  show(place: HTMLElement, isCurrent: boolean): void;
  hide(): void;
  /** Takes hold of the session without being shown; does nothing when it has. */
  connect(): void;
  /** After its place has another size. */
  refit(): void;
  type(text: string): void;
  paste(text: string): void;
  answerPaste(text: string | undefined, isLast: boolean): void;
  answerFactor(answer: FactorAnswer): void;
  press(modifiers: Partial<Modifiers>): void;
  find(isFinding: boolean): void;
  change(part: Partial<TerminalView>): void;
  set(settings: TerminalSettings): void;
  check(): void;
  /** The browser has no network. */
  offline(): void;
  /** The page may be put away; see terminal-socket.ts. */
  putAway(): void;
  /** Ends the session with the terminal. */
  end(): void;
  /** For a moderator: ends it for everybody, who are told why. */
  endForAll(reason: string): void;
  /** Leaves the session as it is. */
  leave(): void;
  /** What a reloaded page needs to go on here. */
  keep(): LeftTerminal | undefined;
}

export interface LiveDeps {
  openSocket: () => WebSocket;
  token: () => string | undefined;
  now: () => number;
  label: string;
  settings: () => TerminalSettings;
  onKey: (event: KeyboardEvent) => boolean;
  onSession: (session: SessionState) => void;
  isWatched: () => boolean;
}

export function startTerminal(target: Target, deps: LiveDeps): LiveTerminal {
  const view = createStore<TerminalView>({
    line: { is: 'connecting' },
    session: undefined,
    program: '',
    parties: [],
    held: undefined,
    gatewayMs: [],
    serverMs: undefined,
    notice: undefined,
    title: '',
    folder: undefined,
    rang: false,
    size: { cols: 80, rows: 24 },
    clipboard: undefined,
    paste: undefined,
    challenge: undefined,
    link: undefined,
    isFinding: false,
    found: undefined,
    modifiers: NO_KEYS,
  });
  const change = (part: Partial<TerminalView>) => view.set((before) => ({ ...before, ...part }));
  const encoder = new TextEncoder();
  let socket: TerminalSocket | undefined;
  /** Typed before there was a line: its screen takes keys while it is still being measured. */
  let early: Uint8Array[] = [];
  /** What is shown was answered before, by whoever typed then. */
  let isCatchingUp = 'sid' in target;
  let answers = 0;
  let isLeft = false;
  /** Before several lines are pasted, in this terminal. */
  let asksNoMore = false;
  /** It shows what the page before this one did, until it is told what there is. */
  let isOld = 'sid' in target && target.kept !== undefined;
  /** The size everybody has, as it was last told. */
  let shared: { cols: number; rows: number } | undefined;

  const mayAnswer = () => {
    const { parties, session } = view.get();
    if (isCatchingUp || session?.mode !== 'peer') return false;
    // Several terminals show the same program: one answer is what it expects.
    const first = parties.find(({ mode }) => mode === 'peer');
    return first === undefined || first.self;
  };
  const type = (text: string) => {
    if (isReply(text) && !mayAnswer()) return;
    if (onlyWatches(view.get())) return;
    const { modifiers } = view.get();
    const typed = modifiers === NO_KEYS ? text : withModifiers(text, modifiers);
    if (modifiers !== NO_KEYS) change({ modifiers: NO_KEYS });
    send(encoder.encode(typed));
  };
  const send = (bytes: Uint8Array) => {
    if (socket) return socket.type(bytes);
    const held = early.reduce((sum, { length }) => sum + length, 0);
    if (held + bytes.length <= MAX_EARLY_BYTES) early.push(bytes);
  };
  const paste = (text: string) => {
    const read = readPaste(text);
    if (read.text === '') return;
    if (deps.settings().pasteWarning && !asksNoMore && needsWarning(read)) change({ paste: read });
    else screen.paste(read.text);
  };

  const screen = createTerminalScreen(deps.settings(), deps.label, {
    onType: type,
    onBinary: (bytes) => !onlyWatches(view.get()) && send(bytes),
    onPaste: paste,
    onTitle: (title) => change({ title }),
    onFolder: (folder) => change({ folder }),
    onBell: () => !deps.isWatched() && change({ rang: true }),
    onClipboard(text) {
      if (deps.settings().clipboard && document.hasFocus()) void navigator.clipboard?.writeText(text).catch(() => {});
      else change({ clipboard: text });
    },
    onLink: (link) => change({ link }),
    onFound: (found) => change({ found }),
    onMeasured: () => socket && refit(),
    onKey: deps.onKey,
  });
  if ('sid' in target && target.kept) {
    // Lines break where they broke before.
    screen.resize(target.kept.size.cols, target.kept.size.rows);
    screen.restore(target.kept.screen);
  }

  const connect = () => {
    if (socket || isLeft) return;
    const size = screen.fit();
    change({ size });
    const wanted =
      'sid' in target
        ? { attach: attachOf(target), ...(target.kept ? { leftOff: target.kept.leftOff } : {}) }
        : 'exec' in target
          ? { exec: { ...target.exec, request: target.request } }
          : { open: target };
    socket = connectTerminal(wanted, size, {
      openSocket: deps.openSocket,
      token: deps.token,
      now: deps.now,
      drawWriter,
      onLine(line) {
        change({ line, ...(line.is === 'open' ? {} : { notice: undefined }), challenge: undefined });
        if (line.is === 'ended' || line.is === 'refused') screen.disable();
      },
      onState(session) {
        shared = { cols: session.cols, rows: session.rows };
        change({ session, held: undefined, ...(session.mode === 'peer' ? {} : { size: shared }) });
        deps.onSession(session);
        if (isFollowing(view.get())) refit();
      },
      onOutput(bytes, drawn) {
        if (isOld) screen.write(CLEAR);
        isOld = false;
        screen.write(bytes, drawn);
      },
      onScreen({ cols, rows, ansi }) {
        takeSize({ cols, rows });
        isOld = false;
        screen.restore(ansi);
      },
      onTold,
      onFactor: (challenge) => change({ challenge }),
      onLatency({ gatewayMs, serverMs }) {
        // The answer came behind everything that was printed before.
        if (isCatchingUp) screen.write('', caughtUp);
        answers += 1;
        if (answers > 1) change({ gatewayMs: [...view.get().gatewayMs, gatewayMs].slice(-SAMPLES), serverMs });
      },
    });
    typeEarly();
  };
  const typeEarly = () => {
    for (const bytes of early) socket?.type(bytes);
    early = [];
  };
  const onTold = (told: TerminalNews) => {
    if (told.type === 'program') change({ program: told.program });
    if (told.type === 'flow') change({ held: told.flow === 'live' ? undefined : told });
    if (told.type === 'parties') {
      const wasFollowing = isFollowing(view.get());
      change({ parties: told.parties });
      if (isFollowing(view.get()) !== wasFollowing) refit();
    }
    if (told.type === 'notice') {
      const { session } = view.get();
      // From then on nobody may read that it is recorded.
      if (told.kind === 'unrecorded' && session) change({ session: { ...session, recorded: false } });
      change({ notice: told.kind === 'agent_back' ? undefined : told });
    }
    if (told.type === 'size') {
      takeSize({ cols: told.cols, rows: told.rows });
    }
  };
  /** Between what was printed before and after it. */
  const takeSize = (size: { cols: number; rows: number }) => {
    shared = size;
    if (isFollowing(view.get())) screen.follow(size);
    else screen.resize(size.cols, size.rows);
    change({ size });
  };

  const caughtUp = () => {
    isCatchingUp = false;
  };
  const leave = () => {
    isLeft = true;
    socket?.stop();
    screen.dispose();
  };
  const refit = () => {
    if (isLeft) return;
    if (isFollowing(view.get()) && shared) {
      // Its size is that of the smallest who type: here it is made to fit.
      const room = screen.room();
      socket?.resize(room.cols, room.rows);
      screen.follow(shared);
      return;
    }
    const size = screen.fit();
    const before = view.get().size;
    if (size.cols !== before.cols || size.rows !== before.rows) change({ size });
    socket?.resize(size.cols, size.rows);
  };
  return {
    view,
    screen,
    show(place, isCurrent) {
      change({ rang: false });
      void screen.show(place, isCurrent).then(() => (socket ? refit() : connect()));
    },
    hide: screen.hide,
    connect,
    refit,
    type,
    paste,
    answerPaste(text, isLast) {
      asksNoMore ||= isLast;
      change({ paste: undefined });
      if (text !== undefined) screen.paste(text);
      screen.focus();
    },
    answerFactor(answer) {
      change({ challenge: undefined });
      socket?.answerFactor(answer);
    },
    press: (modifiers) => change({ modifiers: { ...view.get().modifiers, ...modifiers } }),
    find(isFinding) {
      change({ isFinding, found: undefined });
      if (isFinding) return;
      screen.endFinding();
      screen.focus();
    },
    change,
    set(settings) {
      screen.set(settings);
      refit();
    },
    check: () => socket?.check(),
    offline: () => socket?.offline(),
    putAway: () => socket?.putAway(),
    end() {
      socket?.end();
      leave();
    },
    endForAll: (reason) => socket?.end(reason),
    leave,
    keep() {
      const leftOff = socket?.leftOff();
      return leftOff && { leftOff, screen: screen.serialize(), size: view.get().size };
    },
  };
}

function attachOf({ sid, mode }: Extract<Target, { sid: string }>) {
  return mode === undefined ? { sid } : { sid, mode };
}

export function onlyWatches({ session }: Pick<TerminalView, 'session'>): boolean {
  return session !== undefined && session.mode !== 'peer';
}

/** The size is not theirs alone. */
function isFollowing({ session, parties }: TerminalView): boolean {
  return onlyWatches({ session }) || parties.filter(({ mode }) => mode === 'peer').length > 1;
}

/** Whose session it is; somebody else's is left and not ended. */
export function isOwnSession({ session, parties }: Pick<TerminalView, 'session' | 'parties'>): boolean {
  const self = parties.find((party) => party.self);
  return session?.mode === 'peer' && (self === undefined || self.user === session.user);
}

function drawWriter(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
