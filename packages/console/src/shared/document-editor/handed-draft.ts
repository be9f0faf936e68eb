/** A draft that another screen has begun, for the editor that it leads to. It is in no address and in no storage: a link can put nothing into a role, and a reload forgets it. */
import { createStore } from '../../platform/browser/store.ts';

interface Handed {
  /** Of the document that it is a version of; empty for a new one. */
  name: string;
  text: string;
}

const handed = createStore<Handed | undefined>(undefined);

/** The one before is forgotten: whoever did not come to the editor does not want it any more. */
export function handDraft(draft: Handed): void {
  handed.set(() => draft);
}

export function handedDraft(name: string): string | undefined {
  const draft = handed.get();
  return draft?.name === name ? draft.text : undefined;
}

export function forgetHandedDraft(): void {
  handed.set(() => undefined);
}
