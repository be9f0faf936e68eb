/**
 * What happens when a part of the console does not arrive. A gateway that is away takes nothing from the screen: the part
 * is asked for again once it answers. Only a gateway that answers with another build makes the page reload, once.
 */
import type { Connection } from '../platform/api/connection.ts';
import { MissingCodeError, NoAnswerError } from '../platform/api/failures.ts';
import type { MendMissing } from '../platform/code/fetch-code.ts';
import { t, type WordId } from '../platform/i18n/words.ts';

export interface MissingCodeDeps {
  connection: Connection;
  /** The build this page belongs to; undefined while developing. */
  build: string | undefined;
  /** The build the gateway serves now; rejects when it does not answer. */
  askBuild: () => Promise<string | undefined>;
  reload: () => void;
  /** Of this tab: what it says must outlive the reload. */
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  now: () => number;
  /** Before the second try; the third comes after twice that. */
  pauseMs?: number;
}

const NEW_BUILD = 'reloaded-for-build';
const SAME_BUILD = 'reloaded-for-part';
const AGAIN_AFTER_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 300;

export function createMendMissing(deps: MissingCodeDeps): MendMissing {
  const { connection, storage } = deps;
  const never = new Promise<never>(() => {});
  const reload = () => {
    deps.reload();
    return never;
  };

  return async ({ error, tries, isAction }) => {
    const served = await deps.askBuild().catch(() => 'away' as const);
    if (served === 'away') {
      if (isAction) throw new NoAnswerError(t('common.unreachable'), { cause: error });
      const back = answered(connection);
      connection.failed();
      return back;
    }
    if (deps.build && served && served !== deps.build) {
      // Two gateways of two builds behind one name would otherwise send the page to and fro for ever.
      if (storage.getItem(NEW_BUILD) === served) throw failure('common.part-missing', error);
      storage.setItem(NEW_BUILD, served);
      return reload();
    }
    if (tries < TRIES) return pause((deps.pauseMs ?? PAUSE_MS) * tries);
    // Some browsers keep a failed file in mind for as long as the page lives.
    const before = Number(storage.getItem(SAME_BUILD));
    if (deps.now() - before < AGAIN_AFTER_MS) throw failure('common.part-missing', error);
    storage.setItem(SAME_BUILD, String(deps.now()));
    return reload();
  };

  /** Not the browser's own words: the router reloads the page by itself when it reads them. */
  function failure(words: WordId, cause: unknown): Error {
    return new MissingCodeError(t(words), { cause });
  }
}

/** A style sheet that failed stays in the page and counts as there: without this, the second try would show bare text. */
export function forgetFailedLinks(page: Document): void {
  const forget = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel !== 'icon') target.remove();
  };
  page.addEventListener('error', forget, true);
}

function answered(connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    const stop = connection.subscribe(() => {
      if (connection.state() !== 'ok') return;
      stop();
      resolve();
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
