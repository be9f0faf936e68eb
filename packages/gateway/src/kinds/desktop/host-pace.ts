/** How fast the host of a desktop is read, and whether it need draw at all: as those who look at it take it. */
import type { DesktopRecorder } from '../../sessions/desktop/desktop-recorder.ts';
import type { DesktopViewer } from './desktop-viewer.ts';
import type { DesktopLink } from './engine/desktop-link.ts';

/** What somebody has typed is drawn and recorded for as long, whether they look or not: who hides their page and types would otherwise leave no trace. */
export const QUIET_MS = 60_000;
/** Where the host is not read for as long nobody types: it would be done where neither they nor a recording see it. */
export const STALLED_MS = 5_000;

/** A host is told to rest no more often: each time it is woken it sends all of its screen, and a page may look away as often as it likes. */
export const REST_EVERY_MS = 1_000;

export interface HostPaceDeps {
  viewers: ReadonlyMap<string, DesktopViewer>;
  recorder(): Pick<DesktopRecorder, 'behind'> | undefined;
}

export class HostPace {
  readonly #deps: HostPaceDeps;
  #pausedAt: number | undefined;
  #isSuppressed = false;
  #typedAt = Number.NEGATIVE_INFINITY;
  #restedAt = Number.NEGATIVE_INFINITY;
  #quiet: NodeJS.Timeout | undefined;

  constructor(deps: HostPaceDeps) {
    this.#deps = deps;
  }

  /** It is read only as fast as whose session it is takes it, and the disk. Whoever else is there misses pictures instead: they must not hold it up. */
  balance(link: DesktopLink | undefined): void {
    if (!link) return;
    const working = this.#viewers().filter(({ mayDrive, stage }) => mayDrive && stage !== 'waiting');
    const behind = this.#deps.recorder()?.behind();
    if (this.#pausedAt !== undefined) {
      if (behind || !working.every((viewer) => viewer.isDrained)) return;
      this.#pausedAt = undefined;
      link.resume();
    } else if (behind || working.some((viewer) => viewer.isFull)) {
      this.#pausedAt = performance.now();
      link.pause();
      void behind?.then(() => this.balance(link));
    }
  }

  /** The host was not read for too long. */
  get isStalled(): boolean {
    return this.#pausedAt !== undefined && performance.now() - this.#pausedAt >= STALLED_MS;
  }

  typed(link: DesktopLink | undefined, isGreeted: boolean): void {
    this.#typedAt = performance.now();
    if (this.#isSuppressed) this.look(link, isGreeted);
  }

  close(): void {
    clearTimeout(this.#quiet);
  }

  /** While nobody looks it need not draw. */
  look(link: DesktopLink | undefined, isGreeted: boolean): void {
    const isUnseen = isGreeted && !this.#viewers().some(({ isHidden }) => !isHidden);
    const now = performance.now();
    const mayRestAt = this.#isSuppressed ? now : this.#restedAt + REST_EVERY_MS;
    const waitMs = Math.max(this.#typedAt + QUIET_MS, mayRestAt) - now;
    clearTimeout(this.#quiet);
    if (isUnseen && waitMs > 0) this.#quiet = setTimeout(() => this.look(link, isGreeted), waitMs).unref();
    const isSuppressed = isUnseen && waitMs <= 0;
    if (isSuppressed === this.#isSuppressed) return;
    this.#isSuppressed = isSuppressed;
    if (isSuppressed) this.#restedAt = now;
    link?.suppressOutput(isSuppressed);
  }

  #viewers(): DesktopViewer[] {
    return [...this.#deps.viewers.values()];
  }
}
