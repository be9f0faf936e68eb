/** What sessions differ in, and what is opened for one: connections, pools, windows of files. They hear from the session alone what becomes of them. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Actor } from '../../platform/http/actor.ts';
import type { SessionEnd } from './session-store.ts';

/** How a session differs from a terminal, which waits for moderators and outlives a sign-in that merely ran out. */
export interface SessionNature {
  /** It cannot be held up: where a role asks for a moderator it is over. */
  cannotWait?: boolean;
  /** Whatever is open of it is a part that is cut, and every use of it asks anew: while the store is lost it is not over. */
  isCutInParts?: boolean;
  /** Over with the sign-in it was opened under, however that came to its end. */
  endsWithSignIn?: boolean;
  /** Used on this gateway and kept by another, or by its kind: it is let go of, not ended, when this gateway cannot tell. */
  isGuest?: boolean;
  /** Kept by its kind: no row of `session` tells what became of it. */
  isKeptApart?: boolean;
  /** What is done in it needs nobody's eyes: where a role asks for moderators, what does is refused by itself. */
  isUnmoderated?: boolean;
  /** Whether nobody uses it is known elsewhere. */
  neverIdle?: boolean;
}

/** Of what nobody joins: there is nobody to wait for, and nobody finds it again after the next sign-in. */
export const UNJOINABLE: SessionNature = { cannotWait: true, endsWithSignIn: true };

/** As the row of the kind says, wherever the session is opened, followed or taken over; what is done with it may differ in something. */
export function natureOf(kind: Kind, own: SessionNature = {}): SessionNature {
  return { ...(factsOf(kind).joinable ? {} : UNJOINABLE), ...own };
}

/** What was opened for a session and is over with it: a connection, a pool of them, a window of files. */
export interface SessionPart {
  /** What its use takes beside the right to connect; asked at each decision. */
  whyNot?(owner: Actor): SessionEnd | undefined;
  /** It goes on under the terms of now. */
  onTerms?(owner: Actor): void;
  onEnd?(end: SessionEnd): void;
  /** It cannot be held up with the session: cut, it is made anew when somebody comes again. */
  onCut?(end: SessionEnd): void;
  /** Something is under way: nobody is idle. */
  isBusy?(): boolean;
}

export class SessionParts {
  readonly #parts = new Set<SessionPart>();
  #end: SessionEnd | undefined;

  /** Gives back how to part from it again. One that comes too late hears of the end at once. */
  attach(part: SessionPart): () => void {
    if (this.#end) part.onEnd?.(this.#end);
    else this.#parts.add(part);
    return () => this.#parts.delete(part);
  }

  /** What the use of one of them takes beside the right to connect, and is missing. */
  whyNot(owner: Actor): SessionEnd | undefined {
    for (const part of this.#parts) {
      const why = part.whyNot?.(owner);
      if (why) return why;
    }
    return undefined;
  }

  /** It was decided that the session goes on; gives back what failed. */
  tellTerms(owner: Actor): unknown[] {
    return told([...this.#parts], (part) => part.onTerms?.(owner));
  }

  /** The session is held up, and not over. */
  cut(end: SessionEnd): void {
    for (const part of [...this.#parts]) {
      if (!part.onCut) continue;
      this.#parts.delete(part);
      part.onCut(end);
    }
  }

  isBusy(): boolean {
    return [...this.#parts].some((part) => part.isBusy?.());
  }

  /** Each of them hears of it, also after one that failed; gives back what failed. */
  finish(end: SessionEnd): unknown[] {
    this.#end = end;
    const parts = [...this.#parts];
    this.#parts.clear();
    return told(parts, (part) => part.onEnd?.(end));
  }
}

function told(parts: readonly SessionPart[], tell: (part: SessionPart) => void): unknown[] {
  return parts.flatMap((part) => {
    try {
      tell(part);
      return [];
    } catch (error) {
      return [error];
    }
  });
}
