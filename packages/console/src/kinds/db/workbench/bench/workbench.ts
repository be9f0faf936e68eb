/** One workbench of this page: its line to the gateway, its tabs, what runs in them. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { DB_EDITOR_SOCKET, EDITOR_TABS, type EditorOpening } from '@gatehouse/contract/kinds/db/editor';
import type { BrowserServices } from '../../../../platform/browser/browser-services.tsx';
import { createStore } from '../../../../platform/browser/store.ts';
import { readToken } from '../../../../platform/sign-in/token.ts';
import {
  type Answer,
  connectEditor,
  type EditorLine,
  type Flow,
  LINE_LOST,
  type LineState,
  type Question,
  type Ready,
} from '../line/editor-line.ts';
import { draftsKey, readDrafts, writeDrafts } from './drafts.ts';
import {
  type Failure,
  hearWork,
  isRunning,
  isUnsettled,
  newWork,
  type Transaction,
  type Work,
  type WorkKind,
} from './work.ts';

/** A browser writes what was typed down when it has time, and at the latest after this. */
const KEEP_AFTER_MS = 300;

export interface BenchTab {
  slot: number;
  name: string;
  work: Work | undefined;
  transaction: Transaction;
}

export interface BenchView {
  line: LineState;
  /** Of the session that is, or was the last: what is on the page came from it. */
  ready: Ready | undefined;
  challenge: AuthenticateChallenge | undefined;
  flow: Flow | undefined;
  tabs: readonly BenchTab[];
  current: number;
  /** Counts up whenever something else than typing changed the text of a tab. */
  texts: number;
}

export interface BenchAbout extends Omit<EditorOpening, 'type'> {
  clusterId: string;
  database: string;
  userName: string;
}

export interface Wanted {
  kind: WorkKind;
  sql: string;
  base: number;
  /** Of an explanation: it is run, and taken back. */
  analyze?: boolean;
}

export type Workbench = ReturnType<typeof createWorkbench>;

/** What was asked beside the work of a tab has no answer. */
export class QuestionFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Where the text that runs is not the one of the tab: nothing of it is marked there. */
export const NOT_IN_EDITOR = -1;
const NO_LINE: Failure = { code: LINE_LOST, message: '' };

