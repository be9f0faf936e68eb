/** How fast the host of a desktop is read, and whether it need draw at all: as those who look at it take it. */
import type { DesktopRecorder } from '../../sessions/desktop/desktop-recorder.ts';
import type { DesktopViewer } from './desktop-viewer.ts';
import type { DesktopLink } from './engine/desktop-link.ts';

export interface HostPaceDeps {
  viewers: ReadonlyMap<string, DesktopViewer>;
  recorder(): Pick<DesktopRecorder, 'behind'> | undefined;
}

export class HostPace {
  readonly #deps: HostPaceDeps;
  #isPaused = false;
  #isSuppressed = false;

  constructor(deps: HostPaceDeps) {
    this.#deps = deps;
  }

  /** It is read only as fast as who works there takes it, and the disk. */
  balance(link: DesktopLink | undefined): void {
    if (!link) return;
    const working = this.#viewers().filter(({ mode, stage }) => mode === 'peer' && stage !== 'waiting');
    const behind = this.#deps.recorder()?.behind();
    if (this.#isPaused) {
      if (behind || !working.every((viewer) => viewer.isDrained)) return;
      this.#isPaused = false;
      link.resume();
    } else if (behind || working.some((viewer) => viewer.isFull)) {
      this.#isPaused = true;
      link.pause();
      void behind?.then(() => this.balance(link));
    }
  }

  /** While nobody looks it need not draw. */
  look(link: DesktopLink | undefined, isGreeted: boolean): void {
    const isSuppressed = isGreeted && !this.#viewers().some(({ isHidden }) => !isHidden);
    if (isSuppressed === this.#isSuppressed) return;
    this.#isSuppressed = isSuppressed;
    link?.suppressOutput(isSuppressed);
  }

  #viewers(): DesktopViewer[] {
    return [...this.#deps.viewers.values()];
  }
}
