/** Says so where a host draws nothing at all. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';

const BLANK_MS = 10_000;
const BLANK =
  'the host has drawn nothing for 10 seconds: it may offer only the newer graphics, which this client does not have';

interface Noticed {
  notice(kind: Extract<DesktopReply, { type: 'notice' }>['kind'], text: string): void;
}

/** `isDone`: something was drawn, or it is over. */
export function watchBlank(desktop: Noticed, isDone: () => boolean): void {
  setTimeout(() => {
    if (!isDone()) desktop.notice('blank', BLANK);
  }, BLANK_MS).unref();
}