export function createWorkbench(browser: BrowserServices, memory: Storage, about: BenchAbout) {
  const key = draftsKey(about);
  const drafts = readDrafts(memory, key);
  const texts = new Map((drafts?.tabs ?? []).map(({ slot, text }) => [slot, text]));
  const view = createStore<BenchView>({
    line: { is: 'connecting' },
    ready: undefined,
    challenge: undefined,
    flow: undefined,
    tabs: (drafts?.tabs ?? [{ slot: 0, name: '' }]).map(({ slot, name }) => newTab(slot, name)),
    current: drafts?.current ?? 0,
    texts: 0,
  });
  let line: EditorLine | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;

  const change = (next: Partial<BenchView>) => view.set((before) => ({ ...before, ...next }));
  const changeTab = (slot: number, next: (tab: BenchTab) => BenchTab) =>
    view.set((before) => ({
      ...before,
      tabs: before.tabs.map((tab) => (tab.slot === slot ? next(tab) : tab)),
    }));
  const tabAt = (slot: number) => view.get().tabs.find((tab) => tab.slot === slot);

  const keepNow = () => {
    clearTimeout(keeping);
    keeping = undefined;
    // Also when the sign-in is over, by a lock as well: the name of the user is in the key, and what was written is theirs.
    const { tabs, current } = view.get();
    writeDrafts(memory, key, {
      current,
      tabs: tabs.map(({ slot, name }) => ({ slot, name, text: texts.get(slot) ?? '' })),
    });
  };
  const keepSoon = () => {
    keeping ??= setTimeout(keepNow, KEEP_AFTER_MS);
  };

  const onLine = (state: LineState) => {
    const ready = state.is === 'ready' ? state.ready : view.get().ready;
    const isOpen = state.is === 'ready';
    change({ line: state, ready, challenge: undefined, ...(isOpen ? { flow: undefined } : {}) });
    // Transactions go with the session.
    if (!isOpen)
      view.set((before) => ({ ...before, tabs: before.tabs.map((tab) => ({ ...tab, transaction: 'none' as const })) }));
  };

  const hear = (slot: number, answer: Answer): boolean => {
    const tab = tabAt(slot);
    if (tab?.work?.id !== answer.id) return true;
    const work = hearWork(tab.work, answer, browser.now());
    // Those in which the gateway explains, tries and reads are its own, and over by the time this is shown.
    const isOwn = work.kind === 'run' && view.get().ready?.readOnly !== true;
    const told = 'transaction' in answer ? answer.transaction : undefined;
    const transaction = (isOwn && told) || tab.transaction;
    changeTab(slot, (before) => ({ ...before, work, transaction }));
    // Taken: the gateway may send more.
    if (answer.type === 'rows') line?.tell({ type: 'ack', id: answer.id, seq: answer.seq });
    // Of a run one hears later what its rows are rows of, and more of them when asked for.
    return !isRunning(work) && work.kind !== 'run';
  };

  /** Nothing happens in a tab in which something happens already, or where there is no session. */
  const begin = (slot: number, kind: WorkKind, question: Question, more: { sql: string; base: number }): boolean => {
    const tab = tabAt(slot);
    if (!tab || isRunning(tab.work)) return false;
    const before = tab.work?.id;
    const id = line?.ask(question, (answer) => hear(slot, answer));
    if (id === undefined) return false;
    if (before !== undefined) line?.forget(before);
    const isMeasured = question.type === 'explain' && question.analyze;
    const work = newWork({ id, kind, ...more, begun: browser.now() }, isMeasured);
    changeTab(slot, (was) => ({ ...was, work }));
    return true;
  };

  return {
    view,
    about,
    start() {
      line = connectEditor({
        openSocket: () => browser.openSocket(socketPath(about)),
        token: () => readToken(browser.storage)?.accessToken,
        now: browser.now,
        opening: { dbUser: about.dbUser, dbName: about.dbName },
        onLine,
        onFactor: (challenge) => change({ challenge }),
        onFlow: (flow) => change({ flow: flow.flow === 'live' ? undefined : flow }),
      });
      window.addEventListener('pagehide', keepNow);
      window.addEventListener('online', again);
    },
    stop() {
      keepNow();
      window.removeEventListener('pagehide', keepNow);
      window.removeEventListener('online', again);
      line?.stop();
      line = undefined;
    },
    again: () => line?.again(),
    /** Whoever has no factor at hand is not kept waiting for the gateway to give up. */
    giveUp() {
      line?.refuse();
    },
    answerFactor(answer: FactorAnswer) {
      change({ challenge: undefined });
      line?.answerFactor(answer);
    },

    textOf: (slot: number): string => texts.get(slot) ?? '',
    typed(slot: number, text: string) {
      texts.set(slot, text);
      keepSoon();
    },
    /** In a tab that has none yet, or a new one; where all are taken, after what stands in this one. */
    put(text: string, name = '') {
      const { tabs, current } = view.get();
      const isEmpty = (texts.get(current) ?? '').trim() === '';
      const slot = isEmpty ? current : (freeSlot(tabs) ?? current);
      const here = texts.get(slot) ?? '';
      texts.set(slot, here.trim() === '' ? text : `${here.trimEnd()}\n\n${text}`);
      view.set((before) => ({
        ...before,
        texts: before.texts + 1,
        current: slot,
        tabs: tabAt(slot)
          ? before.tabs.map((tab) => (tab.slot === slot && name !== '' ? { ...tab, name } : tab))
          : [...before.tabs, newTab(slot, name)],
      }));
      keepSoon();
    },
    showTab(slot: number) {
      change({ current: slot });
      keepSoon();
    },
    addTab() {
      const slot = freeSlot(view.get().tabs);
      if (slot === undefined) return;
      texts.delete(slot);
      view.set((before) => ({ ...before, tabs: [...before.tabs, newTab(slot, '')], current: slot }));
      keepSoon();
    },
    renameTab(slot: number, name: string) {
      changeTab(slot, (tab) => ({ ...tab, name: name.trim().slice(0, 100) }));
      keepSoon();
    },
    closeTab(slot: number) {
      const { tabs, current } = view.get();
      const id = tabAt(slot)?.work?.id;
      if (id !== undefined) line?.forget(id);
      line?.tell({ type: 'closeTab', tab: slot });
      texts.delete(slot);
      const left = tabs.filter((tab) => tab.slot !== slot);
      const at = tabs.findIndex((tab) => tab.slot === slot);
      const next = left[Math.min(at, left.length - 1)]?.slot ?? slot;
      view.set((before) => ({
        ...before,
        tabs: left.length > 0 ? left : [newTab(slot, '')],
        current: current === slot ? next : current,
        texts: before.texts + 1,
      }));
      keepSoon();
    },

    do(slot: number, { kind, sql, base, analyze = false }: Wanted): boolean {
      const question: Question =
        kind === 'explain' ? { type: 'explain', tab: slot, sql, analyze } : { type: kind, tab: slot, sql };
      return begin(slot, kind, question, { sql, base });
    },
    /** The text is the gateway's; `sql` is its beginning. */
    runApproved(slot: number, { approval, sql }: { approval: string; sql: string }): boolean {
      return begin(slot, 'run', { type: 'runApproved', tab: slot, approval }, { sql, base: NOT_IN_EDITOR });
    },
    /** The rest of a result, from the same place on. */
    more(slot: number) {
      const work = tabAt(slot)?.work;
      if (!work || isRunning(work)) return;
      changeTab(slot, (tab) => ({ ...tab, work: { ...work, ended: undefined, begun: browser.now() } }));
      line?.tell({ type: 'more', id: work.id });
    },
    cancel(slot: number) {
      const work = tabAt(slot)?.work;
      if (isRunning(work)) line?.tell({ type: 'cancel', id: work.id });
    },
    settle(slot: number, commit: boolean) {
      const work = tabAt(slot)?.work;
      if (isUnsettled(work)) line?.tell({ type: 'settle', id: work.id, commit });
    },
    /** One question with one answer. */
    ask<Type extends Answer['type']>(question: Question, wanted: Type): Promise<Extract<Answer, { type: Type }>> {
      return new Promise((resolve, reject) => {
        const id = line?.ask(question, (answer) => {
          if (answer.type === wanted) resolve(answer as Extract<Answer, { type: Type }>);
          else if (answer.type === 'failed') reject(new QuestionFailed(answer));
          else return false;
          return true;
        });
        if (id === undefined) reject(new QuestionFailed(NO_LINE));
      });
    },
    /** Each answer as it comes; gives what cancels it. */
    follow(question: Question, onAnswer: (answer: Answer) => boolean): (() => void) | undefined {
      const id = line?.ask(question, (answer) => {
        const isOver = onAnswer(answer);
        if (answer.type === 'piece') line?.tell({ type: 'ack', id: answer.id, seq: answer.seq });
        return isOver;
      });
      return id === undefined ? undefined : () => line?.tell({ type: 'cancel', id });
    },
  };

  function again(): void {
    line?.again();
  }
}

function newTab(slot: number, name: string): BenchTab {
  return { slot, name, work: undefined, transaction: 'none' };
}

function freeSlot(tabs: readonly BenchTab[]): number | undefined {
  const taken = new Set(tabs.map(({ slot }) => slot));
  return Array.from({ length: EDITOR_TABS }, (_, slot) => slot).find((slot) => !taken.has(slot));
}

function socketPath({ clusterId, database }: BenchAbout): string {
  return DB_EDITOR_SOCKET.replace(':clusterId', encodeURIComponent(clusterId)).replace(
    ':name',
    encodeURIComponent(database),
  );
}
