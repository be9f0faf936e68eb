/** One Kubernetes cluster on this page: its line to the gateway, and what is followed over it. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { KUBE_BROWSE_SOCKET } from '@gatehouse/contract/kinds/kube/browse';
import { createContext, use } from 'react';
import type { BrowserServices } from '../../../platform/browser/browser-services.tsx';
import { createStore } from '../../../platform/browser/store.ts';
import { readToken } from '../../../platform/sign-in/token.ts';
import {
  type Answer,
  type BrowseLine,
  connectBrowse,
  type Failed,
  LINE_LOST,
  type LineState,
  type Question,
  type Ready,
} from './line/browse-line.ts';

export interface BrowseView {
  line: LineState;
  /** Of the line that is, or was the last. */
  ready: Ready | undefined;
  challenge: AuthenticateChallenge | undefined;
}

export interface BrowseAbout {
  clusterId: string;
  name: string;
  /** As whom, where several may be chosen. */
  user?: string;
}

/** What was asked has no answer but this. */
export class AskFailed extends Error {
  readonly failure: Failed;

  constructor(failure: Failed) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface Follower {
  question: Question;
  /** It is asked for the first time, or anew on another line: what was heard before may have changed. */
  onBegin: () => void;
  hear: (answer: Answer) => void;
}

export type Browse = ReturnType<typeof createBrowse>;

/** After these nothing more comes. */
const LAST: ReadonlySet<Answer['type']> = new Set(['failed', 'done', 'namespaces', 'kinds', 'written', 'searched']);

export function createBrowse(browser: BrowserServices, about: BrowseAbout) {
  const view = createStore<BrowseView>({ line: { is: 'connecting' }, ready: undefined, challenge: undefined });
  const followers = new Map<Follower, number | undefined>();
  let line: BrowseLine | undefined;

  const change = (next: Partial<BrowseView>) => view.set((before) => ({ ...before, ...next }));

  const begin = (follower: Follower) => {
    const id = line?.ask(follower.question, (answer) => {
      // What ended with the line is asked again on the next one.
      if (answer.type === 'failed' && answer.reason === LINE_LOST) return true;
      if (followers.get(follower) !== answer.id) return true;
      follower.hear(answer);
      return LAST.has(answer.type);
    });
    if (id === undefined) return;
    followers.set(follower, id);
    follower.onBegin();
  };

  const onLine = (state: LineState) => {
    const isReady = state.is === 'ready';
    change({ line: state, challenge: undefined, ...(isReady ? { ready: state.ready } : {}) });
    if (isReady) for (const follower of [...followers.keys()]) begin(follower);
  };

  const again = () => line?.again();

  return {
    view,
    about,
    start() {
      line = connectBrowse({
        openSocket: () => browser.openSocket(socketPath(about)),
        token: () => readToken(browser.storage)?.accessToken,
        now: browser.now,
        opening: about.user === undefined ? {} : { user: about.user },
        onLine,
        onFactor: (challenge) => change({ challenge }),
      });
      window.addEventListener('online', again);
    },
    stop() {
      window.removeEventListener('online', again);
      line?.stop();
      line = undefined;
    },
    again,
    giveUp: () => line?.refuse(),
    answerFactor(answer: FactorAnswer) {
      change({ challenge: undefined });
      line?.answerFactor(answer);
    },
    /** For as long as somebody looks, on this line and those after it. Gives what ends it. */
    follow(follower: Follower): () => void {
      followers.set(follower, undefined);
      begin(follower);
      return () => {
        const id = followers.get(follower);
        followers.delete(follower);
        if (id !== undefined) line?.cancel(id);
      };
    },
    /** One question with one answer. */
    ask<Type extends Answer['type']>(question: Question, wanted: Type): Promise<Extract<Answer, { type: Type }>> {
      return new Promise((resolve, reject) => {
        const id = line?.ask(question, (answer) => {
          if (answer.type === wanted) resolve(answer as Extract<Answer, { type: Type }>);
          else if (answer.type === 'failed') reject(new AskFailed(answer));
          else return false;
          return true;
        });
        if (id === undefined)
          reject(new AskFailed({ type: 'failed', id: 0, status: 0, reason: LINE_LOST, message: '' }));
      });
    },
  };
}

function socketPath({ clusterId, name }: BrowseAbout): string {
  return KUBE_BROWSE_SOCKET.replace(':clusterId', encodeURIComponent(clusterId)).replace(
    ':name',
    encodeURIComponent(name),
  );
}

export const BrowseContext = createContext<Browse | undefined>(undefined);

export function useBrowse(): Browse {
  const browse = use(BrowseContext);
  if (!browse) throw new Error('useBrowse outside of a browsed cluster');
  return browse;
}
